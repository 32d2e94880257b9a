"""The moves of a game, their movers and the position they led to. Moves can be taken back."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ulci.protocol import GameMoves
from ulci.rules import Illegal, Position, Side, Verdict
from ulci.rules.refereed import RefereedPosition, Standing


class ContradictionError(ValueError):
    """The record of a game is impossible; the text says what, and after which ply."""


@dataclass(slots=True)
class MoveList:
    """The moves made and not taken back; `turn` is the side to move.

    The list owns the position. The moves that the position has already made are the game's opening:
    they are plies like all others, but no player's moves. told: all moves as sent to clients.
    changes: the number of the players' moves and takebacks so far, which numbers the turns.
    """

    position: Position
    turn: Side = field(init=False)
    told: GameMoves = field(init=False)
    changes: int = 0
    _movers: list[Side] = field(default_factory=list)  # of the players' moves
    _said: dict[Side, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.turn = self.position.turn
        self.told = GameMoves(self.position.moves)

    def add(self, side: Side, move: str, said: str) -> int:
        """The move was made on `position`; the side may have sent another spelling, `said`. Returns
        its ply, counted from 1."""
        self._movers.append(side)
        self.changes += 1
        self._said[side] = (move, said)
        return self.told.append(move)

    @property
    def played(self) -> int:
        """How many moves the players made, which can be taken back."""
        return len(self._movers)

    @property
    def moves(self) -> Sequence[str]:
        return self.told.all

    def hear_late(self, side: Side, move: str) -> None:
        """Remember a move that the side sent too late to be made."""
        self._said[side] = (move,)

    def ask(self) -> Side:
        """The side to move by the rules."""
        self.turn = self.position.turn
        return self.turn

    def replay(self, side: Side, move: str, then: Side) -> Verdict:
        """Make a recorded move; `then` is the side that moved next.

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
        """The plies to take back for the side to replay its last move; 0 if it made none."""
        for back, mover in enumerate(reversed(self._movers), 1):
            if mover is side:
                return back
        return 0

    def movers_of_last(self, plies: int) -> tuple[int, int]:
        """How many of the last `plies` moves are White's and Black's."""
        movers = self._movers[len(self._movers) - plies :]
        return movers.count(Side.WHITE), movers.count(Side.BLACK)

    def repeats(self, side: Side, move: str) -> bool:
        """Whether the side sent this move last, be it made, taken back or too late, and it is not
        legal now. False where only a referee knows the legal moves."""
        said = self._said.get(side)
        if said is None or (move not in said and move.lower() not in map(str.lower, said)):
            return False
        return self.position.outcome() is None and not self.position.is_legal_untrusted(move)

    def take_back(self, plies: int) -> Side:
        """Remove the last `plies` moves of the players; returns the side to move then."""
        left = len(self.moves) - plies
        self.position.take_back(len(self.position.moves) - left)
        self.told = self.told.without_last(plies)
        self.changes += 1
        del self._movers[len(self._movers) - plies :]
        return self.ask()


def _made(position: Position, move: str, then: Side) -> Verdict:
    if isinstance(position, RefereedPosition):
        return position.rule(move, Standing(then))
    return position.play_untrusted(move)
