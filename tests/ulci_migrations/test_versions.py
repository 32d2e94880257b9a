"""The versions lead to the tables that the program knows, and back."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from msgspec.structs import replace

from tests.support.databases import owners_of
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
from ulci.rules import Reason, Side
from ulci_server.game import EventKind
from ulci_server.storage import Database, SchemaStatus, downgrade, migrate, schema_state
from ulci_server.storage.database_url import parse_url
from ulci_server.storage.migrations import ALEMBIC_VERSION
from ulci_server.storage.schema import METADATA
from ulci_server.storage.sql_engine import migration_engine

Described = list[tuple[object, ...]]

SQLITE = """
    SELECT type, name, sql FROM sqlite_master ORDER BY type, name
"""
COLUMNS = """
    SELECT table_name, row_number() OVER (PARTITION BY table_name ORDER BY ordinal_position),
           column_name, data_type, is_nullable, column_default,
           is_identity, identity_generation
    FROM information_schema.columns
    WHERE table_schema = current_schema() ORDER BY table_name, ordinal_position
"""
CONSTRAINTS = """
    SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE connamespace = current_schema()::regnamespace ORDER BY 1, 2
"""
INDEXES = """
    SELECT tablename, indexname, indexdef FROM pg_indexes
    WHERE schemaname = current_schema() ORDER BY 1, 2
"""

SETTINGS = """
    SELECT relname, reloptions FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace ORDER BY 1
