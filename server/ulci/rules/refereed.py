"""A game whose rules are not in this process: what a referee said of it is all that is known."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from .outcome import Outcome, Reason, Side
from .position import Illegal, Legal, Needs, Over, Verdict

# Start positions that players chose and that are remembered beside those of the configuration: a
# stranger must not fill the memory with them.
MOST_KNOWN = 1000


USUAL = "startpos"  # as every dialect of the UCI family calls the usual start


@dataclass(frozen=True, slots=True)
class Question:
    """How does the game stand after these moves? `asked` is whose turn it was before the last."""

    start: str | None
    moves: tuple[str, ...] = ()
    asked: Side | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """The answer: whose turn it is, and whether the game is over."""

    turn: Side
    outcome: Outcome | None = None


@dataclass(frozen=True, slots=True)
class Lost:
    """There is no answer that a game could go on from, and it is not the move's fault."""

    why: str


Ruling = Standing | Illegal | Lost


class RefereedPosition:
    """A `Position` that is told what happened to it; moves are opaque words."""

    def __init__(self, start: str | None, standing: Standing) -> None:
        self._start = start
        self._standing = standing
        self._moves: list[str] = []

    @property
    def start(self) -> str | None:
        return self._start

    @property
    def moves(self) -> Sequence[str]:
        return self._moves

    @property
    def turn(self) -> Side:
        return self._standing.turn

    def asks(self, move: str) -> Question:
        """What a referee is to be asked of a move."""
        return Question(self._start, (*self._moves, move), self._standing.turn)

    def rule(self, move: str, ruling: Standing | Illegal) -> Verdict:
        """The referee's answer to what `asks` gave, as a verdict; the move is made if it is one."""
        if isinstance(ruling, Illegal):
            return ruling
        self._moves.append(move)
        self._standing = ruling
        return Legal(move) if ruling.outcome is None else Over(move, ruling.outcome)

    def play_untrusted(self, move: str) -> Verdict:  # noqa: ARG002 - nobody here can judge
        """Only `rule` makes moves."""
        return Illegal("this game is judged by a referee, which was not asked")

    def outcome(self) -> Outcome | None:
        return self._standing.outcome

    def claim(self) -> Reason | None:
        return None

    def can_win(self, side: Side) -> bool:  # noqa: ARG002 - nobody here knows
        return True

    def legal_moves(self) -> list[str]:
        """UGI has no question for them."""
        return []

    def fen(self) -> str:
        """The start and the moves: more is not known."""
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
    """A game of the configuration: a row beside those of `ulci.rules.GAMES`.

    A start that the referee has been asked about is played like any other; `known` holds them. Of
    any other start `new` knows nothing and lets White begin, until the referee was asked.
    """

    name: str
    starts: Sequence[str | None] = (None,)
    named: Mapping[str, str] = field(default_factory=dict)
    known: dict[str | None, Standing] = field(default_factory=dict)

    def new(self, start: str | None = None, *, claims: bool = False) -> RefereedPosition:  # noqa: ARG002
        """A game at its start; its referee decides what a draw is."""
        start = " ".join((start or USUAL).split())
        start = None if start == USUAL else start
        return RefereedPosition(start, self.known.get(start, Standing(Side.WHITE)))

    def learn(self, start: str | None, standing: Standing) -> None:
        """The referee was asked about this start."""
        if len(self.known) >= MOST_KNOWN:
            del self.known[next(reversed(self.known))]
        self.known[start] = standing

    def needs(self, start: str | None) -> Needs:  # noqa: ARG002 - every start needs the same
        """A client that says it knows the game: in UCI's words, one that has it as a variant."""
        return Needs(options={"UCI_Variant": self.name})


class Judge(Protocol):
    """Who can be asked how a game stands."""

    @property
    def rules(self) -> RefereedRules: ...

    @property
    def second_opinion(self) -> bool:
        """Whether the players' engines are to be asked, too, how a game ended."""
        ...

    def ask(self, question: Question, then: Callable[[Ruling], None]) -> None:
        """`then` is called with the ruling, once and later, never from within."""
        ...


ENDED = ("gameover", "result")
"""What a second opinion is asked for at the end of a game (UGI, query)."""


def agrees(answers: Sequence[str], ended: Outcome) -> bool:
    """Whether the answers to `ENDED` say the same as the referee."""
    over, result = (answer.strip().lower() for answer in answers)
    return over == "true" and outcome(result) == ended


def outcome(result: str) -> Outcome | None:
    """What ``response`` to ``query result`` says of a game that is over (UGI); None if nothing."""
    return _RESULTS.get(result)


_RESULTS = {
    "p1win": Outcome(Side.WHITE, Reason.GAME_RULE),
    "p2win": Outcome(Side.BLACK, Reason.GAME_RULE),
    "draw": Outcome(None, Reason.GAME_RULE),
}
