"""Which moves were made, by whom, and where did they lead? A position that can go back."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ulci.rules.outcome import Side
from ulci.rules.position import Illegal, Position, Verdict
from ulci.rules.refereed import RefereedPosition, Standing

Fresh = Callable[[], Position]
"""The game at its start."""


class ContradictionError(ValueError):
    """What is remembered of a game cannot have been; the text says what, and after which ply."""


@dataclass(frozen=True, slots=True)
class Made:
    """A move in its canonical spelling, and who made it."""

    side: Side
    move: str


@dataclass(slots=True)
class Line:
    """The moves that stand, from the first on; `turn` is who moves next.

    The position may be one move ahead of it: by a move that came after the flag.
    """

    fresh: Fresh
    position: Position = field(init=False)
    turn: Side = field(init=False)
    moves: tuple[str, ...] = ()
    _made: list[Made] = field(default_factory=list)
    _said: dict[Side, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.position = self.fresh()
        self.turn = self.position.turn

    def add(self, side: Side, move: str) -> int:
        """The move was made on `position`; its ply, counted from 1."""
        self._made.append(Made(side, move))
        self.moves += (move,)
        self.hear(side, move)
        return len(self.moves)

    def hear(self, side: Side, move: str) -> None:
        """The side said a move, even if it came too late to be made."""
        self._said[side] = move.lower()

    def ask(self) -> Side:
        """Whose turn the rules say it is."""
        self.turn = self.position.turn
        return self.turn

    def replay(self, side: Side, move: str, then: Side) -> Verdict:
        """Make a move that the record has; `then` is who moved next.

        Raises:
            ContradictionError: it was not that side's turn, or the move is illegal.
        """
        where = f"ply {len(self.moves) + 1}, {move}"
        if self.position.turn is not side:
            raise ContradictionError(f"{where}: it is not {side.word}'s turn")
        verdict = _made(self.position, move, then)
        if isinstance(verdict, Illegal):
            raise ContradictionError(f"{where} is illegal: {verdict.why}")
        self.add(side, move)
        self.ask()
        return verdict

    def last_of(self, side: Side) -> int:
        """How many plies must go for the side to make its last move anew; 0 if it made none."""
        for back, made in enumerate(reversed(self._made), 1):
            if made.side is side:
                return back
        return 0

    def repeats(self, side: Side, move: str) -> bool:
        """Whether the side said this move last, be it made, taken back or too late, and could not
        make it now. Where only a referee knows what is legal, nobody repeats."""
        said = move.lower()
        if self._said.get(side) != said:
            return False
        legal = self.position.legal_moves()
        return bool(legal) and said not in {one.lower() for one in legal}

    def take_back(self, plies: int) -> Side:
        """`plies` moves are gone; whose turn it is then."""
        kept, turn = self._made[: len(self._made) - plies], self._made[-plies].side
        said = dict(self._said)
        self.position, self._made, self.moves = self.fresh(), [], ()
        self.ask()
        for made, then in zip(kept, _turns(kept, turn), strict=True):
            self.replay(made.side, made.move, then)
        self._said = said
        return self.turn


def _turns(made: Sequence[Made], last: Side) -> list[Side]:
    """Who moved after each."""
    return [*(one.side for one in made[1:]), last][: len(made)]


def _made(position: Position, move: str, then: Side) -> Verdict:
    if isinstance(position, RefereedPosition):
        return position.rule(move, Standing(then))
    return position.play_untrusted(move)
