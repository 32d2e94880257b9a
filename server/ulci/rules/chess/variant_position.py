"""One game of a chess variant: standard pieces, other endings."""

from collections.abc import Hashable, Mapping
from typing import ClassVar

import chess

from ulci.rules.outcome import Outcome, Reason, Side

from . import bitboards, notation
from .position import CLAIMABLE, SIDES, ChessPosition
from .variant_moves import find_untrusted, why_not

_REASONS = {
    chess.Termination.VARIANT_WIN: Reason.GAME_RULE,
    chess.Termination.VARIANT_LOSS: Reason.GAME_RULE,
    chess.Termination.VARIANT_DRAW: Reason.GAME_RULE,
    chess.Termination.CHECKMATE: Reason.CHECKMATE,
    chess.Termination.STALEMATE: Reason.STALEMATE,
    chess.Termination.INSUFFICIENT_MATERIAL: Reason.MATERIAL,
    chess.Termination.SEVENTYFIVE_MOVES: Reason.FIFTY_MOVES,
}
"""A stalemate that a variant does not draw ends the game by its own rule."""


class VariantPosition(ChessPosition):
    """A `Position` of any variant that python-chess knows. Slower than `ChessPosition`: variants
    differ in what makes two positions equal (pockets, checks given), so python-chess decides."""

    __slots__ = ()

    _ordinary: ClassVar[Mapping[str, bitboards.Move]] = {}

    def fen(self) -> str:
        """With the variant's additions: pockets ``[Qn]`` after the placement, checks ``3+2``."""
        return self._board.fen()

    def parse_untrusted(self, text: str) -> str | None:
        if self._outcome is not None:
            return None
        return notation.parse_untrusted(self._board, text, find_untrusted)

    def _find_untrusted(self, text: str) -> chess.Move | None:
        return find_untrusted(self._board, text)

    def _why_not(self, text: str) -> str:
        return why_not(self._board, text)

    def _sync(self) -> None:
        """`_check` serves the fast path only, which variants do not take."""
        self._board.clear_stack()
        self.turn = SIDES[self._board.turn]

    def can_win(self, side: Side) -> bool:
        """By its material: each variant has other ways to win than mate."""
        return not self._board.has_insufficient_material(side is Side.WHITE)

    def claim(self) -> Reason | None:
        if self._outcome is not None:
            return None
        if self._board.is_fifty_moves():
            return Reason.FIFTY_MOVES
        return Reason.REPETITION if self._seen[self._keys[-1]] >= CLAIMABLE.repetitions else None

    def _judge(self) -> Outcome | None:
        """Only python-chess knows which endings a variant has, in which order, and whether a
        stalemate is won, lost or drawn. It counts no repetitions: the board has no history."""
        board = self._board
        key = self._key()
        self._keys.append(key)
        times = self._seen[key] = self._seen.get(key, 0) + 1
        ended = board.outcome()
        if ended is not None:
            winner = None if ended.winner is None else SIDES[ended.winner]
            return Outcome(winner, _REASONS[ended.termination])
        if self._limits is CLAIMABLE and board.is_fifty_moves():
            return Outcome(None, Reason.FIFTY_MOVES)
        if times >= self._limits.repetitions:
            return Outcome(None, Reason.REPETITION)
        return None

    def _repeatable_since(self) -> int:
        """In crazyhouse a captured man may come back."""
        return 0

    def _key(self) -> Hashable:
        return self._board.epd(en_passant="legal")
