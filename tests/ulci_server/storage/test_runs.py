"""Runs: who lives, who is shut out, who begins."""

import threading
from datetime import timedelta

import pytest

from tests.support.databases import Server, Start
from tests.support.facts import NOON, finished, line, noted, played
from ulci_server.game import Heartbeat
from ulci_server.storage import (
    Database,
    FencedError,
    RunInfo,
    RunState,
    migrate,
)

LATER = NOON + timedelta(seconds=5)


def test_a_beat_shows_all_who_may_write_the_oldest_first(start: Start) -> None:
    a, b, c = start("a"), start("b"), start("c")
    a.database.save(noted([*line(1, ""), *line(2, ""), *line(3, ""), finished(3)]))
    c.database.runs.end(c.run, NOON)

    states = b.database.runs.beat(b.run, True, LATER)

    assert states == [
        RunState(a.run, "a", 1, 1, False, NOON, 2, "1.2\x1b"),
        RunState(b.run, "b", 1, 1, True, NOON, 0, "1.2\x1b"),
    ]
    assert b.database.runs.living() == states


def test_a_beat_shows_the_next_run_when_this_one_was_alive(start: Start) -> None:
    a = start("a")

    a.database.runs.beat(a.run, False, LATER, 17)
    a.database.save([*noted([Heartbeat(a.run, 18)], NOON)])
    a.database.runs.beat(a.run, False, NOON, 19)

    a.database.save(noted(line(1, "")))
    a.database.runs.begin_alone(LATER, "1.3")
    [claimed] = a.database.ownership.claim(LATER, 1)
    assert claimed.before == RunInfo(a.run, LATER, 19)


def test_who_stands_still_can_be_fenced_once(start: Start) -> None:
    a, b = start("a"), start("b")
    stood = a.state.beat

    assert b.database.runs.fence(a.run, stood, NOON)

    assert not b.database.runs.fence(a.run, stood, NOON)
    assert [state.id for state in b.database.runs.beat(b.run, False, NOON)] == [b.run]
    with pytest.raises(FencedError, match=f"run {a.run} was shut out"):
        a.database.runs.beat(a.run, False, NOON)


def test_who_has_beaten_meanwhile_is_not_fenced(start: Start) -> None:
    a, b = start("a"), start("b")
    for shows in (
        lambda: a.database.runs.beat(a.run, False, NOON),
        lambda: a.database.save(noted(line(1, ""))),
        lambda: a.database.ownership.claim(NOON, 1),
    ):
        stood = a.state.beat
        shows()
        assert not b.database.runs.fence(a.run, stood, NOON)
    a.database.save(noted([played(1, 0, "e2e4")]))


def test_who_has_ended_or_never_was_is_not_fenced(start: Start) -> None:
    a, b = start("a"), start("b")
    a.database.runs.end(a.run, NOON)

    assert not b.database.runs.fence(a.run, 0, NOON)
    assert not b.database.runs.fence(99, 0, NOON)


def test_who_commits_at_the_moment_is_not_fenced_and_not_waited_for(postgres_url: str) -> None:
    migrate(postgres_url)
    a, b = Database(postgres_url), Database(postgres_url)
    run = a.runs.begin(NOON, "a")
    b.runs.begin(NOON, "b")
    with a.transactions.writer.begin() as commit:
        commit.exec_driver_sql(f"UPDATE runs SET beat = beat + 1 WHERE id = {run}")
        assert not b.runs.fence(run, 0, NOON)
    assert not b.runs.fence(run, 0, NOON)
    assert b.runs.fence(run, 1, NOON)
    a.close()
    b.close()


def test_of_many_who_fence_at_once_one_does(start: Start) -> None:
    victim, thieves = start("a"), [start(name) for name in "bcd"]
    stood = victim.state.beat
    done: list[bool] = []

    def steal(thief: Server) -> None:
        done.append(thief.database.runs.fence(victim.run, stood, NOON))

    threads = [threading.Thread(target=steal, args=(thief,)) for thief in thieves]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(done) == [False, False, True]


def test_a_server_of_the_same_name_is_seen_before_another_one_begins(start: Start) -> None:
    a = start("a")

    assert a.database.runs.living_named("a") == a.state
    assert a.database.runs.living_named("b") is None
    a.database.runs.end(a.run, NOON)
    assert a.database.runs.living_named("a") is None


def test_a_lone_server_that_begins_shuts_all_others_out(database_url: str, start: Start) -> None:
    a = start("a")
    a.database.save(noted(line(1, "e2e4")))
    for newer in range(2):
        lone = Database(database_url)
        assert lone.runs.begin_alone(NOON, "1.3") == a.run + 1 + newer
        lone.close()

    assert a.database.runs.living() == []
    with pytest.raises(FencedError):
        a.database.save(noted([played(1, 1, "e7e5")]))


def test_of_servers_that_begin_at_the_same_moment_only_those_of_one_cluster_live(
    database_url: str,
) -> None:
    migrate(database_url)
    servers = [Database(database_url) for _ in range(6)]

    def begin(server: Database, node: str) -> None:
        if node:
            server.runs.join(server.runs.begin(NOON, node))
        else:
            server.runs.begin_alone(NOON, "1.3")

    threads = [
        threading.Thread(target=begin, args=(server, node))
        for server, node in zip(servers, ["", "a", "", "b", "", ""], strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    lone = [server for server in servers if server.runs.alone and may_write(server)]
    members = [server for server in servers if not server.runs.alone and may_write(server)]
    assert len(lone) + bool(members) == 1
    for server in servers:
        server.close()


def may_write(server: Database) -> bool:
    try:
        server.save([])
    except FencedError:
        return False
    return True


def test_a_run_gets_a_higher_number_than_its_server_has_known(start: Start) -> None:
    """As a database that was restored from a copy would give numbers again."""
    a = start("a")

    begun = [a.database.runs.begin(NOON, "b", above=above) for above in (a.run, 70, 7)]

    assert begun == [a.run + 1, 71, 72]


def test_a_server_that_leaves_its_run_ends_it(start: Start) -> None:
    a, b = start("a"), start("b")

    assert b.database.runs.leave(b.run, "b", LATER)

    assert [state.id for state in a.database.runs.living()] == [a.run]
    assert b.database.runs.leave(b.run, "b", LATER)


def test_a_run_that_the_database_does_not_know_or_that_is_anothers_cannot_be_left(
    start: Start,
) -> None:
    a, b = start("a"), start("b")

    assert not a.database.runs.leave(a.run, "b", LATER)
    assert not a.database.runs.leave(b.run + 1, "b", LATER)
    assert len(a.database.runs.living()) == 2
