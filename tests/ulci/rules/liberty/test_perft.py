"""Counts that the ULCI programs of Liberty Chess's author agree with, row by row.

Rows of more than `MOST` nodes, which take seconds to half a minute each, are counted only with a
larger ULCI_TEST_MOST_NODES; each has rows of less depth for the same position.
"""

import csv
import os
from pathlib import Path
from typing import NamedTuple

import pytest

from ulci.rules.liberty import (
    FIFTY_MOVES,
    Board,
    by_men,
    legal_moves,
    read_lfen,
    watch,
    write_lfen,
)

FILE = Path(__file__).parents[3] / "data" / "liberty_perft.csv"
QUICK = 5_000  # nodes that are counted in a moment
MOST = int(os.environ.get("ULCI_TEST_MOST_NODES", "1000000"))


class Row(NamedTuple):
    name: str
    lfen: str
    depth: int
    nodes: int


def rows() -> list[Row]:
    with FILE.open(newline="", encoding="utf-8") as file:
        return [
            Row(row["name"], row["fen"], int(row["depth"]), int(row["nodes"]))
            for row in csv.DictReader(file)
        ]


def perft(board: Board, depth: int) -> int:
    """Move sequences of `depth` plies. A finished game has none; repetition is not checked, as it
    cannot end a game of less than eight plies. The board is unchanged afterwards."""
    if depth == 0:
        return 1
    if by_men(board) is not None or board.half_moves >= FIFTY_MOVES:
        return 0
    moves = [*legal_moves(board, watch(board))]
    if depth == 1:
        return len(moves)
    total = 0
    for move in moves:
        undo = board.make(move)
        total += perft(board, depth - 1)
        board.unmake(undo)
    return total


ROWS = rows()
PARAMETERS = [
    pytest.param(
        row, id=f"{row.name}-{row.depth}", marks=[] if row.nodes <= QUICK else pytest.mark.slow
    )
    for row in ROWS
    if row.nodes <= MOST
]


@pytest.mark.parametrize("row", PARAMETERS)
def test_as_many_games_as_the_reference_counts(row: Row):
    board = read_lfen(row.lfen)
    before = write_lfen(board)
    assert perft(board, row.depth) == row.nodes
    assert write_lfen(board) == before


def test_what_is_over_has_no_games():
    for lfen in ("4k3/8/8/8/8/8/8/4K3", "4k3/8/8/8/8/8/8/R3K3 w - - 100 1", "8/8/8/8/8/8/8/4K2R"):
        assert perft(read_lfen(lfen), 1) == 0
        assert perft(read_lfen(lfen), 0) == 1
