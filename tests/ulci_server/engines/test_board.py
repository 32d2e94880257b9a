"""A board, whose hall is the test's. Its programs are fakes on the mock clock, and at the end real
processes."""

import os
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from types import SimpleNamespace

import pytest
import trio
from structlog.testing import capture_logs

from tests.support import clients, processes
from tests.support.engines import scripted
from tests.support.processes import lives
from tests.support.wires import HANG
from ulci.engines.errors import EngineError
from ulci.net import Hear, Heard, Limits, Misheard, Peer, ProcessPeer, RateLimit
from ulci.protocol.messages import (
    BestMove,
    FromServer,
    Go,
    IsReady,
    NewGame,
    Position,
    ReadyOk,
    SetOption,
)
from ulci_server.engines import EngineOffer, board
from ulci_server.engines.board import Board
from ulci_server.lobby import Profile, ServerProgram

SCORE = "name Score type spin default 5 min 0 max 99"


class Session:
    """A session of the board, and what its program has said."""

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self.player = self
        self.table: object | None = None
        self.draining = False
        self._give, self._take = trio.open_memory_channel[object](100)

    def setup(self) -> tuple[SetOption, ...]:
        return (SetOption("Score", "7"),)

    def hear(self, heard: Heard | Misheard) -> bool:
        self._give.send_nowait(heard.message)
        return True

    async def next(self, kind: type) -> object:
        while not isinstance(said := await self._take.receive(), kind):
            pass
        return said

    async def get_ready(self, *messages: FromServer) -> None:
        self.peer.put(*messages, IsReady())
        await self.next(ReadyOk)

    async def move(self, *moves: str) -> str:
        self.peer.put(Position(None, moves), Go(depth=1))
        said = await self.next(BestMove)
        assert isinstance(said, BestMove)
        return said.move


class Hall:
    """Hosts the sessions of boards."""

    def __init__(self) -> None:
        self.secrets: list[str] = []
        self.table: object | None = None
        """At which a new session takes its seat at once."""
        self._give, self._take = trio.open_memory_channel[Session](100)

    async def host_program(self, peer, profile, *, secret="", task_status) -> None:
        session = Session(peer)
        self.secrets.append(secret)
        session.table = self.table
        task_status.started(session)
        self._give.send_nowait(session)
        hear: Hear = session.hear
        await peer.deliver(hear, trio.lowlevel.checkpoint)
        await peer.aclose()

    async def session(self) -> Session:
        return await self._take.receive()


class Programs:
    """Stands in for `open_engine`: its programs play ``e7e5``."""

    def __init__(self, nursery: trio.Nursery) -> None:
        self.started = 0
        self.running = 0
        self.told: list[object] = []
        """What they were told after their introduction."""
        self.failure = ""
        """Why no more can be started."""
        self.hangs = False
        """Whether they do not answer ``go``."""
        self._nursery = nursery

    @asynccontextmanager
    async def open(self, *_: object, **__: object) -> AsyncIterator[SimpleNamespace]:
        if self.failure:
            raise EngineError(self.failure)
        near, far = await clients.program_client()
        self.started += 1
        self.running += 1
        self._nursery.start_soon(self._play, far.peer)
        try:
            yield SimpleNamespace(name="Fish", peer=near, prepare=self._prepare)
        finally:
            self.running -= 1

    async def _prepare(self, more: Iterable[object] = ()) -> None:
        self.told += more

    async def _play(self, peer: Peer) -> None:
        while (heard := await peer.receive()) is not None:
            self.told.append(heard.message)
            if isinstance(heard.message, IsReady):
                peer.put(ReadyOk())
            elif isinstance(heard.message, Go) and not self.hangs:
                peer.put(BestMove("e7e5"))


IDLE = 60.0
PING = 15.0


@pytest.fixture
def hall() -> Hall:
    return Hall()


@pytest.fixture
async def programs(hall, monkeypatch):
    """Those of a board in the hall, on the mock clock of the test."""
    with trio.fail_after(clients.HANG):
        async with trio.open_nursery() as nursery:
            programs = Programs(nursery)
            monkeypatch.setattr(board, "open_engine", programs.open)
            offer = EngineOffer(scripted(ping=PING), ServerProgram(("human",)), idle=IDLE)
            profile = Profile("Fish", "")
            plays = Board(hall, offer, profile, "secret", Limits(), lambda _: None)
            nursery.start_soon(plays.run)
            yield programs
            nursery.cancel_scope.cancel()
    assert not programs.running


async def test_a_program_is_started_for_a_game_and_ended_when_there_is_none_for_a_while(
    autojump_clock, hall, programs
):
    session = await hall.session()
    for games in (1, 2):
        await trio.sleep(2 * IDLE)
        assert not programs.running
        session.table = object()
        await session.get_ready(NewGame())
        assert programs.running == 1
        await trio.sleep(2 * IDLE)  # a long game
        assert await session.move("e2e4") == "e7e5"
        session.table = None
        await trio.sleep(IDLE - 2 * board.LOOK)
        assert programs.running == 1
        await trio.sleep(3 * board.LOOK)
        assert not programs.running
        assert programs.started == games
    assert hall.secrets == ["secret"]


