"""Complaints are kept with the games that they may be about."""

from datetime import timedelta

import msgspec
import pytest

from tests.support.facts import ADA, BOB, NOON, finished, line, noted
from ulci_server.game import Fact, Seat
from ulci_server.storage import Database, RefusedError
from ulci_server.storage.complaints import LONGEST, MOST_OF_ONE, NAMED

EVE = Seat("Eve", "human", handle="Eve-2")


def met(number: int, white: Seat, black: Seat) -> list[Fact]:
    return [*line(number, "e2e4 e7e5", seats=(white, black)), finished(number)]


def test_it_is_kept_with_the_last_games_of_the_two(database: Database) -> None:
    facts = [fact for n in range(1, NAMED + 3) for fact in met(n, *((ADA, BOB), (BOB, ADA))[n % 2])]
    database.save(noted([*facts, *met(90, ADA, EVE), *met(91, EVE, BOB)]))

    made = database.complaints.add(ADA, BOB, "always\0 slow", NOON)

    (kept,) = database.complaints.all()
    assert kept == made
    assert (kept.by, kept.about, kept.at) == ("Ada", "Bob", NOON)
    assert kept.text == "always\N{REPLACEMENT CHARACTER} slow"
    assert kept.games == (7, 6, 5, 4, 3)


def test_a_long_one_is_cut(database: Database) -> None:
    database.complaints.add(ADA, BOB, "x" * 9999, NOON)
    (kept,) = database.complaints.all()
    assert len(kept.text) == LONGEST


@pytest.mark.parametrize("name", ["Eve-2", "eve-2", "Eve"])
def test_who_is_gone_is_found_among_the_last_opponents(database: Database, name: str) -> None:
    database.save(noted([*met(1, ADA, EVE), *met(2, ADA, BOB)]))
    made = database.complaints.add(ADA, name, "left", NOON)
    assert (made.about, made.games) == ("Eve", (1,))


def test_who_was_no_opponent_and_is_not_here_is_nobody(database: Database) -> None:
    database.save(noted(met(1, ADA, BOB)))
    for name in ("Zoe", "Ada", ""):
        with pytest.raises(RefusedError, match="you have not played one lately"):
            database.complaints.add(ADA, name, "left", NOON)


def test_accounts_are_known_by_their_numbers(database: Database) -> None:
    ada, bob = (database.accounts.add_player(name, "human").id for name in ("Ada", "Bob"))
    seats = [
        msgspec.structs.replace(seat, account=account) for seat, account in ((ADA, ada), (BOB, bob))
    ]
    database.save(noted([*met(1, *seats), *met(2, seats[0], BOB)]))  # the other Bob is a guest
    made = database.complaints.add(*seats, "slow", NOON)
    assert (made.by_account, made.about_account, made.games) == (ada, bob, (1,))


def test_those_that_are_settled_are_listed_only_if_asked_for(database: Database) -> None:
    first = database.complaints.add(ADA, BOB, "one", NOON)
    second = database.complaints.add(ADA, BOB, "two", NOON)
    later = NOON + timedelta(hours=1)
    assert database.complaints.close(first.id, "Root", later)
    assert not database.complaints.close(first.id, "Root", later)
    assert not database.complaints.close(999, "Root", later)
    assert database.complaints.all() == [second]
    closed = database.complaints.all(closed=True)[1]
    assert (closed.id, closed.closed_at, closed.closed_by) == (first.id, later, "Root")
    assert database.complaints.all(limit=1, closed=True) == [second]


def test_one_player_fills_no_list(database: Database) -> None:
    for _ in range(MOST_OF_ONE):
        database.complaints.add(ADA, BOB, "slow", NOON)
    with pytest.raises(RefusedError, match="too many complaints"):
        database.complaints.add(ADA, BOB, "slow", NOON)
    database.complaints.add(EVE, BOB, "slow", NOON)
