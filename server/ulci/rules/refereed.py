"""A game whose rules are not in this process: what a referee said of it is all that is known."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from .outcome import Outcome, Reason, Side
from .position import Illegal, Legal, Needs, Over, Size, StartError, Verdict

# Start positions that players chose and that are remembered beside those of the configuration: a
# stranger must not fill the memory with them.
MOST_KNOWN = 1000

# Characters of a move, and of a start that a player chose: what is longer is of no game, and no
# referee need be troubled with it.
LONGEST_MOVE = 64
LONGEST_START = 4096

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


@dataclass(frozen=True, slots=True)
class Fatal(Illegal):
    """The answer: none, as referees die of that question, or hang."""


Ruling = Standing | Illegal | Lost


class RefereedPosition:
    """A `Position` that is told what happened to it; moves are opaque words."""

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
        """What a referee is to be asked of a move; of what can be none it is asked nothing."""
        if len(move) > LONGEST_MOVE:
            return Illegal(f"no move has more than {LONGEST_MOVE} letters")
        if not move.isprintable() or len(move.split()) != 1:
            return Illegal("a move is one printable word")
        return Question(self._start, (*self._moves, move), self.turn)

    def rule(self, move: str, ruling: Standing | Illegal) -> Verdict:
        """The referee's answer to what was asked, as a verdict; the move is made if it is one."""
        if isinstance(ruling, Illegal):
            return ruling
        self._moves.append(move)
        self._standings.append(ruling)
        return Legal(move) if ruling.outcome is None else Over(move, ruling.outcome)

    def play_untrusted(self, move: str) -> Verdict:  # noqa: ARG002 - nobody here can judge
        """Only `rule` makes moves."""
        return Illegal("this game is judged by a referee, which was not asked")

    def is_legal_untrusted(self, move: str) -> bool:  # noqa: ARG002 - nobody here can judge
        return True

    def take_back(self, plies: int) -> None:
        left = len(self._moves) - plies
        del self._moves[left:], self._standings[left + 1 :]

    def outcome(self) -> Outcome | None:
        return self._standings[-1].outcome

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
    any other start `new` knows only whether it can be one at all, and lets White begin, until the
    referee was asked.
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
        """The referee was asked about this start, which a player chose; the oldest of too many such
        starts is forgotten."""
        self.known[start] = standing
        self._learned[start] = None
        if len(self._learned) > MOST_KNOWN:
            oldest = next(iter(self._learned))
            del self._learned[oldest], self.known[oldest]

    def size(self, start: str | None) -> Size:  # noqa: ARG002 - nobody here knows
        return Size()

    def needs(self, start: str | None) -> Needs:  # noqa: ARG002 - every start needs the same
        """A client that says it knows the game: in UCI's words, one that has it as a variant."""
        return Needs(options={"UCI_Variant": self.name})


def _check_untrusted(start: str) -> None:
    """Raises StartError for what can be no start of any game."""
    if len(start) > LONGEST_START:
        raise StartError(f"no start position is longer than {LONGEST_START} letters")
    if not start.isprintable():
        raise StartError("a start position is printable text")
    if "moves" in start.split():
        raise StartError("a start position has no moves: say the position that they lead to")


class Judge(Protocol):
    """Who can be asked how a game stands."""

    @property
    def rules(self) -> RefereedRules: ...

    @property
    def second_opinion(self) -> bool:
        """Whether the players' engines are to be asked, too, how a game ended."""
        ...

    def recall(self, question: Question) -> Illegal | None:
        """Why this question need not be asked, or cannot be now; None if it may be."""
        ...

    def ask(
        self, question: Question, then: Callable[[Ruling], None], *, suspect: bool = False
    ) -> None:
        """`then` is called with the ruling, once and later, never from within. `suspect`: whoever
        asks has asked before what was `Fatal`."""
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
