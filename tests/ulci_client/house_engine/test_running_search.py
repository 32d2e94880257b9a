from collections.abc import Callable

import chess
import pytest
import trio
from trio.testing import MockClock

from ulci.protocol.messages import BestMove, Go, Info, Score
from ulci_client.house_engine.chessboard import read_untrusted
from ulci_client.house_engine.running_search import FailedSearch, RunningSearch
from ulci_client.house_engine.settings import HouseSettings

MATE_IN_ONE = "7k/8/6K1/8/8/8/8/R7 w - - 0 1"


class Thought:
    """A `go` and what was said to it."""

    def __init__(self, go: Go, fen: str | None = None, **settings: str) -> None:
        self.said: list[Info | BestMove] = []
        chosen = HouseSettings()
        for name, value in settings.items():
            chosen.set_untrusted(name, value)
        board = read_untrusted(fen, [], chess960=chosen.chess960)
        self.thinking = RunningSearch(board, go, chosen, self.said.append)

    async def answer(self) -> BestMove:
        with trio.fail_after(60):
            await self.thinking.run()
        return self.best

    @property
    def best(self) -> BestMove:
        last = self.said[-1]
        assert isinstance(last, BestMove)
        assert sum(isinstance(message, BestMove) for message in self.said) == 1
        return last

    @property
    def infos(self) -> list[Info]:
        return [message for message in self.said if isinstance(message, Info)]


async def tick(clock: MockClock) -> None:
    """Lets time pass while somebody thinks: a millisecond a look."""
    while True:
        clock.jump(0.001)
        await trio.lowlevel.checkpoint()


async def after(wakes: int, do: Callable[[], None]) -> None:
    """Do something when the search has looked up a number of times."""
    for _ in range(wakes):
        await trio.lowlevel.checkpoint()
    do()


def is_legal(move: str, fen: str = chess.STARTING_FEN) -> bool:
    return chess.Move.from_uci(move) in chess.Board(fen).legal_moves


async def test_a_search_to_a_depth_says_what_it_found_and_answers():
    thought = Thought(Go(depth=2))
    best = await thought.answer()
    assert is_legal(best.move)
    last = thought.infos[-1]
    assert last.depth == 2
    assert last.pv[:1] == (best.move,)
    assert last.pv[1:2] == (best.ponder,)
    assert last.score is not None
    assert last.nodes
    assert last.time is not None


async def test_a_mate_is_said_in_moves():
    thought = Thought(Go(depth=3), MATE_IN_ONE)
    assert (await thought.answer()).move == "a1a8"
    assert thought.infos[-1].score == Score(mate=1)


async def test_the_search_for_a_mate_ends_when_it_is_found():
    thought = Thought(Go(mate=2), "7k/8/5K2/8/8/8/8/R7 w - - 0 1")
    await thought.answer()
    assert thought.infos[-1].score == Score(mate=2)


async def test_no_more_nodes_are_searched_than_asked_for():
    for nodes in (0, 1, 10, 500):
        thought = Thought(Go(nodes=nodes))
        assert is_legal((await thought.answer()).move)
        assert (thought.infos[-1].nodes or 0) <= max(nodes, 1)


async def test_the_search_ends_when_its_time_is_over(mock_clock: MockClock):
    thought = Thought(Go(movetime=50))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(tick, mock_clock)
        await thought.answer()
        nursery.cancel_scope.cancel()
    assert 50 <= (thought.infos[-1].time or 0) <= 60


async def test_a_nearly_empty_clock_still_gives_a_move(mock_clock: MockClock):
    thought = Thought(Go(wtime=1, btime=1, depth=30))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(tick, mock_clock)
        assert is_legal((await thought.answer()).move)
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("go", [Go(infinite=True), Go(), Go(infinite=True, depth=1)])
async def test_an_infinite_search_answers_only_when_it_is_stopped(go: Go):
    thought = Thought(go)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(thought.answer)
        await after(30, lambda: None)
        assert not any(isinstance(message, BestMove) for message in thought.said)
        thought.thinking.stop()
    assert is_legal(thought.best.move)


async def test_an_infinite_search_of_a_mate_waits_too(autojump_clock: MockClock):
    thought = Thought(Go(infinite=True), MATE_IN_ONE)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(thought.answer)
        await trio.sleep(3)
        assert isinstance(thought.said[-1], Info)
        thought.thinking.stop()
    assert thought.best.move == "a1a8"


async def test_a_search_that_is_stopped_before_it_began_answers_with_a_legal_move():
    thought = Thought(Go(infinite=True))
    thought.thinking.stop()
    assert is_legal((await thought.answer()).move)
    assert thought.infos[-1].depth == 0


