"""What the server says when it is ready."""

import socket
import sys
from pathlib import Path

import pytest

from ulci.net import Address
from ulci_server.cli.banner import banner, command_line, kept_in, offers
from ulci_server.config import Config, Listener, load


def said(*urls: str) -> list[str]:
    addresses = [Address.parse(url) for url in urls]
    config = Config(listen=tuple(Listener(address=Address.parse("tcp://*")) for _ in urls))
    return banner(config, addresses, Path("/srv")).splitlines()


def test_it_tells_where_what_and_how() -> None:
    head, *lines = said("tcp://127.0.0.1:7000", "ws://127.0.0.1:7001/ulci")
    assert head.endswith(" listens at")
    assert lines[:2] == ["    tcp://127.0.0.1:7000", "    ws://127.0.0.1:7001/ulci"]
    assert lines[2] == "page     http://127.0.0.1:7001/"
    assert lines[3] == "offers   chess 180+2, chess960 180+2"
    assert lines[4] == "keeps    games in /srv/ulci.db"
    assert lines[5] == "engine   socat TCP:127.0.0.1:7000,nodelay EXEC:stockfish"
    assert lines[6].startswith("or       ")
    assert lines[6].endswith(" bridge --server tcp://127.0.0.1:7000 -- stockfish")
    assert lines[7].endswith(" play --server tcp://127.0.0.1:7000")


def test_who_speaks_another_protocol_has_a_way_in_of_its_own() -> None:
    at = [{"address": f"tcp://127.0.0.1:{port}"} for port in (7000, 7001, 7002)]
    listen = [at[0], {**at[1], "dialect": "ugi"}, {**at[2], "dialect": "uti"}]
    config = load(None, {"listen": listen})
    addresses = [listener.address for listener in config.listen]
    lines = banner(config, addresses, Path("/srv")).splitlines()
    assert lines[1:4] == [
        "    tcp://127.0.0.1:7000",
        "    tcp://127.0.0.1:7001 in UGI",
        "    tcp://127.0.0.1:7002 in UTI",
    ]
    assert lines[7] == "engine   socat TCP:127.0.0.1:7000,nodelay EXEC:stockfish"
    assert lines[-2:] == [
        "UGI      socat TCP:127.0.0.1:7001,nodelay EXEC:ENGINE",
        "UTI      socat TCP:127.0.0.1:7002,nodelay EXEC:ENGINE",
    ]


def test_the_page_is_where_http_is_and_nowhere_if_it_is_off() -> None:
    for serve, pages in (("watch", ["page     https://[::1]:7001/"]), ("off", [])):
        config = load(None, {"listen": [{"address": "tcp://[::1]:0"}] * 2, "web": {"serve": serve}})
        addresses = [Address.parse("tcp://[::1]:7000"), Address.parse("wss://[::1]:7001/ulci")]
        lines = banner(config, addresses, Path("/srv")).splitlines()
        assert [line for line in lines if line.startswith("page")] == pages


def test_without_a_listener_that_could_show_the_page_it_says_how_to_add_one() -> None:
    config = load(None, {"listen": [{"address": "tcp://*:7000"}]})
    lines = banner(config, [Address.parse("tcp://*:7000")], Path("/srv")).splitlines()
    wanted = "page     none; it needs a listener for WebSocket: --listen 'ws://*:25566'"
    assert lines[2] == wanted


@pytest.mark.parametrize(("game", "engine"), [("chess960", "stockfish"), ("atomic", "ENGINE")])
def test_stockfish_is_advised_only_for_what_it_plays(game: str, engine: str) -> None:
    pools = [{"name": "first", "game": game}]
    config = load(None, {"pool": pools, "listen": [{"address": "tcp://127.0.0.1:7000"}]})
    lines = banner(config, [Address.parse("tcp://127.0.0.1:7000")], Path("/srv")).splitlines()
    which = "" if engine == "stockfish" else f" (it plays {game})"
    assert lines[-3] == f"engine   socat TCP:127.0.0.1:7000,nodelay EXEC:{engine}{which}"
    assert lines[-2].endswith(f" bridge --server tcp://127.0.0.1:7000 -- {engine}{which}")


