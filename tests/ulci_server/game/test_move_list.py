"""The moves that stand, which can be taken back and made again as the record has them."""

import pytest

from tests.support.driver import B, W
from tests.support.effort import instructions
from tests.support.long_games import chess_moves
from tests.support.toy import ToyPosition
from ulci.rules import GAMES, Legal, Over, Side
from ulci.rules.refereed import RefereedPosition, RefereedRules, Standing
from ulci_server.game import ContradictionError, MoveList


def toy(moves: str = "", **start: object) -> MoveList:
    line = MoveList(ToyPosition(**start))  # type: ignore[arg-type]
    for move in moves.split():
        side = line.turn
        line.position.play_untrusted(move)
        line.add(side, move, move)
        line.ask()
    return line


def refereed(made: list[tuple[Side, str]], last: Side, first: Side = W) -> MoveList:
    """A game that only its referee knows; `last` is whose turn it is now."""
    rules = RefereedRules("nim")
    rules.learn(None, Standing(first))
    line = MoveList(rules.new())
    turns = [*(side for side, _ in made[1:]), last]
    for (side, move), then in zip(made, turns, strict=True):
        line.replay(side, move, then)
    return line


def test_who_begins_is_for_the_position_to_say() -> None:
    assert toy().turn is W
    assert toy(turn=B).turn is B


def test_plies_are_counted_from_one() -> None:
    line = toy()
    assert line.add(W, "a", "a") == 1
    assert line.add(B, "b", "b") == 2
    assert line.moves == ["a", "b"]


def test_the_turn_passes_when_somebody_is_asked() -> None:
    line = toy()
    line.position.play_untrusted("a")
    assert line.turn is W
    assert line.ask() is B
    assert line.turn is B


@pytest.mark.parametrize(
    ("moves", "plies", "left", "turn"),
    [
        ("a b c", 1, "a b", W),
        ("a b c", 2, "a", B),
        ("a b c", 3, "", W),
        ("a again b c", 2, "a again", B),
        ("a again b c", 3, "a", B),
        ("again again a b", 1, "again again a", B),
        ("again again a b", 3, "again", W),
        ("again again a b", 4, "", W),
    ],
)
def test_moves_that_are_taken_back_were_never_made(
    moves: str, plies: int, left: str, turn: Side
) -> None:
    line = toy(moves)
    assert line.take_back(plies) is turn
    assert line.moves == left.split()
    assert list(line.position.moves) == left.split()
    assert line.turn is line.position.turn is turn


def test_real_pieces_go_back_to_their_squares() -> None:
    line = MoveList(GAMES["chess"].new())
    fens = [line.position.fen()]
    for side, move in [(W, "e2e4"), (B, "d7d5"), (W, "e4d5"), (B, "d8d5")]:
        line.replay(side, move, side.other)
        fens.append(line.position.fen())
    line.take_back(2)
    assert line.position.fen() == fens[2]
    line.take_back(2)
    assert line.position.fen() == fens[0]


MADE = [(W, "a1"), (W, "a1"), (B, "b2"), (W, "c1"), (W, "c1")]


@pytest.mark.parametrize(("plies", "turn"), [(1, W), (2, W), (3, B), (4, W), (5, W)])
def test_a_referees_game_goes_back_without_asking_it_though_sides_move_twice(
    plies: int, turn: Side
) -> None:
    line = refereed(MADE, B)
    assert line.turn is B
    line.take_back(plies)
    assert line.turn is turn
    assert line.moves == [move for _, move in MADE[: 5 - plies]]
    assert isinstance(line.position, RefereedPosition)
    assert line.position.moves == line.moves


def test_a_referees_game_in_which_black_began_goes_back_to_black() -> None:
    line = refereed([(B, "a1"), (W, "b1")], B, first=B)
    line.take_back(2)
    assert line.turn is B


def test_after_moves_were_taken_back_others_may_be_made() -> None:
    line = toy("a b c")
    line.take_back(2)
    assert line.replay(B, "d", W) == Legal("d")
    assert line.moves == ["a", "d"]
    assert line.take_back(1) is B


@pytest.mark.parametrize(
    ("moves", "white", "black"),
    [("", 0, 0), ("a", 1, 0), ("a b", 2, 1), ("a again b", 3, 1), ("again a b", 2, 1)],
)
def test_a_side_takes_back_as_far_as_its_own_last_move(moves: str, white: int, black: int) -> None:
    line = toy(moves)
    assert (line.last_of(W), line.last_of(B)) == (white, black)


def test_what_the_record_has_is_judged_again() -> None:
    line = toy()
    assert line.replay(W, "a", B) == Legal("a")
    verdict = line.replay(B, "mate", W)
    assert isinstance(verdict, Over)


