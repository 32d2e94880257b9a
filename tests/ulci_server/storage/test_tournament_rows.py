"""Tournaments in SQL: what is created, what its director decides, and what others change."""

import pytest

from tests.support.facts import NOON, finished, happened, line, noted, played, started
from ulci.rules import Reason, Side
from ulci_server.game import EncounterBegun, EventKind
from ulci_server.storage import (
    Database,
    EntrantRecord,
    PairingRecord,
    RefusedError,
    TournamentChangedError,
    TournamentState,
)

ADA, BOB = EntrantRecord(1, "Ada", rating=1700.5), EntrantRecord(2, "Bob", engine="bob", boards=3)
FIRST = PairingRecord(1, 1, 1, 2, 0)


def test_a_tournament_is_found_by_its_name_and_has_not_begun(database: Database) -> None:
    made = database.tournaments.create("name = 'Cup'", 7, "cup", NOON, by="Eve")
    assert database.tournaments.named("cup") == made
    assert (made.state, made.by, made.begun_at) == (TournamentState.CREATED, "Eve", None)
    assert database.tournaments.named("other") is None
    assert database.tournaments.named("") is None


def test_two_tournaments_cannot_have_one_name(database: Database) -> None:
    database.tournaments.create("", 7, "cup", NOON)
    with pytest.raises(RefusedError, match="there is a tournament cup already"):
        database.tournaments.create("", 8, "cup", NOON)


def test_a_match_is_no_tournament(database: Database) -> None:
    database.tournaments.begin("settings", 7, NOON)
    assert database.tournaments.overview() == []


def test_entrants_pairings_and_games_come_back_as_they_were_stored(database: Database) -> None:
    made = database.tournaments.create("", 7, "cup", NOON, entrants=[ADA, BOB])
    bye = PairingRecord(2, 1, 2, None, 0, "1-0", "a bye")
    database.tournaments.save(made.id, 0, NOON, begun_at=NOON, pairings=[FIRST, bye])
    database.save(noted([*line(5, "e2e4 e7e5"), EncounterBegun(5, made.id, 1)]))
    database.save(noted([finished(5, None, Reason.AGREEMENT)]))
    stored = database.tournaments.stored(made.id)
    assert stored is not None
    assert (stored.record.begun_at, stored.record.changes) == (NOON, 0)
    assert stored.entrants == [ADA, BOB]
    assert stored.pairings == [FIRST, bye]
    (game,) = stored.games
    assert (game.number, game.game, game.score, game.reason) == (1, 5, "1/2-1/2", "agreement")
    assert (game.moves, game.berserk) == ((1, 1), (False, False))


def test_only_games_that_are_over_have_results(database: Database) -> None:
    made = database.tournaments.create("", 7, "cup", NOON, entrants=[ADA, BOB])
    facts = []
    for game in (1, 2, 3):
        facts += [*line(game, "e2e4"), EncounterBegun(game, made.id, game + 10)]
    database.save(noted([*facts, finished(2), finished(1)]))
    found = database.tournaments.results(made.id, [11, 13])
    assert [(one.number, one.game) for one in found] == [(11, 1)]


def test_own_moves_are_counted_without_those_of_a_book_or_made_again(database: Database) -> None:
    made = database.tournaments.create("", 7, "cup", NOON, entrants=[ADA, BOB])
    moves = [
        played(1, 3, "g1f3", side=Side.WHITE, seq=1),
        happened(1, 2, EventKind.TAKEN_BACK, ply=2, amount=1),
        played(1, 3, "b1c3", side=Side.WHITE, seq=3),
    ]
    berserk = happened(1, 4, EventKind.BERSERK, ply=3, side=Side.BLACK, amount=5)
    begun = [started(1, opening=("e2e4", "e7e5")), EncounterBegun(1, made.id, 1)]
    database.save(noted([*begun, *moves, berserk, finished(1)]))
    (game,) = database.tournaments.results(made.id, [1])
    assert (game.moves, game.berserk) == ((1, 0), (False, True))


def test_a_row_that_is_stored_again_replaces_the_one_before(database: Database) -> None:
    made = database.tournaments.create("", 7, "cup", NOON, entrants=[ADA, BOB])
    late = FIRST._replace(score="0-1", why="Ada was late")
    left = ADA._replace(left=2, why="twice absent")
    database.tournaments.save(made.id, 0, NOON, pairings=[FIRST])
    database.tournaments.save(made.id, 0, NOON, pairings=[late], entrants=[left])
    stored = database.tournaments.stored(made.id)
    assert stored is not None
    assert (stored.pairings, stored.entrants) == ([late], [left, BOB])


def test_a_director_who_does_not_know_of_a_change_reads_anew(database: Database) -> None:
    made = database.tournaments.create("", 7, "cup", NOON, entrants=[ADA, BOB])
    database.tournaments.change(made.id, NOON, state=TournamentState.RUNNING, allowed_round=2)
    with pytest.raises(TournamentChangedError):
        database.tournaments.save(made.id, 0, NOON, pairings=[FIRST])
    stored = database.tournaments.stored(made.id)
    assert stored is not None
    assert stored.pairings == []
    assert stored.record.state is TournamentState.RUNNING
    assert (stored.record.changes, stored.record.allowed_round) == (1, 2)
    database.tournaments.save(made.id, 1, NOON, pairings=[FIRST])


def test_a_change_of_rows_that_others_have_changed_is_decided_anew(database: Database) -> None:
    made = database.tournaments.create("", 7, "cup", NOON, entrants=[ADA, BOB])
    before = database.tournaments.stored(made.id)
    database.tournaments.save(made.id, 0, NOON, pairings=[FIRST])
    mine = FIRST._replace(score="0-1", by="Cyd")
    with pytest.raises(TournamentChangedError):
        database.tournaments.change(made.id, NOON, pairings=[mine], since=before)
    now = database.tournaments.stored(made.id)
    assert now is not None
    assert now.pairings == [FIRST]
    assert now.record.changes == 0
    database.tournaments.change(made.id, NOON, pairings=[mine], since=now)
    with pytest.raises(TournamentChangedError):
        database.tournaments.change(made.id, NOON, pairings=[FIRST], since=now)
    database.tournaments.change(made.id, NOON, entrants=[ADA._replace(left=2)], since=now)


def test_a_tournament_that_is_over_is_changed_no_more(database: Database) -> None:
    made = database.tournaments.create("", 7, "cup", NOON)
    database.tournaments.save(made.id, 0, NOON, state=TournamentState.FINISHED)
    with pytest.raises(RefusedError, match="it is over"):
        database.tournaments.change(made.id, NOON, state=TournamentState.RUNNING)
    assert database.tournaments.overview(open_only=True) == []
    (listed,) = database.tournaments.overview()
    assert (listed.word, listed.state) == ("cup", TournamentState.FINISHED)


def test_the_overview_counts_those_who_have_not_left(database: Database) -> None:
    database.tournaments.create("", 7, "a", NOON, entrants=[ADA._replace(left=1), BOB])
    database.tournaments.create("", 7, "b", NOON)
    assert [(one.word, one.entrants) for one in database.tournaments.overview()] == [
        ("b", 0),
        ("a", 1),
    ]
