"""The moves of a game, their movers and the position they led to. Moves can be taken back."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ulci.protocol import GameMoves
from ulci.rules.outcome import Side
from ulci.rules.position import Illegal, Position, Verdict
from ulci.rules.refereed import RefereedPosition, Standing


class ContradictionError(ValueError):
    """What is remembered of a game cannot have been; the text says what, and after which ply."""


@dataclass(slots=True)
class MoveList:
    """The moves that stand, from the first on; `turn` is who moves next.

    The position, new at first, becomes the list's own. `told`: as those are told who hear of them.
    """

    position: Position
    turn: Side = field(init=False)
    told: GameMoves = field(default_factory=GameMoves)
    _movers: list[Side] = field(default_factory=list)
    _said: dict[Side, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.turn = self.position.turn

    def add(self, side: Side, move: str, said: str) -> int:
        """The move was made on `position`, which the side may have `said` in another spelling; its
        ply, counted from 1."""
        self._movers.append(side)
        self.told.append(move)
        self._said[side] = (move, said)
        return len(self._movers)

    @property
    def moves(self) -> Sequence[str]:
        return self.told.all

    def hear_late(self, side: Side, move: str) -> None:
        """Remember a move that the side sent too late to be made."""
        self._said[side] = (move,)

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
        self.add(side, move, move)
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
        said = self._said.get(side)
        if said is None or (move not in said and move.lower() not in map(str.lower, said)):
            return False
        return self.position.outcome() is None and not self.position.is_legal_untrusted(move)

    def take_back(self, plies: int) -> Side:
        """Remove the last `plies` moves; returns whose turn it is then."""
        left = len(self.moves) - plies
        self.position.take_back(len(self.position.moves) - left)
        self.told = self.told.without_last(plies)
        del self._movers[left:]
        return self.ask()


def _made(position: Position, move: str, then: Side) -> Verdict:
    if isinstance(position, RefereedPosition):
        return position.rule(move, Standing(then))
    return position.play_untrusted(move)
