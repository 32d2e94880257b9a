"""Variations are checked move by move, and mates to their end."""

import pytest

from tests.support.facts import NOON, record_of, started
from ulci.protocol import read_info_untrusted
from ulci.rules import Side
from ulci_server.cli.match.analyses import Said
from ulci_server.cli.match.variations import doubts
from ulci_server.storage import GameRecord, MoveRecord

MATE_IN_1 = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"
NEAR_FIFTY = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 99 80"
NEAR_STALEMATE = "7k/8/8/6Q1/8/8/8/K7 w - - 0 1"


def game(start: str | None, *opening: str) -> GameRecord:
    return record_of(started(7, start=start, opening=opening))


def found(
    line: str,
    move: str,
    start: str | None = None,
    *,
    mates: tuple[str, ...] = (),
) -> list[tuple[str, ...]]:
    """Of one move that White played after that analysis."""
    info = read_info_untrusted(line) if line else None
    made = MoveRecord(7, 1, Side.WHITE, move, 10, None, info, at=NOON)
    said = {1: Said(info, (), mates)}
    return [*doubts(game(start), [made], said, ("A", "B"))]


def warnings(*args: object, **more: object) -> list[str]:
    return [each[0] for each in found(*args, **more)]  # type: ignore[arg-type]


def test_a_legal_variation_that_begins_with_the_move_is_not_doubted() -> None:
    assert found("info depth 2 score cp 9 pv e2e4 e7e5 g1f3", "e2e4") == []
    assert found("", "e2e4") == []
    assert found("info depth 2 score cp 9", "e2e4") == []


def test_an_illegal_move_is_named_with_the_line_and_the_position() -> None:
    assert found("info depth 2 score cp 9 pv e2e4 e7e5 e4e5", "e2e4") == [
        (
            "Warning; Illegal PV move - move e4e5 from A",
            "Info; info depth 2 score cp 9 pv e2e4 e7e5 e4e5",
            "Position; startpos",
            "Moves; ",
        )
    ]


def test_the_position_is_that_before_the_move() -> None:
    info = read_info_untrusted("info depth 1 score cp 9 pv a1a1")
    moves = [
        MoveRecord(7, 3, Side.WHITE, "g1f3", 10, None, None, at=NOON),
        MoveRecord(7, 4, Side.BLACK, "b8c6", 10, None, info, at=NOON),
        MoveRecord(7, 5, Side.WHITE, "f1b5", 10, None, None, at=NOON),
    ]
    [(warning, _, position, made)] = doubts(game(None, "e2e4", "e7e5"), moves, {}, ("A", "B"))
    assert warning == "Warning; Illegal PV move - move a1a1 from B"
    assert (position, made) == ("Position; startpos", "Moves; e2e4 e7e5 g1f3")


@pytest.mark.parametrize(
    ("start", "pv", "after", "move"),
    [
        (MATE_IN_1, "a1a8 g8h8", "checkmate", "g8h8"),
        (NEAR_STALEMATE, "g5g6 h8h7", "stalemate", "h8h7"),
        (NEAR_FIFTY, "e1e2 g8f8", "fifty-move rule", "g8f8"),
        (
            None,
            "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8 e2e4",
            "threefold repetition",
            "e2e4",
        ),
    ],
)
def test_nothing_may_follow_the_end_of_the_game(
    start: str | None, pv: str, after: str, move: str
) -> None:
    assert warnings(f"info depth 1 score cp 1 pv {pv}", pv.split()[0], start) == [
        f"Warning; PV continues after {after} - move {move} from A"
    ]


def test_that_there_is_too_little_material_an_engine_need_not_see() -> None:
    start = "8/8/8/8/8/2k5/1p6/K7 w - - 0 1"
    assert found("info depth 3 score cp 0 pv a1b1 c3b3", "a1b1", start) == []
    bare = "8/8/8/8/8/8/1p3k2/K7 w - - 0 1"
    assert found("info depth 3 score cp 0 pv a1b2 f2e2 b2c2", "a1b2", bare) == []


def test_the_move_is_the_first_of_the_last_variation() -> None:
    assert warnings("info depth 2 score cp 9 pv d2d4 d7d5", "e2e4") == [
        "Warning; Bestmove does not match beginning of last PV - move e2e4 from A"
    ]
    assert found("info depth 2 score cp 9 lowerbound pv d2d4 d7d5", "e2e4") == []


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("score mate 1 pv a1a8", ""),
        ("score mate 2 pv a1a8", "Incomplete mating PV - from A"),
        ("score mate 1 pv e1e2 g8f8", "Too long mating PV - from A"),
        ("score mate 1 pv e1e2", "Mating PV does not end with checkmate - from A"),
        ("score mate 2 lowerbound pv a1a8", ""),
        ("score mate 1 pv a1a9", "Illegal PV move - move a1a9 from A"),
        ("score cp 5 pv a1a8", ""),
    ],
)
def test_a_mate_is_as_far_away_as_it_is_said_to_be(line: str, wrong: str) -> None:
    expected = [f"Warning; {wrong}"] if wrong else []
    assert warnings("", "a1a8", MATE_IN_1, mates=(f"info depth 1 {line}",)) == expected


def test_each_line_with_a_fault_is_shown_once() -> None:
    lines = tuple(f"info depth {depth} score mate 2 pv a1a9" for depth in (1, 2))
    shown = found(lines[1], "a1a8", MATE_IN_1, mates=lines)
    assert [line for _, line, _, _ in shown] == [f"Info; {line}" for line in lines]
    assert {position for _, _, position, _ in shown} == {f"Position; fen {MATE_IN_1}"}


def test_of_games_without_rules_here_nothing_is_said() -> None:
    info = read_info_untrusted("info depth 1 score cp 9 pv a1a1")
    move = MoveRecord(7, 1, Side.WHITE, "x", 10, None, info, at=NOON)
    record = record_of(started(7, rules="nim"))
    assert [*doubts(record, [move], {}, ("A", "B"))] == []
