"""Lines of EPD, of FENs and of other games."""

import pytest

from ulci.rules import GAMES
from ulci_server.openings.epd import read_epd, scan_lines
from ulci_server.openings.opening import Opening, UnplayableError

RUY = "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3"


@pytest.mark.parametrize(
    ("text", "opening"),
    [
        (RUY, Opening(RUY)),
        (f"  {RUY}  # the Spanish torture", Opening(RUY)),
        (RUY.removesuffix(" 3 3"), Opening(RUY.replace("3 3", "0 1"))),
        (f"{RUY.removesuffix(' 3 3')} hmvc 3; fmvn 3;", Opening(RUY)),
        (f'{RUY.removesuffix(" 3 3")} id "C60; moves"; fmvn 3; hmvc 3;', Opening(RUY)),
        (f"{RUY.removesuffix(' 3 3')} bm a6;", Opening(RUY.replace("3 3", "0 1"))),
        ("startpos", Opening()),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", Opening()),
        ("startpos moves e2e4 e7e5", Opening(None, ("e2e4", "e7e5"))),
        (f"{RUY} moves a7a6 b5a4", Opening(RUY, ("a7a6", "b5a4"))),
        (f"{RUY} moves", Opening(RUY)),
    ],
)
def test_a_line_is_a_start_and_perhaps_moves(text: str, opening: Opening) -> None:
    assert read_epd(GAMES["chess"], text) == opening


def test_moves_end_at_the_ply_that_is_asked_for() -> None:
    text = "startpos moves e2e4 e7e5 g1f3"
    assert read_epd(GAMES["chess"], text, 2) == Opening(None, ("e2e4", "e7e5"))
    assert read_epd(GAMES["chess"], text, 0) == Opening()


@pytest.mark.parametrize(
    ("game", "text", "opening"),
    [
        (
            "chess960",
            "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1",
            Opening("bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1"),
        ),
        ("atomic", "startpos moves e2e4 d7d5 e4d5", Opening(None, ("e2e4", "d7d5", "e4d5"))),
        ("tictactoe", "startpos moves a1 b2", Opening(None, ("a1", "b2"))),
        ("liberty", "mini moves d2d3 c5c4", None),
    ],
)
def test_other_games_have_lines_of_their_own(game: str, text: str, opening: Opening | None) -> None:
    read = read_epd(GAMES[game], text)
    start = GAMES[game].new("mini").start if opening is None else None
    assert read == (opening or Opening(start, ("d2d3", "c5c4")))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("8/8", "the FEN has 1 field, expected 4 to 6"),
        ("7k/8/8/8/8/8/8/7K w - - 0 1", "the game is over there already: drawn (material)"),
        ("startpos moves e2e5", "ply 1 of the opening, e2e5, is illegal: "),
        ("startpos moves f2f3 e7e5 g2g4 d8h4", "the opening ends the game at ply 4, d8h4: won by"),
        ("startpos moves e2e4 \x1b[2J", "it is no text of printable letters"),
    ],
)
def test_a_line_that_is_no_opening_says_why(text: str, why: str) -> None:
    with pytest.raises(UnplayableError) as raised:
        read_epd(GAMES["chess"], text)
    assert str(raised.value).startswith(why)


def test_empty_lines_and_comments_are_no_entries() -> None:
    lines = [b"# a book\n", b"\n", b"one\n", b"  \r\n", b"  # more\n", b"two # and so on\n", b""]
    assert [*scan_lines(iter([(0, lines[:4]), (18, lines[4:])]))] == [10, 27]
