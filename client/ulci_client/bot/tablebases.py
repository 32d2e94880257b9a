"""Syzygy tablebases: which moves keep the result of a position.

A won position is played by the tables: the move that keeps the win with the least distance to the
next capture or pawn move (DTZ), so that the fifty-move rule takes nothing. In a drawn or lost
position the engine chooses, since tables see no difference between moves that the opponent finds
easy and hard; it only may not choose a move that makes it worse (UCI, ``go searchmoves``).
"""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Protocol

import chess
import chess.syzygy


class TablebaseError(Exception):
    """The tables cannot be used."""


class Prober(Protocol):
    """The used part of `chess.syzygy.Tablebase`. Raises KeyError if the tables do not have the
    position."""

    def probe_wdl(self, board: chess.Board) -> int:
        """From 2 (the side to move wins) to -2."""
        ...

    def probe_dtz(self, board: chess.Board) -> int:
        """Half-moves to the next capture or pawn move, negative for a loss."""
        ...


class Tablebases:
    """Open tables. `men`: of the largest one, kings included."""

    def __init__(self, prober: Prober, men: int) -> None:
        self._prober = prober
        self._men = men

    def keeping(self, board: chess.Board) -> Sequence[chess.Move]:
        """The moves that keep the result; of a win only the one to play. Empty if the tables do
        not have the position.

        Raises:
            TablebaseError: a file is damaged.
        """
        if board.occupied.bit_count() > self._men or board.castling_rights:
            return []
        try:
            return self._keeping(board)
        except KeyError:
            return []  # no table of this material
        except Exception as error:  # whatever a damaged file leads to
            raise TablebaseError(f"a tablebase fails at {board.fen()}: {error!r}") from error

    def _keeping(self, board: chess.Board) -> Sequence[chess.Move]:
        worth = {move: self._worth(board, move) for move in board.legal_moves}
        if not worth:
            return []
        best = max(result for result, _ in worth.values())
        keep = [move for move, (result, _) in worth.items() if result == best]
        if best <= 0:
            return keep
        return [min(keep, key=lambda move: worth[move][1])]

    def _worth(self, board: chess.Board, move: chess.Move) -> tuple[int, int]:
        """For the side that moves: the result (2 to -2), and the half-moves to the next capture or
        pawn move; 0 if this is one, or mate."""
        zeroes = board.is_zeroing(move)
        board.push(move)
        try:
            if board.is_checkmate():
                return 2, -1
            if board.is_stalemate() or board.is_insufficient_material():
                return 0, 0
            if board.can_claim_fifty_moves() or board.is_repetition(3):
                return 0, 0
            result = -self._prober.probe_wdl(board)
            distance = 0 if zeroes else abs(self._prober.probe_dtz(board))
        finally:
            board.pop()
        # A win that the count of fifty moves has eaten up is a draw (python-chess counts from 0).
        if abs(result) == 2 and not zeroes and distance + board.halfmove_clock + 1 > 100:
            result //= 2
        return result, distance


def lacking(path: Path) -> str:
    """Why a folder has no tables; empty if it has some."""
    if all(any(path.glob(f"*{suffix}")) for suffix in (".rtbw", ".rtbz")):
        return ""
    return f"there are no tablebases (*.rtbw and *.rtbz) in {path}"


def open_tablebases(paths: Sequence[Path], closing: ExitStack) -> Tablebases | None:
    """The tables in these folders; None for no folders. `closing` will close them.

    Raises:
        TablebaseError: a folder cannot be read or has no tables.
    """
    if not paths:
        return None
    tables = closing.enter_context(chess.syzygy.Tablebase())
    for path in paths:
        try:
            tables.add_directory(str(path))
        except OSError as error:
            raise TablebaseError(f"cannot read the tablebases {path}: {error.strerror}") from None
        if lack := lacking(path):
            raise TablebaseError(lack)
    # A name such as KQvKR has a letter for each man.
    return Tablebases(tables, max(len(name) - 1 for name in tables.wdl))
