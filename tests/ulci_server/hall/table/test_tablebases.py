"""Tablebases: what is looked up, what the answer means, and what a folder must hold."""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import chess
import chess.syzygy
import pytest
import structlog.testing

from ulci.rules import GAMES, Side
from ulci_server.game.adjudication import Proved
from ulci_server.hall.table.tablebases import (
    ALL_RESULTS,
    Prober,
    TablebaseError,
    TablebaseRules,
    Tablebases,
    open_tablebases,
)

W, B = Side

# A queen wins, two knights only without the fifty-move rule, bare kings never.
QUEEN = "8/8/8/4k3/8/8/8/1Q2K3"
PAIR = "8/8/8/4k3/7p/8/8/NN2K3"


class Fake:
    """Says of each placement what it was told, from White's view."""

    def __init__(self, **worth: int) -> None:
        self.worth = {QUEEN: 2, PAIR: 1, **worth}
        self.asked: list[str] = []

    def probe_wdl(self, board: chess.Board) -> int:
        """As `chess.syzygy.Tablebase` does."""
        self.asked.append(board.fen())
        if board.occupied.bit_count() == board.kings.bit_count():
            return 0
        worth = self.worth.get(board.board_fen())
        if worth is None:
            raise chess.syzygy.MissingTableError(board.board_fen())
        return worth if board.turn else -worth


@pytest.fixture(params=["the real tables of bare kings", "a fake"])
def prober(request):
    """Both know what bare kings are worth, and know when they do not know."""
    if request.param == "a fake":
        return Fake()
    return chess.syzygy.Tablebase()


def proved(
    fen: str,
    prober: Prober,
    men: int = 4,
    game: str = "chess",
    rules: TablebaseRules = ALL_RESULTS,
) -> Proved | None:
    return Tablebases(prober, men, rules).prove(GAMES[game].new(fen))


@pytest.mark.parametrize(
    ("fen", "winner"),
    [
        (f"{QUEEN} w - - 0 1", W),
        (f"{QUEEN} b - - 0 1", W),
        (f"{QUEEN.swapcase()} w - - 0 1", None),
        (f"{PAIR} w - - 0 1", None),
        (f"{PAIR} b - - 0 1", None),
    ],
)
def test_a_win_is_the_better_side_s_and_a_cursed_one_is_a_draw(
    fen: str, winner: Side | None
) -> None:
    fake = Fake(**{QUEEN.swapcase(): 0})
    assert proved(fen, fake, men=5) == Proved(winner)


def test_without_the_fifty_move_rule_a_cursed_win_is_one() -> None:
    rules = TablebaseRules(fifty_moves=False)
    assert proved(f"{PAIR} w - - 0 1", Fake(), 5, rules=rules) == Proved(W)
    assert proved(f"{PAIR} b - - 0 1", Fake(), 5, rules=rules) == Proved(W)
    fake = Fake(**{PAIR.swapcase(): -1, QUEEN.swapcase(): 0})
    assert proved(f"{PAIR.swapcase()} w - - 0 1", fake, 5, rules=rules) == Proved(B)
    assert proved(f"{QUEEN.swapcase()} w - - 0 1", fake, 5, rules=rules) == Proved(None)


@pytest.mark.parametrize(
    ("rules", "of_queen", "of_pair"),
    [
        (TablebaseRules(draws=False), Proved(W), None),
        (TablebaseRules(wins=False), None, Proved(None)),
        (TablebaseRules(draws=False, fifty_moves=False), Proved(W), Proved(W)),
        (TablebaseRules(wins=False, fifty_moves=False), None, None),
    ],
)
def test_results_may_be_left_to_the_players(
    rules: TablebaseRules, of_queen: Proved | None, of_pair: Proved | None
) -> None:
    assert proved(f"{QUEEN} w - - 0 1", Fake(), 5, rules=rules) == of_queen
    assert proved(f"{PAIR} b - - 0 1", Fake(), 5, rules=rules) == of_pair


