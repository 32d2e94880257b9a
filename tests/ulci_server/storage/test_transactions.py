"""What only a database does: it refuses states that do not exist, and keeps its promises."""

import sqlite3
import sys
import threading
from contextlib import suppress
from datetime import timedelta, timezone
from typing import Any

import pytest
import sqlalchemy as sa

from tests.support.facts import NOON, happened, line, noted, played, reported, started
from ulci_server.game import EventKind
from ulci_server.storage import Database, StorageError, migrate, open_database
from ulci_server.storage.schema import BANS, EVENTS, GAMES, MOVES, PLAYERS, REPORTS, TOKENS
from ulci_server.storage.sql_engine import READERS

Values = dict[str, Any]

GAME: Values = {
    "id": 1,
    "rules": "chess",
    "control": "300+3",
    "pool": "",
    "rated": False,
    "started_at": NOON,
} | {
    f"{word}_{column}": value
    for word in ("white", "black")
    for column, value in {"name": "X", "kind": "human", "author": "", "title": ""}.items()
}
END: Values = {"status": "finished", "result": "1-0", "reason": "time", "finished_at": NOON}
MOVE: Values = {
    "game_id": 1,
    "seq": 1,
    "ply": 0,
    "side": 0,
    "move": "e2e4",
    "at": NOON,
    "spent_ms": 1,
}
EVENT: Values = {
    "game_id": 1,
    "seq": 1,
    "ply": 0,
    "at": NOON,
    "what": "away",
    "amount": 0,
    "text": "",
}
REPORT: Values = {"game_id": 1, "ply": 0, "side": 0, "source": "player", "text": "", "at": NOON}
PLAYER: Values = {"name": "X", "folded": "x", "kind": "human", "created_at": NOON}
TOKEN: Values = {"player_id": 1, "hash": "00", "scope": "play", "created_at": NOON}
BAN: Values = {"kind": "name", "value": "x", "by": "root", "why": "", "at": NOON}

NO_SUCH_STATE: list[tuple[sa.Table, Values]] = [
    (GAMES, GAME | {"id": 0}),
    (GAMES, GAME | {"white_kind": "dog"}),
    (GAMES, GAME | {"black_kind": ""}),
    (GAMES, GAME | {"white_name": None}),
    (GAMES, GAME | {"white_id": 99}),
    (GAMES, GAME | {"status": "paused"}),
    (GAMES, GAME | {"status": "finished"}),
    (GAMES, GAME | {"result": "1-0"}),
    (GAMES, GAME | {"reason": "time"}),
    (GAMES, GAME | {"finished_at": NOON}),
    (GAMES, GAME | END | {"result": None}),
    (GAMES, GAME | END | {"reason": None}),
    (GAMES, GAME | END | {"finished_at": None}),
    (GAMES, GAME | END | {"status": "running"}),
    (GAMES, GAME | END | {"result": "2-0"}),
    (GAMES, GAME | END | {"result": "*"}),
    (GAMES, GAME | END | {"reason": "boredom"}),
    (MOVES, MOVE | {"game_id": 99}),
    (MOVES, MOVE | {"ply": -1}),
    (MOVES, MOVE | {"seq": -1}),
    (MOVES, MOVE | {"held_ms": -1}),
    (EVENTS, EVENT | {"game_id": 99}),
    (EVENTS, EVENT | {"seq": -1}),
    (EVENTS, EVENT | {"ply": -1}),
    (EVENTS, EVENT | {"what": "tea"}),
    (EVENTS, EVENT | {"side": 2}),
    (TOKENS, TOKEN | {"player_id": 99}),
    (TOKENS, TOKEN | {"scope": "all"}),
    (BANS, BAN | {"kind": "dog"}),
    (MOVES, MOVE | {"side": 2}),
    (MOVES, MOVE | {"spent_ms": -1}),
    (MOVES, MOVE | {"left_ms": -1}),
    (MOVES, MOVE | {"lag_ms": -1}),
    (MOVES, MOVE | {"stall_ms": -1}),
    (MOVES, MOVE | {"score_cp": 1, "score_mate": 1}),
    (MOVES, MOVE | {"score_bound": "lowerbound"}),
    (MOVES, MOVE | {"score_cp": 1, "score_bound": "about"}),
    (REPORTS, REPORT | {"game_id": 99}),
    (REPORTS, REPORT | {"ply": -1}),
    (REPORTS, REPORT | {"side": -1}),
    (REPORTS, REPORT | {"source": "gossip"}),
    (PLAYERS, PLAYER | {"kind": "dog"}),
    (PLAYERS, PLAYER | {"name": None}),
]

