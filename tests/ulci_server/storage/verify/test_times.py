"""Times that can have been, and times that cannot."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from tests.support.facts import NOON, finished, happened, started
from tests.support.games import moves
from tests.support.tampering import Changes, tamper
from ulci.rules import Reason, Side
from ulci_server.game import EventKind, Fact, GameFinished, Happened, MovePlayed
from ulci_server.storage import Database, MemoryDatabase, Noted
from ulci_server.storage.verify import DisagreementError, verify_game

W, B = Side
FOUR = "e2e4 e7e5 g1f3 b8c6"
RESIGNED = finished(1, W, Reason.RESIGNATION, "Black (Bob) resigned")


def at(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


def keep(database: Database, *facts: tuple[float, Fact], **start: Any) -> None:
    """A game begun at noon, and what happened so many seconds later."""
    begun = started(1, **({"lag": "quota"} | start))
    database.save([Noted(begun, NOON), *(Noted(fact, at(when)) for when, fact in facts)])


def verified(database: Database) -> int:
    (game,) = database.games.find()
    return verify_game(database, game)


def found_in(database: Database) -> str:
    with pytest.raises(DisagreementError) as found:
        verified(database)
    return str(found.value)


def said_of(*facts: tuple[float, Fact], **start: Any) -> str:
    database = MemoryDatabase()
    keep(database, *facts, **start)
    return found_in(database)


def agrees(*facts: tuple[float, Fact], **start: Any) -> None:
    database = MemoryDatabase()
    keep(database, *facts, **start)
    verified(database)


def happening(seq: int, what: EventKind, side: Side | None = None, **changes: Any) -> Happened:
    return happened(1, seq, what, **({"ply": 2, "side": side} | changes))


def game_of_four(database: Database) -> None:
    """2 s a move, 2.1 s apart; it ends 3 s after the last."""
    steps = [(2.1 * number, move) for number, move in enumerate(moves(FOUR), 1)]
    keep(database, *steps, (11.4, finished(1, B, Reason.RESIGNATION, "White (Ada) resigned")))


TAMPERED: dict[str, tuple[Changes, str]] = {
    "more spent": (
        {"spent_ms": 7000, "left_ms": 297_086},
        "ply 4, b8c6: 7000 ms are said to be spent, and 2100 ms had passed",
    ),
    "more spent and given back by us": (
        {"spent_ms": 7000, "stall_ms": 5003},
        "ply 4, b8c6: 7000 ms are said to be spent, and 2100 ms had passed",
    ),
    "more given back by us": (
        {"stall_ms": 5003, "left_ms": 307_086},
        "ply 4, b8c6: of 2000 ms more was given back than spent",
    ),
    "more given back for the network": (
        {"spent_ms": 7000, "lag_ms": 5040},
        "ply 4, b8c6: 5040 ms were given back for the network, and the game's rule (quota)"
        " allows 1000 ms",
    ),
    "before the game": ({"at": NOON - timedelta(hours=1)}, "ply 4, b8c6: its time is before"),
    "before the move before": ({"at": at(6.2)}, "ply 4, b8c6: its time is before"),
    "after the end": ({"at": at(11.5)}, "step 5, finished: its time is before"),
}


@pytest.mark.parametrize(("changes", "why"), TAMPERED.values(), ids=TAMPERED)
def test_a_last_move_that_was_changed_is_found(
    changes: Changes, why: str, database: Database
) -> None:
    game_of_four(database)
    assert verified(database) == 4

    tamper(database, "moves", changes, 4)

    assert why in found_in(database)


def test_a_game_begun_after_its_moves_is_found(database: Database) -> None:
    game_of_four(database)

    tamper(database, "games", {"started_at": at(5)})

    assert found_in(database).startswith("ply 1, e2e4: its time is before")


def test_an_end_before_the_beginning_is_found(database: Database) -> None:
    game_of_four(database)

    tamper(database, "games", {"finished_at": at(-60)})
    tamper(database, "events", {"at": at(-60)}, 5)

    assert found_in(database).startswith("step 5, finished: its time is before")


def test_a_game_that_runs_is_asked_for_its_times_too() -> None:
    (move,) = moves("e2e4")

    assert "2000 ms are said to be spent, and 1000 ms had passed" in said_of((1, move))


# Restarts


def resumed(seq: int, thought: int, **changes: Any) -> Happened:
    return happening(seq, EventKind.RESUMED, W, amount=thought, **changes)


def third(seq: int, spent: int) -> MovePlayed:
    left = 300_000 + 2 * 3_000 - 1_957 - (spent - 43)
    return replace(moves("e2e4 e7e5 g1f3")[2], seq=seq, spent=spent, left=left)


FIRST_TWO = [(3 * number, move) for number, move in enumerate(moves("e2e4 e7e5"), 1)]


def test_what_was_thought_before_a_restart_counts() -> None:
    paused = happening(3, EventKind.PAUSED, W, amount=4000)

    agrees(*FIRST_TWO, (10, paused), (99, resumed(4, 4000)), (101, third(5, 6000)))


def test_more_than_was_thought_before_a_restart_is_found() -> None:
    paused = happening(3, EventKind.PAUSED, W, amount=4000)
    facts = [*FIRST_TWO, (10, paused), (99, resumed(4, 4000)), (101, third(5, 7000))]

    assert "7000 ms are said to be spent, and 6000 ms had passed" in said_of(*facts)


@pytest.mark.parametrize("what", [EventKind.PAUSED, EventKind.RESUMED])
def test_more_than_can_have_been_thought_until_a_restart_is_found(what: EventKind) -> None:
    facts = [*FIRST_TWO, (10, happening(3, what, W, amount=4500))]

    assert f"step 3, {what}: 4500 ms are said to be spent, and 4000 ms had passed" in said_of(
        *facts
    )


def test_the_machines_clock_may_be_set_from_one_run_to_the_next() -> None:
    day = 86_400

    agrees(*FIRST_TWO, (-day, resumed(3, 0)), (3 - day, third(4, 2000)), (4 - day, RESIGNED))
    thought = (-day, resumed(3, 1500))  # until the earlier run ended, by its clock
    agrees(*FIRST_TWO, thought, (3 - day, third(4, 3500)), (4 - day, RESIGNED))


def test_a_time_that_goes_back_after_a_restart_is_found() -> None:
    day = 86_400
    facts = [*FIRST_TWO, (-day, resumed(3, 0)), (3 - day, third(4, 2000)), (2 - day, RESIGNED)]

    assert said_of(*facts).startswith("step 5, finished: its time is before")


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("e2e4", finished(1, None, Reason.SERVER, "nobody can come back")),
        ("f2f3 e7e5 g2g4 d8h4", finished(1, B, Reason.CHECKMATE)),
    ],
)
def test_a_game_may_be_ended_by_the_next_run_without_going_on(text: str, end: GameFinished) -> None:
    steps = [(3 * number, move) for number, move in enumerate(moves(text), 1)]

    agrees(*steps, (-86_400, end))


# Takebacks, and time on the clock


def test_what_was_thought_before_a_takeback_is_not_of_the_move_after_it() -> None:
    first = moves("e2e4 e7e5 g1f3")
    again = replace(first[2], seq=5, left=first[2].left - 1957)
    taken_back = happening(4, EventKind.TAKEN_BACK, W, ply=3, amount=1)
    facts = [(3 * number, move) for number, move in enumerate(first, 1)]

    agrees(*facts, (100, taken_back), (102, again))
    assert "2000 ms are said to be spent, and 1500 ms had passed" in said_of(
        *facts, (100, taken_back), (101.5, again)
    )


def flag(ply: int, left: int) -> GameFinished:
    text = f"the flag of White (Ada) fell at ply {ply}, after {left} ms"
    return finished(1, B, Reason.TIME, text)


@pytest.mark.parametrize(
    ("facts", "start"),
    [
        ([(10, flag(1, 10_000))], {"control": "10+0"}),
        ([(9.8, flag(1, 10_000))], {"control": "10+0"}),
        ([(12, flag(1, 12_000))], {"control": "10d2"}),
        ([(13, flag(1, 13_000))], {"control": "10/3x1"}),
        ([(3, flag(1, 3_500))], {"control": "movetime=3000", "lag": "none"}),
        (
            [(5, happening(1, EventKind.TIME_GIVEN, W, ply=0, amount=5000)), (15, flag(1, 15_000))],
            {"control": "10+0"},
        ),
        (
            [
                (5, happening(1, EventKind.PAUSED, W, ply=0, amount=4000)),
                (99, resumed(2, 4000, ply=0)),
                (105, flag(1, 10_000)),
            ],
            {"control": "10+0"},
        ),
    ],
)
def test_a_flag_fell_when_the_time_was_over(
    facts: list[tuple[float, Fact]], start: dict[str, Any]
) -> None:
    agrees(*facts, **start)
    *before, (when, end) = facts

    assert "the flag of white is said to have fallen" in said_of(*before, (when - 1, end), **start)


def test_a_game_is_aborted_by_a_flag_that_fell_too() -> None:
    text = "the flag of White (Ada) fell at ply 1, after 10000 ms, and it had made no move"
    end = finished(1, None, Reason.ABORTED, text)

    agrees((10, end), control="10+0")
    assert "it had 10000 ms, and 8000 ms had passed" in said_of((8, end), control="10+0")


def test_a_draw_for_want_of_material_needs_a_flag_too() -> None:
    text = "the flag of White (Ada) fell at ply 1, after 10000 ms, and Black (Bob) cannot win"
    end = finished(1, None, Reason.TIME_INSUFFICIENT, text)
    start = {"control": "10+0", "start": "7k/8/8/8/8/1Q6/8/K7 w - - 0 1"}

    agrees((10, end), **start)
    assert "it had 10000 ms, and 8000 ms had passed" in said_of((8, end), **start)


# The network


@pytest.mark.parametrize("rule", ["quota", "equalised"])
def test_what_is_given_back_for_the_network_comes_from_a_quota(rule: str) -> None:
    steps = moves("e2e4 e7e5 g1f3 b8c6 f1c4", lag=540)

    assert "ply 5, f1c4: 540 ms were given back" in said_of(
        *((3 * number, step) for number, step in enumerate(steps, 1)), lag=rule
    )


def test_a_quota_is_filled_by_moves() -> None:
    steps = moves("e2e4 e7e5 g1f3 b8c6", lag=540)

    agrees(*((3 * number, step) for number, step in enumerate(steps, 1)))
