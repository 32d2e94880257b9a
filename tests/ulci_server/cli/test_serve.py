"""``ulci-server serve``: how it starts, how it ends, and why it does not."""

import json
import re
import signal
import socket
from pathlib import Path

import pytest
import trio

from tests.support.players import Player
from tests.support.servers import PATIENCE, Server, serving, until
from ulci_server.cli import logs, own_engine
from ulci_server.cli.errors import ExitCode
from ulci_server.cli.serve import _engines

ANY_PORT = ("--listen", "tcp://127.0.0.1:0")


@pytest.fixture(autouse=True)
def _log_is_pytests(monkeypatch: pytest.MonkeyPatch) -> None:
    """In this process, the log stays as the tests have set it up."""
    monkeypatch.setattr(logs, "take_over", lambda *_: None)


@pytest.mark.parametrize(
    ("option", "value", "why"),
    [
        ("--listen", "127.0.0.1:25565", "has no scheme: try tcp://127.0.0.1:25565"),
        ("--listen", "http://x", "which is not supported: try ws://x"),
        ("--listen", "tcp://127.0.0.1:80000", "a port is a number from 0 to 65535"),
        ("--time", "3+x", "time control '3+x', column 3: expected a time in seconds, found 'x'"),
        ("--time", "0", "expected a time above 0"),
        ("--game", "go", "'go' is not one of 'chess', 'chess960'"),
        ("--durability", "none", "is not one of"),
        ("--log-level", "loud", "is not one of"),
        ("--database", "mysql://me:secret@h/x", "games cannot be kept in mysql://me:***@h/x"),
        ("--engine", "", "a command of no words starts no engine"),
        ("--engine", "fish 'x", "has a quotation mark without its second"),
    ],
)
def test_a_wrong_option_is_one_line(shell, option: str, value: str, why: str) -> None:
    assert why in shell.refused("serve", option, value, code=ExitCode.USAGE)


def test_a_wrong_configuration_is_told_whole(shell, tmp_path: Path) -> None:
    path = tmp_path / "server.toml"
    path.write_text('[play]\nready = 0\n[log]\nlevel = "loud"\n[[pool]]\nname = "x"\nstart = "8/8"')
    result = shell.run("serve", "-c", str(path))
    assert result.exit_code == ExitCode.USAGE
    first, *faults = result.stderr.splitlines()
    assert first == f"Error: {path} has 3 errors:"
    assert [fault.strip().split(": ")[:2] for fault in faults] == [
        ["line 2", "play.ready"], ["line 4", "log.level"], ["line 7", "pool[0].start"],
    ]  # fmt: skip


def test_an_engine_that_does_not_exist_is_told_with_where_to_look(shell) -> None:
    result = shell.run("serve", "--engine", "no-such-fish -x")
    assert result.exit_code == ExitCode.USAGE
    assert "engine[0].command: there is no program no-such-fish in PATH" in result.stderr


def test_no_engine_and_an_engine_exclude_each_other(shell) -> None:
    argv = ("--no-engine", "--engine", "fish")
    said = shell.refused("serve", *argv, code=ExitCode.USAGE)
    assert "--engine and --no-engine exclude each other" in said


@pytest.mark.parametrize(
    ("asked", "engines"),
    [
        ({}, ["House"]),
        ({"no_engine": True}, []),
        ({"config": Path("x")}, None),
        ({"config": Path("x"), "no_engine": True}, []),
        ({"engines": ("fish -x", "fowl")}, [("fish", "-x"), ("fowl",)]),
    ],
)
def test_our_own_engine_plays_unless_the_operator_says_what_does(asked, engines) -> None:
    said = _engines({"config": None, "engines": (), "no_engine": False, **asked})
    found = None if said is None else [each.get("name", each["command"]) for each in said]
    assert found == engines


def test_our_own_engine_is_not_offered_where_only_the_server_is_installed(monkeypatch) -> None:
    monkeypatch.setattr(own_engine, "find_spec", lambda _: None)
    assert own_engine.own_engine() == []


def test_an_encrypted_listener_needs_a_certificate(shell) -> None:
    result = shell.run("serve", "--listen", "wss://127.0.0.1:0")
    assert result.exit_code == ExitCode.USAGE
    assert "listen[0].certificate: is missing: wss:// needs" in result.stderr


