"""Matches in the record, and which games are theirs."""

from tests.support.facts import NOON, finished, line, noted
from ulci.rules import Reason
from ulci_server.game import EncounterBegun
from ulci_server.storage import Database


def test_a_match_is_kept_with_its_seed_and_the_places_in_its_files(database: Database) -> None:
    kept = database.tournaments.begin("settings", 7, NOON)
    database.tournaments.keep_files(kept.id, {"pgn": 12})
    (read,) = database.tournaments.all()
    assert read == kept._replace(files={"pgn": 12})
    assert (read.settings, read.seed, read.started_at) == ("settings", 7, NOON)


def test_a_match_is_kept_with_the_digest_of_its_book(database: Database) -> None:
    kept = database.tournaments.begin("settings", 7, NOON)
    other = database.tournaments.begin("other", 8, NOON)
    database.tournaments.keep_book(kept.id, "ab12")
    assert database.tournaments.all() == [kept._replace(book="ab12"), other]


def test_its_games_come_in_the_order_in_which_they_ended(database: Database) -> None:
    kept = database.tournaments.begin("settings", 7, NOON)
    other = database.tournaments.begin("other", 8, NOON)
    facts = []
    for game in (1, 2, 3, 4):
        match = other if game == 4 else kept
        facts += [*line(game, "e2e4"), EncounterBegun(game, match.id, game + 10)]
    facts += [finished(3), finished(1, None, Reason.AGREEMENT)]
    database.save(noted(facts))
    games = database.tournaments.games(kept.id)
    assert [(number, game.id, game.running) for number, game in games] == [
        (13, 3, False),
        (11, 1, False),
        (12, 2, True),
    ]
    assert database.tournaments.lost() == []
