"""An arbiter: what the game is told of a move that a referee judges, and when."""

from collections import deque
from collections.abc import Callable

import pytest
import trio
from msgspec.structs import replace

from ulci.protocol.messages import Info
from ulci.rules import Illegal, Legal, Position, Side
from ulci.rules.refereed import Fatal, Question, RefereedRules, Ruling, Standing, Unanswered
from ulci_server.game.events import Answered, Effect, Event, Judged, ServerFailed
from ulci_server.hall.table.arbiter import Arbiter

ANSWERED = Answered(Side.WHITE, "a1", 3.0, Info(depth=9), 0.25)


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


FATAL = Fatal("the referee cannot take it")


@pytest.fixture
def nim():
    """A game that a referee judges; what it leads to is kept until the test lets it happen."""
    game, referee = Game(RefereedRules("nim", {None: Standing(Side.WHITE)}).new()), Referee()
    later: list[Callable[[], list[Effect]]] = []
    arbiter = Arbiter(game, referee, (Mover(), None), later.append)
    arbiter.judge_untrusted(ANSWERED)
    return game, referee, later, arbiter


def test_until_the_referee_answers_the_game_knows_only_that_the_side_has(nim) -> None:
    game, referee, later, _ = nim
    assert game.events == [ANSWERED]
    assert later == []
    assert referee.waiting[0][0] == Question(None, ("a1",), Side.WHITE)


async def test_the_verdict_comes_later_and_the_move_is_made_when_the_game_hears_it(
    autojump_clock, nim
) -> None:
    game, referee, later, _ = nim
    _, then, _ = referee.waiting.popleft()
    then(Standing(Side.BLACK))
    [happens] = later
    assert game.events == [ANSWERED]
    assert list(game.position.moves) == []
    assert happens() == []
    assert game.events == [ANSWERED, Judged(trio.current_time(), Legal("a1"))]
    assert list(game.position.moves) == ["a1"]


async def test_a_referee_without_an_answer_is_the_servers_own_fault(autojump_clock, nim) -> None:
    game, referee, later, _ = nim
    _, then, _ = referee.waiting.popleft()
    then(Unanswered("result none of a game over"))
    [happens] = later
    assert happens() == []
    why = "the referee gave no usable answer: result none of a game over"
    assert game.events[-1] == ServerFailed(trio.current_time(), why)


@pytest.mark.parametrize("move", ["a" * 65, "a1 b2", "a1\nquit", "", "\x1b[2J"])
def test_a_referee_is_not_troubled_with_what_can_be_no_move(nim, move) -> None:
    game, referee, later, arbiter = nim
    answered = replace(ANSWERED, move=move)
    arbiter.judge_untrusted(answered)
    assert len(referee.waiting) == 1
    heard, judged = game.events[-2:]
    assert heard == answered
    assert isinstance(judged.verdict, Illegal)
    assert judged.at == 3.0
    assert later == []


def test_nor_is_it_with_what_it_has_died_of_before(nim) -> None:
    game, referee, _, arbiter = nim
    arbiter.judge_untrusted(replace(ANSWERED, move="fatal"))
    assert len(referee.waiting) == 1
    assert game.events[-1] == Judged(3.0, FATAL)


async def test_who_said_what_was_fatal_is_suspect_from_then_on(autojump_clock, nim) -> None:
    _, referee, later, arbiter = nim
    _, then, suspect = referee.waiting.popleft()
    assert not suspect
    then(FATAL)
    later[0]()
    arbiter.judge_untrusted(replace(ANSWERED, move="a2"))
    assert [suspect for _, _, suspect in referee.waiting] == [True]


async def test_what_a_referee_answers_after_the_end_leads_to_nothing(autojump_clock, nim) -> None:
    game, referee, later, arbiter = nim
    arbiter.end()
    _, then, _ = referee.waiting.popleft()
    then(Standing(Side.BLACK))
    assert later == []
    assert game.events == [ANSWERED]
    assert list(game.position.moves) == []
