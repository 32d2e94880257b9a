"""The tags above a game in PGN."""

import pytest

from tests.support.facts import BOB, finished, noted, started
from ulci.rules import Reason, Side
from ulci.rules.pgn import plain
from ulci_server.game import Seat
from ulci_server.storage import GameRecord, MemoryDatabase
from ulci_server.storage.export.tags import tags


def record(*facts: object, **changes: object) -> GameRecord:
    database = MemoryDatabase()
    database.save(noted([started(1, **changes), *facts]))  # type: ignore[list-item]
    return database.games.find()[0]


def tagged(game: GameRecord) -> dict[str, str]:
    return dict(tags(game, 0, "?"))


@pytest.mark.parametrize(
    ("control", "tag"),
    [
        ("300+3", "300+3"),
        ("0.5+0.1", "0.5+0.1"),
        ("40/300+2", "40/300+2"),
        ("40/5400+30:900+30", "40/5400+30:900+30"),
        ("60h", "*60"),
        ("3days", "1/259200"),
        ("1day", "1/86400"),
        ("movetime=1500", "1/1.5"),
        ("depth=8", "-"),
        ("nodes=10000", "-"),
        ("mate=3", "-"),
        ("inf", "-"),
        ("60d2", "?"),
        ("40/60+1:60b2", "?"),
        ("600/5x30", "?"),
        ("until tea", "?"),
    ],
)
def test_time_controls_are_spelled_as_pgn_has_words_for_them(control: str, tag: str) -> None:
    found = tagged(record(control=control))

    assert found["TimeControl"] == tag
    assert found.get("Control", tag) == control


def test_odds_are_written_for_each_side() -> None:
    found = tagged(record(control="300+3|60d2"))

    assert (found["WhiteTimeControl"], found["BlackTimeControl"]) == ("300+3", "?")
    assert found["Control"] == "300+3|60d2"
    assert "TimeControl" not in found


@pytest.mark.parametrize("reason", Reason)
def test_every_end_is_one_that_pgn_knows(reason: Reason) -> None:
    standard = {
        "abandoned", "adjudication", "death", "emergency", "normal", "rules infraction",
        "time forfeit", "unterminated",
    }  # fmt: skip
    found = tagged(record(finished(1, Side.WHITE, reason)))["Termination"]

    assert found in standard - {"unterminated", "death"}


@pytest.mark.parametrize(
    ("changes", "event"),
    [
        ({}, "Casual game"),
        ({"rated": True}, "Rated game"),
        ({"rated": True, "pool": "blitz"}, "blitz"),
    ],
)
def test_the_event_is_the_pool_or_the_kind_of_game(changes: dict[str, object], event: str) -> None:
    assert tagged(record(**changes))["Event"] == event


def test_what_is_not_known_is_left_out() -> None:
    found = tagged(record(seats=(Seat("", "human"), BOB)))

    assert found["White"] == "?"
    assert not {"WhiteElo", "WhiteTitle", "BlackElo", "BlackTitle"} & found.keys()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Ada", "Ada"),
        ('Bob "the\\engine"', 'Bob "the\\engine"'),
        (" two\r\nlines\t\x1b[1m ", "two lines [1m"),
        ("J\u00f6rg\u00a0\u265a\u2028", "J\u00f6rg \u265a"),
    ],
)
def test_values_are_one_line(text: str, line: str) -> None:
    assert plain(text) == line
