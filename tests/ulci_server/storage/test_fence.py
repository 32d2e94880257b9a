"""A server of a cluster writes facts of its own games, until another one shuts it out."""

from datetime import timedelta

import pytest
import sqlalchemy as sa
from sqlalchemy import event

from tests.support.databases import Server, Start, owners_of
from tests.support.facts import (
    NOON,
    analysed,
    finished,
    happened,
    line,
    noted,
    played,
    reported,
    started,
)
from ulci_server.game import EventKind, Fact, Heartbeat, Released
from ulci_server.storage import (
    Database,
    Epoch,
    FencedError,
    Noted,
    RefusedError,
    migrate,
    sql_engine,
)


def fence(thief: Server, victim: Server) -> None:
    assert thief.database.runs.fence(victim.run, victim.state.beat, NOON)


def moves(server: Server, game: int) -> list[str]:
    return [move.move for move in server.database.games.moves(game)]


def test_a_new_game_belongs_to_the_server_that_stores_it(start: Start) -> None:
    a = start("a")

    a.database.save(noted([started(1), started(2)]))

    assert owners_of(a.database, [1, 2, 3]) == {1: (a.run, 1), 2: (a.run, 1)}
    [first] = a.database.ownership.epochs(2)
    assert (first.epoch, first.run, first.node) == (1, a.run, "a")
    assert first.at == NOON + timedelta(seconds=1)


def test_a_lone_server_owns_its_games_and_is_no_member_of_a_cluster(database: Database) -> None:
    run = database.runs.begin_alone(NOON, "1.3")

    database.save(noted(line(1, "e2e4")))

    assert owners_of(database, [1]) == {1: (run, 1)}
    assert database.ownership.epochs(1) == [Epoch(1, run, "", NOON)]
    assert database.runs.living() == []


def begin_alone(url: str) -> Database:
    lone = Database(url)
    lone.runs.begin_alone(NOON, "1.3")
    return lone


BATCHES = {
    "a move": [played(1, 1, "e7e5")],
    "several kinds of facts": [played(1, 1, "e7e5"), reported(1, "hm"), finished(1)],
    "a new game": line(2, "e2e4"),
    "a sign of life": [Heartbeat(1)],
}


@pytest.mark.parametrize("batch", BATCHES.values(), ids=BATCHES)
def test_a_lone_server_writes_nothing_once_another_one_has_begun(
    database_url: str, batch: list[Fact]
) -> None:
    migrate(database_url)
    first = begin_alone(database_url)
    first.save(noted(line(1, "e2e4")))
    second = begin_alone(database_url)
    before = [first.games.find(), first.games.history(1), first.games.reports(1)]

    with pytest.raises(FencedError, match="run 1 was shut out by another server"):
        first.save(noted(batch))

    assert [second.games.find(), second.games.history(1), second.games.reports(1)] == before
    second.save(noted([played(1, 1, "c7c5")]))
    assert [move.move for move in second.games.moves(1)] == ["e2e4", "c7c5"]
    for server in (first, second):
        server.close()


def test_a_lone_server_writes_nothing_once_a_cluster_has_begun(
    database_url: str, start: Start
) -> None:
    lone = begin_alone(database_url)
    lone.save(noted(line(1, "e2e4")))
    a = start("a")

    with pytest.raises(FencedError):
        lone.save(noted([played(1, 1, "e7e5")]))

    a.database.ownership.claim(NOON, 9)
    a.database.save(noted([played(1, 1, "c7c5")]))
    assert moves(a, 1) == ["e2e4", "c7c5"]
    lone.close()


def test_every_batch_shows_the_others_that_the_server_lives(start: Start) -> None:
    a = start("a")

    for ply in range(3):
        a.database.save(noted([*line(1, ""), played(1, ply, "e2e4")]))

    assert a.state.beat == 3


def test_the_same_batch_may_be_saved_again(start: Start) -> None:
    a = start("a")
    batch = noted([*line(1, "e2e4 e7e5"), reported(1, "hm"), finished(1)])

    a.database.save(batch)
    a.database.save(batch)

    assert moves(a, 1) == ["e2e4", "e7e5"]
    assert len(a.database.ownership.epochs(1)) == len(a.database.games.reports(1)) == 1


