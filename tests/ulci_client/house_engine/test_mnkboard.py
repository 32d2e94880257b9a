import pytest
from hypothesis import given
from hypothesis import strategies as st

from ulci.rules import GAMES, Side, StartError
from ulci.rules.mnk import Board as Stones
from ulci.rules.mnk import read_start
from ulci_client.house_engine.board import PositionError
from ulci_client.house_engine.mnkboard import MnkBoard, read_untrusted
from ulci_client.house_engine.search import DECISIVE, Search


def best(board: MnkBoard, depth: int) -> tuple[str, int]:
    *_, line = (line for line in Search(board).deepen(board.moves(), depth) if line is not None)
    return board.spell(line.moves[0]), line.score


@given(st.data())
def test_its_moves_and_its_end_are_those_of_the_rules(data):
    width, height = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 5))
    length = data.draw(st.integers(1, max(width, height)))
    game = GAMES["mnk"].new(f"{'/'.join([str(width)] * height)} x {length}")
    board = read_untrusted(game.start or "3/3/3 x 3", ())
    while game.outcome() is None:
        assert sorted(map(board.spell, board.moves())) == sorted(game.legal_moves())
        assert not board.in_check()
        assert not board.drawn()
        assert board.white_to_move() is (game.turn is Side.WHITE)
        move = data.draw(st.sampled_from(game.legal_moves()))
        board.make(board.find_untrusted(move))
        game.play_untrusted(move)
        assert board.name() == game.fen()
    assert board.moves() == []
    assert board.in_check() is (game.outcome().winner is not None)
    assert board.drawn() is (game.outcome().winner is None)


@given(st.lists(st.integers(0, 15), unique=True))
def test_a_position_looks_the_same_however_it_came_about(squares):
    board = MnkBoard(Stones(4, 4, 3))
    looks = []
    for square in squares:
        looks.append((board.name(), board.evaluate(), board.moves(), board.in_check()))
        board.make(square)
    assert MnkBoard(read_start(board.name())).evaluate() == board.evaluate()
    for look in reversed(looks):
        board.unmake()
        assert (board.name(), board.evaluate(), board.moves(), board.in_check()) == look


def test_nothing_is_captured():
    board = read_untrusted(None, ("b2",))
    assert board.captures() == []
    assert board.gain(0) == 0


@pytest.mark.parametrize(
    ("start", "move"),
    [
        ("xx1/oo1/3 x 3", "c3"),  # a line of one's own
        ("xx1/o2/3 o 3", "c3"),  # goes before, and otherwise prevents, the other's
        ("xx1/oo1/x2 o 3", "c2"),
    ],
)
def test_it_completes_a_line_or_prevents_one(start, move):
    found, score = best(read_untrusted(start, ()), 3)
    assert found == move
    assert score > -DECISIVE


def test_tic_tac_toe_is_a_draw():
    assert best(read_untrusted(None, ()), 9)[1] == 0


@pytest.mark.parametrize(
    ("start", "moves", "why"),
    [
        ("3/3/4 x", (), "row 3 has 4 squares"),
        (None, ("b2", "b2"), "move 2 is not legal: 'b2' is no empty square"),
        (None, ("e2e4",), "move 1 is not legal"),
        ("xxx/3/3 o 3", ("a1",), "move 1 is not legal"),
    ],
)
def test_an_impossible_position_is_refused(start, moves, why):
    with pytest.raises((StartError, PositionError), match=why):
        read_untrusted(start, moves)
