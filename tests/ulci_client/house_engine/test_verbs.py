from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio

from tests.support.lobby import lobby_line
from ulci.protocol.messages import (
    BestMove,
    Debug,
    Eval,
    FromClient,
    Go,
    Hello,
    HelloOk,
    Id,
    Info,
    IsReady,
    NewGame,
    Option,
    PonderHit,
    Position,
    ReadyOk,
    SetOption,
    Stop,
    Unknown,
)
from ulci_client.house_engine.settings import HouseSettings
from ulci_client.house_engine.verbs import Engine

CHESS960 = "4k3/8/8/8/8/8/5PPP/4K1R1 w G - 0 1"


class Desk:
    """An engine at work, and what it has said."""

    def __init__(self) -> None:
        self.said: list[FromClient] = []
        self.engine = Engine(HouseSettings(), self.said.append)

    def hear(self, *messages: object) -> list[FromClient]:
        """What is said at once to the messages."""
        before = len(self.said)
        for message in messages:
            self.engine.hear(message)
        return self.said[before:]

    async def best(self, number: int = 1) -> BestMove:
        """The given answer to a `go`, when it comes."""
        with trio.fail_after(60):
            while True:
                answers = [message for message in self.said if isinstance(message, BestMove)]
                if len(answers) >= number:
                    return answers[number - 1]
                await trio.lowlevel.checkpoint()

    @property
    def told(self) -> list[str]:
        infos = [message for message in self.said if isinstance(message, Info)]
        return [info.string for info in infos if info.string is not None]


@asynccontextmanager
async def at_work() -> AsyncIterator[Desk]:
    desk = Desk()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(desk.engine.think)
        yield desk
        desk.engine.close()


async def test_it_introduces_itself_with_all_that_it_can_play():
    async with at_work() as desk:
        said = desk.hear(Hello())
    ids = [(message.key, message.value) for message in said if isinstance(message, Id)]
    assert [key for key, _ in ids] == ["name", "author"]
    names = {message.name for message in said if isinstance(message, Option)}
    assert names == {
        *("Depth", "Skill Level", "Move Overhead", "Seed", "Ponder", "UCI_Chess960", "UCI_Variant")
    }
    assert isinstance(said[-1], HelloOk)


async def test_it_is_ready_while_it_thinks():
    async with at_work() as desk:
        desk.hear(Go(infinite=True))
        for _ in range(5):
            await trio.lowlevel.checkpoint()
        assert desk.hear(IsReady()) == [ReadyOk()]
        desk.hear(Stop())
        await desk.best()


async def test_it_plays_from_the_usual_start_until_told_otherwise():
    async with at_work() as desk:
        desk.hear(Go(depth=1))
        assert (await desk.best()).move[1] in "12"
        desk.hear(Position(None, ("e2e4",)), Go(depth=1))
        assert (await desk.best(2)).move[1] in "78"


async def test_a_wrong_position_is_told_at_once_and_every_go_is_answered():
    async with at_work() as desk:
        (told,) = desk.hear(Position("8/7 w - -"))
        assert "rank 1 of the board, '7', has 7 squares, expected 8" in str(told)
        desk.hear(Go(depth=1))
        assert await desk.best() == BestMove("0000")
        desk.hear(Position(None, ("e2e4", "e2e4")))
        assert desk.told[-1] == "error: move 2 is not legal: there is no piece on e2"
        desk.hear(Position(None, ("e2e4",)), Go(depth=1))
        assert (await desk.best(2)).move != "0000"


@pytest.mark.parametrize(
    ("start", "why"),
    [("8/8/8 w", "the board is empty"), ("8/8/8/8/8/8/8/8 w - - 0 1", "0 White kings")],
)
async def test_an_empty_board_is_refused_and_its_go_is_answered(start: str, why: str):
    async with at_work() as desk:
        [told] = desk.hear(Position(start))
        assert why in told.string
        desk.hear(Go(depth=1))
        assert await desk.best() == BestMove("0000")


async def test_chess960_is_played_when_it_is_told_to():
    async with at_work() as desk:
        assert len(desk.hear(Position(CHESS960))) == 1
        desk.hear(SetOption("uci_chess960", "true"))
        assert desk.hear(Position(CHESS960)) == []
        desk.hear(Go(depth=1, searchmoves=("e1g1",)))
        assert (await desk.best()).move == "e1g1"


async def test_liberty_chess_is_played_where_the_position_is_of_it():
    async with at_work() as desk:
        assert desk.hear(Position("qkbnr/ppppp/5/5/PPPPP/QKBNR w Kk - 0 1 1", ("a2a3",))) == []
        desk.hear(Go(depth=1))
        assert (await desk.best()).move[1] in "56"


async def test_a_wrong_setting_is_told():
    async with at_work() as desk:
        said = desk.hear(SetOption("Depth", "0"))
    assert said == [Info(string="error: option 'Depth' cannot be 0 (spin, 1 to 64)")]


async def test_its_depth_can_be_set():
    async with at_work() as desk:
        desk.hear(SetOption("Depth", "1"), Go(wtime=100_000, btime=100_000))
        await desk.best()
    assert max(message.depth or 0 for message in desk.said if isinstance(message, Info)) == 1


async def test_a_go_ends_the_one_before_it_and_both_are_answered_in_order():
    async with at_work() as desk:
        desk.hear(Go(infinite=True), Position(None, ("e2e4",)), Go(depth=1))
        assert (await desk.best(1)).move[1] in "12"
        assert (await desk.best(2)).move[1] in "78"


async def test_a_refused_go_is_answered_in_its_turn():
    async with at_work() as desk:
        desk.hear(Go(infinite=True), Position("8/7 w - -"), Go(depth=1))
        assert (await desk.best(1)).move != "0000"
        assert (await desk.best(2)).move == "0000"


async def test_pondering_becomes_thinking():
    async with at_work() as desk:
        desk.hear(Go(ponder=True, wtime=100_000, btime=100_000))
        for _ in range(50):
            await trio.lowlevel.checkpoint()
        assert not any(isinstance(message, BestMove) for message in desk.said)
        desk.hear(PonderHit())
        await desk.best()


@pytest.mark.parametrize(
    "message", [Stop(), PonderHit(), NewGame(), Unknown("joho"), lobby_line("gone 17"), object()]
)
async def test_what_comes_at_a_wrong_moment_is_ignored(message: object):
    async with at_work() as desk:
        assert desk.hear(message) == []


async def test_the_evaluation_names_its_view():
    async with at_work() as desk:
        desk.hear(Eval(), Position(None, ("e2e4",)), Eval(), Position("8/7 w - -"), Eval())
    assert desk.told[0] == "evaluation 0 centipawns for White, to move"
    assert "for Black, to move" in desk.told[1]
    assert desk.told[-1].startswith("error: rank 1 of the board")


async def test_in_debug_mode_it_repeats_what_it_hears():
    async with at_work() as desk:
        assert desk.hear(Debug(True), Position(None, ("e2e4",))) == [
            Info(string="heard Position(start=None, moves=('e2e4',))"),
            Info(string="position is rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"),
        ]
        desk.hear(Debug(False))
        assert desk.hear(NewGame()) == []


async def test_closing_answers_pending_searches():
    desk = Desk()
    desk.hear(Go(infinite=True))
    desk.engine.close()
    with trio.fail_after(60):
        await desk.engine.think()
    assert isinstance(desk.said[-1], BestMove)
