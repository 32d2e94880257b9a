"""Running games: each belongs to one server at most, and nobody's games are handed out once."""

import threading
from collections.abc import Sequence
from contextlib import closing
from datetime import timedelta

import pytest

from tests.support.databases import Server, Start, owners_of
from tests.support.facts import NOON, finished, happened, line, noted, played, started
from ulci.rules import Side
from ulci_server.game import EventKind, Released
from ulci_server.storage import (
    Absences,
    Claimed,
    Database,
    Epoch,
    FencedError,
    MemoryDatabase,
    Noted,
    RunInfo,
    StorageError,
)

LATER = NOON + timedelta(minutes=1)


def games(claimed: Sequence[Claimed]) -> list[int]:
    return [one.unfinished.started.game for one in claimed]


def kill(server: Server) -> None:
    """It is found dead and fenced."""
    assert server.database.runs.fence(server.run, server.state.beat, LATER)


def test_the_games_of_the_living_are_nobody_elses(start: Start) -> None:
    a, b = start("a"), start("b")
    a.database.save(noted(line(1, "e2e4")))

    assert b.database.ownership.claim(LATER, 10) == []
    assert a.database.ownership.claim(LATER, 10) == []


def test_the_games_of_the_dead_are_resumed_with_all_that_is_known_of_them(start: Start) -> None:
    a, b = start("a"), start("b")
    facts = noted(line(1, "e2e4 e7e5", lag="quota"))
    a.database.save(facts)
    a.database.runs.beat(a.run, False, LATER, 17)
    kill(a)

    [claimed] = b.database.ownership.claim(LATER, 10)

    assert (claimed.unfinished.started, claimed.unfinished.at) == facts[0]
    assert [noted.at for noted in claimed.unfinished.history] == [at for _, at in facts[1:]]
    assert claimed.unfinished.history == b.database.games.history(1)
    assert claimed.epoch == 2
    assert claimed.before == RunInfo(a.run, LATER, 17)
    assert owners_of(b.database, [1]) == {1: (b.run, 2)}
    b.database.save(noted([played(1, 2, "g1f3", seq=2), finished(1)]))


@pytest.mark.parametrize(
    ("events", "away"),
    [
        ([], None),
        ([(EventKind.AWAY, Side.BLACK)], 1),
        ([(EventKind.AWAY, Side.BLACK), (EventKind.BACK, Side.BLACK)], None),
        ([(EventKind.AWAY, Side.BLACK), (EventKind.BACK, Side.WHITE)], 1),
        ([(EventKind.LEFT, Side.WHITE)], 1),
        ([(EventKind.RESUMED, Side.BLACK)], 2),  # its side is only that of the mover
        ([(EventKind.RESUMED, Side.BLACK), (EventKind.BACK, Side.WHITE)], 1),
        ([(EventKind.PAUSED, Side.BLACK), (EventKind.RESUMED, Side.BLACK)], 2),
    ],
)
def test_games_wait_for_players_who_have_not_come_back(
    start: Start, events: Sequence[tuple[EventKind, Side]], away: int | None
) -> None:
    a = start("a")
    facts = [happened(1, seq, what, side=side) for seq, (what, side) in enumerate(events, 2)]
    a.database.save(noted([*line(1, "e2e4"), *facts]))
    found = a.database.ownership.absences()
    assert found == ([] if away is None else [Absences(a.run, 1, int(away == 2))])

    a.database.save(noted([finished(1)]))
    assert a.database.ownership.absences() == []


def test_who_ended_properly_leaves_games_that_can_be_claimed(start: Start) -> None:
    a, b = start("a"), start("b")
    a.database.save(noted(line(1, "e2e4")))
    a.database.runs.end(a.run, LATER)

    [claimed] = b.database.ownership.claim(LATER, 10)

    assert claimed.before == RunInfo(a.run, LATER)


def test_a_game_given_away_is_claimed_with_who_had_it(start: Start) -> None:
    a, b = start("a"), start("b")
    a.database.save(noted([*line(1, "e2e4"), Released(1, 1)]))

    [claimed] = b.database.ownership.claim(LATER, 10)

    assert claimed.epoch == 2
    assert claimed.before == RunInfo(a.run, NOON)


def test_games_that_are_over_are_not_claimed(start: Start) -> None:
    a, b = start("a"), start("b")
    a.database.save(noted([*line(1, "e2e4"), finished(1)]))
    kill(a)

    assert b.database.ownership.claim(LATER, 10) == []


