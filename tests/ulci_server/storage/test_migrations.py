"""How the tables stand to this program, and what is done about it."""

import subprocess
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa

from ulci_server.storage import (
    Database,
    SchemaError,
    SchemaStatus,
    StorageError,
    downgrade,
    migrate,
    schema_state,
)
from ulci_server.storage.migrations import _versions, require_current


def change(url: str, *statements: str) -> None:
    database = Database(url)
    with database.transactions.writer.begin() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)
    database.close()


def make_newer(url: str) -> None:
    migrate(url)
    change(url, "UPDATE alembic_version SET version_num = '9999'")


def test_a_new_database_is_empty_and_then_current(database_url: str) -> None:
    assert schema_state(database_url).standing is SchemaStatus.EMPTY

    assert migrate(database_url).standing is SchemaStatus.EMPTY

    state = schema_state(database_url)
    assert (state.standing, state.revision) == (SchemaStatus.CURRENT, state.head)
    require_current(database_url)


def test_looking_does_not_create_a_file(tmp_path: Path, sqlite_url: str) -> None:
    schema_state(sqlite_url)

    assert list(tmp_path.iterdir()) == []


def test_a_database_without_tables_is_refused_with_the_command_to_run(database_url: str) -> None:
    change(database_url)  # which makes the file, where it is one
    with pytest.raises(SchemaError, match=r"no tables yet.*ulci-server migrate"):
        require_current(database_url)


def test_a_database_behind_is_refused_with_the_command_to_run(database_url: str) -> None:
    head = migrate(database_url).head
    downgrade(database_url, "0004")

    assert schema_state(database_url).standing is SchemaStatus.BEHIND
    wrong = rf"0004 .*needs {head}; .*backup.* ulci-server migrate"
    with pytest.raises(SchemaError, match=wrong):
        require_current(database_url)


STARTS = """
import sys
from ulci_server.storage import open_database
for _ in range(2):
    open_database(sys.argv[1]).close()
sys.exit("alembic" in sys.modules)
"""


def test_alembic_is_imported_only_where_there_is_something_to_migrate(sqlite_url: str) -> None:
    assert subprocess.run([sys.executable, "-c", STARTS, sqlite_url], check=False).returncode == 0


def test_a_newer_database_is_left_alone(database_url: str) -> None:
    make_newer(database_url)

    assert schema_state(database_url).standing is SchemaStatus.NEWER
    for refuse in (require_current, migrate):
        with pytest.raises(SchemaError, match="9999, which this program does not know"):
            refuse(database_url)


def test_tables_of_somebody_else_are_left_alone(database_url: str) -> None:
    change(database_url, "CREATE TABLE games (title text)", "INSERT INTO games VALUES ('Quake')")

    assert schema_state(database_url).standing is SchemaStatus.FOREIGN
    for refuse in (require_current, migrate):
        with pytest.raises(SchemaError, match="did not make"):
            refuse(database_url)
    change(database_url, "DELETE FROM games WHERE title = 'Quake'")


def test_a_file_that_is_no_module_is_no_version(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    (tmp_path / "versions").mkdir()
    for name in ("v0001_games.py", "v0002_more.py", "v0003_draft.py.orig", "v.py", "vendor.py"):
        (tmp_path / "versions" / name).touch()
    monkeypatch.setattr("importlib.resources.files", lambda package: tmp_path)
    assert _versions.__wrapped__() == ("0001", "0002")


def test_tables_of_which_nobody_knows_the_version_are_left_alone(database_url: str) -> None:
    migrate(database_url)
    change(database_url, "INSERT INTO alembic_version VALUES ('0004')")
    for refuse in (require_current, migrate):
        with pytest.raises(StorageError, match="Multiple rows"):
            refuse(database_url)


def test_a_version_that_fails_leaves_the_tables_as_they_were(database_url: str) -> None:
    migrate(database_url)
    downgrade(database_url, "0004")
    change(database_url, "CREATE TABLE installation (n integer)")  # which it makes last

    with pytest.raises(StorageError, match="installation"):
        migrate(database_url)

    assert schema_state(database_url).revision == "0004"
    change(database_url, "DROP TABLE installation")
    assert migrate(database_url).revision == "0004"
    require_current(database_url)


def test_tables_that_cannot_be_made_leave_nothing_behind(database_url: str) -> None:
    # An index name that is taken makes it fail after it has created tables.
    change(
        database_url, "CREATE TABLE other (n integer)", "CREATE INDEX ix_games_running ON other (n)"
    )

    with pytest.raises(StorageError, match="ix_games_running"):
        migrate(database_url)

    assert schema_state(database_url).standing is SchemaStatus.EMPTY
    change(database_url, "DROP TABLE other")
    assert migrate(database_url).standing is SchemaStatus.EMPTY


def test_a_view_of_somebody_elses_is_not_in_the_way(database_url: str) -> None:
    migrate(database_url)
    change(database_url, "CREATE VIEW latest AS SELECT game_id, what FROM events")
    downgrade(database_url, "0002")
    assert migrate(database_url).standing is SchemaStatus.BEHIND
    change(database_url, "SELECT what FROM latest", "DROP VIEW latest")


def test_who_reads_a_table_that_is_to_change_is_not_waited_for_without_end(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrate(postgres_url)
    monkeypatch.setattr("ulci_server.storage.migrations.PATIENCE", 0.05)
    engine = sa.create_engine(postgres_url)
    with engine.begin() as reader:
        reader.exec_driver_sql("SELECT * FROM events")
        with pytest.raises(StorageError, match="another session holds a lock on the tables"):
            downgrade(postgres_url, "0002")
    engine.dispose()
    assert schema_state(postgres_url).standing is SchemaStatus.CURRENT


def test_rows_that_refer_to_nothing_undo_the_migration(sqlite_url: str) -> None:
    migrate(sqlite_url)
    change(
        sqlite_url,
        "CREATE TABLE child (game integer REFERENCES games (id))",
        "PRAGMA defer_foreign_keys = ON",
    )
    engine = sa.create_engine(sqlite_url)
    with engine.begin() as connection:  # foreign keys are off by default
        connection.exec_driver_sql("INSERT INTO child VALUES (7)")
    engine.dispose()

    with pytest.raises(SchemaError, match="refer to nothing"):
        downgrade(sqlite_url, "base")

    assert schema_state(sqlite_url).standing is SchemaStatus.CURRENT


@pytest.mark.parametrize("act", [schema_state, migrate, require_current])
def test_a_database_that_cannot_be_opened_is_explained(act: object, tmp_path: Path) -> None:
    (tmp_path / "games.db").write_text("PGN, not SQL. " * 100)
    assert callable(act)

    with pytest.raises(StorageError, match="another kind of file"):
        act(f"sqlite:///{tmp_path}/games.db")
