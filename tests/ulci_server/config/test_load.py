from pathlib import Path
from typing import Any

import pytest

from ulci_server.config import Config, ConfigError, load

WRONG_IN_MANY_WAYS = """
listen = [
    { address = "http://127.0.0.1", pool = "blizt" },
    { address = 25565 },
    { address = "tcp://127.0.0.1:7000" },
    { address = "ws://127.0.0.1:7000" },
]
port = 1

[database]
url = "mysql://me:secret@host/db"
durabilty = "power"
migrate = "yes"

[play]
ready = -3
handshake = 3

[clients]
nonsense = 0.5

[limits]
line = 3

[log]
level = "loud"

[[pool]]
name = "two words"
time = "3+x"
start = "8/8 w - -"

[[pool]]
name = "blitz"
game = "ches"
time = 180

[[pool]]
name = "blitz"
self_play = 1
starts = ["startpos", "8/8/8/8/8/8/8/8 w - - 0 1", 3]
"""

FAULTS = {
    "listen[0].address": "'http://127.0.0.1' begins with http://, which is not supported",
    "listen[0].pool": "there is no pool 'blizt'; did you mean blitz?",
    "listen[1].address": "expected an address such as tcp://127.0.0.1:25565 in quotes, found 25565",
    "listen[3].address": "'127.0.0.1:7000' is taken by listen[2]",
    "port": "is no setting; there are: ",
    "database.url": "games cannot be kept in mysql://me:***@host/db",
    "database.durabilty": "is no setting; did you mean durability?",
    "database.migrate": 'expected true or false, found "yes"',
    "play.ready": "expected a number above 0, found -3",
    "play.handshake": "does not belong here but into [clients]",
    "clients.nonsense": "expected a whole number, found 0.5",
    "limits.line": "expected a number from 256 up, found 3",
    "log.level": 'expected one of "debug", "info", "warning" or "error", found "loud"',
    "pool[0].name": "expected one word of letters",
    "pool[0].time": "time control '3+x', column 3: expected a time in seconds, found 'x'",
    "pool[0].start": "the placement has 2 ranks, expected 8",
    "pool[1].game": "there is no game 'ches'; did you mean chess?",
    "pool[1].time": "expected a time control such as 300+3 or 5m+3s in quotes, found 180",
    "pool[2].name": "'blitz' is taken by pool[1]",
    "pool[2].self_play": "expected true or false, found 1",
    "pool[2].starts[1]": "",
    "pool[2].starts[2]": "expected a FEN in quotes, found 3",
}


def faults_of(folder: Path, text: str, **changes: Any) -> dict[str, str]:
    path = folder / "server.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load(path, changes)
    faults = {fault.where: fault.text for fault in caught.value.faults}
    assert len(faults) == len(caught.value.faults)
    return faults


def test_without_a_file_everything_has_its_default() -> None:
    config = load()
    assert config == Config()
    assert [str(listener.address) for listener in config.listen] == [
        "tcp://127.0.0.1:25565",
        "ws://127.0.0.1:25566/ulci",
    ]
    assert [(pool.name, str(pool.control)) for pool in config.pools()] == [
        ("chess", "180+2"),
        ("chess960", "180+2"),
    ]
    assert config.database.url == "sqlite:///ulci.db"


def test_an_empty_file_is_the_same(tmp_path: Path) -> None:
    path = tmp_path / "server.toml"
    path.touch()
    assert load(path) == Config()


def test_every_fault_is_told_at_once_with_its_place_and_what_was_expected(tmp_path: Path) -> None:
    faults = faults_of(tmp_path, WRONG_IN_MANY_WAYS)
    assert faults.keys() == FAULTS.keys()
    for where, text in FAULTS.items():
        assert text in faults[where]