def test_no_more_are_claimed_than_asked_for_and_the_oldest_first(start: Start) -> None:
    a, b = start("a"), start("b")
    a.database.save(noted([started(n) for n in range(1, 6)]))
    kill(a)

    assert games(b.database.ownership.claim(LATER, 2)) == [1, 2]
    assert games(b.database.ownership.claim(LATER, 2)) == [3, 4]
    assert games(b.database.ownership.claim(LATER, 2)) == [5]
    assert games(b.database.ownership.claim(LATER, 2)) == []


def test_epochs_rise_by_one_and_are_remembered(start: Start) -> None:
    a, b, c = start("a"), start("b"), start("c")
    a.database.save(noted(line(1, "e2e4")))
    kill(a)
    b.database.ownership.claim(LATER, 1)
    kill(b)
    c.database.ownership.claim(LATER + timedelta(seconds=1), 1)

    assert c.database.ownership.epochs(1) == [
        Epoch(1, a.run, "a", NOON),
        Epoch(2, b.run, "b", LATER),
        Epoch(3, c.run, "c", LATER + timedelta(seconds=1)),
    ]


def test_who_died_before_it_went_on_with_a_game_is_not_the_one_before(start: Start) -> None:
    a, b, c = start("a"), start("b"), start("c")
    a.database.save(noted(line(1, "e2e4")))
    a.database.runs.beat(a.run, False, LATER, 17)
    kill(a)
    b.database.ownership.claim(LATER + timedelta(seconds=2), 1)
    b.database.runs.beat(b.run, False, LATER + timedelta(seconds=3), 5)
    kill(b)

    [claimed] = c.database.ownership.claim(LATER + timedelta(seconds=4), 1)

    assert claimed.before == RunInfo(a.run, LATER, 17)


def test_who_is_fenced_claims_nothing(start: Start) -> None:
    a, b = start("a"), start("b")
    a.database.save(noted(line(1, "e2e4")))
    kill(a)
    kill(b)

    for server in (a, b):
        with pytest.raises(FencedError):
            server.database.ownership.claim(LATER, 10)
    assert a.database.ownership.epochs(1) == [Epoch(1, a.run, "a", NOON)]


def test_of_thieves_that_claim_at_once_exactly_one_gets_each_game(start: Start) -> None:
    dead, thieves = start("dead"), [start(name) for name in "bcd"]
    dead.database.save(noted([started(n) for n in range(1, 61)]))
    kill(dead)
    got: dict[int, list[int]] = {thief.run: [] for thief in thieves}

    def steal(thief: Server) -> None:
        while claimed := thief.database.ownership.claim(LATER, 7):
            got[thief.run] += games(claimed)

    threads = [threading.Thread(target=steal, args=(thief,)) for thief in thieves]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for thief in thieves:  # what one left out because another one held it at the moment
        steal(thief)

    assert sorted(game for mine in got.values() for game in mine) == [*range(1, 61)]
    owners = owners_of(dead.database, range(1, 61))
    assert owners == {game: (run, 2) for run, mine in got.items() for game in mine}


