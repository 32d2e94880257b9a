"""A game whose every move says what it does: the rules for tests that are not about rules.

a b c …   any small letter: the turn passes
again     the same side is to move once more, as some UGI games have it
mate      the mover wins;  even  the game is drawn
others    illegal
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ulci.rules import Illegal, Legal, Outcome, Over, Reason, Side, Verdict

LETTERS = "abcdefghijklmnopqrstuvwxyz"
ENDS = ("mate", "even")


@dataclass
class ToyPosition:
    """Fulfils `ulci.rules.position.Position`; what the rules would find out can be set."""

    start: str | None = None
    turn: Side = Side.WHITE
    over: Outcome | None = None
    claimable: Reason | None = None
    winners: tuple[bool, bool] = (True, True)
    moves: list[str] = field(default_factory=list)

    def play_untrusted(self, move: str) -> Verdict:
        mover = self.turn
        if move in LETTERS and move:
            self.turn = mover.other
        elif move == "mate":
            self.over = Outcome(mover, Reason.CHECKMATE)
        elif move == "even":
            self.over = Outcome(None, Reason.STALEMATE)
        elif move != "again":
            return Illegal("no such letter")
        self.moves.append(move)
        return Legal(move) if self.over is None else Over(move, self.over)

    def is_legal_untrusted(self, move: str) -> bool:
        return move in self.legal_moves()

    def take_back(self, plies: int) -> None:
        for move in reversed(self.moves[len(self.moves) - plies :]):
            self.moves.pop()
            self.turn = self.turn if move in ENDS or move == "again" else self.turn.other
        self.over = self.claimable = None

    def outcome(self) -> Outcome | None:
        return self.over

    def claim(self) -> Reason | None:
        return self.claimable

    def can_win(self, side: Side) -> bool:
        return self.winners[side]

    def legal_moves(self) -> list[str]:
        return [] if self.over else [*LETTERS, "again", "mate", "even"]

    def fen(self) -> str:
        return f"{''.join(self.moves) or '-'} {self.turn.word[0]}"

    def san(self, move: str) -> str:
        if move not in self.legal_moves():
            raise ValueError(f"{move} is not legal")
        return move

    def parse_untrusted(self, text: str) -> str | None:
        return text if text in self.legal_moves() else None

    def squares(self) -> Sequence[Sequence[str]]:
        return [[""]]

    def checked(self) -> Sequence[tuple[int, int]]:
        return []
