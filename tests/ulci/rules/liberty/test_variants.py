import pytest

from ulci.rules import GAMES, Needs, Side, StartError
from ulci.rules.liberty import LIBERTY_CHESS, NAMED, read_lfen, write_lfen

ALL = frozenset("kmqcaehuriwbznxlop")
USUAL = frozenset("pnbrqk")
PLAIN = "4k3/8/8/8/8/8/P7/4K3 w - - 0 1"


def test_the_usual_start_is_that_of_startpos():
    position = LIBERTY_CHESS.new()
    assert position.start is None
    assert position.fen() == NAMED["standard"]
    assert LIBERTY_CHESS.new(NAMED["standard"]).start is None
    assert position.turn is Side.WHITE


def test_who_asks_for_nothing_gets_the_start_of_that_name():
    assert LIBERTY_CHESS.starts == (NAMED["liberty"],)
    assert GAMES["liberty"] is LIBERTY_CHESS


@pytest.mark.parametrize(("name", "lfen"), NAMED.items())
def test_a_start_is_found_by_its_name(name: str, lfen: str):
    assert LIBERTY_CHESS.named[name] == lfen
    position = LIBERTY_CHESS.new(name)
    assert position.fen() == write_lfen(read_lfen(lfen)) == lfen
    assert position.start in (lfen, None)
    assert position.outcome() is None
    assert LIBERTY_CHESS.needs(name) == LIBERTY_CHESS.needs(lfen)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Mini chess", "mini"),
        ("LOADED_BOARD", "loaded-board"),
        ("Liberty chess", "liberty"),
        ("LIBERTY_CHESS", "liberty"),
        ("Double chess", "double-chess"),
        ("double", "double-chess"),
        ("STARTPOS", "standard"),
        ("capablanca rectangle", "capablanca-rectangle"),
    ],
)
def test_a_name_may_be_written_as_menus_write_it(text: str, name: str):
    assert LIBERTY_CHESS.new(text).fen() == NAMED[name]


def test_what_is_neither_name_nor_position_is_refused():
    with pytest.raises(StartError, match="no start named 'minni'; expected an L-FEN or one of"):
        LIBERTY_CHESS.new("minni")
    with pytest.raises(StartError, match="no start named"):
        LIBERTY_CHESS.needs("")


def test_chess_has_no_named_starts():
    assert not GAMES["chess"].named


@pytest.mark.parametrize(
    ("lfen", "pieces", "features"),
    [
        (None, USUAL, ""),
        ("liberty", ALL - {"i", "o", "m"}, "boardsize pawnmoves castling promotion"),
        ("mini", USUAL, "boardsize pawnmoves castling"),
        ("mongol", frozenset("nkpizl"), "promotion"),
        ("horde", USUAL, "multiplekings"),
        ("elimination", USUAL - {"k"} | {"x"}, "multiplekings promotion"),
        ("capablanca", USUAL | {"a", "c"}, "boardsize pawnmoves castling promotion"),
        (PLAIN, USUAL, ""),
        # Letters of promotion are needed only where there is a pawn; the feature always.
        ("4k3/8/8/8/8/8/R7/4K3 w - - 0 1 - ao", frozenset("rk"), "promotion"),
        (f"{PLAIN} - rqbn", USUAL, "promotion"),
        (f"{PLAIN} - qrbnk", USUAL, "promotion multiplekings"),
        (f"{PLAIN} - qrbn ff", USUAL, "friendlyfire"),
        (f"{PLAIN} 2,3", USUAL, "pawnmoves"),
        (f"{PLAIN} 2,2,2", USUAL, "castling"),
        ("4k3/8/8/8/8/8/8/8/4K3 w", frozenset("k"), "boardsize"),
        ("k3k3/8/8/8/8/8/R7/4K3 w", frozenset("rk"), "multiplekings"),
    ],
)
def test_a_start_needs_letters_and_features(
    lfen: str | None, pieces: frozenset[str], features: str
):
    assert LIBERTY_CHESS.needs(lfen) == Needs(pieces, frozenset(features.split()))
