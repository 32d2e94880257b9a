import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ulci.rules.liberty import LIBERTY_CHESS

USUAL = None
BISHOPS = "4k3/8/8/2BpB3/8/8/8/4K3 w"


@pytest.mark.parametrize(
    ("lfen", "move", "san"),
    [
        (USUAL, "e2e4", "e4"),
        (USUAL, "g1f3", "Nf3"),
        ("4k3/8/8/3p4/4P3/8/8/4K3 w", "e4d5", "exd5"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6", "e5d6", "exd6"),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1 - qc", "a7a8c", "a8=C+"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq", "e1g1", "O-O"),
        ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq", "e8c8", "O-O-O"),
        ("4k3/8/8/8/8/8/8/R1K1K3 w Q - 0 1", "c1d1", "Kcd1"),
        (BISHOPS, "c5e5", "Bc5xe5"),
        ("k7/8/1K6/8/8/8/8/7R w", "h1h8", "Rh8#"),
        ("4k3/8/8/8/8/8/8/U3K1U1 w", "a1b2", "Ub2"),
        ("4k3/8/8/8/8/8/8/U1U1K3 w", "a1b2", "Uab2"),
        ("4k3/8/8/8/8/U7/8/U3K3 w", "a1a2", "U1a2"),
        ("4k3/8/8/8/8/Z7/8/Z3K1Z1 w", "a1c4", "Zc4"),
        ("k29/30/30/R28K w", "a1ac1", "Rac1"),
        # Nab3 is the one that goes to ab3.
        ("k29/30/30/30/3N21N4/N28K w", "z2ab3", "Nab3"),
        ("k29/30/30/30/3N21N4/N28K w", "a1b3", "N1b3"),
        ("k29/30/30/30/30/N1N26K w", "a1b3", "Na1b3"),
    ],
)
def test_a_move_as_people_write_it(lfen: str | None, move: str, san: str):
    position = LIBERTY_CHESS.new(lfen)
    before = position.fen()
    assert position.san(move) == san
    assert position.parse_untrusted(san) == move
    assert position.fen() == before


@pytest.mark.parametrize(
    ("lfen", "text", "move"),
    [
        (USUAL, "nf3", "g1f3"),
        (USUAL, "Ng1-f3", "g1f3"),
        (USUAL, "E2-E4", "e2e4"),
        (USUAL, "e4!", "e2e4"),
        (USUAL, "e5", None),
        (USUAL, "", None),
        (USUAL, "x" * 1000, None),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq", "0-0-0", "e1c1"),
        ("4k3/8/8/3p4/4P3/8/8/4K3 w", "ed5", "e4d5"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6", "exd6 e.p.", "e5d6"),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1 - qc", "a8c", "a7a8c"),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1 - qc", "a8", None),
        # The mann, not the pawn that could go there too.
        ("4k3/8/8/8/8/8/4P3/4KX2 w", "Xf2", "f1f2"),
        # The bishop or the pawn?
        ("4k3/8/8/8/8/1P6/4B3/4K3 w", "bb5", "e2b5"),
        ("4k3/8/8/8/2p5/1P6/4B3/4K3 w", "bc4", None),
        ("4k3/8/8/8/2p5/1P6/4B3/4K3 w", "Bxc4", "e2c4"),
        (BISHOPS, "Bc5e5", "c5e5"),
        ("4k3/P7/8/8/8/8/7p/4K3 w - - 0 1 - qqr", "a8Q", "a7a8q"),
    ],
)
def test_what_people_type_is_understood_if_it_fits_one_move(
    lfen: str | None, text: str, move: str | None
):
    assert LIBERTY_CHESS.new(lfen).parse_untrusted(text) == move


def test_nothing_is_read_once_the_game_is_over():
    assert LIBERTY_CHESS.new("4k3/8/8/8/8/8/8/4K3 w").parse_untrusted("e1e2") is None


@pytest.mark.parametrize(
    "start", ["liberty", "horde", "k27/N1N1RR1QQ19/28/28/28/28/2B1B7AA14/27K w"]
)
@settings(max_examples=20)
@given(chance=st.randoms(use_true_random=False))
def test_no_two_moves_are_written_alike(start: str, chance: random.Random):
    position = LIBERTY_CHESS.new(start)
    for _ in range(20):
        moves = position.legal_moves()
        written = {position.san(move): move for move in moves}
        assert len(written) == len(set(moves))
        if not moves:
            break
        san, move = chance.choice([*written.items()])
        assert position.parse_untrusted(san) == move
        position.play_untrusted(move)
