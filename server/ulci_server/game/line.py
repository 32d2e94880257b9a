"""Which moves were made, by whom, and where did they lead? A position that can go back."""

from dataclasses import dataclass, field

from ulci.rules.outcome import Side
from ulci.rules.position import Illegal, Position, Verdict
from ulci.rules.refereed import RefereedPosition, Standing


class ContradictionError(ValueError):
    """What is remembered of a game cannot have been; the text says what, and after which ply."""


@dataclass(slots=True)
class Line:
    """The moves that stand, from the first on; `turn` is who moves next.

    The position, new at first, becomes the line's own. It may be one move ahead: by a move that
    came after the flag. `letters`: of all moves as a position has them, each behind a blank.
    """

    position: Position
    turn: Side = field(init=False)
    moves: tuple[str, ...] = ()
    letters: int = 0
    _movers: list[Side] = field(default_factory=list)
    _said: dict[Side, frozenset[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.turn = self.position.turn

    def add(self, side: Side, move: str, said: str | None = None) -> int:
        """The move was made on `position`, which the side may have `said` in another spelling; its
        ply, counted from 1."""
        self._movers.append(side)
        self.moves += (move,)
        self.letters += len(move) + 1
        self.hear(side, move, move if said is None else said)
        return len(self.moves)

    def hear(self, side: Side, *spellings: str) -> None:
        """The side said a move, even if it came too late to be made."""
        self._said[side] = frozenset(spelling.lower() for spelling in spellings)

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
        for back, mover in enumerate(reversed(self._movers), 1):
            if mover is side:
                return back
        return 0

    def repeats(self, side: Side, move: str) -> bool:
        """Whether the side said this move last, be it made, taken back or too late, and could not
        make it now. Where only a referee knows what is legal, nobody repeats."""
        if move.lower() not in self._said.get(side, ()) or self.position.outcome() is not None:
            return False
        return not self.position.is_legal_untrusted(move)

    def take_back(self, plies: int) -> Side:
        """`plies` moves are gone; whose turn it is then."""
        left = len(self.moves) - plies
        self.position.take_back(len(self.position.moves) - left)
        self.letters -= sum(len(move) + 1 for move in self.moves[left:])
        self.moves = self.moves[:left]
        del self._movers[left:]
        return self.ask()


def _made(position: Position, move: str, then: Side) -> Verdict:
    if isinstance(position, RefereedPosition):
        return position.rule(move, Standing(then))
    return position.play_untrusted(move)