def test_fewer_men_may_be_asked_for_than_the_tables_have() -> None:
    fake = Fake()
    assert proved(f"{PAIR} w - - 0 1", fake, 5, rules=TablebaseRules(men=4)) is None
    assert fake.asked == []
    assert proved(f"{QUEEN} w - - 0 1", fake, 3, rules=TablebaseRules(men=7)) == Proved(W)
    assert proved(f"{PAIR} w - - 0 1", fake, 3, rules=TablebaseRules(men=7)) is None


def test_only_what_can_be_in_the_tables_is_looked_up() -> None:
    fake = Fake()
    for fen, men in (
        (f"{QUEEN} w - - 0 1", 2),
        (f"{QUEEN} w - - 1 1", 5),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", 5),
        ("8/8/8/4k3/8/8/4P3/4K3 w - - 4 9", 5),
    ):
        assert proved(fen, fake, men) is None
    assert proved("4k3/8/8/8/8/8/4P3/4K3[] w - - 0 1", fake, 5, "crazyhouse") is None
    assert fake.asked == []


def test_material_without_a_table_proves_nothing(prober) -> None:
    assert proved("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", prober) is None


def test_bare_kings_are_a_draw_to_every_prober(prober) -> None:
    assert prober.probe_wdl(chess.Board("4k3/8/8/8/8/8/8/4K3 w - - 0 1")) == 0


def test_a_damaged_table_is_logged_and_proves_nothing(tmp_path: Path) -> None:
    (tmp_path / "KQvK.rtbw").write_bytes(b"no table" * 16)
    with ExitStack() as closing, structlog.testing.capture_logs() as logged:
        tables = open_tablebases([tmp_path], closing)
        assert tables is not None
        assert tables.prove(GAMES["chess"].new(f"{QUEEN} w - - 0 1")) is None
    assert [event["event"] for event in logged] == ["tablebase failed"]


def test_a_folder_without_tables_is_refused_with_advice(tmp_path: Path) -> None:
    (tmp_path / "README").write_text("no tables")
    with ExitStack() as closing:
        with pytest.raises(TablebaseError, match=r"no tablebases \(\*\.rtbw\).*download"):
            open_tablebases([tmp_path], closing)
        with pytest.raises(TablebaseError, match="No such file or directory"):
            open_tablebases([tmp_path / "none"], closing)
        assert open_tablebases([], closing) is None


# With real tables, where they are

SYZYGY = "ULCI_TEST_SYZYGY"
"""A folder with the tables of 3 and 4 men."""

TEXTBOOK = {
    "8/8/4k3/8/4K3/4P3/8/8 w - - 0 1": None,  # Black has the opposition
    "8/8/4k3/8/4K3/4P3/8/8 b - - 0 1": W,
    "k7/8/K7/P7/8/8/8/8 w - - 0 1": None,  # a rook's pawn
    "6k1/5n2/8/8/8/8/8/R3K3 w - - 0 1": None,  # a rook against a knight by its king
    "8/8/8/3k4/8/8/8/KBN5 w - - 0 1": W,
    "8/8/8/3k4/8/8/8/KNN5 b - - 0 1": None,
    "7k/5Q2/8/8/8/8/1p6/1K6 w - - 0 1": W,
    "8/8/8/8/2k5/1p6/8/K7 b - - 0 1": B,
}


@pytest.fixture
def real_tables() -> Iterator[Tablebases]:
    """Of 3 and 4 men."""
    folder = os.environ.get(SYZYGY)
    if not folder:
        pytest.skip(f"{SYZYGY} names no folder with Syzygy tables")
    with ExitStack() as closing:
        tables = open_tablebases([Path(folder)], closing)
        assert tables is not None
        yield tables


@pytest.mark.parametrize(("fen", "winner"), TEXTBOOK.items(), ids=TEXTBOOK)
def test_real_tables_know_what_the_textbooks_say(
    real_tables: Tablebases, fen: str, winner: Side | None
) -> None:
    assert real_tables.prove(GAMES["chess"].new(fen)) == Proved(winner)


def test_real_tables_of_four_men_say_nothing_of_five(real_tables: Tablebases) -> None:
    assert real_tables.prove(GAMES["chess"].new("8/8/4k3/8/4K3/4P3/3PP3/8 w - - 0 1")) is None
