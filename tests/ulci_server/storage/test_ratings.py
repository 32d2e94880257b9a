"""Ratings change with the end of a game, in its transaction, and by nothing else."""

import threading
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import timedelta
from typing import Any

import msgspec
import pytest
import sqlalchemy as sa

from tests.conftest import ErrorLog
from tests.support.databases import remove_player
from tests.support.facts import ADA, BOB, NOON, finished, line, noted
from tests.support.hosting import HANG
from ulci.rules import Reason, Side
from ulci_server.game import Fact
from ulci_server.rating import MOST_A_DAY, NEW, Rating, rate_game
from ulci_server.storage import Database, RatingRecord, StorageError, migrate, sql_engine
from ulci_server.storage.rows import ratings as rows

MOVES = "e2e4 e7e5"


def accounts(database: Database, *names: str) -> dict[str, int]:
    return {name: database.accounts.add_player(name, "engine", at=NOON).id for name in names}


def game(number: int, white: int | None, black: int | None, **start: Any) -> list[Fact]:
    """A rated game with two moves, without its end."""
    seats = (
        msgspec.structs.replace(ADA, account=white),
        msgspec.structs.replace(BOB, account=black),
    )
    moves = start.pop("moves", MOVES)
    return line(number, moves, seats=seats, **({"rated": True, "pool": "blitz"} | start))


def over(number: int, white: int | None, black: int | None, **start: Any) -> list[Fact]:
    """A rated game that White wins."""
    return [*game(number, white, black, **start), finished(number)]


def ratings(database: Database, *ids: int) -> dict[tuple[str, int], RatingRecord]:
    return {(record.pool, record.account): record for record in database.ratings.of(ids)}


def test_a_game_changes_the_ratings_of_both(database: Database) -> None:
    ada, bob = accounts(database, "Ada", "Bob").values()

    database.save(noted(over(1, ada, bob)))

    found = ratings(database, ada, bob)
    assert found["blitz", ada].rating == rate_game(NEW, NEW, 1, 0)
    assert found["blitz", bob].rating == rate_game(NEW, NEW, 0, 0)
    assert {(one.games, one.changes, one.anchored) for one in found.values()} == {(1, 1, False)}
    assert found["blitz", ada].updated_at == NOON + timedelta(seconds=3)
    assert [one.name for one in database.ratings.leaders("blitz", 9)] == ["Ada", "Bob"]
    assert database.ratings.pools() == {"blitz": 2}


def test_the_second_game_goes_on_from_the_first(database: Database) -> None:
    ada, bob = accounts(database, "Ada", "Bob").values()
    database.save(noted(over(1, ada, bob)))
    before = ratings(database, ada, bob)

    later = NOON + timedelta(days=30)
    database.save(noted(over(2, bob, ada), later))

    after = ratings(database, ada, bob)
    at = later + timedelta(seconds=3)
    ours, theirs = before["blitz", bob], before["blitz", ada]
    days = (at - ours.updated_at).total_seconds() / 86400
    expected = rate_game(ours.rating, theirs.at(at), 1, days * 0.21436)
    assert after["blitz", bob].rating == expected
    changes = [change for _, change in database.ratings.changes()]
    assert [(c.game, c.side, c.account, c.opponent, c.seq) for c in changes] == [
        (1, Side.WHITE, ada, bob, 1),
        (1, Side.BLACK, bob, ada, 1),
        (2, Side.WHITE, bob, ada, 2),
        (2, Side.BLACK, ada, bob, 2),
    ]
    assert changes[2].before == changes[1].after == ours.rating