async def test_pondering_ends_with_stop():
    thought = Thought(Go(ponder=True, wtime=10, btime=10))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(thought.answer)
        nursery.start_soon(after, 5, thought.thinking.stop)
    assert is_legal(thought.best.move)


async def test_pondering_goes_on_until_the_move_was_played(autojump_clock: MockClock):
    thought = Thought(Go(ponder=True, wtime=1000, btime=1000))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(thought.answer)
        await trio.sleep(10)
        assert isinstance(thought.said[-1], Info)
        thought.thinking.ponder_hit()
    assert is_legal(thought.best.move)


async def test_after_the_move_was_played_the_clock_counts(mock_clock: MockClock):
    thought = Thought(Go(ponder=True, movetime=20))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(tick, mock_clock)
        async with trio.open_nursery() as inner:
            inner.start_soon(thought.answer)
            inner.start_soon(after, 40, thought.thinking.ponder_hit)
        nursery.cancel_scope.cancel()
    assert 50 <= (thought.infos[-1].time or 0) <= 80  # it looks at the clock between nodes


async def test_an_infinite_search_is_not_ended_by_a_ponderhit():
    thought = Thought(Go(ponder=True, infinite=True))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(thought.answer)
        await after(5, thought.thinking.ponder_hit)
        await after(5, lambda: None)
        assert isinstance(thought.said[-1], Info)
        thought.thinking.stop()


async def test_only_the_wanted_moves_are_searched():
    thought = Thought(Go(depth=2, searchmoves=("a2a3", "E2E3", "e1g1")))
    assert (await thought.answer()).move in ("a2a3", "e2e3")


async def test_if_no_wanted_move_is_legal_all_are_searched_and_it_says_so():
    thought = Thought(Go(depth=1, searchmoves=("e2e5", "junk")))
    assert is_legal((await thought.answer()).move)
    assert thought.infos[0].string == (
        "error: no legal move among searchmoves e2e5 junk, so all are searched"
    )


@pytest.mark.parametrize(
    ("fen", "score"),
    [
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", Score(mate=0)),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", Score(cp=0)),
    ],
)
async def test_without_a_legal_move_the_null_move_is_sent(fen: str, score: Score):
    thought = Thought(Go(depth=2), fen)
    assert await thought.answer() == BestMove("0000")
    assert thought.infos == [Info(depth=0, score=score)]


async def test_without_a_legal_move_an_infinite_search_waits_all_the_same():
    thought = Thought(Go(infinite=True), "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(thought.answer)
        await after(5, lambda: None)
        assert thought.said == []
        thought.thinking.stop()
    assert thought.best.move == "0000"


async def test_chess960_castling_is_sent_as_king_takes_rook():
    fen = "4k3/8/8/8/8/8/5PPP/4K2R w H - 0 1"
    thought = Thought(Go(depth=1, searchmoves=("e1g1",)), fen, UCI_Chess960="true")
    assert (await thought.answer()).move == "e1h1"


async def test_the_same_seed_plays_the_same_moves():
    first = [(await Thought(Go(depth=2), Seed="7").answer()).move for _ in range(3)]
    assert len(set(first)) == 1


async def test_without_a_seed_its_play_varies():
    moves = {(await Thought(Go(depth=2)).answer()).move for _ in range(40)}
    assert len(moves) > 1


async def test_with_less_skill_more_of_its_moves_are_random():
    mates = []
    for skill in range(8):
        settings = {"Skill Level": str(skill)}
        moves = [
            (await Thought(Go(depth=1), MATE_IN_ONE, Seed=str(seed), **settings).answer()).move
            for seed in range(1, 101)
        ]
        assert all(is_legal(move, MATE_IN_ONE) for move in moves)
        mates.append(moves.count("a1a8"))
    assert mates[-1] == 100
    assert mates == sorted(mates)
    assert mates[0] < 50


async def test_a_random_move_is_one_of_those_that_may_be_searched():
    for seed in range(1, 21):
        settings = {"Skill Level": "0", "Seed": str(seed)}
        wanted = ("a1a2", "a1b1")
        answer = await Thought(Go(depth=1, searchmoves=wanted), MATE_IN_ONE, **settings).answer()
        assert answer.move in wanted


async def test_with_little_skill_the_same_seed_plays_the_same_moves():
    settings = {"Skill Level": "2", "Seed": "7"}
    assert len({(await Thought(Go(depth=2), **settings).answer()).move for _ in range(3)}) == 1


async def test_a_go_without_a_position_is_answered_with_the_reason():
    said: list[Info | BestMove] = []
    refusal = FailedSearch("error: no such position", said.append)
    refusal.stop()
    refusal.ponder_hit()
    await refusal.run()
    assert said == [Info(string="error: no such position"), BestMove("0000")]
