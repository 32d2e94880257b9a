"""One game of a chess variant: standard pieces, other endings."""

from collections.abc import Hashable, Mapping
from typing import ClassVar

import chess

from ulci.rules.outcome import Outcome, Reason, Side

from . import bitboards, notation
from .position import SIDES, ChessPosition
from .variant_moves import find_untrusted, why_not


class VariantPosition(ChessPosition):
    """A `Position` of any variant that python-chess knows. Slower than `ChessPosition`: variants
    differ in what makes two positions equal (pockets, checks given), so python-chess decides."""

    __slots__ = ()

    _ordinary: ClassVar[Mapping[str, bitboards.Move]] = {}

    def fen(self) -> str:
        """With the variant's additions: pockets ``[Qn]`` behind the placement, checks ``3+2``."""
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

    def _judge(self) -> Outcome | None:
        """The variant's own endings precede those of standard chess."""
        board = self._board
        key = self._key()
        self._keys.append(key)
        times = self._seen[key] = self._seen.get(key, 0) + 1
        if board.is_variant_end():
            return Outcome(self._winner(), Reason.GAME_RULE)
        if board.is_insufficient_material():
            return Outcome(None, Reason.MATERIAL)
        if next(board.generate_legal_moves(), None) is None:
            return self._stuck()
        return self._worn_out(times)

    def _repeatable_since(self) -> int:
        """In crazyhouse a captured man may come back."""
        return 0

    def _key(self) -> Hashable:
        return self._board.epd(en_passant="legal")

    def _winner(self) -> Side | None:
        """The winner if the variant's own rule ended the game."""
        if self._board.is_variant_win():
            return self.turn
        return self.turn.other if self._board.is_variant_loss() else None