def test_games_that_end_in_one_batch_count_one_after_the_other(database: Database) -> None:
    ada, bob, eve = accounts(database, "Ada", "Bob", "Eve").values()
    facts = [*game(1, ada, bob), *game(2, eve, ada), *game(3, ada, eve, pool="slow")]
    database.save(noted(facts))

    ends = [finished(number) for number in (2, 1, 3)]
    database.save(noted(ends, NOON + timedelta(minutes=1)))

    found = ratings(database, ada, bob, eve)
    assert {key: one.games for key, one in found.items()} == {
        ("blitz", ada): 2,
        ("blitz", bob): 1,
        ("blitz", eve): 1,
        ("slow", ada): 1,
        ("slow", eve): 1,
    }
    changes = [change for _, change in database.ratings.changes()]
    assert [change.game for change in changes] == [2, 2, 1, 1, 3, 3]
    assert found["slow", ada].rating == rate_game(NEW, NEW, 1, 0)


def test_an_end_that_is_saved_again_changes_nothing(database: Database) -> None:
    ada, bob = accounts(database, "Ada", "Bob").values()
    batch = noted(over(1, ada, bob))
    database.save(batch)
    before = ratings(database, ada, bob)

    database.save(batch)
    database.save([batch[-1], batch[-1]])

    assert ratings(database, ada, bob) == before


UNRATED: dict[str, dict[str, Any]] = {
    "by a pool that is not rated": {"rated": False},
    "in which only White has moved": {"moves": "e2e4"},
    "in which nobody has moved": {"moves": ""},
    "whose moves are those of a book": {"moves": "", "opening": ("e2e4", "e7e5")},
}


@pytest.mark.parametrize("start", UNRATED.values(), ids=UNRATED)
def test_it_stays_unrated_if_it_is_a_game(database: Database, start: dict[str, Any]) -> None:
    ada, bob = accounts(database, "Ada", "Bob").values()

    database.save(noted(over(1, ada, bob, **start)))

    assert not ratings(database, ada, bob)
    assert database.games.outcomes([1])[1] is not None


def test_guests_and_players_against_themselves_have_no_rating(database: Database) -> None:
    ada = accounts(database, "Ada")["Ada"]

    database.save(noted([*over(1, ada, None), *over(2, None, None), *over(3, ada, ada)]))

    assert not ratings(database, ada)


@pytest.mark.parametrize("reason", [Reason.ABORTED, Reason.SERVER])
def test_a_game_without_a_result_changes_no_rating(database: Database, reason: Reason) -> None:
    ada, bob = accounts(database, "Ada", "Bob").values()

    database.save(noted([*game(1, ada, bob), finished(1, None, reason)]))

    assert not ratings(database, ada, bob)


def test_of_the_games_of_two_on_a_day_only_the_first_count(database: Database) -> None:
    ada, bob = accounts(database, "Ada", "Bob").values()
    facts = [fact for n in range(1, MOST_A_DAY + 3) for fact in over(n, *sorted((ada, bob)))]
    database.save(noted(facts[:40]))
    database.save(noted(facts[40:], NOON + timedelta(minutes=1)))

    assert ratings(database, ada)["blitz", ada].games == MOST_A_DAY

    database.save(noted(over(100, bob, ada), NOON + timedelta(hours=12)))
    assert ratings(database, ada)["blitz", ada].games == MOST_A_DAY + 1


def test_an_anchored_player_keeps_its_rating_and_others_are_measured_by_it(
    database: Database,
) -> None:
    ada, bob = accounts(database, "Ada", "Bob").values()
    assert database.ratings.anchor(ada, "blitz", 2800, NOON)
    assert not database.ratings.anchor(ada, "blitz", 2800, NOON)

    later = NOON + timedelta(days=900)
    database.save(noted(over(1, bob, ada), later))

    found = ratings(database, ada, bob)
    anchor = Rating(2800, 45, 0.09)
    assert found["blitz", ada].rating == anchor == found["blitz", ada].at(later)
    assert (found["blitz", ada].games, found["blitz", ada].anchored) == (1, True)
    assert found["blitz", bob].rating == rate_game(NEW, anchor, 1, 0)

    assert database.ratings.anchor(ada, "blitz", None, later)
    database.save(noted(over(2, bob, ada), later + timedelta(hours=1)))
    assert ratings(database, ada)["blitz", ada].rating.rating < 2800
    seqs = [change.seq for _, change in database.ratings.changes() if change.account == ada]
    assert seqs == [1, 2, 3, 4]


