"""What the record says of a match, so that it goes on where it was."""

import pytest

from tests.support.facts import NOON, finished, line, noted
from ulci_server.game import EncounterBegun
from ulci_server.match import OtherMatchError, recall
from ulci_server.storage import MemoryDatabase


def test_a_match_goes_on_with_its_seed_and_its_games() -> None:
    database = MemoryDatabase()
    new = recall(database, "settings", 7, NOON)
    assert (new.ended, dict(new.running)) == ((), {})
    games = [*line(1, "e2e4"), EncounterBegun(1, new.kept.id, 3)]
    games += [*line(2, "e2e4"), EncounterBegun(2, new.kept.id, 4), finished(2)]
    database.save(noted(games))
    again = recall(database, "settings", 99, NOON)
    assert (again.kept.id, again.kept.seed) == (new.kept.id, 7)
    assert [(number, game.id) for number, game in again.ended] == [(4, 2)]
    assert dict(again.running) == {1: 3}


def test_another_match_is_refused_once_games_were_played() -> None:
    database = MemoryDatabase()
    kept = recall(database, "settings", 7, NOON).kept
    assert recall(database, "others", 7, NOON).kept.id != kept.id
    database.save(noted([*line(1, "e2e4"), EncounterBegun(1, kept.id, 1)]))
    with pytest.raises(OtherMatchError, match="-db FILE"):
        recall(database, "third", 7, NOON)
