"""A board, whose hall is the test's, and real processes at it."""

import time
from collections.abc import Callable

import pytest
import trio
from structlog.testing import capture_logs

from tests.support.engines import lines_of, lives, scripted
from tests.support.wires import HANG
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


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(board, "LOOK", 0.02)
    monkeypatch.setattr(board, "AWAY", 0.0)


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

    async def until(self, holds: Callable[[], bool]) -> None:
        while not holds():  # noqa: ASYNC110 (processes tell nobody when they end)
            await trio.sleep(0.01)


@pytest.fixture
async def house():
    with trio.fail_after(HANG):
        async with trio.open_nursery() as nursery:
            house = House(nursery)
            yield house
            nursery.cancel_scope.cancel()
    assert not house.running


async def test_a_program_is_started_for_a_game_and_ended_when_there_is_none_for_a_while(house):
    house.open(idle=0.1)
    session = await house.hall.session()
    for games in (1, 2):
        await trio.sleep(0.05)
        assert not house.running
        session.table = object()
        await session.get_ready(NewGame())
        assert len(house.running) == 1
        await trio.sleep(0.2)  # a long game
        assert await session.move("e2e4") == "g8f6"
        session.table = None
        await house.until(lambda: not house.running)
        assert len(house.pids) == games
    assert house.hall.secrets == ["secret"]


async def test_a_machine_that_sleeps_in_a_game_does_not_end_its_program(house):
    house.open(idle=0.1)
    session = await house.hall.session()
    session.table = object()
    await session.get_ready(NewGame())
    time.sleep(0.2)  # noqa: ASYNC251 - nothing runs meanwhile
    await trio.sleep(0.05)
    assert await session.move("e2e4") == "g8f6"


async def test_a_program_that_comes_into_a_game_is_told_its_options(house, tmp_path):
    transcript = tmp_path / "read"
    house.hall.table = object()
    house.open("--transcript", transcript, options=("Hash=2",))
    session = await house.hall.session()
    await session.get_ready()
    assert lines_of(transcript) == [
        "uci",
        "setoption name Hash value 2",
        "setoption name Score value 7",
        "ucinewgame",
        "isready",
        "isready",
    ]


async def test_a_new_game_is_told_once(house, tmp_path):
    transcript = tmp_path / "read"
    house.open("--transcript", transcript)
    session = await house.hall.session()
    session.table = object()
    await session.get_ready(NewGame())
    assert lines_of(transcript).count("ucinewgame") == 1


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


async def test_a_program_that_keeps_failing_at_its_start_is_started_later_and_later(house):
    house.open("--die-before-uciok")
    with capture_logs() as logs:
        for _ in range(3):
            session = await house.hall.session()
            session.peer.put(IsReady())
            await house.until(lambda: session.peer.over)  # noqa: B023
        await house.hall.session()
    failed = [log for log in logs if log["event"] == "engine failed"]
    assert [log["again_in"] for log in failed] == [0.0, 0.5, 1.0]
    assert "does not answer `uci`" in failed[0]["why"]


async def test_a_program_that_owes_an_answer_after_a_game_is_replaced(house, tmp_path):
    house.open("--hang-at-go", 1, "--once", tmp_path / "mark", ping=1.0)
    session = await house.hall.session()
    session.table = object()
    await session.get_ready(NewGame())
    session.peer.put(Position(), Go(depth=1))
    session.draining, session.table = True, None
    with capture_logs() as logs:
        session = await house.hall.session()
    assert "hangs: no answer within 1 s of a game" in logs[0]["why"]
    session.table = object()
    await session.get_ready(NewGame())
    assert await session.move() == "g1f3"


async def test_a_lobby_that_sends_the_program_away_is_entered_again(house):
    house.open()
    session = await house.hall.session()
    with capture_logs() as logs:
        session.peer.dismiss("you were kicked")
        await house.hall.session()
    assert logs == []
    assert not house.pids


async def test_a_board_goes_on_after_a_fault_of_the_server(house, errors_logged):
    house.hall.table = object()
    house.open()
    session = await house.hall.session()
    session.setup = None
    session.peer.put(IsReady())
    session = await house.hall.session()
    await session.get_ready()
    assert any("board failed" in text for text in errors_logged.take())


async def test_what_a_program_leaves_behind_is_ended_with_it_even_if_it_ignores_quit(house):
    house.open("--orphan", "--ignore-quit", idle=0.1, quit=0.1)
    session = await house.hall.session()
    session.table = object()
    await session.get_ready(NewGame())
    session.table = None
    await house.until(lambda: not house.running)