FACTS: dict[str, Fact] = {
    "a move": played(1, 1, "e7e5"),
    "another first move": played(1, 0, "d2d4"),
    "an event": happened(1, 2, EventKind.AWAY),
    "a report": reported(1, "hm"),
    "the end": finished(1),
    "the beginning, otherwise": started(1, rated=True),
}


@pytest.mark.parametrize("fact", FACTS.values(), ids=FACTS)
def test_nobody_writes_into_the_games_of_others(start: Start, fact: Fact) -> None:
    a, b = start("a"), start("b")
    a.database.save(noted(line(1, "e2e4")))

    with pytest.raises(RefusedError, match=rf"game 1 belongs to server 'a' \(run {a.run}\)"):
        b.database.save(noted([started(2), fact]))

    assert owners_of(b.database, [1, 2]) == {1: (a.run, 1)}
    assert moves(a, 1) == ["e2e4"]
    assert a.database.games.find()[0].running


def test_who_is_fenced_never_writes_again(start: Start) -> None:
    a, b = start("a"), start("b")
    a.database.save(noted(line(1, "e2e4")))

    fence(b, a)

    batches: list[list[Fact]] = [[played(1, 1, "e7e5")], [started(2)], [Heartbeat(a.run)], []]
    for batch in batches:
        with pytest.raises(FencedError, match=f"run {a.run} was shut out"):
            a.database.save(noted(batch))
    assert moves(b, 1) == ["e2e4"]


def test_who_has_ended_never_writes_again(start: Start) -> None:
    a = start("a")
    a.database.save(noted(line(1, "e2e4")))

    a.database.runs.end(a.run, NOON)

    with pytest.raises(FencedError, match="has ended"):
        a.database.save(noted([played(1, 1, "e7e5")]))


def test_a_game_that_was_released_belongs_to_nobody(start: Start) -> None:
    a, b = start("a"), start("b")
    a.database.save(noted([*line(1, "e2e4"), Released(1, 1)]))

    assert owners_of(a.database, [1]) == {}
    for server in (a, b):
        with pytest.raises(RefusedError, match="game 1 belongs to no server now"):
            server.database.save(noted([played(1, 1, "e7e5")]))
    assert len(a.database.ownership.epochs(1)) == 1


def test_a_fact_behind_the_release_of_its_game_is_refused_in_the_same_batch(start: Start) -> None:
    a = start("a")

    with pytest.raises(RefusedError, match="game 1 was released before: MovePlayed"):
        a.database.save(noted([*line(1, ""), Released(1, 1), played(1, 0, "e2e4")]))


def test_a_lone_server_cannot_release_a_game(database: Database) -> None:
    with pytest.raises(RefusedError, match="only the server of a cluster"):
        database.save(noted([*line(1, ""), Released(1, 0)]))


def test_a_game_that_was_never_begun_cannot_be_released(start: Start) -> None:
    with pytest.raises(RefusedError, match="never begun"):
        start("a").database.save(noted([Released(1, 1)]))


def everything(game: int) -> list[Noted]:
    facts = [*line(game, "e2e4"), happened(game, 2, EventKind.AWAY), reported(game, "hm")]
    return noted([*facts, Heartbeat(1), Released(game, 1)])


def test_a_batch_with_a_release_may_be_saved_again(start: Start) -> None:
    """After a commit with unknown outcome, whoever has the game by then."""
    a, b = start("a"), start("b")
    a.database.save(everything(1))

    a.database.save(everything(1))
    assert owners_of(a.database, [1]) == {}

    b.database.ownership.claim(NOON, 1)
    a.database.save(everything(1))
    assert owners_of(a.database, [1]) == {1: (b.run, 2)}


def test_a_release_that_is_saved_again_does_not_take_back_a_later_claim(start: Start) -> None:
    a = start("a")
    a.database.save(everything(1))
    a.database.ownership.claim(NOON, 1)

    a.database.save(everything(1))

    assert owners_of(a.database, [1]) == {1: (a.run, 2)}
    a.database.save(noted([played(1, 1, "e7e5", seq=3), Released(1, 2)]))
    assert owners_of(a.database, [1]) == {}


