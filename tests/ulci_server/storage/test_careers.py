"""What a player has played: one suite for memory, SQLite and PostgreSQL."""

from datetime import timedelta

import msgspec
import pytest

from tests.support.facts import ADA, BOB, NOON, finished, line, noted
from ulci.rules import Reason, Side
from ulci_server.storage import Database, Played, careers


def played(database, number, white, black, winner=Side.WHITE, *, over=True, **start):
    """white, black: a name, and the number of an account or None."""
    seats = tuple(
        msgspec.structs.replace(seat, name=name, account=account)
        for seat, (name, account) in zip((ADA, BOB), (white, black), strict=True)
    )
    facts = line(number, "e2e4 e7e5", seats=seats, **({"pool": "blitz", "rated": True} | start))
    reason = Reason.AGREEMENT if winner is None else Reason.CHECKMATE
    ends = [finished(number, winner, reason)] if over else []
    database.save(noted([*facts, *ends], NOON + timedelta(hours=number)))


def account(database: Database, name: str) -> tuple[str, int]:
    return name, database.accounts.add_player(name, "human", at=NOON).id


def test_games_that_are_alike_are_counted_together_from_both_sides(database: Database) -> None:
    ada, bob = account(database, "Ada"), account(database, "Bob")
    played(database, 1, ada, bob)
    played(database, 2, ada, bob)
    played(database, 3, bob, ada, None)
    played(database, 4, ada, bob, over=False)

    found = {(one.side, one.result): one for one in database.careers.played(*ada)}

    assert {key: one.games for key, one in found.items()} == {
        (Side.WHITE, "1-0"): 2,
        (Side.BLACK, "1/2-1/2"): 1,
        (Side.WHITE, None): 1,
    }
    one = found[Side.WHITE, "1-0"]
    assert one == Played(
        Side.WHITE, "chess", "blitz", one.control, "Bob", "engine", "1-0", games=2, last=2
    )


def test_games_of_guests_are_not_those_of_an_account_of_that_name(database: Database) -> None:
    played(database, 1, ("Ada", None), ("Bob", None))
    ada = account(database, "Ada")
    played(database, 2, ada, ("Bob", None))

    assert [one.last for one in database.careers.played(*ada)] == [2]
    assert [one.last for one in database.careers.played("Ada", None)] == [1]
    assert database.careers.played("ada", None) == []


def test_only_the_newest_games_are_counted(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(careers, "MOST_GAMES", 2)
    ada = account(database, "Ada")
    for number, name in enumerate(("Bob", "Cyd", "Dan"), 1):
        played(database, number, ada, (name, None))

    assert {one.opponent for one in database.careers.played(*ada)} == {"Cyd", "Dan"}


def test_the_course_of_a_rating_is_its_last_changes(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(careers, "MOST_POINTS", 2)
    ada, bob = account(database, "Ada"), account(database, "Bob")
    for number in (1, 2):
        played(database, number, ada, bob)
    database.ratings.anchor(ada[1], "blitz", 1800, NOON + timedelta(days=1))

    course = database.careers.course(ada[1], "blitz")

    assert [point.game for point in course] == [2, None]
    assert course[-1].rating == 1800
    assert [record.pool for record in database.careers.ratings(ada[1])] == ["blitz"]
    assert database.careers.course(ada[1], "rapid") == []
