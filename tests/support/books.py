"""Books that tests write."""

import struct
from collections.abc import Mapping
from pathlib import Path

import chess
import chess.polyglot

from ulci_server.openings import BookFile, Format, Order


def fens(count: int) -> list[str]:
    """Positions that differ in the number of the move."""
    return [f"8/8/8/4k3/8/8/4P3/4K3 w - - 0 {number}" for number in range(1, count + 1)]


def epd(
    path: Path, lines: list[str], *, order: Order = Order.SEQUENTIAL, **asked: int | None
) -> BookFile:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return BookFile(path, Format.EPD, order, **asked)


def polyglot(path: Path, book: Mapping[str, Mapping[str, int]], **asked: int | None) -> BookFile:
    """book: by the moves that lead there, the moves with their weights; castling as ``e1h1``."""
    entries = []
    for played, moves in book.items():
        board = chess.Board()
        for move in played.split():
            board.push_uci(move)
        key = chess.polyglot.zobrist_hash(board)
        entries += [(key, _packed(move), weight, 0) for move, weight in moves.items()]
    path.write_bytes(b"".join(struct.pack(">QHHI", *each) for each in sorted(entries)))
    return BookFile(path, Format.POLYGLOT, **asked)


def _packed(text: str) -> int:
    move = chess.Move.from_uci(text)
    return ((move.promotion or 1) - 1) << 12 | move.from_square << 6 | move.to_square
