"""Games whose rules are not in this process: a referee decides turn and outcome."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from .outcome import Outcome, Reason, Side
from .position import Illegal, Legal, Needs, Over, Size, StartError, Verdict

# Start positions chosen by players that are kept in addition to configured ones: bounds the memory.
MOST_KNOWN = 1000

# Characters of a move, and of a start chosen by a player: longer ones are rejected without asking
# the referee.
LONGEST_MOVE = 64
LONGEST_START = 4096

USUAL = "startpos"  # the usual start in every dialect of the UCI family


@dataclass(frozen=True, slots=True)
class Question:
    """A position to judge. `asked` is the side to move before the last move."""

    start: str | None
    moves: tuple[str, ...] = ()
    asked: Side | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """The answer: the side to move, and the outcome if the game is over."""

    turn: Side
    outcome: Outcome | None = None


@dataclass(frozen=True, slots=True)
class Unanswered:
    """No usable answer, and the move is not at fault."""

    why: str


@dataclass(frozen=True, slots=True)
class Fatal(Illegal):
    """No answer: referees crash or hang on this question."""


Ruling = Standing | Illegal | Unanswered


class RefereedPosition:
    """A `Position` judged by a referee; moves are opaque words."""

    def __init__(self, start: str | None, standing: Standing) -> None:
        self._start = start
        self._standings = [standing]  # at the start, and after every move
        self._moves: list[str] = []

    @property
    def start(self) -> str | None:
        return self._start

    @property
    def moves(self) -> Sequence[str]:
        return self._moves

    @property
    def turn(self) -> Side:
        return self._standings[-1].turn

    def asks_untrusted(self, move: str) -> Question | Illegal:
        """The question to the referee about a move, or why the move cannot be one."""
        if len(move) > LONGEST_MOVE:
            return Illegal(f"no move has more than {LONGEST_MOVE} letters")
        if not move.isprintable() or len(move.split()) != 1:
            return Illegal("a move is one printable word")
        return Question(self._start, (*self._moves, move), self.turn)

    def rule(self, move: str, ruling: Standing | Illegal) -> Verdict:
        """Turn the referee's answer into a verdict, and make the move if it is legal."""
        if isinstance(ruling, Illegal):
            return ruling
        self._moves.append(move)
        self._standings.append(ruling)
        return Legal(move) if ruling.outcome is None else Over(move, ruling.outcome)

    def play_untrusted(self, move: str) -> Verdict:  # noqa: ARG002 - only the referee can
        """Only `rule` makes moves."""
        return Illegal("this game has a referee, which was not asked")

    def is_legal_untrusted(self, move: str) -> bool:  # noqa: ARG002 - only the referee can
        return True

    def take_back(self, plies: int) -> None:
        left = len(self._moves) - plies
        del self._moves[left:], self._standings[left + 1 :]

    def outcome(self) -> Outcome | None:
        return self._standings[-1].outcome

    def claim(self) -> Reason | None:
        return None

    def can_win(self, side: Side) -> bool:  # noqa: ARG002 - unknown here
        return True

    def legal_moves(self) -> list[str]:
        """UGI has no query for legal moves."""
        return []

    def fen(self) -> str:
        """The start and the moves: nothing else is known."""
        moves = ["moves", *self._moves] if self._moves else []
        return " ".join([self._start or USUAL, *moves])

    def san(self, move: str) -> str:
        return move

    def parse_untrusted(self, text: str) -> str | None:
        return text.strip() or None

    def squares(self) -> Sequence[Sequence[str]]:
        return []

    def checked(self) -> Sequence[tuple[int, int]]:
        return []


@dataclass(slots=True)
class RefereedRules:
    """A configured game: a row in addition to those of `ulci.rules.GAMES`.

    `known` holds the starts that the referee has judged. For any other start `new` checks only its
    form, and lets White begin, until the referee has judged it.
    """

    name: str
    starts: Sequence[str | None] = (None,)
    named: Mapping[str, str] = field(default_factory=dict)
    known: dict[str | None, Standing] = field(default_factory=dict)
    _learned: dict[str | None, None] = field(default_factory=dict, init=False, repr=False)

    def new(self, start: str | None = None, *, claims: bool = False) -> RefereedPosition:  # noqa: ARG002
        """A game at its start; its referee decides what a draw is."""
        start = " ".join((start or USUAL).split())
        known = self.known.get(None if start == USUAL else start)
        if known is None:
            _check_untrusted(start)
        return RefereedPosition(None if start == USUAL else start, known or Standing(Side.WHITE))

    def learn(self, start: str | None, standing: Standing) -> None:
        """Keep the referee's answer about a start that a player chose; beyond `MOST_KNOWN` the
        oldest is dropped."""
        self.known[start] = standing
        self._learned[start] = None
        if len(self._learned) > MOST_KNOWN:
            oldest = next(iter(self._learned))
            del self._learned[oldest], self.known[oldest]

    def to_play(self, start: str) -> RefereedPosition:
        """As `new`: engines can play every valid start."""
        return self.new(start)

    def size(self, start: str | None) -> Size:  # noqa: ARG002 - unknown here
        return Size()

    def needs(self, start: str | None) -> Needs:  # noqa: ARG002 - all starts need the same
        """A client that knows the game: in UCI, one that offers it as a variant."""
        return Needs(options={"UCI_Variant": self.name})


def _check_untrusted(start: str) -> None:
    """Raises StartError for text that cannot be a start of any game."""
    if len(start) > LONGEST_START:
        raise StartError(f"no start position is longer than {LONGEST_START} letters")
    if not start.isprintable():
        raise StartError("a start position is printable text")
    if "moves" in start.split():
        raise StartError("a start position has no moves: say the position that they lead to")


class Judge(Protocol):
    """The referee of a game."""

    @property
    def rules(self) -> RefereedRules: ...

    @property
    def second_opinion(self) -> bool:
        """Whether the players' engines are also asked for the outcome."""
        ...

    def recall(self, question: Question) -> Illegal | None:
        """Why this question need not or cannot be asked now; None if it can."""
        ...

    def ask(
        self, question: Question, then: Callable[[Ruling], None], *, suspect: bool = False
    ) -> None:
        """Calls `then` with the ruling, once and later, never from within. `suspect`: the asking
        player has caused `Fatal` before."""
        ...


ENDED = ("gameover", "result")
"""Queries for a second opinion at the end of a game (UGI, query)."""


def agrees(answers: Sequence[str], ended: Outcome) -> bool:
    """Whether the answers to `ENDED` agree with the referee."""
    over, result = (answer.strip().lower() for answer in answers)
    return over == "true" and outcome(result) == ended


def outcome(result: str) -> Outcome | None:
    """The outcome in ``response`` to ``query result`` at the end of a game (UGI); None if there is
    none."""
    return _RESULTS.get(result)


_RESULTS = {
    "p1win": Outcome(Side.WHITE, Reason.GAME_RULE),
    "p2win": Outcome(Side.BLACK, Reason.GAME_RULE),
    "draw": Outcome(None, Reason.GAME_RULE),
}