def test_one_batch_may_have_games_in_every_state(start: Start) -> None:
    a = start("a")
    a.database.save([*everything(1), *noted(line(2, "d2d4"))])

    a.database.save([*everything(1), *noted([played(2, 1, "d7d5"), *line(3, "c2c4")])])

    assert (moves(a, 1), moves(a, 2), moves(a, 3)) == (["e2e4"], ["d2d4", "d7d5"], ["c2c4"])
    assert owners_of(a.database, [1, 2, 3]) == {2: (a.run, 1), 3: (a.run, 1)}


def test_the_fence_costs_one_statement_a_batch_and_moves_alone_take_one_round_trip(
    postgres_url: str,
) -> None:
    migrate(postgres_url)
    database = Database(postgres_url)
    run = database.runs.begin(NOON, "a")
    lone = statements(database, noted(line(1, "e2e4")), noted([happened(1, 2, EventKind.AWAY)]))
    database.runs.join(run)
    mine = statements(database, noted(line(2, "e2e4")), noted([happened(2, 2, EventKind.AWAY)]))
    moves = statements(database, noted(line(3, "e2e4")), noted([played(3, 1, "e7e5")]))
    database.close()

    assert (lone, mine) == (1, 2)
    assert moves == 0  # SQLAlchemy's, each a round trip like the begin and the commit around them


def test_moves_of_which_some_are_stored_are_saved_unless_one_contradicts(start: Start) -> None:
    a = start("a")
    game = noted(line(1, "e2e4 e7e5 g1f3"))
    a.database.save(game[:3])

    a.database.save(game[2:])
    with pytest.raises(RefusedError, match="otherwise"):
        a.database.save(noted([played(1, 3, "b8c6"), played(1, 2, "d2d4")]))

    assert moves(a, 1) == ["e2e4", "e7e5", "g1f3"]


def test_the_moves_of_a_batch_are_refused_together_if_one_game_belongs_to_another(
    start: Start,
) -> None:
    a, b = start("a"), start("b")
    a.database.save(noted(line(1, "e2e4")))
    b.database.save(noted(line(2, "e2e4")))

    with pytest.raises(RefusedError, match="belongs to server 'a'"):
        b.database.save(noted([played(1, 1, "e7e5"), played(2, 1, "e7e5")]))

    assert (moves(a, 1), moves(b, 2)) == (["e2e4"], ["e2e4"])


def test_moves_with_and_without_analysis_are_stored_as_they_are(start: Start) -> None:
    a = start("a")
    a.database.save(noted([*line(1, ""), *line(2, "")]))
    info = analysed(pv=("e2e4", 'a"b', "c\\d", "{e,f}", "NULL"))
    batch = [played(1, 0, "e2e4"), played(2, 0, "d2d4", info=info), played(1, 1, "e7e5")]

    a.database.save(noted(batch))

    assert moves(a, 1) == ["e2e4", "e7e5"]
    [move] = a.database.games.moves(2)
    assert (move.move, move.info.depth, move.info.pv) == ("d2d4", info.depth, info.pv)


def statements(database: Database, first: list[Noted], second: list[Noted]) -> int:
    """How many run for the second batch."""
    counted: list[str] = []
    database.save(first)

    def count(*args: object) -> None:
        counted.append(str(args[2]))

    event.listen(database.transactions.writer, "before_cursor_execute", count)
    database.save(second)
    event.remove(database.transactions.writer, "before_cursor_execute", count)
    return len(counted)


def test_a_transaction_of_a_server_that_says_nothing_more_is_ended_by_postgres(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sql_engine, "PAUSED", 40.0)
    monkeypatch.setattr(sql_engine, "FROZEN", 10.0)
    migrate(postgres_url)
    database = Database(postgres_url)
    waits = []
    for _ in range(2):
        with database.transactions.writer.connect() as connection:
            query = sa.text("SHOW idle_in_transaction_session_timeout")
            waits.append(connection.scalar(query))
        database.runs.join(1)
    database.close()

    assert waits == ["40s", "10s"]
