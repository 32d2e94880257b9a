"""A conversation with a real server is recorded, and held again without one."""

import io
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, ExitStack
from functools import partial
from pathlib import Path

import pytest
import trio
import trio.lowlevel

from tests.support.clients import Client
from tests.support.servers import PATIENCE, serving
from ulci.net import TEXT, Address, dial
from ulci.net.limits import FAIR_SHARE
from ulci.protocol import ULCI, Connection, MsgpackCodec, Role, TextCodec
from ulci.protocol.messages import (
    BestMove,
    Id,
    Info,
    Report,
    Resign,
    Say,
    Score,
    Seek,
    TellPlayer,
    Terms,
)
from ulci_server.app import Shutdown, run_server
from ulci_server.app.replay_factory import replayed
from ulci_server.config import load, read_settings, recorded_settings
from ulci_server.replay.recording import TickClock
from ulci_server.replay.replay_diff import Difference
from ulci_server.replay.tape import Tape, read

pytestmark = pytest.mark.system

Meeting = Callable[[list[Address]], Awaitable[None]]

HANG = 120

RECORDINGS = Path(__file__).parents[2] / "data" / "recordings"
"""Of former servers, one of each format."""

SETTINGS = {
    "listen": [
        {"address": "tcp://127.0.0.1:0"},
        {"address": "ws://127.0.0.1:0"},
        {"address": "tcp://127.0.0.1:0", "pool": "alone"},
    ],
    "database": {"url": "memory:"},
    "pool": [{"name": "chess", "time": "60+1"}, {"name": "alone", "game": "chess960"}],
}


def connection(subprotocol: str) -> Connection:
    codec = TextCodec() if subprotocol == TEXT else MsgpackCodec()
    return Connection(Role.CLIENT, codec, ULCI.with_lobby())


async def play(addresses: list[Address]) -> None:
    """Two people, one of them over msgpack, play, talk and err; an engine comes and goes."""
    tcp, ws, alone = addresses
    async with (
        dial(tcp, connection) as one,
        dial(ws, connection) as other,
        dial(alone, connection) as third,
    ):
        ada, bob, engine = Client(one), Client(other), Client(third)
        await engine.introduce(Id("name", "Engine"))
        for client, name in ((ada, "Ada"), (bob, "Bob")):
            await client.introduce_person(name)
            client.say(Seek(Terms(color="white" if client is ada else "black")))
        for client in (ada, bob):
            await client.get_ready()
        await ada.move("e2e5")
        await ada.hear(Report)
        await ada.move("e2e4")
        await bob.be_asked()
        bob.say(Info(depth=3, score=Score(cp=-20)), Say("hello \\ wörld"))
        await ada.hear_line("say")
        bob.say(BestMove("e7e5"))
        await ada.be_asked()
        ada.say(Resign())
        for client in (ada, bob):
            await client.hear_line("game 1 over")
            await client.get_ready()


async def speak_at_once(addresses: list[Address]) -> None:
    """Three people and an engine say more at once than one turn deals with, and a fourth person
    hears it."""
    async with AsyncExitStack() as lines:
        clients = [
            Client(await lines.enter_async_context(dial(addresses[0], connection)))
            for _ in range(5)
        ]
        *people, engine = clients
        for number, person in enumerate(people):
            await person.introduce_person(f"P{number}")
        await engine.introduce(Id("name", "Engine"))
        *speakers, listener = people
        for number, person in enumerate(speakers):  # from strangers it would hear less
            listener.say(TellPlayer(f"P{number}", "hello"))
            await person.hear_line("tell")
        thoughts = [Info(depth=depth) for depth in range(1, FAIR_SHARE + 4)]
        for burst in range(5):
            for number, person in enumerate(speakers):
                said = [TellPlayer("P3", f"{burst} {number} {word}") for word in range(3)]
                person.say(*said[:1], *thoughts, *said[1:])
            engine.say(*thoughts)
            for _ in range(3 * len(speakers)):
                await listener.hear_line("tell")


async def record(file: io.StringIO, meeting: Meeting = play) -> None:
    config = load(None, SETTINGS)
    tape = partial(Tape, file, recorded_settings(read_settings(None, SETTINGS), config))
    shutdown = Shutdown()
    async with trio.open_nursery() as nursery:
        addresses = await nursery.start(partial(run_server, config, shutdown, tape=tape))
        await meeting(addresses)
        await trio.lowlevel.checkpoint()
        shutdown.ask()


@pytest.fixture(scope="module")
def recording() -> list[str]:
    file, clock = io.StringIO(), TickClock()
    trio.run(record, file, clock=clock, instruments=[clock])
    return file.getvalue().splitlines()


@pytest.fixture(scope="module")
def bursts() -> list[str]:
    file, clock = io.StringIO(), TickClock()
    trio.run(record, file, speak_at_once, clock=clock, instruments=[clock])
    return file.getvalue().splitlines()


def held_again(lines: list[str]) -> Difference | None:
    with ExitStack() as closing:
        again = replayed(read(f"{line}\n" for line in lines), closing)
        return trio.run(again.run, clock=again.clock)


def test_it_says_the_same_bytes_again(recording: list[str]) -> None:
    said = [line.split(" ", 3)[2] for line in recording[3:]]
    assert said.count("open") == 3
    assert said[-1] == "over"
    assert any("result 0-1 reason resignation" in line for line in recording)
    assert held_again(recording) is None
    assert held_again(recording) is None


