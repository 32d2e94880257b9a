"""Opening books in the format of Polyglot.

A book reads its file for every move and does not map it into memory: a user who copies a new book
over the file truncates it first, and a process that then reads its mapping is killed by SIGBUS. An
unreadable book costs no game: the engine plays.
"""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from struct import Struct
from typing import NamedTuple

import chess
import chess.polyglot

from ulci.system import read_at

# Key, move, weight, learn (http://hgm.nubati.net/book_format.html): sorted by the key.
_ENTRY = Struct(">QHHI")

_PROMOTIONS = (None, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN)


class BookMove(NamedTuple):
    move: chess.Move
    weight: int


class BookError(Exception):
    """The file is no book."""


class Book:
    """An open book; closed with the process."""

    def __init__(self, path: Path) -> None:
        """Raises BookError."""
        self.path = path
        size = self._size()
        if not size or size % _ENTRY.size:
            raise BookError(
                f"{path} is no Polyglot book: its size is no multiple of {_ENTRY.size} bytes"
            )

    def moves(self, board: chess.Board) -> Sequence[BookMove]:
        """The legal moves for this position, in the book's order. Raises BookError."""
        key = chess.polyglot.zobrist_hash(board)
        try:
            with self.path.open("rb", buffering=0) as file:
                return [*_legal(board, _entries(file.fileno(), key))]
        except OSError as error:
            raise BookError(f"cannot read the book {self.path}: {error.strerror}") from error

    def _size(self) -> int:
        try:
            return self.path.stat().st_size
        except OSError as error:
            raise BookError(f"cannot read the book {self.path}: {error.strerror}") from error


def _entries(file: int, key: int) -> list[tuple[int, int]]:
    """Move and weight of the entries of a key."""
    count = os.fstat(file).st_size // _ENTRY.size

    def entry(number: int) -> tuple[int, int, int]:
        data = read_at(file, _ENTRY.size, number * _ENTRY.size)
        if len(data) < _ENTRY.size:
            raise OSError(0, "it was shortened meanwhile")
        found, move, weight, _ = _ENTRY.unpack(data)
        return found, move, weight

    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if entry(middle)[0] < key else (low, middle)
    found = []
    while low < count and (known := entry(low))[0] == key:
        found.append(known[1:])
        low += 1
    return found


def _legal(board: chess.Board, entries: Sequence[tuple[int, int]]) -> list[BookMove]:
    moves = []
    for raw, weight in entries:
        promotion = raw >> 12 & 7
        if promotion >= len(_PROMOTIONS):
            continue
        move = _castling(board, raw >> 6 & 63, raw & 63, _PROMOTIONS[promotion])
        if board.is_legal(move):
            moves.append(BookMove(move, weight))
    return moves


def _castling(board: chess.Board, start: int, to: int, promotion: int | None) -> chess.Move:
    """Polyglot castles onto the rook's square, as Chess960 does."""
    move = chess.Move(start, to, promotion)
    if board.chess960 or board.king(board.turn) != start:
        return move
    if board.piece_at(to) != chess.Piece(chess.ROOK, board.turn):
        return move
    king = chess.square(6 if to > start else 2, chess.square_rank(start))
    return chess.Move(start, king)


def choose(
    moves: Sequence[BookMove], *, best: bool, least: int, chance: Callable[[], float]
) -> chess.Move | None:
    """One of the moves with at least that weight: by its weight, or the heaviest. `chance`: a
    number from 0 to below 1."""
    known = [each for each in moves if each.weight >= least]
    if not known:
        return None
    if best:
        return max(known, key=lambda each: each.weight).move
    mark = chance() * sum(each.weight for each in known)
    for each in known:
        mark -= each.weight
        if mark < 0:
            return each.move
    return known[-1].move