def test_nobody_is_anchored_who_has_no_account(database: Database) -> None:
    assert not database.ratings.anchor(12, "blitz", 2800, NOON)


def test_a_removed_account_takes_its_ratings_along_and_the_changes_stay(
    sql_database: Database,
) -> None:
    database = sql_database
    ada, bob = accounts(database, "Ada", "Bob").values()
    database.save(noted([*over(1, ada, bob), *game(2, ada, bob)]))
    remove_player(database, bob)

    database.save(noted([finished(2)], NOON + timedelta(hours=1)))

    assert {*ratings(database, ada, bob)} == {("blitz", ada)}
    changes = [change for _, change in database.ratings.changes()]
    assert [(change.account, change.opponent) for change in changes] == [(ada, None), (None, ada)]


def test_what_fails_in_a_rating_never_prevents_the_end_of_a_game(
    database: Database, monkeypatch: pytest.MonkeyPatch, errors_logged: ErrorLog
) -> None:
    ada, bob = accounts(database, "Ada", "Bob").values()

    def fail(*_: object) -> Rating:
        raise ArithmeticError("a rating that nobody has foreseen")

    with monkeypatch.context() as patched:
        patched.setattr(rows, "rate_game", fail)
        database.save(noted(over(1, ada, bob)))

    assert database.games.outcomes([1])[1] is not None
    assert not database.ratings.changes()
    assert errors_logged.take()
    missed = database.ratings.missed()
    assert [number for number, _ in missed] == [1]
    database.ratings.rate(missed)
    assert ratings(database, ada)["blitz", ada].rating == rate_game(NEW, NEW, 1, 0)
    assert not database.ratings.missed()


def test_a_rating_that_the_database_refuses_never_prevents_the_end_of_a_game(
    sql_database: Database, errors_logged: ErrorLog
) -> None:
    """Somebody has changed the tables by hand."""
    database = sql_database
    ada, bob = accounts(database, "Ada", "Bob").values()
    database.save(noted(over(1, ada, bob)))
    with database.transactions.writer.begin() as connection:
        connection.execute(sa.text("UPDATE ratings SET changes = 1000, games = 0"))
        connection.execute(sa.text("UPDATE rating_changes SET seq = 1001"))

    database.save(noted(over(2, ada, bob), NOON + timedelta(hours=1)))

    assert database.games.outcomes([2])[2] is not None
    assert errors_logged.take()


def test_games_of_each_two_are_counted_for_a_fit(database: Database) -> None:
    ada, bob = accounts(database, "Ada", "Bob").values()
    facts = [*over(1, ada, bob), *over(2, ada, bob, pool="slow"), *game(3, ada, bob)]
    database.save(noted([*facts, finished(3, None, Reason.AGREEMENT), *game(4, ada, bob)]))

    (met,) = database.ratings.met("blitz")
    assert (met.first, met.second, met.points, met.games, met.draws) == ("Ada", "Bob", 1.5, 2, 1)
    assert [each.games for each in database.ratings.met()] == [3]
    assert database.ratings.met("none") == []


# Two servers


@pytest.fixture
def two(postgres_url: str) -> Iterator[tuple[Database, Database]]:
    migrate(postgres_url)
    with ExitStack() as closing:
        databases = []
        for node in ("a", "b"):
            database = Database(postgres_url)
            closing.callback(database.close)
            database.runs.join(database.runs.begin(NOON, node, speaks=1, version=""))
            databases.append(database)
        yield databases[0], databases[1]