def test_what_was_claimed_when_the_answer_was_lost_comes_with_the_next_call(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = start("a"), start("b")
    a.database.save(noted([started(1), started(2), started(3)]))
    kill(a)

    def fail(*_: object) -> None:
        raise StorageError("the database is gone")

    with monkeypatch.context() as patch:
        patch.setattr(b.database.games, "unfinished", fail)
        with pytest.raises(StorageError):
            b.database.ownership.claim(LATER, 2)
    assert owners_of(b.database, [1, 2]) == {1: (b.run, 2), 2: (b.run, 2)}

    assert games(b.database.ownership.claim(LATER, 10)) == [1, 2, 3]
    assert games(b.database.ownership.claim(LATER, 10)) == []
    assert len(b.database.ownership.epochs(1)) == 2


# A cluster after a lone server, and the other way round


def test_a_lone_server_claims_all_games_whoever_owned_them(database_url: str, start: Start) -> None:
    a, b = start("a"), start("b")
    a.database.save(noted(line(1, "e2e4")))
    b.database.save(noted([*line(2, "d2d4"), *line(3, ""), Released(3, 1)]))
    with closing(Database(database_url)) as lone:
        run = lone.runs.begin_alone(LATER, "1.3")

        claimed = lone.ownership.claim(LATER, 10)

        assert {one.unfinished.started.game: one.before for one in claimed} == {
            1: RunInfo(a.run, NOON),
            2: RunInfo(b.run, NOON),
            3: RunInfo(b.run, NOON),
        }
        assert owners_of(lone, [1, 2, 3]) == dict.fromkeys([1, 2, 3], (run, 2))


def test_only_those_games_are_claimed_that_are_asked_for(start: Start) -> None:
    a, b = start("a"), start("b")
    a.database.save(noted([started(n) for n in range(1, 5)]))
    kill(a)

    assert games(b.database.ownership.claim(LATER, 10, only=[2, 4, 9])) == [2, 4]
    assert games(b.database.ownership.claim(LATER, 10, only=[])) == []
    assert games(b.database.ownership.claim(LATER, 10)) == [1, 3]


def test_the_cluster_claims_what_a_lone_server_left(database: Database) -> None:
    lone = database.runs.begin_alone(NOON, "1.3")
    database.save(noted(line(1, "e2e4")))
    database.runs.end(lone, LATER)
    database.runs.join(database.runs.begin(LATER, "a"))

    [claimed] = database.ownership.claim(LATER, 10)

    assert claimed.epoch == 2
    assert claimed.before == RunInfo(lone, LATER)
    assert [owner.node for owner in database.ownership.epochs(1)] == ["", "a"]


def test_the_lone_server_in_between_is_the_one_before(database_url: str, start: Start) -> None:
    a = start("a")
    a.database.save(noted(line(1, "e2e4")))
    with closing(Database(database_url)) as lone:
        run = lone.runs.begin_alone(NOON, "1.3")
        lone.ownership.claim(NOON, 1)
        lone.save(noted([played(1, 1, "e7e5")]))
        lone.runs.end(run, LATER)
    b = start("b")

    [claimed] = b.database.ownership.claim(LATER, 10)

    assert claimed.before == RunInfo(run, LATER)
    assert [owner.node for owner in b.database.ownership.epochs(1)] == ["a", "", "b"]


def test_a_lone_server_of_before_such_servers_owned_games_had_all_that_ran(
    database_url: str, start: Start
) -> None:
    a = start("a")
    a.database.save(noted(line(1, "e2e4")))
    with closing(Database(database_url)) as lone, closing(Database(database_url)) as later:
        old = lone.runs.begin(NOON)
        lone.save(noted([played(1, 1, "e7e5"), *line(2, "e2e4")]))
        run = later.runs.begin_alone(LATER, "1.3")
        claimed = later.ownership.claim(LATER, 10)
        assert [one.before for one in claimed] == [RunInfo(old, NOON)] * 2
        later.save([Noted(played(2, 1, "e7e5"), LATER)])
    b = start("b")

    claimed = b.database.ownership.claim(LATER, 10)

    assert [(one.epoch, one.before) for one in claimed] == [
        (3, RunInfo(old, NOON)),  # nothing was heard of it since then
        (2, RunInfo(run, LATER)),
    ]


# Numbers and the key


def test_numbers_of_new_games_are_nobody_elses(start: Start) -> None:
    a, b = start("a"), start("b")

    drawn = [one.database.ownership.draw_numbers(count) for one, count in ((a, 3), (b, 2), (a, 1))]

    assert drawn == [range(1, 4), range(4, 6), range(6, 7)]


def test_numbers_of_new_games_are_above_all_that_are_stored(database: Database) -> None:
    database.save(noted([started(17)]))

    assert database.ownership.draw_numbers(2) == range(18, 20)
    assert database.ownership.draw_numbers(2) == range(20, 22)


def test_and_above_the_one_that_is_asked_for(database: Database) -> None:
    assert database.ownership.draw_numbers(2, 17) == range(18, 20)
    assert database.ownership.draw_numbers(2, 17) == range(20, 22)


def test_the_key_is_that_of_the_database(start: Start) -> None:
    a, b = start("a"), start("b")

    assert a.database.runs.installation_key() == b.database.runs.installation_key()
    assert len(bytes.fromhex(a.database.runs.installation_key())) == 16


def test_two_databases_have_two_keys(database: Database) -> None:
    assert database.runs.installation_key() != MemoryDatabase().runs.installation_key()


def test_the_outcomes_of_games_that_are_stored(start: Start) -> None:
    a = start("a")
    a.database.save(noted([*line(1, "e2e4"), *line(2, "e2e4"), finished(1)]))

    outcomes = a.database.games.outcomes([1, 2, 3])

    assert {*outcomes} == {1, 2}
    assert outcomes[1] == finished(1).outcome
    assert outcomes[2] is None