STATES: list[tuple[sa.Table, Values]] = [
    (GAMES, GAME | {"id": 2}),
    (GAMES, GAME | {"id": 2} | END),
    (GAMES, GAME | {"id": 2} | END | {"result": "*", "reason": "aborted"}),
    (MOVES, MOVE),
    (MOVES, MOVE | {"left_ms": 0, "score_mate": 0, "score_bound": "upperbound"}),
    (REPORTS, REPORT),
    (PLAYERS, PLAYER),
    (BANS, BAN | {"until": NOON}),
    *((EVENTS, EVENT | {"what": what.value}) for what in EventKind),
]


@pytest.fixture
def with_a_game(sql_database: Database) -> Database:
    insert(sql_database, GAMES, GAME)
    return sql_database


def insert(database: Database, table: sa.Table, values: Values) -> None:
    with database.transactions.writer.begin() as connection:
        connection.execute(sa.insert(table), values)


def test_the_database_itself_refuses_states_that_do_not_exist(with_a_game: Database) -> None:
    accepted = []
    for table, values in NO_SUCH_STATE:
        if table is GAMES and values["id"]:
            values = values | {"id": 2}
        try:
            insert(with_a_game, table, values)
        except sa.exc.IntegrityError:
            continue
        accepted.append((table.name, values))

    assert accepted == []


@pytest.mark.parametrize(("table", "values"), STATES)
def test_the_database_takes_states_that_exist(
    with_a_game: Database, table: sa.Table, values: Values
) -> None:
    insert(with_a_game, table, values)


def test_names_and_tokens_of_players_are_their_own(sql_database: Database) -> None:
    insert(sql_database, PLAYERS, PLAYER | {"id": 1})
    insert(sql_database, PLAYERS, PLAYER | {"id": 2, "name": "Y", "folded": "y"})
    insert(sql_database, TOKENS, TOKEN)

    for table, double in ((PLAYERS, PLAYER | {"name": "x"}), (TOKENS, TOKEN | {"player_id": 2})):
        with pytest.raises(sa.exc.IntegrityError):
            insert(sql_database, table, double)


def test_a_removed_game_takes_its_moves_with_it_and_a_removed_player_leaves_the_games(
    sql_database: Database,
) -> None:
    insert(sql_database, PLAYERS, PLAYER | {"id": 5})
    insert(sql_database, GAMES, GAME | {"white_id": 5})
    insert(sql_database, TOKENS, TOKEN | {"player_id": 5})
    away = happened(2, 9, EventKind.AWAY)
    sql_database.save(noted([*line(2, "e2e4"), reported(2, "hm"), away]))
    assert sql_database.games.find(ids=[1])[0].players == (5, None)

    with sql_database.transactions.writer.begin() as connection:
        connection.execute(sa.delete(PLAYERS))
        connection.execute(sa.delete(GAMES).where(GAMES.c.id == 2))

    assert sql_database.games.find()[0].players == (None, None)
    assert sql_database.games.history(2) == []
    assert sql_database.games.reports(2) == []
    assert sql_database.accounts.tokens(5) == []


def test_times_come_back_as_they_were_wherever_they_were_from(
    sql_database: Database,
) -> None:
    tea_time = NOON.astimezone(timezone(timedelta(hours=5, minutes=30)))
    sql_database.save(noted([started(1)], tea_time))
    sql_database.save(noted([started(1)], NOON))

    assert sql_database.games.find()[0].started_at == NOON
    assert sql_database.games.find()[0].started_at.utcoffset() == timedelta(0)
    assert sql_database.games.find(since=tea_time)[0].id == 1
    assert sql_database.games.find(until=tea_time) == []


def test_sqlite_times_are_read_by_sqlite(sqlite_url: str) -> None:
    database = open_database(sqlite_url)
    assert isinstance(database, Database)
    database.save(noted([started(1)]))

    with database.transactions.writer.begin() as connection:
        read = connection.scalar(sa.text("SELECT strftime('%H:%M', started_at) FROM games"))
    database.close()

    assert read == "12:00"


def test_what_is_said_of_durability_is_done(database_url: str) -> None:
    migrate(database_url)
    settings = {
        "sqlite": ("PRAGMA synchronous", {"power": 2, "process": 1}),
        "postgresql": ("SHOW synchronous_commit", {"power": "on", "process": "off"}),
    }

    for durability in ("power", "process"):
        database = Database(database_url, durability)  # type: ignore[arg-type]
        with database.transactions.writer.begin() as connection:
            query, expected = settings[connection.dialect.name]
            assert connection.exec_driver_sql(query).scalar() == expected[durability]
        database.close()