def test_the_engine_is_one_for_the_pool_of_the_listener_that_is_named() -> None:
    pools = [{"name": "first", "game": "chess"}, {"name": "big", "game": "liberty"}]
    urls = ["ws://127.0.0.1:7000/ulci", "tcp://127.0.0.1:7001"]
    listen = [{"address": urls[0]}, {"address": urls[1], "pool": "big"}]
    config = load(None, {"pool": pools, "listen": listen})
    said = banner(config, [*map(Address.parse, urls)], Path("/srv"))
    assert "EXEC:ENGINE (it plays liberty)" in said
    assert "stockfish" not in said


def test_a_listener_with_a_pool_of_its_own_says_which() -> None:
    pools = [{"name": "first", "game": "chess"}, {"name": "mini", "game": "liberty"}]
    urls = ["tcp://127.0.0.1:7000", "tcp://127.0.0.1:7001"]
    listen = [{"address": urls[0]}, {"address": urls[1], "pool": "mini", "dialect": "ugi"}]
    config = load(None, {"pool": pools, "listen": listen})
    lines = banner(config, [*map(Address.parse, urls)], Path("/srv")).splitlines()
    assert lines[1:3] == [f"    {urls[0]}", f"    {urls[1]} in UGI (pool mini)"]


def test_without_plain_tcp_the_bridge_is_the_way_in() -> None:
    engine, you = said("wss://127.0.0.1:7001/ulci")[-2:]
    assert engine.startswith("engine   ")
    assert engine.endswith(" bridge --server wss://127.0.0.1:7001/ulci -- stockfish")
    assert you.endswith(" play --server wss://127.0.0.1:7001/ulci")


@pytest.mark.parametrize("host", ["*", "0.0.0.0", "[::]"])
def test_every_interface_is_reached_by_the_machines_name(host: str) -> None:
    assert said(f"tcp://{host}:7000")[-1].endswith(f" tcp://{socket.gethostname()}:7000")


def test_a_pool_is_called_by_its_name_where_that_is_not_the_games() -> None:
    pools = [{"name": "blitz", "time": "60+1"}, {"name": "chess960", "game": "chess960"}]
    assert offers(load(None, {"pool": pools})) == "blitz (chess 60+1), chess960 180+2"


def test_where_games_are_kept_is_shown_without_a_password() -> None:
    here = Path("/srv")
    assert kept_in("sqlite:///a/x.db", here) == "/srv/a/x.db"
    assert kept_in("sqlite:////var/x.db", here) == "/var/x.db"
    assert kept_in("postgresql://ada:secret@h/x", here) == "postgresql://ada:***@h/x"
    assert kept_in("memory:", here) == "memory, and forgets them when it ends"


def test_a_command_outside_the_path_is_shown_as_it_can_be_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "ulci").touch(mode=0o755)
    monkeypatch.setattr("sys.executable", str(tmp_path / "bin" / "python"))
    monkeypatch.setenv("PATH", "")
    assert command_line("ulci") == str(tmp_path / "bin" / "ulci")
    monkeypatch.chdir(tmp_path)
    assert command_line("ulci") == "bin/ulci"
    assert command_line("other") == "other"
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert command_line("ulci") == "ulci"


def test_it_tells_of_the_engines_of_the_server() -> None:
    engines = [
        {"command": [sys.executable, "-m", "house"], "name": "House", "boards": 4},
        {"command": [sys.executable], "meets": "engines"},
        {"command": [sys.executable], "meets": "all"},
    ]
    config = load(None, {"engine": engines, "listen": [{"address": "tcp://127.0.0.1:7000"}]})
    lines = banner(config, [Address.parse("tcp://127.0.0.1:7000")], Path("/srv")).splitlines()
    name = Path(sys.executable).name
    assert [line for line in lines if line.startswith("plays")] == [
        "plays    House against people who seek against an engine, 4 games at once",
        f"plays    {name} against engines",
        f"plays    {name} against engines, and people who seek against one",
    ]
