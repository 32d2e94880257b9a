import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from ulci.net import open_process
from ulci.protocol import Blank, Connection, Role, TextCodec
from ulci.protocol.messages import Quit, Unknown
from ulci_client.doctor.engine import MOST_LINES, Engine, EngineEnded, RawDialect, Silent

pytestmark = pytest.mark.system

ECHO = """
import sys
for line in sys.stdin:
    if line == "quit\\n":
        sys.exit("good bye")
    print(*[line.strip()] * (1 if "many" not in line else 5000), sep="\\n", flush=True)
"""


@asynccontextmanager
async def running(timeout: float = 30.0) -> AsyncIterator[Engine]:
    connection = Connection(Role.SERVER, TextCodec(), RawDialect())
    argv = [sys.executable, "-c", ECHO]
    async with open_process(argv, connection, quit_grace=0.0) as peer:
        yield Engine(peer, timeout)


async def test_the_exchange_has_what_was_said_and_heard() -> None:
    async with running() as engine:
        engine.say("one", "two")
        assert (await engine.until(lambda line: line == "two", "two")).text == "two"
        said = [(line.sent, line.text) for line in engine.exchange]
        assert said == [(True, "one"), (True, "two"), (False, "one"), (False, "two")]
        times = [line.at for line in engine.exchange]
        assert times == sorted(times)
        engine.begin()
        assert engine.exchange == []


async def test_silence_names_what_did_not_come() -> None:
    async with running(0.01) as engine:
        with pytest.raises(Silent, match=r"no readyok within 0.01 s"):
            await engine.next("readyok")


async def test_an_end_names_the_last_words() -> None:
    async with running() as engine:
        engine.say("quit")
        with pytest.raises(EngineEnded, match=r"no more: .* ended with exit code 1; .*: good bye"):
            await engine.next("more")
        assert await engine.ended()


async def test_of_a_flood_the_beginning_and_the_end_are_kept() -> None:
    async with running() as engine:
        engine.say("many", "last")
        await engine.until(lambda line: line == "last", "last")
        assert len(engine.exchange) == MOST_LINES
        assert engine.exchange[0].text == "many"
        assert engine.exchange[-1].text == "last"


async def test_what_no_program_can_read_is_kept_with_the_reason() -> None:
    async with running() as engine:
        engine.say("bell \a rings", "next")
        await engine.until(lambda line: line == "next", "next")
        [(line, why)] = engine.unreadable
        assert "control character" in why
        assert not line.sent


def test_every_line_is_heard_as_it_is_and_at_any_time():
    connection = Connection(Role.SERVER, TextCodec(), RawDialect())
    connection.receive_data(b"bestmove  e2e4 \nreadyok\n\nhello\n")
    heard = [connection.next_message() for _ in range(5)]
    said = [Unknown("bestmove  e2e4 "), Unknown("readyok"), Blank(), Unknown("hello"), None]
    assert heard == said


def test_every_line_is_said_as_it_is():
    connection = Connection(Role.SERVER, TextCodec(), RawDialect())
    assert connection.send(Unknown("  isready \t\r"), Unknown("go")) == b"  isready \t\r\ngo\n"
    assert connection.send(Quit()) == b"quit\n"
