"""What a position costs: as much as its board is large, whoever stands on it."""

import random
import re
from collections.abc import Callable

import pytest

from tests.support.effort import instructions
from ulci.rules.liberty import LIBERTY_CHESS, legal_moves, read_lfen, watch

LINEAR = 5
"""Times the cost for four times as many squares and men, with some room; a square law would be
sixteen."""


def board(size: int, man: Callable[[int, int], str], rest: str) -> str:
    """A square board; `man` says who stands on a file and rank, from 0 at the top left."""
    rows = ("".join(man(file, rank) or " " for file in range(size)) for rank in range(size))
    return "/".join(re.sub(" +", lambda gap: str(len(gap[0])), row) for row in rows) + rest


def checked_kings(file: int, rank: int) -> str:
    """Many kings, each attacked by an amazon of its own."""
    if rank % 4 == 1:
        return ("", "K", "", "m")[file % 4]
    return "o" if rank % 4 == 3 else ""


def bishops(file: int, rank: int) -> str:
    """Bishops two squares apart with a knight between them, and as many kings."""
    if rank % 4 == 1:
        return ("B", "n", "B", "K")[file % 4]
    return "o"


def castling_kings(file: int, rank: int) -> str:
    """Kings on the row where they castle, from beyond the partner's square, and as many others."""
    if rank % 4 == 3:
        return "K" if file % 4 == 3 else ""
    return "o"


@pytest.mark.parametrize(
    ("man", "rest"),
    [
        pytest.param(checked_kings, " w", id="kings in check"),
        pytest.param(bishops, " w", id="bishops"),
        pytest.param(castling_kings, " w KQ - 0 1 2,2,1,1,1", id="castling"),
    ],
)
def test_what_can_be_played_is_found_in_proportion_to_the_board(
    man: Callable[[int, int], str], rest: str
):
    def cost(size: int) -> int:
        position = read_lfen(board(size, man, rest))
        return instructions(lambda: list(legal_moves(position, watch(position))))

    small, large = cost(32), cost(64)
    print(f"{small} instructions on 32x32 squares, {large} on 64x64: {large / small:.1f} times")
    assert large < LINEAR * small


MOST = 400_000
"""Instructions, some 10 to 20 ns each, that a start may take on 32x32 squares. A ply asks the same
of the board but has nothing to read."""


def crowded(file: int, rank: int) -> str:
    """Bishops with men between them on every other square: nobody can move, everybody is asked."""
    if file % 2 == 0 == rank % 2:
        return "B"
    return "K" if file % 8 == rank % 4 == 1 else "nr"[file % 2 and rank % 2]


def far_sighted(file: int, rank: int) -> str:
    """Kings that see far in every direction, and amazons around the board."""
    if rank in (0, 31):
        return "m"
    return "K" if rank % 4 == 1 and file % 4 == 1 else ""


def riders(file: int, rank: int) -> str:
    """Men that ride, and kings, at random."""
    chance = random.Random(32 * rank + file).random()
    return "QIMBRqimrK"[int(chance * 50)] if chance < 0.2 else ""


@pytest.mark.parametrize("man", [crowded, far_sighted, riders, checked_kings, bishops])
def test_the_largest_boards_that_players_may_ask_for_have_a_price(man: Callable[[int, int], str]):
    start = board(32, man, " w")
    assert LIBERTY_CHESS.size(start).kings <= 64
    cost = instructions(lambda: LIBERTY_CHESS.new(start))
    print(f"{cost} instructions for {sum(map(str.isalpha, start)) - 1} men on 32x32 squares")
    assert cost < MOST
