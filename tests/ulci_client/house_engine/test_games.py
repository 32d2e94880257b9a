import pytest

from ulci.protocol.messages import Position
from ulci.rules import GAMES
from ulci_client.house_engine.board import PositionError
from ulci_client.house_engine.chessboard import ChessBoard, VariantBoard
from ulci_client.house_engine.games import TABLE, answer_untrusted, read_untrusted
from ulci_client.house_engine.libertyboard import LibertyBoard
from ulci_client.house_engine.mnkboard import MnkBoard
from ulci_client.house_engine.settings import VARIANTS, HouseSettings

MATE = ("f2f3", "e7e5", "g2g4", "d8h4")
LINE = ("b2", "a1", "b1", "a2", "b3")


def variant(name: str) -> HouseSettings:
    settings = HouseSettings()
    settings.set_untrusted("UCI_Variant", name)
    return settings


def test_every_variant_is_a_game_of_the_registry():
    assert set(TABLE) == set(VARIANTS) == set(GAMES) - {"chess960"}
    assert VARIANTS[0] == "chess"


@pytest.mark.parametrize(
    ("name", "start", "kind"),
    [
        ("chess", None, ChessBoard),
        ("tictactoe", None, MnkBoard),
        ("mnk", "4/4/4 x 4", MnkBoard),
        ("gomoku", None, MnkBoard),
        ("liberty", None, LibertyBoard),
        ("atomic", None, VariantBoard),
        ("chess", "3/3/3 o 3", MnkBoard),
        ("chess", "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1", ChessBoard),
    ],
)
def test_the_board_is_that_of_the_variant_or_of_the_start(name, start, kind):
    assert isinstance(read_untrusted(Position(start), variant(name)), kind)


@pytest.mark.parametrize(
    ("name", "moves", "answers"),
    [
        ("chess", (), ("false", "true", "none")),
        ("chess", ("e2e4",), ("false", "false", "none")),
        ("chess", MATE, ("true", "true", "p2win")),
        ("tictactoe", ("b2",), ("false", "false", "none")),
        ("tictactoe", LINE, ("true", "false", "p1win")),
        (
            "tictactoe",
            ("b2", "a1", "c1", "a3", "a2", "c2", "b1", "b3", "c3"),
            ("true", "false", "draw"),
        ),
    ],
)
def test_queries_are_answered_by_the_rules(name, moves, answers):
    for question, answer in zip(("gameover", "p1turn", "result"), answers, strict=True):
        assert answer_untrusted(question, Position(None, moves), variant(name)) == answer


def test_of_chess960_too():
    settings = HouseSettings()
    settings.set_untrusted("UCI_Chess960", "true")
    assert answer_untrusted("p1turn", Position(), settings) == "true"


@pytest.mark.parametrize(
    ("question", "position", "why"),
    [
        ("weather", Position(), "no such query, only gameover, p1turn, result"),
        ("result", Position(None, ("e2e5",)), "move 1 is not legal"),
        ("result", Position(None, (*MATE, "e1f2")), "move 5 is not legal, or the game was over"),
        ("result", Position("8/8 w"), "."),
    ],
)
def test_what_cannot_be_told_is_refused(question, position, why):
    with pytest.raises(PositionError, match=why):
        answer_untrusted(question, position, HouseSettings())


def board_of(start: str | None, moves: tuple[str, ...], chess960: str = "false") -> object:
    settings = HouseSettings()
    settings.set_untrusted("UCI_Chess960", chess960)
    return read_untrusted(Position(start, moves), settings)


TWO_BISHOPS = "4k3/8/8/2BpB3/8/8/P6p/4K3 w - - 0 1"


def test_what_chess_can_read_is_chess():
    assert isinstance(board_of(None, ()), ChessBoard)
    assert isinstance(board_of(TWO_BISHOPS, ("a2a4",)), ChessBoard)


@pytest.mark.parametrize(
    "start",
    [
        "qkbnr/ppppp/5/5/PPPPP/QKBNR w Kk - 0 1 1",
        "nnnnknnn/pppppppp/8/8/8/8/PPPPPPPP/NNNNKNNN w - - 0 1 - iznl",
        "k3k3/8/8/8/8/8/R7/4K3 w - - 0 1",
    ],
)
def test_what_only_liberty_chess_can_read_is_that(start: str):
    assert isinstance(board_of(start, ()), LibertyBoard)


def test_a_move_that_chess_does_not_have_makes_it_liberty_chess():
    board = board_of(TWO_BISHOPS, ("c5e5", "e8d7"))
    assert isinstance(board, LibertyBoard)
    assert board.white_to_move()


@pytest.mark.parametrize(
    ("start", "moves", "why"),
    [
        (None, ("e2e5",), "move 1 is not legal: e2e5 is not a move of the pawn"),
        ("rnbqkbnr/9/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", (), "rank 7 of the placement"),
        ("5/6/5 w - -", (), "rank 2 of the board"),
        ("qkbnr/ppppp/5/5/PPPPP/QKBNR w Kk - 0 1 1", ("a2a4",), "may go 1 forward at most"),
    ],
)
def test_an_unreadable_position_is_explained_by_the_likelier_game(
    start: str | None, moves: tuple[str, ...], why: str
):
    with pytest.raises(PositionError, match=why):
        board_of(start, moves)


def test_chess960_is_nothing_else():
    with pytest.raises(PositionError):
        board_of("qkbnr/ppppp/5/5/PPPPP/QKBNR w Kk - 0 1 1", (), chess960="true")
