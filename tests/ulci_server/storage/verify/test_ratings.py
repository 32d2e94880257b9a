"""Ratings are rebuilt from the games, and a falsified one is found."""

import random
from datetime import timedelta

import pytest
import sqlalchemy as sa

from tests.support.databases import remove_player
from tests.support.facts import NOON, finished, noted
from tests.ulci_server.storage.test_ratings import accounts, game, over
from ulci.rules import Reason, Side
from ulci_server.rating import MOST_A_DAY, Rating, rate_game
from ulci_server.storage import Database
from ulci_server.storage.verify import DisagreementError, check_ratings
from ulci_server.storage.verify.glicko import Numbers, after_game

RESULTS = [
    (Side.WHITE, Reason.CHECKMATE),
    (Side.BLACK, Reason.RESIGNATION),
    (None, Reason.AGREEMENT),
    (None, Reason.ABORTED),
]


def play(database: Database, games: int = 60) -> dict[str, int]:
    """A few weeks of four players in two pools, one of whom is anchored for a while. Two games end
    at once."""
    chance = random.Random(3)
    names = accounts(database, "Ada", "Bob", "Eve", "Root")
    at = NOON
    for number in range(1, games, 2):
        pair = [chance.sample([*names.values()], 2) for _ in range(2)]
        facts = [
            fact
            for n, (white, black) in enumerate(pair)
            for fact in game(number + n, white, black, pool=chance.choice(["blitz", "slow"]))
        ]
        ends = [finished(number + n, *chance.choice(RESULTS)) for n in range(2)]
        database.save(noted([*facts, *ends], at))
        at += timedelta(hours=chance.choice([1, 9, 40, 2000]))
        if number in (11, 31):
            anchored = 1800 if number == 11 else None
            assert database.ratings.anchor(names["Eve"], "blitz", anchored, at)
    return names


def falsify(database: Database, sql: str) -> None:
    with database.transactions.writer.begin() as connection:
        assert connection.execute(sa.text(sql)).rowcount == 1, sql


def test_what_the_games_have_made_is_right(database: Database) -> None:
    play(database)
    assert check_ratings(database) > 60


def test_without_rated_games_there_is_nothing_to_check(database: Database) -> None:
    assert check_ratings(database) == 0


@pytest.mark.parametrize("points", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("days", [0.0, 3.0, 900.0])
def test_two_ways_to_compute_a_rating_agree(points: float, days: float) -> None:
    for mine in (Rating(1500, 500, 0.09), Rating(2300, 45, 0.06), Rating(900, 200, 0.1)):
        for other in (Rating(1500, 350, 0.09), Rating(2900, 45, 0.05)):
            one = rate_game(mine, other, points, days * 0.21436)
            sides = (
                Numbers(each.rating, each.deviation, each.volatility) for each in (mine, other)
            )
            expected = after_game(*sides, points, days)
            assert (one.rating, one.deviation) == pytest.approx(expected[:2], abs=0.0005)
            assert one.volatility == pytest.approx(expected.volatility, abs=1e-7)


OF_ADA = "WHERE pool = 'slow' AND player_id = 1"
LAST = "(SELECT max(id) FROM rating_changes WHERE game_id IS NOT NULL)"
FALSIFIED = {
    "a rating": f"UPDATE ratings SET rating = rating + 1 {OF_ADA}",
    "a deviation": f"UPDATE ratings SET deviation = 100 {OF_ADA}",
    "a count of games": f"UPDATE ratings SET games = games - 1 {OF_ADA}",
    "a time": f"UPDATE ratings SET updated_at = '2001-01-01T00:00:00.000000+00:00' {OF_ADA}",
    "an anchor": f"UPDATE ratings SET anchored = true {OF_ADA}",
    "a rating that is gone": f"DELETE FROM ratings {OF_ADA}",
    "a change": "UPDATE rating_changes SET rating_after = rating_after + 1 WHERE id = 20",
    "what a change began with": "UPDATE rating_changes SET rating_before = 9 WHERE id = 20",
    "the last change": f"UPDATE rating_changes SET volatility_after = 0.08 WHERE id = {LAST}",
    "an opponent": "UPDATE rating_changes SET opponent_id = player_id WHERE id = 20",
    "the time of a change": "UPDATE rating_changes SET at = '2001-01-01T00:00:00.000000+00:00'"
    " WHERE id = 20",
    "the pool of a change": "UPDATE rating_changes SET pool = 'other' WHERE id = 20",
    "a change that is gone": "DELETE FROM rating_changes WHERE id = 20",
    "the last change that is gone": f"DELETE FROM rating_changes WHERE id = {LAST}",
    "a result": "UPDATE games SET result = CASE result WHEN '1-0' THEN '0-1' ELSE '1-0' END"
    " WHERE id = (SELECT game_id FROM rating_changes WHERE id = 20)",
    "a game that is not rated": "UPDATE games SET rated = false"
    " WHERE id = (SELECT game_id FROM rating_changes WHERE id = 20)",
}


@pytest.mark.parametrize("sql", FALSIFIED.values(), ids=FALSIFIED)
def test_it_finds_falsified(sql_database: Database, sql: str) -> None:
    play(sql_database)
    falsify(sql_database, sql)
    with pytest.raises(DisagreementError):
        check_ratings(sql_database)


def test_it_finds_a_game_that_has_changed_no_rating(sql_database: Database) -> None:
    ada, bob = accounts(sql_database, "Ada", "Bob").values()
    sql_database.save(noted(over(1, ada, bob)))
    sql_database.save(noted(over(2, ada, bob, rated=False), NOON + timedelta(hours=1)))
    check_ratings(sql_database)
    falsify(sql_database, "UPDATE games SET rated = true WHERE id = 2")
    with pytest.raises(DisagreementError, match="game 2 is rated, and has changed no rating"):
        check_ratings(sql_database)


def test_games_that_are_too_many_of_their_day_or_older_than_all_ratings_may_change_none(
    database: Database,
) -> None:
    ada, bob = accounts(database, "Ada", "Bob").values()
    for number in range(1, MOST_A_DAY + 4):
        database.save(noted(over(number, ada, bob), NOON + timedelta(minutes=number)))
    assert check_ratings(database) == 2 * MOST_A_DAY
    database.save(noted(over(90, bob, ada, rated=False), NOON - timedelta(days=9)))
    with database.transactions.writer.begin() as connection:
        connection.execute(sa.text("UPDATE games SET rated = true WHERE id = 90"))
    check_ratings(database)


def test_a_removed_account_is_no_fault(sql_database: Database) -> None:
    names = play(sql_database)
    remove_player(sql_database, names["Bob"])
    check_ratings(sql_database)