def test_sqlite_keeps_a_write_ahead_log_so_that_readers_and_the_writer_do_not_meet(
    sqlite_url: str,
) -> None:
    database = open_database(sqlite_url)
    assert isinstance(database, Database)
    database.save(noted([started(1)]))
    with database.transactions.writer.begin() as connection:
        connection.execute(sa.insert(GAMES), GAME | {"id": 2})

        assert [game.id for game in database.games.find()] == [1]
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1

    assert [game.id for game in database.games.find()] == [2, 1]
    database.close()


def test_readers_cannot_write(sqlite_url: str) -> None:
    database = open_database(sqlite_url)
    assert isinstance(database, Database)

    with (
        pytest.raises(sa.exc.OperationalError, match="readonly"),
        database.transactions._engines.reader.begin() as connection,
    ):
        connection.execute(sa.insert(GAMES), GAME)
    database.close()


def test_one_writes_while_others_read(sql_database: Database) -> None:
    """Four threads read what a fifth writes: nothing is bound to a thread, nothing is locked."""
    sql_database.save(noted([started(1)]))
    done = threading.Event()
    seen: list[list[int]] = [[] for _ in range(4)]

    def read(mine: list[int]) -> None:
        while not done.is_set():
            mine.append(len(sql_database.games.moves(1)))
        mine.append(len(sql_database.games.moves(1)))

    threads = [threading.Thread(target=read, args=(mine,)) for mine in seen]
    for thread in threads:
        thread.start()
    for ply in range(40):
        sql_database.save(noted([played(1, ply, "e2e4")]))
    done.set()
    for thread in threads:
        thread.join()

    for mine in seen:
        assert mine == sorted(mine)
        assert mine[-1] == 40


def test_waiting_for_the_writer_in_vain_is_trouble_with_the_database(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrate(sqlite_url)
    database = open_database(sqlite_url)
    monkeypatch.setattr(database.transactions.writer.pool, "_timeout", 0.01)
    try:
        with database.transactions.writer.connect(), pytest.raises(StorageError):
            database.runs.begin(NOON)
    finally:
        database.close()


def test_who_waits_while_another_thread_connects_in_vain_does_not_wait_any_longer(tmp_path):
    """The pool wakes nobody then."""
    url = f"sqlite:///{tmp_path / 'games.db'}"
    migrate(url)
    database = Database(url)
    connecting, go_on = threading.Event(), threading.Event()

    @sa.event.listens_for(database.transactions.writer, "do_connect")
    def connect(*_: object) -> None:
        if not connecting.is_set():
            connecting.set()
            go_on.wait()
            raise sqlite3.OperationalError("it cannot be reached")

    def begin() -> None:
        with suppress(StorageError):
            database.runs.begin(NOON)

    threads = [threading.Thread(target=begin, daemon=True) for _ in range(2)]
    threads[0].start()
    connecting.wait()
    threads[1].start()
    while not _waits(threads[1]):
        pass
    go_on.set()
    for thread in threads:
        thread.join(20)  # a pool has its waiters wait for 30 s
        assert not thread.is_alive()
    database.close()


def _waits(thread: threading.Thread) -> bool:
    """For a connection."""
    frame = sys._current_frames().get(thread.ident)
    return frame is not None and frame.f_code.co_name in ("__enter__", "get", "wait")


def test_every_connection_of_sqlite_gives_up_what_it_keeps_of_the_file(sqlite_url: str) -> None:
    migrate(sqlite_url)
    database = Database(sqlite_url)
    database.save(noted(line(1, "e2e4 e7e5")))
    together = threading.Barrier(READERS)
    reading = [
        threading.Thread(
            target=lambda: database.transactions.read(sa.select(GAMES), together_with(together))
        )
        for _ in range(READERS)
    ]
    for thread in reading:
        thread.start()
    for thread in reading:
        thread.join()
    told: list[int] = []

    def note(connection, cursor, statement, *_: object) -> None:
        if statement == "PRAGMA shrink_memory":
            told.append(id(connection.connection.driver_connection))

    for engine in database.transactions._engines.all:
        sa.event.listen(engine, "before_cursor_execute", note)
    database.transactions.release_memory()
    assert len(told) == len(set(told)) == READERS + 1
    assert [move.move for move in database.games.moves(1)] == ["e2e4", "e7e5"]
    database.close()


def together_with(barrier: threading.Barrier):
    """Reads a row when as many others do."""

    def record(row: Values) -> Values:
        barrier.wait(timeout=60)
        return row

    return record


def test_where_nothing_is_kept_nothing_is_given_up(database_url: str) -> None:
    migrate(database_url)
    database = Database(database_url)
    database.transactions.release_memory()
    database.save(noted(line(1, "e2e4")))
    database.transactions.release_memory()
    assert [move.move for move in database.games.moves(1)] == ["e2e4"]
    database.close()
