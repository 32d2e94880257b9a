"""A run that did less than it was asked to says so, and all phases share one table."""

from collections import Counter

from tests.faults.invariants import Violation
from tests.faults.report import Report, Settings, table


def report(**differently: object) -> Report:
    usual = {
        "faults": Counter({"cut": 4, "kill": 1}),
        "results": Counter({"resignation": 3, "aborted": 1}),
        "moves": 120,
        "calls": 9,
    }
    return Report(Settings(games=3, faults=5), **{**usual, **differently})


def test_a_run_that_did_what_was_asked_is_short_of_nothing():
    assert [*report(due=Counter({"kill": 1})).shortfalls()] == []


def test_a_run_that_did_less_says_of_what():
    short = report(
        faults=Counter({"cut": 4}),
        results=Counter({"resignation": 2, "aborted": 4, "server": 1, "running": 1}),
        due=Counter({"kill": 2}),
    )
    assert [*short.shortfalls()] == [
        "players: only 4 of 5 faults",
        "players: only 2 of 3 games",
        "players: only 0 of 2 faults of the kind kill",
    ]


def test_the_table_has_a_column_for_each_phase_and_their_sum():
    wrong = [Violation("leak", 0, "", "files")]
    engines = report(
        phase="engines", faults=Counter({"cut": 2, "engine-kill": 3}), violations=wrong
    )
    rows = {tuple(line.split()) for line in table([report(), engines])}
    assert {
        ("seed", "1,", "sqlite,", "0", "s", "players", "engines", "sum"),
        ("faults", "injected", "5", "5", "10"),
        ("cut", "4", "2", "6"),
        ("engine-kill", "0", "3", "3"),
        ("games", "4", "4", "8"),
        ("resignation", "3", "3", "6"),
        ("moves", "120", "120", "240"),
        ("lines", "dialled", "9", "9", "18"),
        ("violations", "0", "1", "1"),
        ("leak", "0", "1", "1"),
    } <= rows


def test_the_table_of_one_phase_needs_no_sum():
    assert "sum" not in next(report().lines())
