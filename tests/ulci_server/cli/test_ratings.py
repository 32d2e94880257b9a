"""``ulci-server ratings`` and ``player anchor``: what an operator sees."""

import json
from datetime import timedelta

import pytest
import sqlalchemy as sa

from tests.support.facts import NOON, finished, noted
from tests.ulci_server.storage.test_ratings import accounts, game, over
from ulci.rules import Reason
from ulci_server.storage import Database, migrate
from ulci_server.storage.verify import DisagreementError, check_ratings


@pytest.fixture
def url(sqlite_url: str) -> str:
    """Ada has won two games against Bob and drawn one; Eve has not played."""
    migrate(sqlite_url)
    database = Database(sqlite_url)
    ada, bob, _ = accounts(database, "Ada", "Bob", "Eve").values()
    for number in (1, 2):
        database.save(noted(over(number, ada, bob), NOON + timedelta(hours=number)))
    drawn = [*game(3, bob, ada, pool="slow"), finished(3, None, Reason.AGREEMENT)]
    database.save(noted(drawn, NOON + timedelta(days=1)))
    database.close()
    return sqlite_url


def rows(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


def test_the_ratings_of_all_pools_are_listed_the_highest_first(shell, url: str) -> None:
    _, *listed = rows(shell.run("ratings", "--database", url).stdout)
    assert [row[:4] for row in listed] == [
        ["blitz", "1", "Ada", "engine"],
        ["blitz", "2", "Bob", "engine"],
        ["slow", "1", "Ada", "engine"],
        ["slow", "2", "Bob", "engine"],
    ]
    assert all(row[4].endswith("?") for row in listed)
    assert [row[6] for row in listed] == ["2", "2", "1", "1"]


def test_one_pool_is_listed_as_json(shell, url: str) -> None:
    said = shell.run("ratings", "blitz", "--json", "--limit", "1", "--database", url).stdout
    (ada,) = map(json.loads, said.splitlines())
    assert (ada["name"], ada["pool"], ada["rank"], ada["games"]) == ("Ada", "blitz", 1, 2)
    assert ada["rating"] > 1700
    assert ada["provisional"] is True


def test_a_pool_without_ratings_is_said_to_be_one(shell, url: str) -> None:
    assert "nobody has a rating in the pool x" in shell.refused(
        "ratings", "x", "--database", url, code=4
    )


def test_an_anchored_rating_stays(shell, url: str) -> None:
    anchor = ("player", "anchor", "bob", "blitz")
    said = shell.run(*anchor, "2400", "--database", url).stdout
    assert said == "the rating of Bob in the pool blitz is 2400 from now on\n"
    assert "nothing to do" in shell.run(*anchor, "2400", "--database", url).stdout
    _, first, _ = rows(shell.run("ratings", "blitz", "--database", url).stdout)
    assert first[2:5] == ["Bob", "engine", "=2400"]
    said = shell.run(*anchor, "--free", "--database", url).stdout
    assert said == "games change the rating of Bob in the pool blitz again\n"
    _, first, _ = rows(shell.run("ratings", "blitz", "--database", url).stdout)
    assert first[2:5] == ["Bob", "engine", "2400"]


@pytest.mark.parametrize(
    ("words", "code", "why"),
    [
        (["Nobody", "blitz", "2400"], 1, "there is no account 'Nobody'"),
        (["Ada", "blitz"], 2, "give a rating, or --free"),
        (["Ada", "blitz", "2400", "--free"], 2, "give a rating, or --free"),
        (["Ada", "blitz", "99999"], 2, "0<=x<=9999"),
        (["Ada", "blitz", "nan"], 2, ""),
    ],
)
def test_a_wrong_anchor_is_refused(shell, url: str, words, code: int, why: str) -> None:
    assert why in shell.refused("player", "anchor", *words, "--database", url, code=code)


def test_strengths_are_fitted_to_all_games(shell, url: str) -> None:
    _, first, second = rows(shell.run("ratings", "--fit", "--database", url).stdout)
    assert (first[1], first[4:]) == ("Ada", ["2.5", "3", "83.3"])
    assert float(first[2]) + float(second[2]) == pytest.approx(3000, abs=1)
    said = shell.run("ratings", "blitz", "--fit", "--json", "--database", url).stdout
    ada, bob = map(json.loads, said.splitlines())
    assert (ada["points"], bob["points"]) == (2, 0)


def test_they_are_relative_to_anchors(shell, url: str) -> None:
    fit = ("ratings", "--fit", "--json", "--database", url)
    ada, bob = map(json.loads, shell.run(*fit, "--anchor", "Bob=2000").stdout.splitlines())
    assert (bob["elo"], bob["error"], bob["anchored"]) == (2000, 0, True)
    assert ada["elo"] > 2000
    shell.run("player", "anchor", "Ada", "blitz", "1000", "--database", url)
    lines = shell.run("ratings", "blitz", *fit[1:]).stdout.splitlines()
    assert json.loads(lines[0])["elo"] == 1000


@pytest.mark.parametrize(
    ("words", "code", "why"),
    [
        (["--anchor", "Bob=2000"], 2, "for --fit"),
        (["--fit", "--anchor", "Bob"], 2, "no name with an Elo"),
        (["--fit", "--anchor", "Bob=nan"], 2, "no name with an Elo"),
        (["--fit", "--anchor", "Zoe=2000"], 1, "has played no game"),
        (["--fit", "--missed"], 2, "--missed"),
        (["--fit", "blitz", "--prior", "0"], 1, "without a prior"),
        (["--fit", "none"], 4, "no game with a result"),
    ],
)
def test_what_cannot_be_fitted_is_said(shell, url: str, words, code: int, why: str) -> None:
    assert why in shell.refused("ratings", *words, "--database", url, code=code)


def test_games_that_were_missed_are_rated(shell, url: str) -> None:
    assert "every game" in shell.run("ratings", "--missed", "--database", url).stdout
    database = Database(url)
    database.save(noted(over(4, 2, 3, rated=False), NOON + timedelta(days=2)))
    with database.transactions.writer.begin() as connection:
        connection.execute(sa.text("UPDATE games SET rated = true WHERE id = 4"))
    with pytest.raises(DisagreementError, match="game 4 is rated, and has changed no rating"):
        check_ratings(database)
    assert shell.run("ratings", "--missed", "--database", url).stdout == "rated 1 game: 4\n"
    assert check_ratings(database) == 8
    database.close()