def test_every_fault_has_its_line_unless_it_is_not_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "server.toml"
    path.write_text(WRONG_IN_MANY_WAYS)
    with pytest.raises(ConfigError) as caught:
        load(path, {"database": {"migrate": "no"}})
    lines = {fault.where: fault.line for fault in caught.value.faults}
    assert lines["database.migrate"] == 0  # it is of the changes
    text = WRONG_IN_MANY_WAYS.splitlines()
    for where, line in lines.items():
        if line:
            name = where.rpartition(".")[2].partition("[")[0]
            assert name in text[line - 1], where
    assert [lines[f"pool[2].{name}"] for name in ("name", "self_play", "starts[2]")] == [39, 40, 41]
    told = str(caught.value).splitlines()
    assert told[0] == f"{path} has 22 errors:"
    assert "  line 8: port: is no setting; there are: " in str(caught.value)


def test_no_fault_shows_a_password(tmp_path: Path) -> None:
    for url in ("mysql://me:secret@host/db", "postgresql://me:secret@host:port/db", "x://:secret@"):
        assert "secret" not in str(faults_of(tmp_path, f'[database]\nurl = "{url}"'))


def test_a_pool_that_is_not_offered_by_default_is_unknown_to_a_listener(tmp_path: Path) -> None:
    text = 'listen = [{ address = "tcp://*", pool = "chess959" }]'
    assert faults_of(tmp_path, text) == {
        "listen[0].pool": "there is no pool 'chess959'; there are: chess, chess960"
    }


@pytest.mark.parametrize("name", ["listen", "pool"])
def test_there_must_be_at_least_one(tmp_path: Path, name: str) -> None:
    faults = faults_of(tmp_path, f"{name} = []")
    assert faults == {name: "expected at least one, found an empty list"}


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("x = 1\ny = ", "line 2, column 5"),
        ("time = 180+2", "line 1, column 11"),
        ("x = [1,\n", "line 1, column 8"),
        ("[play]\nready = 3\nready = 4", "line 3, column 10"),
    ],
)
def test_what_is_no_toml_is_shown_where_it_stops_to_be(
    tmp_path: Path, text: str, place: str
) -> None:
    (fault,) = faults_of(tmp_path, text).values()
    assert place in fault


def test_a_file_that_cannot_be_read_is_a_fault_too(tmp_path: Path) -> None:
    for path, why in ((tmp_path, "Is a directory"), (tmp_path / "no", "No such file or directory")):
        with pytest.raises(ConfigError, match=f"cannot be read: {why}"):
            load(path)


def test_a_file_in_another_encoding_is_a_fault_too(tmp_path: Path) -> None:
    path = tmp_path / "server.toml"
    path.write_bytes("# Schönfeld\n".encode("latin-1"))
    with pytest.raises(ConfigError, match="must be a text in UTF-8, but has byte 0xf6"):
        load(path)


def test_changes_are_laid_over_the_file_tables_key_by_key_and_lists_whole(tmp_path: Path) -> None:
    path = tmp_path / "server.toml"
    path.write_text(
        """
listen = [{ address = "tcp://*:1" }, { address = "ws://*:2" }]
[database]
url = "sqlite:///other.db"
durability = "process"
""",
        encoding="utf-8",
    )
    config = load(path, {"listen": [{"address": "tcp://h:3"}], "database": {"url": "memory:"}})
    assert [str(listener.address) for listener in config.listen] == ["tcp://h:3"]
    assert config.database.url == "memory:"
    assert config.database.durability == "process"


def test_a_wire_log_of_its_own_needs_a_server_with_a_name(tmp_path: Path) -> None:
    log = '[wire_log]\nfile = "{name}.log"\n'
    needed = '{name} needs the name of this server: [cluster] name = "NAME"'
    assert faults_of(tmp_path, log) == {"wire_log.file": needed}
    assert load(None, {"wire_log": {"file": "{name}.log"}, "cluster": {"name": "north"}})


def test_a_listener_may_name_a_pool_of_the_changes() -> None:
    changes = {
        "listen": [{"address": "tcp://*", "pool": "mine"}],
        "pool": [{"name": "mine", "time": "60"}],
    }
    assert load(None, changes).listen[0].pool == "mine"
