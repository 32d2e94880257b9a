"""How databases are opened."""

import re
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing

import pytest
import sqlalchemy as sa

from tests.support.locks import silent_network
from tests.support.ports import closed_port
from ulci_server.storage import StorageError, lock_database, migrate, open_database
from ulci_server.storage.database_url import parse_url
from ulci_server.storage.sql_engine import (
    migration_engine,
    open_engines,
    open_member_engines,
)


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


def test_a_pause_while_a_connection_is_prepared_does_not_end_it(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ulci_server.storage.sql_engine.FROZEN", 0.01)
    with silent_network(postgres_url) as network:
        network.slow_down(0.05)
        engines = open_member_engines(parse_url(network.url), "power", "slow")
        with engines.writer.connect() as connection:
            connection = connection.execution_options(isolation_level="AUTOCOMMIT")
            told = connection.scalar(sa.text("SHOW idle_in_transaction_session_timeout"))
        engines.dispose()
    assert told == "10ms"


def test_migrations_wait_as_long_as_they_must(postgres_url: str) -> None:
    engine = migration_engine(parse_url(postgres_url))

    with engine.begin() as connection:
        assert connection.exec_driver_sql("SHOW statement_timeout").scalar() == "0"
        assert connection.exec_driver_sql("SHOW lock_timeout").scalar() == "0"
    engine.dispose()


@pytest.fixture
def closed() -> Iterator[int]:
    with closed_port() as port:
        yield port


def _beside_a_closed_port(url: str, closed: int, *, closed_first: bool = True) -> str:
    """The URL with a second host at which nothing listens."""
    one = parse_url(url)
    hosts = [f"127.0.0.1:{closed}", f"{one.host}:{one.port or 5432}"]
    several = ",".join(hosts if closed_first else reversed(hosts))
    written = one.set(host="HOST").render_as_string(hide_password=False)
    return re.sub(r"HOST(:\d+)?", several, written)


@pytest.mark.parametrize("closed_first", [True, False])
def test_of_several_hosts_the_one_that_answers_is_used(
    postgres_url: str, closed: int, closed_first: bool
) -> None:
    url = _beside_a_closed_port(postgres_url, closed, closed_first=closed_first)
    migrate(url)
    with lock_database(url), closing(open_database(url)) as database:
        assert database.games.last_id() == 0


def test_of_several_hosts_one_that_takes_no_writes_is_passed_over(
    postgres_url: str, closed: int
) -> None:
    options = parse_url(postgres_url).query["options"]
    replica = parse_url(postgres_url).update_query_dict(
        {"options": f"{options} -cdefault_transaction_read_only=on"}
    )
    url = _beside_a_closed_port(replica.render_as_string(hide_password=False), closed)
    with pytest.raises(StorageError, match="none of its hosts takes writes"):
        open_database(url)

    any_host = migration_engine(parse_url(f"{url}&target_session_attrs=any"))
    with any_host.connect() as connection:
        assert connection.exec_driver_sql("SHOW transaction_read_only").scalar() == "on"
    any_host.dispose()


def test_a_failure_of_all_hosts_names_them_and_no_password(closed: int) -> None:
    hosts = f"127.0.0.1:{closed},localhost:{closed}"
    with pytest.raises(StorageError) as caught:
        open_database(f"postgresql://ada:s3cret@{hosts}/ulci?sslpassword=s3cret")
    said = str(caught.value)
    assert said.startswith(
        f"cannot use the database postgresql://ada:***@{hosts}/ulci?sslpassword=***:"
        " is PostgreSQL running there, and does it listen on that address?"
    )
    assert "s3cret" not in said


def test_a_connection_that_is_used_while_all_are_closed_is_closed_when_it_is_given_back(tmp_path):
    engines = open_engines(parse_url(f"sqlite:///{tmp_path / 'games.db'}"), "process")
    connection = engines.reader.connect()
    driver = connection.connection.driver_connection
    engines.dispose()
    assert connection.execute(sa.text("SELECT 1")).scalar() == 1
    connection.close()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        driver.execute("SELECT 1")