async def test_a_machine_that_sleeps_in_a_game_does_not_end_its_program(
    autojump_clock, hall, programs
):
    session = await hall.session()
    session.table = object()
    await session.get_ready(NewGame())
    autojump_clock.jump(2 * IDLE)
    await trio.sleep(2 * board.LOOK)
    assert await session.move("e2e4") == "e7e5"
    assert programs.started == 1


async def test_a_program_that_comes_into_a_game_is_told_its_options(autojump_clock, hall, programs):
    hall.table = object()
    session = await hall.session()
    await session.get_ready()
    assert programs.told == [SetOption("Score", "7"), NewGame(), IsReady()]


async def test_a_new_game_is_told_once(autojump_clock, hall, programs):
    session = await hall.session()
    session.table = object()
    await session.get_ready(NewGame())
    assert programs.told.count(NewGame()) == 1


async def test_a_program_that_keeps_failing_at_its_start_is_started_later_and_later(
    autojump_clock, hall, programs
):
    programs.failure = "it does not start"
    with capture_logs() as logs:
        for _ in range(3):
            session = await hall.session()
            session.peer.put(IsReady())
        await hall.session()
    failed = [(log["why"], log["again_in"]) for log in logs if log["event"] == "engine failed"]
    assert failed == [("it does not start", pause) for pause in (0.0, 0.5, 1.0)]


async def test_a_program_that_owes_an_answer_after_a_game_is_replaced(
    autojump_clock, hall, programs
):
    programs.hangs = True
    session = await hall.session()
    session.table = object()
    await session.get_ready(NewGame())
    session.peer.put(Position(), Go(depth=1))
    session.draining, session.table = True, None
    with capture_logs() as logs:
        session = await hall.session()
    assert "hangs: no answer within 15 s of a game" in logs[0]["why"]
    programs.hangs = False
    session.table = object()
    await session.get_ready(NewGame())
    assert await session.move() == "e7e5"


async def test_a_lobby_that_sends_the_program_away_is_entered_again(autojump_clock, hall, programs):
    session = await hall.session()
    began = trio.current_time()
    with capture_logs() as logs:
        session.peer.dismiss("you were kicked")
        await hall.session()
    assert trio.current_time() == began + board.AWAY
    assert logs == []
    assert not programs.started


async def test_a_board_goes_on_after_a_fault_of_the_server(
    autojump_clock, hall, programs, errors_logged
):
    hall.table = object()
    session = await hall.session()
    session.setup = None
    session.peer.put(IsReady())
    session = await hall.session()
    await session.get_ready()
    assert any("board failed" in text for text in errors_logged.take())


class House:
    """A board that runs, its hall, and the processes that it has started."""

    def __init__(self, nursery: trio.Nursery) -> None:
        self.hall = Hall()
        self.pids: list[int] = []
        self._nursery = nursery

    def open(self, *switches: object, limits: Limits | None = None, **settings: object) -> None:
        idle = float(settings.pop("idle", HANG))  # type: ignore[arg-type]
        engine = scripted("--option", SCORE, *switches, **settings)
        offer = EngineOffer(engine, ServerProgram(("human",)), idle=idle)
        plays = Board(
            self.hall, offer, Profile("Fish", ""), "secret", limits or Limits(), self._started
        )
        self._nursery.start_soon(plays.run)

    def _started(self, peer: ProcessPeer) -> None:
        self.pids.append(peer.pid)

    @property
    def running(self) -> list[int]:
        return [pid for pid in self.pids if lives(pid)]


@pytest.fixture
async def house(monkeypatch):
    monkeypatch.setattr(board, "LOOK", 0.02)
    with trio.fail_after(HANG):
        async with trio.open_nursery() as nursery:
            house = House(nursery)
            yield house
            nursery.cancel_scope.cancel()
    assert not house.running


FAILURES = {
    "dies": ("--die-at-go", 2),
    "crashes": ("--crash-at-go", 2),
    "floods": ("--flood-at-go", 2),
}


@pytest.mark.parametrize("switches", FAILURES.values(), ids=FAILURES)
async def test_a_program_that_fails_in_a_game_is_replaced_by_the_secret_of_its_seat(
    house, tmp_path, switches
):
    flood = RateLimit(rate=1_000_000, burst=100_000, patience=0.2)
    house.open("--once", tmp_path / "mark", *switches, limits=Limits(rate_limit=flood))
    session = await house.hall.session()
    session.table = house.hall.table = object()
    await session.get_ready(NewGame())
    await session.move("e2e4")
    with capture_logs() as logs:
        session.peer.put(Position(None, ("e2e4", "g8f6", "d2d4")), Go(depth=1))
        session = await house.hall.session()
    await session.get_ready()
    assert await session.move("e2e4", "g8f6", "d2d4") == "f6g8"
    assert len(house.pids) == 2
    assert house.hall.secrets == ["secret", "secret"]
    [failed] = [log for log in logs if log["event"] == "engine failed"]
    assert failed["why"]


async def test_what_a_program_leaves_behind_is_ended_with_it_even_if_it_ignores_quit(house):
    house.open("--orphan", "--ignore-quit", idle=0, quit=0.1)
    session = await house.hall.session()
    session.table = object()
    await session.get_ready(NewGame())
    left_behind = [*house.pids, *processes.children(*house.pids)]
    assert len(left_behind) == 2
    ends = [os.pidfd_open(pid) for pid in left_behind]
    session.table = None
    for end in ends:
        await trio.lowlevel.wait_readable(end)
        os.close(end)
