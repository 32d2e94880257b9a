"""The judge of foreign games sees what is wrong with a record, and nothing in one that is right."""

import copy
from pathlib import Path
from typing import Any

import pytest

from tests.foreign.judge import Verdict, judge

MATE = ("f2f3", "e7e5", "g2g4", "d8h4")

PGN = """[Event "chess"]
[GameId "1"]
[Result "{result}"]

1. f3 {{ [%clk 0:00:00.910] }} 1... e5 {{ [%clk 0:00:00.810] }}
2. g4 {{ [%clk 0:00:00.820] }} 2... Qh4# {{ [%clk 0:00:00.620] }} {result}
"""


def game(**changed: Any) -> dict[str, Any]:
    """Fool's mate, with clocks that add up."""
    spent, left = (100, 200, 100, 200), (910, 810, 820, 620)
    moves = [
        {
            "ply": ply, "side": ("white", "black")[(ply - 1) % 2], "move": move,
            "spent_ms": spent[ply - 1], "left_ms": left[ply - 1], "lag_ms": 0, "stall_ms": 0,
        }
        for ply, move in enumerate(MATE, 1)
    ]  # fmt: skip
    fair = {
        "id": 1, "control": "1+0.01", "result": "0-1", "reason": "checkmate", "detail": "",
        "moves": moves,
    }  # fmt: skip
    return {**fair, **changed}


def complaints(record: dict[str, Any], pgn: str = "") -> list[str]:
    return judge([record], pgn or PGN.format(result=record["result"])).complaints


def test_a_record_that_is_right_has_no_complaint():
    verdict = judge([game()], PGN.format(result="0-1"))
    assert verdict.complaints == []
    assert (verdict.games, verdict.plies, verdict.clocked, verdict.flags) == (1, 4, 4, 0)


def test_plies_without_a_clock_are_not_counted_as_played_by_it():
    record = game(control="depth=2")
    for move in record["moves"]:
        move["left_ms"] = None
    verdict = judge([record], PGN.format(result="0-1"))
    assert (verdict.complaints, verdict.plies, verdict.clocked) == ([], 4, 0)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"result": "1-0"}, "1-0 by checkmate, where python-chess says 0-1"),
        ({"reason": "stalemate"}, "its end is called stalemate, where python-chess says checkmate"),
        ({"reason": "repetition"}, "python-chess sees no repetition"),
        ({"reason": "disconnect", "detail": "gone"}, "it ended by disconnect: gone"),
    ],
)
def test_a_wrong_ending_is_told(changed, told):
    assert f"game 1: {told}" in complaints(game(**changed))


def test_an_end_that_python_chess_does_not_see_is_told():
    record = game(reason="checkmate")
    record["moves"] = record["moves"][:3]
    pgn = PGN.format(result="0-1").replace("2... Qh4# { [%clk 0:00:00.620] }", "")
    assert "game 1: 0-1 by checkmate, where python-chess sees no end" in complaints(record, pgn)


def test_a_game_that_is_missing_or_cannot_be_read_is_told(errors_logged):
    assert judge([game(id=2)], PGN.format(result="0-1")).complaints == [
        "game 2: it is not in the PGN"
    ]
    broken = PGN.format(result="0-1").replace("2. g4", "2. g5")
    assert any("python-chess cannot read it" in text for text in complaints(game(), broken))
    assert errors_logged.take()  # python-chess says so there, too


def test_other_moves_or_another_result_in_the_pgn_are_told():
    record = game()
    record["moves"][0]["move"] = "f2f4"
    assert "game 1: the PGN has other moves than the JSON" in complaints(record)
    assert "game 1: the PGN has 1-0, the JSON 0-1" in complaints(game(), PGN.format(result="1-0"))


@pytest.mark.parametrize(
    ("ply", "key", "value", "told"),
    [
        (3, "spent_ms", 200, "ply 3: 820 ms are left, not 720"),
        (3, "lag_ms", 50, "ply 3: 820 ms are left, not 870"),
        (3, "stall_ms", 50, "ply 3: 820 ms are left, not 870"),
        (2, "left_ms", 820, "ply 2: 820 ms are left, not 810"),
    ],
)
def test_a_clock_that_does_not_add_up_is_told(ply, key, value, told):
    record = copy.deepcopy(game())
    record["moves"][ply - 1][key] = value
    assert f"game 1: {told}" in complaints(record)


def test_a_clock_of_the_pgn_that_is_another_is_told():
    pgn = PGN.format(result="0-1").replace("0:00:00.820", "0:00:00.850")
    assert "game 1: ply 3: the PGN's clock is 0.85 s, not 820 ms" in complaints(game(), pgn)


def logged(folder: Path, *lines: str) -> Path:
    path = folder / f"log{len([*folder.iterdir()])}"
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def test_what_was_charged_beyond_thinking_is_told_of_every_ply(tmp_path):
    white = logged(tmp_path, "1 0 f2f3 99000", "1 2 g2g4 90000")
    black = logged(tmp_path, "1 0 e2e4 1000", "2 1 e7e5 199500", "2 3 d8h4 198000")
    verdict = judge([game()], PGN.format(result="0-1"), [white, black])
    assert verdict.beyond == [1.0, 0.5, 10.0, 2.0]
    assert verdict.median_beyond == 1.5
    assert verdict.mean_thought == (99 + 199.5 + 90 + 198) / 4


@pytest.mark.parametrize(("last", "own"), [("d8h4 700000", 0), ("d8h4 830000", 1), ("- 0", 1)])
def test_a_flag_is_the_engines_own_if_it_thought_longer_than_it_had(tmp_path, last, own):
    record = game(reason="time", result="1-0")
    record["moves"] = record["moves"][:3]
    pgn = PGN.format(result="1-0").replace("2... Qh4# { [%clk 0:00:00.620] }", "")
    black = logged(tmp_path, "1 1 e7e5 199500", f"1 3 {last}")
    verdict = judge([record], pgn, [black])
    assert verdict.complaints == []
    assert (verdict.flags, verdict.oversteps) == (1, own)


def test_what_nobody_has_timed_has_no_figures():
    empty = Verdict()
    assert empty.mean_thought != empty.mean_thought
    assert empty.median_beyond != empty.median_beyond