def test_a_move_out_of_turn_contradicts() -> None:
    with pytest.raises(ContradictionError, match="ply 2, b: it is not white's turn"):
        toy("a").replay(W, "b", B)


def test_an_illegal_move_contradicts() -> None:
    with pytest.raises(ContradictionError, match=r"ply 1, castle! is illegal: no such letter"):
        toy().replay(W, "castle!", B)


def test_only_what_a_side_said_last_and_could_not_play_is_a_repetition() -> None:
    line = MoveList(GAMES["chess"].new())
    assert not line.repeats(W, "e2e4")  # never said
    line.replay(W, "e2e4", B)
    line.replay(B, "e7e5", W)
    assert line.repeats(W, "E2E4")
    assert not line.repeats(W, "e7e5")  # the other's
    assert not line.repeats(W, "d2d5")  # illegal, but new


def test_a_move_that_is_legal_again_is_no_repetition() -> None:
    line = MoveList(GAMES["chess"].new())
    for side, move in [(W, "g1f3"), (B, "g8f6"), (W, "f3g1"), (B, "f6g8"), (W, "g1f3")]:
        line.replay(side, move, side.other)
    line.replay(B, "g8f6", W)
    line.take_back(2)
    assert not line.repeats(W, "g1f3")


def test_a_drop_that_was_taken_back_may_be_made_again() -> None:
    line = MoveList(GAMES["crazyhouse"].new())
    for ply, move in enumerate(["e2e4", "d7d5", "e4d5", "a7a6", "P@d3", "b7b5"]):
        line.replay(Side(ply % 2), move, Side(1 - ply % 2))
    assert line.repeats(W, "P@d3")
    line.take_back(2)
    assert not line.repeats(W, "P@d3")


def test_a_move_that_was_taken_back_is_still_the_last_that_was_said() -> None:
    line = MoveList(GAMES["chess"].new())
    for side, move in [(W, "e2e4"), (B, "e7e5"), (W, "d1f3")]:
        line.replay(side, move, side.other)
    line.take_back(3)
    assert line.repeats(W, "d1f3")


def test_of_a_referees_game_nobody_here_knows_what_is_legal() -> None:
    assert not refereed([(W, "a1"), (B, "b2")], W).repeats(W, "a1")


def test_a_move_in_another_spelling_than_the_records_is_known_again() -> None:
    line = MoveList(GAMES["chess"].new())
    opening = ["e2e4", "e7e5", "g1f3", "g8f6", "f1e2", "f8e7"]
    for ply, move in enumerate(opening):
        line.replay(Side(ply % 2), move, Side(1 - ply % 2))
    assert line.position.play_untrusted("e1h1") == Legal("e1g1")
    line.add(W, "e1g1", "e1h1")
    line.ask()
    line.replay(B, "a7a6", W)
    assert line.repeats(W, "e1h1")
    assert line.repeats(W, "e1g1")


def test_a_legal_move_is_no_repetition_however_it_is_spelled() -> None:
    line = MoveList(GAMES["chess"].new())
    for ply, move in enumerate(["e2e4", "e7e5", "g1f3", "g8f6", "f1e2", "f8e7"]):
        line.replay(Side(ply % 2), move, Side(1 - ply % 2))
    line.hear_late(W, "e1h1")  # too late: moves had been taken back
    assert not line.repeats(W, "e1h1")


def obstacles(size: int) -> MoveList:
    """As many obstacles as empty squares, all of which may go to any of these."""
    rows = ["k" + "o" * (size - 1), *["O" * size] * (size // 2 - 1), *[str(size)] * (size // 2)]
    rows[-1] = f"{size - 1}K"
    return MoveList(GAMES["liberty"].new(f"{'/'.join(rows)} w"))


def test_to_know_a_repetition_costs_the_same_however_many_moves_are_legal() -> None:
    def cost(size: int) -> int:
        line = obstacles(size)
        line.hear_late(W, "a1a1")
        return instructions(lambda: line.repeats(W, "a1a1"))

    small, large = cost(8), cost(24)
    print(f"{small} instructions with 24 obstacles on 8x8 squares, {large} with 264 on 24x24")
    assert large < 2 * small


def test_to_take_back_a_move_costs_the_same_however_many_were_made() -> None:
    def cost(plies: int) -> int:
        line = MoveList(GAMES["chess"].new(claims=True))
        for ply, move in enumerate(chess_moves()[:plies]):
            line.replay(Side(ply % 2), move, Side(1 - ply % 2))
        return instructions(lambda: line.take_back(1))

    early, late = cost(32), cost(288)
    print(f"{early} instructions after 32 plies, {late} after 288")
    assert late < 2 * early
