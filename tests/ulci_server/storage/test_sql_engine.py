"""Addresses of databases, and what is done with them."""

import sys

import pytest

from ulci_server.storage import StorageError
from ulci_server.storage.sql_engine import migration_engine, open_engines, parse_url


@pytest.mark.parametrize(
    ("text", "driver"),
    [
        ("sqlite:///games.db", "sqlite"),
        ("sqlite+pysqlite:////var/lib/ulci/games.db", "sqlite+pysqlite"),
        ("postgresql://ada@db.example/ulci", "postgresql+psycopg"),
        ("postgres://ada@db.example/ulci", "postgresql+psycopg"),
        ("postgresql+psycopg://ada:x@db.example:5433/ulci?sslmode=require", "postgresql+psycopg"),
    ],
)
def test_addresses_are_read(text: str, driver: str) -> None:
    assert parse_url(text).drivername == driver


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("games.db", "'games.db' is not the address of a database; expected sqlite:///games.db"),
        ("", "'' is not the address"),
        ("mysql://ada:secret@db.example/ulci", r"cannot be kept in mysql://ada:\*\*\*@db"),
        ("sqlite://", "names no file; to keep games in memory only, say memory:"),
        ("sqlite:///:memory:", "names no file"),
    ],
)
def test_what_is_no_address_is_refused_with_examples(text: str, why: str) -> None:
    with pytest.raises(StorageError, match=why):
        parse_url(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("postgresql://ada:s3c@ret@db.example/ulci", "postgresql://***@db.example/ulci"),
        (
            "postgresql://ada:s3c@ret:x@db.example:5432/ulci",
            "postgresql://***@db.example:5432/ulci",
        ),
        ("postgresql://ada:s3c@ret/x@db.example/ulci", "postgresql://***@db.example/ulci"),
        ("mysql://ada:s3c@ret@db.example/ulci", "mysql://***@db.example/ulci"),
        ("postgresql://ada:s3c@ret@db.example:x/ulci", "postgresql://***@db.example:x/ulci"),
        ("postgresql:/ada:s3c@ret@db.example/ulci", "***@db.example/ulci"),
    ],
)
def test_nothing_is_shown_of_a_password_that_is_written_wrongly(text: str, shown: str) -> None:
    with pytest.raises(StorageError) as caught:
        parse_url(text)
    assert str(caught.value) == (
        f"'{shown}' is not the address of a database;"
        " it has an @ too many: in a password or a name write %40 for @, %3A for :, %2F for /"
    )


def test_nor_of_one_in_what_is_no_address() -> None:
    with pytest.raises(StorageError, match=r"^'\*\*\*@db.example' is not the address .* expected"):
        parse_url("ada:s3cret@db.example")


def test_an_at_sign_that_is_escaped_is_part_of_the_password() -> None:
    assert parse_url("postgresql://ada:s3c%40ret@db.example/ulci").password == "s3c@ret"


def test_a_missing_driver_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)

    with pytest.raises(StorageError, match=r"psycopg; in the clone .* '.\[postgres\]'"):
        open_engines(parse_url("postgresql://db.example/ulci"), "power")


def test_the_url_may_say_otherwise_than_our_settings(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ulci_server.storage.sql_engine.BUSY_TIMEOUT", 1.5)
    url = parse_url(postgres_url).update_query_dict(
        {"application_name": "pools", "connect_timeout": "3"}
    )
    engines = open_engines(url, "power")

    with engines.writer.begin() as connection:
        name = connection.exec_driver_sql("SHOW application_name").scalar()
        lock_timeout = connection.exec_driver_sql("SHOW lock_timeout").scalar()
    engines.dispose()

    assert (name, lock_timeout) == ("pools", "1500ms")


def test_migrations_wait_as_long_as_they_must(postgres_url: str) -> None:
    engine = migration_engine(parse_url(postgres_url))

    with engine.begin() as connection:
        assert connection.exec_driver_sql("SHOW statement_timeout").scalar() == "0"
        assert connection.exec_driver_sql("SHOW lock_timeout").scalar() == "0"
    engine.dispose()