def test_a_port_that_is_taken_is_one_line(shell) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        said = shell.refused("serve", "--listen", url, "--database", "memory:")
    assert said == (
        f"cannot listen at {url}: another program listens there already;"
        " stop it or choose another port"
    )


def test_a_database_that_cannot_be_opened_is_one_line(shell, tmp_path: Path) -> None:
    said = shell.refused("serve", *ANY_PORT, "--database", f"sqlite:///{tmp_path}")
    assert "it is a directory; name a file in it" in said
    said = shell.refused("serve", *ANY_PORT, "--database", f"sqlite:///{tmp_path}/no/x.db")
    assert f"the directory {tmp_path}/no does not exist; create it" in said


@pytest.mark.system
async def test_it_says_where_it_listens_and_how_to_come(tmp_path: Path) -> None:
    with serving(tmp_path, *ANY_PORT, "--listen", "ws://127.0.0.1:0", "--time", "60") as server:
        assert [url.partition(":")[0] for url in server.addresses] == ["tcp", "ws"]
        assert server.stop() == ExitCode.DONE
    assert "shutdown requested" in server.log.read_text()


@pytest.mark.system
async def test_a_person_can_follow_a_game_in_the_log(tmp_path: Path) -> None:
    server = Server(tmp_path, *ANY_PORT, "--time", "movetime=60000", "--log-level", "debug")
    assert await end_in_mid_game(server, signal.SIGTERM, signal.SIGINT) == ExitCode.GAMES_CUT
    text = server.log.read_text()
    assert "\x1b" not in text
    stories = [
        r"\[info +\] joined +client='Ada' kind='engine' peer='tcp 127\.0\.0\.1:\d+'",
        r"\[info +\] game started +game=1 white='\w+' black='\w+' rules='chess'",
        r"\[debug +\] move +game=1 ply=\d+ side='\w+' move='\w+' spent=\d+",
        r"\[info +\] shutdown requested +signal='SIGTERM'",
        r"\[info +\] shutdown requested +signal='SIGINT'",
        r"\[info +\] game over +game=\d+ result='\*' reason='server'",
        r"\[info +\] left +client='\w+'",
    ]
    position = 0
    for story in stories:
        found = re.compile(r"^\d{4}-\d\d-\d\dT[\d:.]+Z " + story, re.MULTILINE).search(
            text, position
        )
        assert found is not None, (story, text[position:])
        position = found.end()
    assert "reason='server'" in text
    assert " server" in server.run("games", "--limit", "1")


@pytest.mark.system
async def test_the_log_is_json_where_it_is_asked_for(tmp_path: Path) -> None:
    server = Server(tmp_path, *ANY_PORT, "--time", "movetime=60000", "--log-json")
    assert await end_in_mid_game(server, signal.SIGINT, signal.SIGINT) == ExitCode.GAMES_CUT
    events = [json.loads(line) for line in server.log.read_text().splitlines()]
    started = next(event for event in events if event["event"] == "game started")
    assert started.keys() >= {"timestamp", "level", "game", "white", "black", "rules", "time"}


async def end_in_mid_game(server: Server, *signals: signal.Signals) -> int:
    """Ask the server to end, twice, while two play; its exit code. One has moved and the other one
    thinks: their game cannot be over before the server is."""
    server.start()
    try:
        assert server.process is not None
        players = [Player("Ada"), Player("Bob")]
        async with trio.open_nursery() as nursery:
            for player in players:
                player.held = True
                nursery.start_soon(player.play, server.port())
            await until(lambda: any(player.is_asked for player in players), "White is to move")
            white, black = sorted(players, key=lambda player: player.is_asked, reverse=True)
            white.release()
            await until(lambda: black.is_asked, "Black is to move")
            for number in signals:
                asked = server.log.read_text().count("shutdown requested")
                server.process.send_signal(number)
                await until(
                    lambda asked=asked: server.log.read_text().count("shutdown requested") > asked,
                    "it has heard that",
                )
            await trio.to_thread.run_sync(server.process.wait, PATIENCE)
    finally:
        code = server.stop()
    return code
