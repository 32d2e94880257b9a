"""Openings of games in PGN."""

import pytest

from ulci.rules import GAMES
from ulci_server.openings.opening import Opening, UnplayableError
from ulci_server.openings.pgn import read_pgn, scan_games

SPANISH = ("e2e4", "e7e5", "g1f3", "b8c6", "f1b5")
TAGS = '[Event "?"]\n[White "Ada \\"the\\" Countess"]\n\n'


@pytest.mark.parametrize(
    "text",
    [
        "1. e4 e5 2. Nf3 Nc6 3. Bb5 *",
        "1.e4 e5 2.Nf3 Nc6 3.Bb5 1/2-1/2",
        "1. e4 {[%clk 0:05:00] best by test} e5 $14 2. Nf3! Nc6?! 3. Bb5 a6",
        "1. e4 ( 1. d4 d5 (1... Nf6 2. c4 *) 2. c4 ) 1... e5 ; 2. f4\n2. Nf3 Nc6 3. Bb5",
        "1. e4 e5 2. Nf3\n% escaped 2... d6\nNc6 3. Bb5",
        "1 . e2e4 e7e5 2 . g1f3 b8c6 3 . f1b5",
        "1. e2-e4 e7-e5 2. Ng1-f3 Nb8-c6 3. Bf1-b5",
        "1. e4 {1. d4 * (} e5\n\n2. Nf3\n\nNc6 3. Bb5+ *",
    ],
)
def test_moves_are_found_among_all_that_people_write(text: str) -> None:
    assert read_pgn(GAMES["chess"], TAGS + text, 5) == Opening(None, SPANISH)


def test_moves_end_at_the_ply_and_nothing_after_it_is_read() -> None:
    text = "1. e4 e5 2. Nf3 Kh8 what {"
    assert read_pgn(GAMES["chess"], text, 3) == Opening(None, SPANISH[:3])
    assert read_pgn(GAMES["chess"], text, 0) == Opening()


def test_without_a_ply_all_moves_are_taken() -> None:
    assert read_pgn(GAMES["chess"], TAGS + "1. e4 e5 2. Nf3 Nc6 3. Bb5 *") == Opening(None, SPANISH)


def test_an_opening_ends_before_the_move_that_ends_the_game() -> None:
    text = TAGS + "1. f3 e5 2. g4 Qh4# 0-1"
    assert read_pgn(GAMES["chess"], text) == Opening(None, ("f2f3", "e7e5", "g2g4"))


def test_a_game_may_have_a_start_of_its_own() -> None:
    start = "8/8/8/8/4k3/8/4P3/4K3 b - - 3 57"
    text = f'[SetUp "1"]\n[FEN "{start}"]\n\n57... Ke5 58. Kf1 *\n'
    assert read_pgn(GAMES["chess"], text) == Opening(start, ("e4e5", "e1f1"))


@pytest.mark.parametrize(
    ("game", "tags", "moves", "opening"),
    [
        (
            "chess960",
            '[FEN "1r1k2r1/pppppppp/8/8/8/8/PPPPPPPP/1R1K2R1 w GBgb - 0 1"]',
            "1. O-O O-O-O",
            ("d1g1", "d8b8"),
        ),
        ("crazyhouse", '[Variant "Crazyhouse"]', "1. e4 d5 2. exd5 Qxd5 3. P@e4", None),
        ("tictactoe", "", "1. a1 b2", ("a1", "b2")),
    ],
)
def test_other_games_are_read_in_their_notation(
    game: str, tags: str, moves: str, opening: tuple[str, ...] | None
) -> None:
    read = read_pgn(GAMES[game], f"{tags}\n\n{moves} *")
    assert read.moves == (opening or ("e2e4", "d7d5", "e4d5", "d8d5", "P@e4"))


def test_a_move_that_is_none_is_told_with_its_line() -> None:
    with pytest.raises(UnplayableError, match="ply 3, 'Nf6', is no legal move") as raised:
        read_pgn(GAMES["chess"], '[Event "?"]\n\n1. e4 e5\n2. Nf6 *')
    assert raised.value.line == 3


def test_a_start_that_is_none_is_told() -> None:
    with pytest.raises(UnplayableError, match="the FEN has 1 field"):
        read_pgn(GAMES["chess"], '[FEN "8/8"]\n\n1. e4 *')


def test_games_begin_at_their_first_tag() -> None:
    text = (
        b'[Event "one"]\n[Site "?"]\n\n1. e4 { fills\n[%clk 0:05:00] lines } e5 *\n\n'
        b'[Event "two"]\n\n[Site "?"]\n1. d4 *\n'
        b'[Event "three"]\n*\n'
    )
    starts = [*scan_games(iter([(0, text.splitlines(keepends=True))]))]
    assert [text[at:].split(b'"')[1] for at in starts] == [b"one", b"two", b"three"]
