"""Each game of a match is in the record, and has one result."""

import pytest

from tests.support.facts import NOON, finished, line, noted
from ulci.rules import Reason
from ulci_server.game import EncounterBegun, Fact
from ulci_server.storage import MemoryDatabase
from ulci_server.storage.verify import DisagreementError, check_encounters


def with_games(*facts: Fact) -> MemoryDatabase:
    """A match whose games 1 and 2 in the record are both its game 5."""
    database = MemoryDatabase()
    kept = database.tournaments.begin("settings", 7, NOON)
    begun = [fact for game in (1, 2) for fact in line(game, "e2e4")]
    places = [EncounterBegun(game, kept.id, 5) for game in (1, 2)]
    database.save(noted([*begun, *places, *facts]))
    return database


def test_a_void_game_may_be_played_again() -> None:
    check_encounters(with_games(finished(1, None, Reason.ABORTED), finished(2)))
    check_encounters(with_games(finished(1)))


def test_a_game_of_a_match_has_one_result() -> None:
    with pytest.raises(DisagreementError, match="games 1 and 2 are both game 5 of match 1"):
        check_encounters(with_games(finished(1), finished(2)))


def test_a_game_of_a_match_is_in_the_record() -> None:
    database = MemoryDatabase()
    kept = database.tournaments.begin("settings", 7, NOON)
    with database.transactions.writer.connect() as connection:
        connection.exec_driver_sql("COMMIT")
        connection.exec_driver_sql("PRAGMA foreign_keys = OFF")
        connection.exec_driver_sql(
            f"INSERT INTO encounters (game_id, tournament_id, number) VALUES (9, {kept.id}, 1)"
        )
    with pytest.raises(DisagreementError, match="game 9 belongs to a match"):
        check_encounters(database)
