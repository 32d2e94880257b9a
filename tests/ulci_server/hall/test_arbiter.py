"""An arbiter: what the game is told of a move, at once or when a referee has answered."""

from collections import deque
from collections.abc import Callable

import pytest
import trio

from ulci.protocol.messages import Info
from ulci.rules import GAMES, Illegal, Legal, Side
from ulci.rules.position import Position
from ulci.rules.refereed import Fatal, Lost, Question, RefereedRules, Ruling, Standing
from ulci_server.game.adjudication import Proved
from ulci_server.game.events import Answered, Effect, Event, Moved, ServerFailed
from ulci_server.hall.arbiter import Arbiter

ANSWERED = Answered(Side.WHITE, 3.0, 0.25)
INFO = Info(depth=9)


class Game:
    """Remembers what happened to it."""

    def __init__(self, position: Position) -> None:
        self.position = position
        self.events: list[Event] = []

    def handle(self, event: Event) -> list[Effect]:
        self.events.append(event)
        return []


class Referee:
    """Answers when the test says so."""

    def __init__(self) -> None:
        self.waiting: deque[tuple[Question, Callable[[Ruling], None], bool]] = deque()

    def recall(self, question: Question) -> Illegal | None:
        return FATAL if question.moves[-1] == "fatal" else None

    def ask(
        self, question: Question, then: Callable[[Ruling], None], *, suspect: bool = False
    ) -> None:
        self.waiting.append((question, then, suspect))


class Mover:
    """Who sits at the table."""

    suspect = False


SEATS = (None, None)
FATAL = Fatal("the referee cannot take it")


class Tablebases:
    """Know that White wins everything."""

    def prove(self, _: Position) -> Proved:
        return Proved(Side.WHITE)


def judged(move: str, tablebases: Tablebases | None = None) -> Moved:
    """What a game of chess is told of its first move."""
    game = Game(GAMES["chess"].new())
    Arbiter(game, None, tablebases, SEATS, pytest.fail).judge_untrusted(ANSWERED, move, INFO)
    [moved] = game.events
    return moved


@pytest.fixture
def nim():
    """A game that a referee judges; what it leads to is kept until the test lets it happen."""
    game, referee = Game(RefereedRules("nim", {None: Standing(Side.WHITE)}).new()), Referee()
    later: list[Callable[[], list[Effect]]] = []
    arbiter = Arbiter(game, referee, None, (Mover(), None), later.append)
    arbiter.judge_untrusted(ANSWERED, "a1", INFO)
    return game, referee, later, arbiter


def test_a_move_is_judged_at_once_and_told_with_when_it_came_and_what_was_thought() -> None:
    moved = judged("g1f3")
    assert isinstance(moved.verdict, Legal)
    assert (moved.side, moved.move, moved.at, moved.late) == (Side.WHITE, "g1f3", 3.0, 0.25)
    assert (moved.info, moved.can_win, moved.zeroing) == (INFO, (True, True), False)
    assert judged("e2e4").zeroing


def test_tablebases_are_asked_of_legal_moves_only() -> None:
    assert judged("e2e4").proved is None
    assert judged("e2e4", Tablebases()).proved == Proved(Side.WHITE)
    illegal = judged("e2e5", Tablebases())
    assert isinstance(illegal.verdict, Illegal)
    assert illegal.proved is None


def test_until_the_referee_answers_the_game_knows_only_that_the_side_has(nim) -> None:
    game, referee, later, _ = nim
    assert game.events == [ANSWERED]
    assert later == []
    assert referee.waiting[0][0] == Question(None, ("a1",), Side.WHITE)


def test_the_verdict_comes_later_and_counts_from_when_the_move_came(nim) -> None:
    game, referee, later, _ = nim
    _, then, _ = referee.waiting.popleft()
    then(Standing(Side.BLACK))
    [happens] = later
    assert game.events == [ANSWERED]
    assert list(game.position.moves) == []
    assert happens() == []
    moved = game.events[-1]
    assert isinstance(moved.verdict, Legal)
    assert (moved.side, moved.move, moved.at, moved.late) == (Side.WHITE, "a1", 3.0, 0.25)
    assert moved.info == INFO


async def test_a_referee_without_an_answer_is_the_servers_own_fault(autojump_clock, nim) -> None:
    game, referee, later, _ = nim
    _, then, _ = referee.waiting.popleft()
    then(Lost("result none of a game over"))
    [happens] = later
    assert happens() == []
    why = "the referee gives no answer to go on from: result none of a game over"
    assert game.events[-1] == ServerFailed(trio.current_time(), why)


@pytest.mark.parametrize("move", ["a" * 65, "a1 b2", "a1\nquit", "", "\x1b[2J"])
def test_a_referee_is_not_troubled_with_what_can_be_no_move(nim, move) -> None:
    game, referee, later, arbiter = nim
    arbiter.judge_untrusted(ANSWERED, move, INFO)
    assert len(referee.waiting) == 1
    moved = game.events[-1]
    assert isinstance(moved.verdict, Illegal)
    assert (moved.move, moved.at, moved.info) == (move, 3.0, INFO)
    assert later == []


def test_nor_is_it_with_what_it_has_died_of_before(nim) -> None:
    game, referee, _, arbiter = nim
    arbiter.judge_untrusted(ANSWERED, "fatal", INFO)
    assert len(referee.waiting) == 1
    assert game.events[-1].verdict == FATAL


def test_who_said_what_was_fatal_is_suspect_from_then_on(nim) -> None:
    _, referee, later, arbiter = nim
    _, then, suspect = referee.waiting.popleft()
    assert not suspect
    then(FATAL)
    later[0]()
    arbiter.judge_untrusted(ANSWERED, "a2", INFO)
    assert [suspect for _, _, suspect in referee.waiting] == [True]