def _together(*work: Any) -> list[BaseException]:
    """Each in a thread of its own, begun at one moment."""
    failures: list[BaseException] = []
    gate = threading.Barrier(len(work))

    def run(one: Any) -> None:
        gate.wait()
        try:
            one()
        except BaseException as error:  # noqa: BLE001 - the test tells it
            failures.append(error)

    threads = [threading.Thread(target=run, args=(one,)) for one in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return failures


def test_two_servers_that_end_games_of_one_player_lose_no_change(
    two: tuple[Database, Database],
) -> None:
    names = accounts(two[0], *(f"P{n}" for n in range(6)))
    ids = [*names.values()]
    rounds, batches = 25, ([], [])  # type: ignore[var-annotated]
    for n in range(rounds):
        for server, database in enumerate(two):
            facts = []
            for board in range(3):  # in opposite orders, so that locks in that order would cross
                one, other = board, board + 3
                players = (ids[one], ids[other]) if server else (ids[5 - one], ids[5 - other])
                facts += game(1 + n * 6 + server * 3 + board, *players, pool=f"p{n % 2}")
            database.save(noted(facts))
            numbers = [1 + n * 6 + server * 3 + board for board in range(3)]
            ordered = numbers if server else numbers[::-1]
            ends = [finished(number) for number in ordered]
            batches[server].append(noted(ends, NOON + timedelta(days=n)))

    def end(server: int) -> None:
        for batch in batches[server]:
            two[server].save(batch)

    assert _together(lambda: end(0), lambda: end(1)) == []

    found = ratings(two[0], *ids).values()
    assert sum(one.games for one in found) == rounds * 6 * 2
    last: dict[tuple[str, int | None], Rating] = {}
    seqs: dict[tuple[str, int | None], int] = {}
    for _, change in two[0].ratings.changes():
        key = (change.pool, change.account)
        assert change.before == last.get(key, NEW)
        assert change.seq == seqs.get(key, 0) + 1
        last[key], seqs[key] = change.after, change.seq
    assert {(one.pool, one.account): one.rating for one in found} == last


def test_who_ends_a_game_waits_for_who_ends_another_of_the_same_player(
    two: tuple[Database, Database],
) -> None:
    """The second reads what the first has written, not what was there when it began."""
    first, second = two
    ada, bob, eve = accounts(first, "Ada", "Bob", "Eve").values()
    first.save(noted([*game(1, ada, bob), *over(9, ada, eve)]))
    second.save(noted(game(2, ada, eve)))
    waiting, reached = threading.Event(), threading.Event()

    def hold() -> None:
        with first.transactions.writer.begin() as connection:
            connection.execute(sa.text("SELECT 1 FROM ratings FOR UPDATE"))
            reached.set()
            waiting.wait(HANG)
            connection.execute(sa.text("UPDATE ratings SET rating = 2000"))

    holder = threading.Thread(target=hold)
    holder.start()
    assert reached.wait(HANG)
    saver = threading.Thread(target=second.save, args=(noted([finished(2)]),))
    saver.start()
    _until_somebody_waits(first)
    waiting.set()
    saver.join()
    holder.join()
    change = next(c for _, c in second.ratings.changes() if (c.game, c.account) == (2, ada))
    assert change.before.rating == 2000


def test_a_rating_that_somebody_holds_for_long_makes_the_end_wait_and_not_get_lost(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The journal tries the batch again; a game that has ended without its rating is none."""
    monkeypatch.setattr(sql_engine, "BUSY_TIMEOUT", 0.05)
    migrate(postgres_url)
    database = Database(postgres_url)
    ada, bob = accounts(database, "Ada", "Bob").values()
    database.save(noted([*over(1, ada, bob), *game(2, ada, bob)]))
    end = noted([finished(2)], NOON + timedelta(hours=1))
    holder = sa.create_engine(postgres_url)
    with holder.begin() as connection:
        connection.execute(sa.text("SELECT 1 FROM ratings FOR UPDATE"))
        with pytest.raises(StorageError, match="lock"):
            database.save(end)
        assert database.games.outcomes([2]) == {2: None}
    holder.dispose()
    database.save(end)
    assert ratings(database, ada)["blitz", ada].games == 2
    database.close()


def _until_somebody_waits(database: Database) -> None:
    query = sa.select(sa.func.count().label("n")).select_from(sa.text("pg_locks WHERE NOT granted"))
    while not database.transactions.read(query, lambda row: int(row["n"]))[0]:
        pass