def test_what_many_said_at_once_is_heard_again_in_the_same_order(bursts: list[str]) -> None:
    assert held_again(bursts) is None


@pytest.mark.parametrize("version", [1, 2])
def test_an_older_recording_is_held_again(version: int) -> None:
    """With players, an administrator, and some who are not let in."""
    lines = (RECORDINGS / f"format{version}.tape").read_text().splitlines()
    assert lines[0] == f"ulci-tape {version}"
    assert held_again(lines) is None


def test_one_other_byte_is_found(recording: list[str]) -> None:
    at = next(
        n
        for n, line in enumerate(recording)
        if line.endswith("info string result 0-1 reason resignation")
    )
    changed = [*recording]
    changed[at] = changed[at].replace("0-1", "1-0")
    difference = held_again(changed)
    assert difference is not None
    when, who, _, expected = changed[at].split(" ", 3)
    assert (difference.at, difference.who, difference.expected) == (float(when), who, expected)
    assert difference.got == "info string result 0-1 reason resignation"


def test_another_move_leads_to_another_conversation(recording: list[str]) -> None:
    changed = [line.replace("< bestmove e2e4", "< bestmove d2d4") for line in recording]
    difference = held_again(changed)
    assert difference is not None
    assert difference.expected is not None
    assert "e2e4" in difference.expected
    assert difference.got == difference.expected.replace("e2e4", "d2d4")


def test_a_recording_that_was_cut_short_is_the_same_as_far_as_it_goes(recording: list[str]) -> None:
    """As one of a server that was killed is, or a copy from one that runs."""
    for end in range(4, len(recording)):
        assert held_again(recording[:end]) is None, recording[end - 1]


def test_the_command_says_so_or_tells_the_first_difference(
    recording: list[str], tmp_path: Path, shell
) -> None:
    path = tmp_path / "tape"
    path.write_text("\n".join([*recording, ""]))
    result = shell.run("replay", str(path))
    assert result.exit_code == 0
    assert result.output.splitlines()[-1].endswith("lines on 3 connections is the same")
    path.write_text("\n".join([*recording[:-1], recording[-1][:7]]))
    result = shell.run("replay", str(path))
    assert result.exit_code == 0
    assert "is the same; it was cut short: its server was killed, or could not" in result.output
    path.write_text("\n".join([*recording, ""]).replace("> uci\n", "> uic\n", 1))
    result = shell.run("replay", str(path))
    assert result.exit_code == 1
    where, expected, got = result.stderr.splitlines()[-3:]
    assert where.startswith(f"Error: {path}: connection 1 at ")
    assert (expected, got) == ("  expected  uic", "  got       uci")


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (["something"], "line 1: a recording begins with: ulci-tape 3"),
        (["ulci-tape 1", "x"], "line 2: expected config and its value, found 'x'"),
        (["ulci-tape 1", "config {}", "next-game 1", "x"], "line 4: expected TIME WHO WHAT"),
    ],
)
def test_what_is_no_recording_is_refused(lines: list[str], why: str, tmp_path: Path, shell) -> None:
    path = tmp_path / "tape"
    path.write_text("\n".join([*lines, ""]))
    assert why in shell.refused("replay", str(path), code=2)


def test_what_is_no_text_is_no_recording(tmp_path: Path, shell) -> None:
    path = tmp_path / "games.db"
    path.write_bytes(b"SQLite format 3\0\xff\xfe")
    said = shell.refused("replay", str(path), code=2)
    assert said.startswith(f"{path}: this is no text in UTF-8, so no recording;")


def test_a_recording_replaces_no_file(tmp_path: Path, shell) -> None:
    path = tmp_path / "tape"
    path.write_text("precious")
    said = shell.refused("serve", "--database", "memory:", "--record", str(path))
    assert said.startswith(f"there is a file {path} already, and a recording replaces none")
    assert path.read_text() == "precious"


def test_a_recording_is_made_by_serve_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "tape"
    with serving(tmp_path, "--listen", "tcp://127.0.0.1:0", "--record", str(path)) as server:
        with socket.create_connection(("127.0.0.1", server.port())) as client:
            assert client.recv(100).startswith(b"uci")
            client.sendall(b"id name A\nuciok\n")
            client.shutdown(socket.SHUT_WR)
            while client.recv(100):
                pass
        assert server.stop() == 0
    assert path.stat().st_mode & 0o777 == 0o600
    lines = path.read_text().splitlines()
    assert lines[-1].endswith("- over")
    assert held_again(lines) is None


def test_what_an_administrator_was_told_of_the_process_is_in_it(tmp_path: Path) -> None:
    path, token = tmp_path / "tape", tmp_path / "token"
    with serving(tmp_path, "--listen", "tcp://127.0.0.1:0", "--record", str(path)) as server:
        token.touch(0o600)
        token.write_text(server.run("player", "add", "Boss", "--admin"))
        said = ("admin", "--server", f"tcp://127.0.0.1:{server.port()}", "--token-file", str(token))
        for words in (("status",), ("who",), ("games",)):
            done = subprocess.run(
                [sys.executable, "-m", "ulci_server.cli", *said, *words],
                capture_output=True, text=True, check=False, timeout=PATIENCE,
            )  # fmt: skip
            assert (done.returncode, done.stderr) == (0, "")
        assert server.stop() == 0
    lines = path.read_text().splitlines()
    assert any(" statistics " in line for line in lines)
    assert held_again(lines) is None
