"""Everything that is said and heard stands in the log, and nobody waits for it."""

import json
import os
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import trio

from tests.support.memory_peers import memory_peers
from ulci.net import Peer
from ulci.protocol import (
    ULCI,
    AnnouncedLine,
    Announcement,
    Connection,
    MsgpackCodec,
    Role,
    TextCodec,
)
from ulci.protocol.lobby.lines import UnknownLine
from ulci.protocol.messages import BestMove, Go, Hello, HelloOk, Id, Info, Lobby, Position
from ulci.wire_log import WireLog
from ulci.wire_log import wire_log as module
from ulci.wire_log.rotating_file import RotatingFile

HANG = 60.0
"""Seconds; a hang guard that no test waits for."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "wire.log"


@pytest.fixture
def begin(path: Path) -> Iterator[Callable[..., WireLog]]:
    begun: list[WireLog] = []

    def begin(**settings: Any) -> WireLog:
        begun.append(WireLog(path, **{"on_end": pytest.fail, **settings}))
        return begun[-1]

    yield begin
    for log in begun:
        log.close()
        assert not log._thread.is_alive()


def entries(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def lines(path: Path) -> list[tuple[str, str]]:
    """What was said and heard, and what else happened to connections."""
    return [(each["event"], each.get("text", "")) for each in entries(path)[1:]]


def joined(kind: type = TextCodec) -> tuple[Peer, Peer]:
    return memory_peers(
        Connection(Role.SERVER, kind(), ULCI.with_lobby()),
        Connection(Role.CLIENT, kind(), ULCI.with_lobby()),
    )


async def talk(near: Peer, far: Peer) -> None:
    near.put(Hello())
    await far.receive()
    far.put(Id("name", "Ada\\Löve"), Id("token", "hidden"), HelloOk())
    for _ in range(3):
        await near.receive()
    near.put(Position(None, ("e2e4",)), Go(wtime=1000))
    near.put(Lobby(UnknownLine(("welcome", "name", "Ada", "account", "no", "resume", "hidden"))))
    for _ in range(3):
        await far.receive()
    far.put(Info(depth=3), BestMove("e7e5"))
    for _ in range(2):
        await near.receive()
    await far.aclose()
    assert await near.receive() is None


TALK = [
    ("opened", "memory client"),
    ("said", "uci"),
    ("heard", "id name Ada\\Löve"),
    ("heard", "id token (secret)"),
    ("heard", "uciok"),
    ("said", "position startpos moves e2e4"),
    ("said", "go wtime 1000"),
    ("said", "lobby welcome name Ada account no resume (secret)"),
    ("heard", "info depth 3"),
    ("heard", "bestmove e7e5"),
    ("closed", "closed by the other side"),
]


@pytest.mark.parametrize("kind", [TextCodec, MsgpackCodec])
async def test_a_conversation_is_written_as_text_and_without_secrets(begin, path, kind) -> None:
    log = begin(program="test")
    near, far = joined(kind)
    log.follow(near)
    await talk(near, far)
    log.close()
    assert lines(path) == TALK
    first, *others = entries(path)
    assert (first["event"], first["text"]) == ("started", "test")
    assert {each["connection"] for each in others} == {1}
    times = [datetime.fromisoformat(each["at"]) for each in others]
    assert times == sorted(times)
    assert timedelta(0) <= datetime.now(UTC) - times[0] < timedelta(seconds=HANG)


async def test_the_other_end_is_logged_from_its_own_side(begin, path) -> None:
    log = begin()
    near, far = joined()
    log.follow(far, "the server")
    await talk(near, far)
    log.close()
    turned = {"said": "heard", "heard": "said"}
    assert lines(path)[:2] == [("client", "the server"), ("opened", "memory server")]
    assert lines(path)[2:-1] == [(turned.get(event, event), text) for event, text in TALK[1:-1]]
    assert lines(path)[-1] == ("closed", "closed by this side")


def test_a_line_is_written_when_it_is_whole(begin, path) -> None:
    log = begin()
    codec = module.LoggedCodec(TextCodec(), log.open("a client"))
    for piece in (b"isre", b"ady\r\ndebug", b" on\n\nuciok\f", b"quit", b""):
        codec.receive_data(piece)
    log.close()
    heard = [text for event, text in lines(path) if event == "heard"]
    assert heard == ["isready", "debug on", "uciok", "quit"]


def test_a_form_feed_ends_a_line(begin) -> None:
    log = begin()
    codec = module.LoggedCodec(TextCodec(), log.open("a client"))
    codec.receive_data(b"isready\fqu")
    assert codec._tail == b"qu"


def test_a_flood_of_blank_lines_does_not_fill_the_disk(begin, path) -> None:
    log = begin()
    codec = module.LoggedCodec(TextCodec(), log.open("a client"))
    for _ in range(10):
        codec.receive_data(b"\n \r\n" * 1000)
    log.close()
    assert [text for event, text in lines(path) if event == "heard"] == [""] * 10


def test_bytes_that_are_no_text_are_shown(begin, path) -> None:
    log = begin()
    module.LoggedCodec(TextCodec(), log.open("a client")).receive_data(b"say \xff\x1b\n")
    log.open("\udcff")
    log.close()
    assert lines(path)[1:] == [("heard", "say \\xff\x1b"), ("opened", "\\udcff")]


def test_a_line_without_an_end_does_not_grow_for_ever(begin, path) -> None:
    log = begin()
    codec = module.LoggedCodec(TextCodec(), log.open("a client"))
    for _ in range(3):
        codec.receive_data(b"x" * module.UNFINISHED)
    assert len(codec._tail) <= module.UNFINISHED
    log.close()
    assert ("heard", "x" * 2 * module.UNFINISHED) in lines(path)


def test_what_msgpack_cannot_read_is_written_too(begin, path) -> None:
    log = begin()
    codec = module.LoggedCodec(MsgpackCodec(), log.open("a client"))
    codec.receive_frame("uciok")
    codec.next_messages(ULCI, Role.SERVER, 1, defer=False)
    log.close()
    [(event, text)] = lines(path)[1:]
    assert event == "unreadable"
    assert "this is a text frame" in text


@pytest.mark.parametrize("kind", [TextCodec, MsgpackCodec])
async def test_an_announcement_is_written_for_everybody_who_hears_it_and_encoded_once(
    begin, path, monkeypatch, kind
) -> None:
    encoded: list[object] = []
    encode = kind.encode

    def counted(codec: Any, message: Any, dialect: Any) -> bytes:
        encoded.append(message)
        return encode(codec, message, dialect)

    monkeypatch.setattr(kind, "encode", counted)
    log = begin()
    peers = [joined(kind) for _ in range(2)]
    for near, far in peers:
        log.follow(near)
        near.put(Hello())
        await far.receive()
        far.put(HelloOk())
        await near.receive()
    announcement = Announcement([AnnouncedLine(Lobby(UnknownLine(("news",))))], {})
    for near, far in peers:
        near.put(announcement)
        assert (await far.receive()).message == Lobby(UnknownLine(("news",)))
    log.close()
    told = [each["connection"] for each in entries(path) if each.get("text") == "lobby news"]
    assert told == [1, 2]
    assert sum(isinstance(message, Lobby) for message in encoded) == 1


def test_a_read_of_many_lines_lets_others_in_between(begin, path, monkeypatch) -> None:
    log = begin()
    pauses: list[float] = []
    monkeypatch.setattr(log._closing, "wait", pauses.append)
    module.LoggedCodec(TextCodec(), log.open("a client")).receive_data(b"x\n" * 8000)
    log.close()
    assert lines(path)[1:] == [("heard", "x")] * 8000
    assert pauses.count(module.PAUSE) >= 8000 // module.LINES_AT_ONCE


@pytest.fixture
def slow_disk(monkeypatch) -> Iterator[threading.Event]:
    """Takes nothing before this is set."""
    goes_on = threading.Event()
    write = RotatingFile.write

    def late(file: RotatingFile, data: bytes) -> None:
        goes_on.wait(HANG)
        write(file, data)

    monkeypatch.setattr(RotatingFile, "write", late)
    yield goes_on
    goes_on.set()


def test_what_finds_no_room_is_dropped_and_counted(begin, path, slow_disk) -> None:
    log = begin(capacity=10 * module.ENTRY_BYTES)
    note = log.open("a client")
    for number in range(100):
        note("heard", f"{number}")
    slow_disk.set()
    log.close()
    kept = [text for event, text in lines(path) if event == "heard"]
    assert kept == [f"{number}" for number in range(len(kept))]
    assert 0 < len(kept) < 12
    assert entries(path)[-1]["dropped"] == 100 - len(kept)


def test_what_waits_is_bounded_in_bytes_and_not_in_characters(begin, path, slow_disk) -> None:
    log = begin(capacity=100_000)
    note = log.open("a client")
    for _ in range(100):
        note("heard", "\N{CROWN}" * 1000)
    slow_disk.set()
    log.close()
    assert 0 < len([text for event, text in lines(path) if event == "heard"]) <= 26


def test_once_there_is_room_it_goes_on_behind_the_gap(begin, path, slow_disk) -> None:
    log = begin(capacity=10 * module.ENTRY_BYTES)
    note = log.open("a client")
    for number in range(100):
        note("heard", f"{number}")
    slow_disk.set()
    while "again" not in path.read_text():
        note("heard", "again")
    log.close()
    events = [each["event"] for each in entries(path)]
    gap = events.index("dropped")
    assert entries(path)[gap + 1]["text"] == "again"
    assert 100 - gap < entries(path)[gap]["dropped"]


def test_a_full_disk_ends_the_log_and_nothing_else(begin, path) -> None:
    told: list[str] = []
    ended = threading.Event()

    def on_end(why: str) -> None:
        told.append(why)
        ended.set()

    log = begin(on_end=on_end)
    note = log.open("a client")
    with Path("/dev/full").open("wb") as full:
        os.dup2(full.fileno(), log._file._descriptor)
    while not ended.is_set():
        note("heard", "lost")
    for _ in range(1000):
        note("heard", "too late")
    assert log._queue.qsize() <= 1, "nothing more is kept"
    log.close()
    assert told == ["No space left on device"]


async def test_without_a_log_a_peer_is_as_it_was() -> None:
    near, _ = joined()
    assert type(near.connection.codec) is TextCodec
    near.remark("client", "Ada")
    await trio.lowlevel.checkpoint()
