"""The directory of a cluster's lobby: what one host stores, the next one reads."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from tests.support.databases import Server, Start
from tests.support.facts import NOON, finished, line, noted, started
from ulci.rules import Reason, Side
from ulci_server.storage import (
    FencedError,
    LobbyChanges,
    LobbyMatch,
    LobbyMember,
    LobbyMovedError,
    LobbySeek,
    StoredLobby,
)
from ulci_server.storage.directory import RECENT

LATER = NOON + timedelta(minutes=1)


def member(handle: str, run: int | None, **said) -> LobbyMember:
    where, keys = ("::1", "[::1]:5"), ("aa", "bb")
    known = LobbyMember(handle, run, 7, *where, keys, "{}", None, Side.WHITE, NOON, False)
    return known._replace(**said)


def take(server: Server) -> StoredLobby:
    return server.database.directory.take(server.run, LATER)


def test_the_next_host_reads_what_the_last_one_stored(start: Start) -> None:
    a, b = start("a"), start("b")
    assert take(a) == StoredLobby([], [], [], {}, {}, [], 0)
    ada = member("Ada", b.run, game=3, side=Side.BLACK, playing=True, host="h\x00st")
    bob = member("Bob", None, keys=(), called_at=None)
    seeks = LobbySeek(5, "Ada", None, "{}"), LobbySeek(4, "Bob", "Ada", "[]")
    changes = LobbyChanges(
        {"Ada": ada, "Bob": bob},
        {seek.id: seek for seek in seeks},
        {9: LobbyMatch(9, "{}")},
        {"cc": (3, NOON)},
        1000,
    )
    a.database.directory.save(a.run, changes)

    stored = take(b)

    assert {one.handle: one for one in stored.members} == {
        "Ada": ada._replace(host="h\N{REPLACEMENT CHARACTER}st"),
        "Bob": bob,
    }
    assert stored.seeks == [seeks[1], seeks[0]]
    assert stored.matches == [LobbyMatch(9, "{}")]
    assert stored.missed == {"cc": 3}
    assert stored.last_seek == 1000
    assert stored.outcomes == {}, "game 3 is not stored"


def test_the_same_changes_may_be_stored_again_and_none_takes_a_thing_away(start: Start) -> None:
    a = start("a")
    take(a)
    changes = LobbyChanges({"Ada": member("Ada", a.run)}, {5: LobbySeek(5, "Ada", None, "{}")})
    for _ in range(2):
        a.database.directory.save(a.run, changes)
    assert len(take(a).members) == 1

    a.database.directory.save(a.run, LobbyChanges({"Ada": None, "Eve": None}, {5: None}))
    assert (take(a).members, take(a).seeks) == ([], [])


def test_who_hosts_the_lobby_no_more_stores_nothing(start: Start) -> None:
    a, b = start("a"), start("b")
    take(a)
    take(b)
    with pytest.raises(LobbyMovedError, match="hosts the lobby no more"):
        a.database.directory.save(a.run, LobbyChanges({"Ada": member("Ada", a.run)}))
    assert take(b).members == []


def test_a_fenced_server_takes_no_lobby(start: Start) -> None:
    a, b = start("a"), start("b")
    take(b)
    assert b.database.runs.fence(a.run, a.state.beat, LATER)
    with pytest.raises(FencedError):
        take(a)
    b.database.directory.save(b.run, LobbyChanges({"Ada": member("Ada", b.run)}))


def test_a_member_of_a_dead_server_has_no_connection(start: Start) -> None:
    a, b = start("a"), start("b")
    take(a)
    both = {"Ada": member("Ada", a.run), "Bob": member("Bob", b.run)}
    a.database.directory.save(a.run, LobbyChanges(both))
    assert b.database.runs.fence(a.run, a.state.beat, LATER)
    assert {one.handle: one.run for one in take(b).members} == {"Ada": None, "Bob": b.run}


def test_the_next_host_knows_the_games_that_run_and_how_others_ended(start: Start) -> None:
    a, b = start("a"), start("b")
    take(a)
    ended = finished(2, Side.WHITE, Reason.RESIGNATION)
    a.database.save(noted([*line(1, "e2e4"), *line(2, "e2e4"), ended]))
    b.database.save(noted([started(3)]))
    ada = member("Ada", a.run, game=2, playing=True)
    a.database.directory.save(a.run, LobbyChanges({"Ada": ada}, missed={"cc": (2, LATER)}))
    assert b.database.runs.fence(a.run, a.state.beat, LATER)

    stored = take(b)

    games = [(one.game, one.owner, one.epoch) for one in stored.games]
    assert games == [(1, None, 1), (3, b.run, 1)]
    assert stored.games[0].seats == started(1).seats
    assert stored.outcomes == {1: None, 2: ended.outcome, 3: None}
    assert stored.missed == {"cc": 2}


def test_a_missed_result_is_kept_for_some_minutes(start: Start) -> None:
    a = start("a")
    take(a)
    missed = {"old": (1, LATER - RECENT - timedelta(seconds=1)), "new": (2, LATER - RECENT)}
    a.database.directory.save(a.run, LobbyChanges(missed=missed))
    assert take(a).missed == {"new": 2}


@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)  # SQLite has one writer
def test_a_lobby_is_stored_beside_facts_without_waiting_for_them(start: Start) -> None:
    a = start("a")
    take(a)
    with a.database.transactions.writer.begin() as other:  # a commit of facts is under way
        held = sa.text("UPDATE runs SET beat = beat + 1 WHERE id = :run")
        other.execute(held, {"run": a.run})
        a.database.directory.save(a.run, LobbyChanges({"Ada": member("Ada", None)}))
