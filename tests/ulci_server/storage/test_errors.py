"""Failures are told to people: what, where, why, and what to do."""

from pathlib import Path

import pytest
import sqlalchemy as sa

from ulci_server.storage import Database, RefusedError, SchemaError, StorageError, migrate
from ulci_server.storage.errors import explain

FILE = sa.make_url("sqlite:///games.db")
SERVER = sa.make_url("postgresql+psycopg://ada:secret@db.example/ulci")


def said(words: str) -> sa.exc.OperationalError:
    return sa.exc.OperationalError("SELECT secret", {}, Exception(words))


def test_a_missing_directory_is_named(tmp_path: Path) -> None:
    with pytest.raises(StorageError) as caught:
        migrate(f"sqlite:///{tmp_path}/no/such/games.db")

    assert str(caught.value).startswith(
        f"cannot use the database {tmp_path}/no/such/games.db: "
        f"the directory {tmp_path}/no/such does not exist; create it"
    )


def test_a_directory_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="it is a directory; name a file in it"):
        migrate(f"sqlite:///{tmp_path}")


def test_a_file_of_somebody_else_is_said_to_be_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "games.db"
    path.touch(0o000)
    # An administrator may read every file, and tests may be run by one.
    monkeypatch.setattr("os.access", lambda name, mode: name != path)

    text = str(explain(said("unable to open database file"), sa.make_url(f"sqlite:///{path}")))

    assert "this user may not read it; change its permissions" in text


def test_a_file_is_no_directory(tmp_path: Path) -> None:
    (tmp_path / "games.db").touch()

    with pytest.raises(StorageError, match=r"games\.db is not a directory; name another one"):
        migrate(f"sqlite:///{tmp_path}/games.db/games.db")


def test_missing_tables_are_explained(sqlite_url: str) -> None:
    database = Database(sqlite_url)

    with pytest.raises(StorageError, match="tables are missing; run: ulci-server migrate"):
        database.games.find()
    database.close()


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        ("database or disk is full", "free some space, the server goes on by itself"),
        ("database disk image is malformed", "restore it from a backup"),
        ("disk I/O error", "is it full?"),
        ("attempt to write a readonly database", "read-only for this user"),
        ("something\n new", "see the text in brackets (something new)"),
    ],
)
def test_what_sqlite_says_is_explained(words: str, advice: str) -> None:
    text = str(explain(said(words), FILE))

    assert text.startswith(f"cannot use the database {Path('games.db').absolute()}: ")
    assert advice in text


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        ('password authentication failed for user "ada"', "user or password is wrong"),
        ("fe_sendauth: no password supplied", "it wants a password"),
        ("FATAL: no pg_hba.conf entry for host", "pg_hba.conf"),
        ('FATAL: database "ulci" does not exist', "create what is missing"),
        ("connection failed: Connection refused", "is PostgreSQL running there"),
        ("connection timeout expired", "nothing answers at that address"),
        ("failed to resolve host 'db.example'", "the host's name is unknown"),
        ("could not extend file: No space left on device", "free some space there"),
        ("FATAL: sorry, too many clients already", "max_connections"),
        ("permission denied for schema public", "grant this user what it asks for"),
        ("canceling statement due to lock timeout", "another session holds a lock"),
        ("the moon is full", "see the text in brackets (the moon is full)"),
    ],
)
def test_what_postgres_says_is_explained(words: str, advice: str) -> None:
    text = str(explain(said(words), SERVER))

    assert text.startswith("cannot use the database postgresql://ada:***@db.example/ulci: ")
    assert advice in text


def test_neither_the_password_nor_the_statement_is_shown() -> None:
    for error in (said("x"), sa.exc.IntegrityError("SELECT secret", {}, Exception("x"))):
        assert "secret" not in str(explain(error, SERVER))


def test_what_a_row_says_wrong_is_a_refusal() -> None:
    error = sa.exc.DataError("INSERT", {}, Exception("integer out of range"))

    assert isinstance(explain(error, SERVER), RefusedError)


def test_what_is_explained_already_stays_as_it_is() -> None:
    error = SchemaError("too new")

    assert explain(error, FILE) is error


def test_an_error_without_words_has_at_least_its_name() -> None:
    assert "(ValueError)" in str(explain(ValueError(), FILE))
    assert "(PoolTimeout)" in str(explain(type("PoolTimeout", (Exception,), {})(), SERVER))


def test_a_server_that_is_not_there_is_explained() -> None:
    # Port 1 is tcpmux, which nobody runs.
    with pytest.raises(StorageError, match=r"is PostgreSQL running there") as caught:
        migrate("postgresql://ada:secret@127.0.0.1:1/ulci")

    assert "ada:***@127.0.0.1:1/ulci" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_database_that_is_not_there_is_explained(postgres_url: str) -> None:
    url = sa.make_url(postgres_url).set(database="no_such_database")

    with pytest.raises(StorageError, match="create what is missing"):
        migrate(url.render_as_string(hide_password=False))
