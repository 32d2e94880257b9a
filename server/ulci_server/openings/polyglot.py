"""Polyglot books: for each position, moves with weights.

Format: http://hgm.nubati.net/book_format.html. Entries of 16 bytes in the order of their keys, so
that a position is found by halving; nothing of the file is kept in memory. An opening is a walk
from the start of chess, in which each move is drawn by its weight, decided by the seed and the
opening's number; it ends at the ply that is asked for, or where the book ends.
"""

import struct
from collections.abc import Iterator, Sequence
from os import fstat
from pathlib import Path
from typing import BinaryIO, NamedTuple

import chess
import chess.polyglot

from ulci.rules import Position, Rules

from .formats import HEAD, Format, check_format
from .index import Chunks, Pulse, Stamp, open_book_file, unchanged
from .judge import opening_of, play
from .opening import BookError, Opening
from .order import drawn

GAMES = ("chess", "chess960")
"""The games whose usual start is that of chess."""

_ENTRY = struct.Struct(">QHHI")
_PROMOTIONS = ("", "n", "b", "r", "q")


class Weighted(NamedTuple):
    """A move as in the file: ``e1h1`` castles."""

    move: str
    weight: int


class PolyglotFile:
    """A book whose entries are read one by one."""

    def __init__(self, path: Path, pulse: Pulse) -> None:
        """Raises BookError if it is no such file."""
        with open_book_file(path) as file:
            self.stamp = Stamp.of(fstat(file.fileno()))
            check_format(path, file.read(HEAD), Format.POLYGLOT)
            file.seek(0)
            self.digest = Chunks(path, file, pulse).exhausted().digest()
        if self.stamp.size % _ENTRY.size:
            raise BookError(
                f"the book {path} is no Polyglot book: its {self.stamp.size} bytes are not a"
                f" multiple of {_ENTRY.size}"
            )
        self.path = path

    def walk(self, rules: Rules, plies: int, seed: int, number: int) -> Opening:
        """The opening of a number. Raises BookError if the file is no longer as it was."""
        position, board = rules.new(), chess.Board()
        with unchanged(self.path, self.stamp) as file:
            for ply in range(plies):
                moves = [each for each in self._moves(file, board) if _legal(position, each)]
                if not (total := sum(each.weight for each in moves)):
                    break
                move = _drawn_by_weight(moves, drawn(seed, number, ply) % total)
                if play(position, move) is not None:
                    return Opening(position.start, tuple(position.moves[:-1]))
                board.push_uci(move)
        return opening_of(position)

    def _moves(self, file: BinaryIO, board: chess.Board) -> Iterator[Weighted]:
        """The book's moves in the position."""
        wanted = chess.polyglot.zobrist_hash(board)
        at = self._first(file, wanted)
        while at < self.stamp.size:
            key, move, weight, _ = self._entry(file, at)
            if key != wanted:
                return
            yield Weighted(_spelled(move), weight)
            at += _ENTRY.size

    def _first(self, file: BinaryIO, wanted: int) -> int:
        """Where the first entry with at least this key begins."""
        low, high = 0, self.stamp.size // _ENTRY.size
        while low < high:
            middle = (low + high) // 2
            if self._entry(file, middle * _ENTRY.size)[0] < wanted:
                low = middle + 1
            else:
                high = middle
        return low * _ENTRY.size

    def _entry(self, file: BinaryIO, at: int) -> tuple[int, int, int, int]:
        file.seek(at)
        key, move, weight, learn = _ENTRY.unpack(file.read(_ENTRY.size))
        return key, move, weight, learn


def _legal(position: Position, each: Weighted) -> bool:
    """Two positions may share a key, and files may be damaged."""
    return position.is_legal_untrusted(each.move)


def _spelled(move: int) -> str:
    """From the lowest bit: file and rank of the target, of the start, and the promotion."""
    squares = chess.SQUARE_NAMES
    promotion = _PROMOTIONS[min(move >> 12 & 7, len(_PROMOTIONS) - 1)]
    return squares[move >> 6 & 63] + squares[move & 63] + promotion


def _drawn_by_weight(moves: Sequence[Weighted], chance: int) -> str:
    """chance: below the sum of the weights."""
    for move, weight in moves:
        if chance < weight:
            return move
        chance -= weight
    raise AssertionError("the chance is below the sum of the weights")
