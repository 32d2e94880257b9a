"""``ulci-server verify``: what an operator sees who wants to be sure."""

from collections.abc import Iterable

import pytest

from tests.support.facts import NOON, finished
from tests.support.games import keep, moves
from ulci.rules import Reason, Side
from ulci_server.game import EncounterBegun
from ulci_server.storage import Database, Noted, migrate


@pytest.fixture
def url(sqlite_url: str) -> str:
    """Three games, of which the second has a result that cannot be."""
    migrate(sqlite_url)
    database = Database(sqlite_url)
    ends = {1: finished(1, Side.BLACK), 2: finished(2, Side.WHITE), 3: None}
    for game, end in ends.items():
        text = "f2f3 e7e5 g2g4 d8h4" if end else "e2e4"
        keep(database, moves(text, game), end, game)
    database.close()
    return sqlite_url


WRONG = "the result 1-0 (checkmate) after ply 4: the rules ended it by 0-1 (checkmate)"


def found(shell, *argv: str) -> tuple[list[str], str]:
    """What is listed, and the error that sums it up."""
    result = shell.run("verify", *argv)
    assert result.exit_code == 1
    return result.stdout.splitlines(), result.stderr


def keep_wrong(url: str, games: Iterable[int]) -> None:
    database = Database(url)
    for game in games:
        keep(database, moves("f2f3 e7e5 g2g4 d8h4", game), finished(game, Side.WHITE), game)
    database.close()


def test_a_game_that_disagrees_is_named(shell, url: str) -> None:
    named = [f"game 2: {WRONG}"]
    assert found(shell, "--database", url) == (named, "Error: of 3 games 1 disagrees\n")


def test_every_game_that_disagrees_is_named(shell, url: str) -> None:
    keep_wrong(url, (4, 5))

    named, error = found(shell, "--database", url)

    assert sorted(named) == [f"game {game}: {WRONG}" for game in (2, 4, 5)]
    assert error == "Error: of 5 games 3 disagree\n"


def test_no_more_are_looked_for_than_can_be_read(shell, url: str) -> None:
    keep_wrong(url, range(4, 30))

    named, error = found(shell, "--database", url)

    assert len(named) == 20
    assert error == "Error: 20 games disagree; the others were not checked\n"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["1", "3"], "2 games, 5 plies: all agree\n"),
        (["--running"], "1 game, 1 ply: all agree\n"),
        (["--limit", "1"], "1 game, 1 ply: all agree\n"),
    ],
)
def test_games_can_be_picked(shell, url: str, options: list[str], said: str) -> None:
    result = shell.run("verify", *options, "--database", url)

    assert (result.exit_code, result.stdout) == (0, said)


def test_nothing_to_check_is_said(shell, url: str) -> None:
    said = shell.refused("verify", "1", "99", "--database", url, code=4)
    assert said == "there is no game 99"
    said = shell.refused("verify", "--player", "Nobody", "--database", url, code=4)
    assert said == "no game passes these filters"


@pytest.mark.parametrize(
    ("options", "said"),
    [([], "0 games: all agree\n"), (["--limit", "5"], "0 games: all agree\n")],
)
def test_an_empty_database_agrees(shell, sqlite_url: str, options: list[str], said: str) -> None:
    migrate(sqlite_url)

    result = shell.run("verify", *options, "--database", sqlite_url)

    assert (result.exit_code, result.stdout) == (0, said)


@pytest.mark.parametrize("options", [["--player", "Ada"], ["--running"], ["--finished"]])
def test_games_that_are_asked_for_must_be_there(shell, sqlite_url: str, options: list[str]) -> None:
    migrate(sqlite_url)

    said = shell.refused("verify", *options, "--database", sqlite_url, code=4)
    assert said == "there are no games in this database yet"


def test_what_a_player_wrote_is_shown_without_what_terminals_obey(shell, url: str) -> None:
    database = Database(url)
    keep(database, moves("e2\x1b[2J", 4), finished(4, None, Reason.ABORTED), 4)
    database.close()

    (said,), _ = found(shell, "4", "--database", url)

    assert said.startswith("game 4: ply 1, e2?[2J is illegal")


def test_a_game_of_a_match_with_two_results_is_named(shell, sqlite_url: str) -> None:
    migrate(sqlite_url)
    database = Database(sqlite_url)
    match = database.tournaments.begin("settings", 7, NOON)
    for game in (1, 2):
        keep(database, moves("f2f3 e7e5 g2g4 d8h4", game), finished(game, Side.BLACK), game)
        database.save([Noted(EncounterBegun(game, match.id, 1), NOON)])
    database.close()
    said, error = found(shell, "--database", sqlite_url)
    assert said == []
    assert "games 1 and 2 are both game 1 of match 1" in error
