"""What python-chess alone says of a game: nothing of this project judges here."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import chess
import chess.variant

REPETITIONS = 3

WORDS: Mapping[chess.Termination, str] = {
    chess.Termination.CHECKMATE: "checkmate",
    chess.Termination.STALEMATE: "stalemate",
    chess.Termination.INSUFFICIENT_MATERIAL: "material",
    chess.Termination.SEVENTYFIVE_MOVES: "fifty-moves",
    chess.Termination.FIVEFOLD_REPETITION: "repetition",
    chess.Termination.VARIANT_WIN: "game-rule",
    chess.Termination.VARIANT_LOSS: "game-rule",
    chess.Termination.VARIANT_DRAW: "game-rule",
}
"""Our reasons, by its terminations."""

KINDS: Mapping[str, type[chess.Board]] = {
    "chess": chess.Board,
    "chess960": chess.Board,
    **{kind.uci_variant: kind for kind in chess.variant.VARIANTS if kind.uci_variant != "chess"},
}


class End(NamedTuple):
    """``1-0``, ``0-1`` or ``1/2-1/2``, and the reason as the protocol spells it."""

    result: str
    reason: str


class Reference:
    """A game with its whole history. `claims`: draws that players may claim do not end it."""

    def __init__(self, game: str, start: str | None, *, claims: bool) -> None:
        kind = KINDS[game]
        self.chess960 = game == "chess960"
        self.board = kind(start or kind.starting_fen, chess960=self.chess960)
        self.claims = claims

    def end(self) -> End | None:
        outcome = self.board.outcome()
        if outcome is not None:
            return End(outcome.result(), WORDS[outcome.termination])
        drawn = None if self.claims else self.claim()
        return drawn and End("1/2-1/2", drawn)

    def claim(self) -> str | None:
        """The draw that may be claimed in the position that is on the board."""
        if self.board.outcome() is not None:
            return None
        if self.board.is_fifty_moves():
            return "fifty-moves"
        return "repetition" if self.board.is_repetition(REPETITIONS) else None

    def moves(self) -> Sequence[str]:
        """Empty when the game is over."""
        return [] if self.end() else sorted(map(self.board.uci, self.board.legal_moves))

    def fen(self) -> str:
        return self.board.fen(shredder=self.chess960)

    def turn(self) -> str:
        return chess.COLOR_NAMES[self.board.turn]

    def san(self, move: str) -> str:
        return self.board.san(self.board.parse_uci(move))

    def play(self, move: str) -> None:
        self.board.push_uci(move)

    def take_back(self, plies: int) -> None:
        for _ in range(plies):
            self.board.pop()

    def plies(self) -> int:
        return len(self.board.move_stack)

    def return_of_the_last(self) -> str | None:
        """The mover's last move, made backwards; it need not be legal."""
        last = self.board.move_stack[-2:-1]
        return chess.Move(last[0].to_square, last[0].from_square).uci() if last else None
