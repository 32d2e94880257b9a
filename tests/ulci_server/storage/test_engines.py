"""Addresses of databases, and what is done with them."""

import sys

import pytest

from ulci_server.storage import StorageError
from ulci_server.storage.engines import migration_engine, open_engines, parse_url


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


def test_a_missing_driver_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)

    with pytest.raises(StorageError, match=r"psycopg: pip install 'ulci-relay\[postgres\]'"):
        open_engines(parse_url("postgresql://db.example/ulci"), "power")


def test_the_url_may_say_otherwise_than_our_settings(postgres_url: str) -> None:
    url = parse_url(postgres_url).update_query_dict(
        {"application_name": "pools", "connect_timeout": "3"}
    )
    engines = open_engines(url, "power", busy_timeout=1.5)

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