"""


@contextmanager
def connected(url: str) -> Iterator[sa.Connection]:
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        yield connection
    engine.dispose()


def described(url: str) -> Described:
    """The tables as the database itself describes them."""
    with connected(url) as connection:
        if connection.dialect.name == "sqlite":
            return [
                (kind, name, *in_any_order(sql))
                for kind, name, sql in connection.exec_driver_sql(SQLITE)
            ] + [
                (table, *row)
                for table in METADATA.tables
                for row in connection.exec_driver_sql(f"PRAGMA table_xinfo({table})")
            ]
        asked = (COLUMNS, CONSTRAINTS, INDEXES, SETTINGS)
        return [tuple(row) for query in asked for row in connection.exec_driver_sql(query)]


def in_any_order(sql: str | None) -> list[str]:
    """A CREATE statement's columns and constraints; how they are arranged means nothing, nor do
    the quotation marks that SQLite sets when a table gets another name."""
    parts, depth = [""], 0
    for letter in (sql or "").replace('"', ""):
        before, depth = depth, depth + {"(": 1, ")": -1}.get(letter, 0)
        if (before, depth) in ((0, 1), (1, 0)) or (letter == "," and depth == 1):
            parts.append("")
        else:
            parts[-1] += letter
    return sorted(" ".join(part.split()) for part in parts)


def versions() -> Config:
    """As Alembic needs it."""
    config = Config()
    config.set_main_option("script_location", str(resources.files("ulci_migrations")))
    return config


def one_after_the_other(url: str) -> None:
    """As databases came here that began with the first version."""
    engine = migration_engine(parse_url(url))
    config = versions()
    with engine.begin() as config.attributes["connection"]:
        command.upgrade(config, "head")
    engine.dispose()


def test_the_versions_make_exactly_the_tables_that_a_new_database_gets(database_url: str) -> None:
    migrate(database_url)
    made = described(database_url)
    downgrade(database_url, "base")
    with connected(database_url) as connection:
        ALEMBIC_VERSION.drop(connection)
    assert described(database_url) == []
    one_after_the_other(database_url)

    assert made == described(database_url)
    assert METADATA.tables.keys() <= {
        name for row in made for name in row[:2] if isinstance(name, str)
    }


def fill(url: str) -> tuple[object, ...]:
    database = Database(url)
    old = {"undo_clocks": False}  # as in games of the versions before it existed
    third = played(1, 2, "g1f3", info=analysed())
    moves = [*line(1, "e2e4 e7e5", **old), third, *line(2, "d2d4", **old)]
    database.save(noted([*moves, reported(1, "hm"), finished(1)]))
    kept = (
        [replace(game, fault=None) for game in database.games.find()],  # lost on the way back
        database.games.moves(1),
        database.games.moves(2),
        database.games.reports(1),
    )
    database.close()
    return kept


def test_after_the_way_down_to_base_a_database_can_be_used_again(database_url: str) -> None:
    migrate(database_url)
    before = fill(database_url)

    downgrade(database_url, "base")
    assert schema_state(database_url).standing is SchemaStatus.EMPTY
    migrate(database_url)

    assert fill(database_url) == before


OLD_MOVES = [(1, 1, "e2e4"), (1, 2, "e7e5"), (2, 1, "d2d4")]


def as_version_one_left_it(url: str) -> None:
    """Two games, one of a player with a token and one without."""
    migrate(url)
    downgrade(url, "0001")
    seats = "white_name, white_kind, white_author, white_title"
    columns = f"id, rules, control, pool, rated, started_at, white_id, {seats}"
    columns += f", {seats.replace('white', 'black')}"
    with connected(url) as connection:
        for player, token in ((1, "'00ff'"), (2, "NULL")):
            connection.exec_driver_sql(
                "INSERT INTO players (name, kind, token_hash, created_at)"
                f" VALUES ('Stra\u00dfe {player}', 'human', {token}, '{NOON.isoformat()}')"
            )
            connection.exec_driver_sql(
                f"INSERT INTO games ({columns}) VALUES ({player}, 'chess', 'inf', '', false,"
                f" '{NOON.isoformat()}', {player}, 'A', 'human', '', '', 'B', 'engine', '', '')"
            )
        for game, ply, move in OLD_MOVES:
            connection.exec_driver_sql(
                "INSERT INTO moves (game_id, ply, side, move, at, spent_ms, lag_ms)"
                f" VALUES ({game}, {ply}, {1 - ply % 2}, '{move}', '{NOON.isoformat()}', 7, 2)"
            )


def old_moves(url: str) -> list[tuple[object, ...]]:
    with connected(url) as connection:
        query = "SELECT game_id, ply, move FROM moves ORDER BY game_id, ply"
        return [tuple(row) for row in connection.exec_driver_sql(query)]


def test_what_the_first_version_kept_is_there_afterwards(database_url: str) -> None:
    as_version_one_left_it(database_url)

    migrate(database_url)

    database = Database(database_url)
    assert [(m.game, m.seq, m.ply, m.move, m.lag) for m in database.games.moves(1)] == [
        (1, 1, 1, "e2e4", 2),
        (1, 2, 2, "e7e5", 2),
    ]
    assert [game.seats[0].account for game in database.games.find()] == [2, 1]
    assert [game.lag for game in database.games.find()] == ["none", "none"]
    account = database.accounts.find_token("00ff")
    assert account is not None
    assert (account.player, account.name, account.scope) == (1, "Stra\u00dfe 1", "play")
    assert database.accounts.find_player("STRASSE 2") == database.accounts.players()[1]
    assert database.accounts.tokens(2) == []
    database.close()


def test_the_first_version_gets_back_what_it_can_keep(database_url: str) -> None:
    as_version_one_left_it(database_url)
    migrate(database_url)
    database = Database(database_url)
    taken_back = happened(1, 3, EventKind.TAKEN_BACK, ply=2, amount=1)
    database.save(noted([taken_back, played(1, 2, "c7c5", seq=4)]))
    database.close()

    downgrade(database_url, "0001")

    assert old_moves(database_url) == [(1, 1, "e2e4"), (1, 2, "c7c5"), (2, 1, "d2d4")]
    with connected(database_url) as connection:
        players = "SELECT id, token_hash FROM players ORDER BY id"
        kept = [tuple(row) for row in connection.exec_driver_sql(players)]
    assert kept == [(1, "00ff"), (2, None)]


def test_an_older_version_finds_no_gap_where_a_side_had_moved_again(database_url: str) -> None:
    migrate(database_url)
    again = (happened(1, 2, EventKind.AGAIN, ply=1), happened(1, 5, EventKind.AGAIN, ply=3))
    moves = (played(1, 1, "a", seq=1), played(1, 2, "b", seq=3), played(1, 3, "c", seq=4))
    ruled = happened(1, 6, EventKind.RULED, ply=3)
    database = Database(database_url)
    database.save(noted([*line(1, ""), moves[0], again[0], *moves[1:], again[1], ruled]))
    database.close()

    downgrade(database_url, "0002")

    with connected(database_url) as connection:
        steps = [
            tuple(row)
            for table, named in (("moves", "move"), ("events", "what"))
            for row in connection.exec_driver_sql(f"SELECT seq, {named} FROM {table} ORDER BY seq")
        ]
    assert steps == [(1, "a"), (2, "b"), (3, "c"), (4, "ruled")]


def test_an_older_version_can_read_games_of_an_arena(database_url: str) -> None:
    migrate(database_url)
    berserk = happened(1, 1, EventKind.BERSERK, side=Side.BLACK, amount=5)
    database = Database(database_url)
    begun = started(1, conduct="no-abort,berserk,disconnections=3")
    database.save(noted([begun, berserk, played(1, 1, "a", seq=2)]))
    database.save(noted([started(2, conduct="berserk")]))
    database.close()

    downgrade(database_url, "0017")

    with connected(database_url) as connection:
        games = connection.exec_driver_sql("SELECT conduct FROM games ORDER BY id").all()
        moves = connection.exec_driver_sql("SELECT seq FROM moves").all()
        events = connection.exec_driver_sql("SELECT seq FROM events").all()
    assert [*map(tuple, games)] == [("no-abort,disconnections=3",), (None,)]
    assert ([*map(tuple, moves)], events) == ([(1,)], [])


def test_of_games_of_older_versions_nobody_knows_whether_draws_had_to_be_claimed(
    database_url: str,
) -> None:
    migrate(database_url)
    database = Database(database_url)
    database.save(noted([started(1, claims=True), started(2, claims=False)]))
    assert [game.claims for game in database.games.find()] == [False, True]
    database.close()

    downgrade(database_url, "0003")
    migrate(database_url)

    database = Database(database_url)
    assert [game.claims for game in database.games.find()] == [None, None]
    assert [game.started.claims for game in database.games.unfinished([1, 2])] == [None, None]
    database.save(noted([started(3, claims=True)]))
    assert [game.claims for game in database.games.find()] == [True, None, None]
    database.close()


def test_of_games_of_older_versions_takebacks_left_the_clocks_alone(database_url: str) -> None:
    migrate(database_url)
    database = Database(database_url)
    database.save(noted([started(1)]))
    assert [game.started.undo_clocks for game in database.games.unfinished([1, 2])] == [True]
    database.close()

    downgrade(database_url, "0005")
    migrate(database_url)

    database = Database(database_url)
    assert [game.undo_clocks for game in database.games.find()] == [False]
    assert [game.started.undo_clocks for game in database.games.unfinished([1, 2])] == [False]
    database.save(noted([started(2)]))
    assert [game.undo_clocks for game in database.games.find()] == [True, False]
    database.close()


def test_games_of_older_versions_have_the_usual_conduct(database_url: str) -> None:
    migrate(database_url)
    database = Database(database_url)
    database.save(noted([started(1, conduct="no-takeback"), started(2)]))
    assert [game.conduct for game in database.games.find()] == ["", "no-takeback"]
    assert [game.started.conduct for game in database.games.unfinished([1, 2])] == [
        "no-takeback",
        "",
    ]
    with connected(database_url) as connection:
        column = connection.exec_driver_sql("SELECT conduct FROM games ORDER BY id").scalars()
        assert [*column] == ["no-takeback", None]
    database.close()

    downgrade(database_url, "0007")
    migrate(database_url)

    database = Database(database_url)
    assert [game.started.conduct for game in database.games.unfinished([1, 2])] == ["", ""]
    database.close()


def test_games_of_older_versions_begin_at_their_start(database_url: str) -> None:
    migrate(database_url)
    database = Database(database_url)
    database.save(noted([started(1, opening=("e2e4", "e7e5")), started(2)]))
    assert [game.opening for game in database.games.find()] == [(), ("e2e4", "e7e5")]
    assert [g.started.opening for g in database.games.unfinished([1, 2])] == [("e2e4", "e7e5"), ()]
    with connected(database_url) as connection:
        column = connection.exec_driver_sql("SELECT opening FROM games ORDER BY id").scalars()
        assert [*column] == ["e2e4 e7e5", None]
    database.close()

    downgrade(database_url, "0009")
    migrate(database_url)

    database = Database(database_url)
    assert [game.started.opening for game in database.games.unfinished([1, 2])] == [(), ()]
    database.save(noted([started(3, opening=("d2d4",))]))
    assert [game.opening for game in database.games.find()] == [("d2d4",), (), ()]
    database.close()


def test_of_matches_of_older_versions_nobody_knows_what_was_in_their_books(
    database_url: str,
) -> None:
    migrate(database_url)
    database = Database(database_url)
    kept = database.tournaments.begin("settings", 7, NOON)
    database.tournaments.keep_book(kept.id, "ab12")
    database.close()

    downgrade(database_url, "0013")
    migrate(database_url)

    database = Database(database_url)
    assert database.tournaments.all() == [kept]
    database.close()


def test_of_games_that_ended_before_nobody_knows_whose_fault_it_was(database_url: str) -> None:
    migrate(database_url)
    database = Database(database_url)
    end = finished(1, None, Reason.ABORTED, "White (Ada) aborted it", fault=[Side.WHITE])
    database.save(noted([started(1), end]))
    assert [game.fault for game in database.games.find()] == [{Side.WHITE}]
    database.close()

    downgrade(database_url, "0008")
    migrate(database_url)

    database = Database(database_url)
    assert [game.fault for game in database.games.find()] == [None]
    database.close()


def test_games_and_runs_survive_the_version_for_several_servers_both_ways(
    database_url: str,
) -> None:
    migrate(database_url)
    before = fill(database_url)
    database = Database(database_url)
    database.runs.end(database.runs.begin(NOON, "a"), NOON)
    database.runs.join(database.runs.begin(NOON, "b"))
    assert len(database.ownership.claim(NOON, 9)) == 1
    database.close()

    downgrade(database_url, "0004")
    assert len(old_moves(database_url)) == 4
    migrate(database_url)

    assert fill(database_url) == before
    database = Database(database_url)
    assert owners_of(database, [1, 2]) == {}
    assert database.ownership.epochs(2) == []
    assert database.runs.living() == []
    assert database.runs.begin(NOON) == 3
    database.close()


def test_games_survive_another_migration(database_url: str) -> None:
    migrate(database_url)
    before = fill(database_url)

    assert migrate(database_url).standing is SchemaStatus.CURRENT

    assert fill(database_url) == before


def test_a_key_that_users_of_the_bus_could_see_is_replaced_by_a_secret(database_url: str) -> None:
    migrate(database_url)
    seen = _key(database_url)
    downgrade(database_url, "0006")
    assert _key(database_url) == seen

    migrate(database_url)

    assert _key(database_url) != seen
    assert len(bytes.fromhex(_key(database_url))) == 16


def _key(url: str) -> str:
    database = Database(url)
    try:
        return database.runs.installation_key()
    finally:
        database.close()


def test_every_version_says_why_and_leads_back() -> None:
    scripts = list(ScriptDirectory.from_config(versions()).walk_revisions())

    assert [script.revision for script in scripts] == [
        f"{n:04}" for n in range(len(scripts), 0, -1)
    ]
    for script in scripts:
        assert Path(script.path).name.startswith(f"v{script.revision}_")
        assert script.doc.endswith(".")
        assert callable(script.module.downgrade)


def test_alembic_alone_is_told_who_runs_the_versions() -> None:
    with pytest.raises(RuntimeError, match="ulci-server migrate"):
        command.upgrade(versions(), "head")


SERVER = """
import sys
from ulci_server.storage import migrate, sql_engine
sql_engine.BUSY_TIMEOUT = 60.0  # of SQLite, on a busy machine
print("up", flush=True)
sys.stdin.readline()
print(migrate(sys.argv[1]).standing)
"""


def test_of_servers_that_migrate_at_once_one_does_it_and_the_others_wait(
    database_url: str,
) -> None:
    servers = [
        subprocess.Popen(
            [sys.executable, "-c", SERVER, database_url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    for server in servers:
        assert server.stdout is not None
        assert server.stdout.readline() == "up\n"
    for server in servers:
        assert server.stdin is not None
        server.stdin.write("go\n")
        server.stdin.flush()
    found = sorted(server.communicate(timeout=60)[0].strip() for server in servers)

    assert found == ["current", "current", "empty"]
    assert schema_state(database_url).standing is SchemaStatus.CURRENT
