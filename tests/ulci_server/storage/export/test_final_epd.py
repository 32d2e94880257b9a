"""The last position of a game, which books of positions are made of."""

import pytest

from tests.support.facts import line, noted
from ulci.rules import GAMES
from ulci_server.openings.epd import read_epd
from ulci_server.storage import MemoryDatabase
from ulci_server.storage.export import ExportError, final_epd


def epd(moves: str, **start: object) -> str:
    database = MemoryDatabase()
    database.save(noted(line(1, moves, **start)))
    return final_epd(database.games.find()[0], database.games.moves(1))


def test_the_counters_are_operations() -> None:
    assert epd("e2e4 e7e5 g1f3 g8f6") == (
        "rnbqkb1r/pppp1ppp/5n2/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - hmvc 2; fmvn 3;"
    )


def test_moves_of_the_opening_count() -> None:
    assert epd("g1f3 g8f6", opening=("e2e4", "e7e5")) == epd("e2e4 e7e5 g1f3 g8f6")


@pytest.mark.parametrize(
    ("rules", "moves", "start"),
    [
        ("chess", "e2e4 e7e5", None),
        ("chess960", "d1g1", "1r1k2r1/pppppppp/8/8/8/8/PPPPPPPP/1R1K2R1 w GBgb - 0 1"),
        ("crazyhouse", "e2e4 d7d5 e4d5", None),
        ("3check", "e2e4 f7f6 d1h5", None),
        ("liberty", "d2d3 c5c4", "mini"),
        ("tictactoe", "a1 b2", None),
    ],
)
def test_a_book_of_it_begins_with_that_position(rules: str, moves: str, start: str | None) -> None:
    position = GAMES[rules].new(start)
    for move in moves.split():
        position.play_untrusted(move)
    text = epd(moves, rules=rules, start=GAMES[rules].new(start).start)
    assert read_epd(GAMES[rules], text).start == position.fen()


@pytest.mark.parametrize(
    ("moves", "start", "why"),
    [
        ("e2e5", {}, "ply 0, e2e5: "),
        ("e2e4", {"start": "8/8"}, "chess cannot be played from there"),
        ("e2e4", {"opening": ("e2e5",)}, "chess cannot be played from there"),
        ("g2", {"rules": "ataxx"}, "only a referee knows the positions of ataxx"),
    ],
)
def test_what_has_no_position_says_why(moves: str, start: dict[str, object], why: str) -> None:
    with pytest.raises(ExportError, match=why):
        epd(moves, **start)
