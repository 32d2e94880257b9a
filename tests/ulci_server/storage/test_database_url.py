"""Addresses of databases: read, refused and shown."""

import pytest

from ulci_server.storage import StorageError, masked
from ulci_server.storage.database_url import has_several_hosts, parse_url


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
    "text",
    ["postgresql://db:port/ulci?password=s3cret", "postgresql:/db/ulci?password=s3cret"],
)
def test_a_password_after_a_question_mark_is_not_shown_either(text: str) -> None:
    with pytest.raises(StorageError) as caught:
        parse_url(text)
    assert "?***' is not the address of a database" in str(caught.value)
    assert "s3cret" not in str(caught.value)


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
        ("postgresql://ada:s3c@ret@a,b/ulci", "postgresql://***@a,b/ulci"),
        ("postgresql://ada:s3c,x/r@et@a,b/ulci", "postgresql://***@a,b/ulci"),
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


@pytest.mark.parametrize(
    ("text", "hosts", "ports"),
    [
        ("postgresql://ada:x@a,b/ulci", "a,b", "5432,5432"),
        ("postgres://a:5433,b/ulci?target_session_attrs=any", "a,b", "5433,5432"),
        (
            "postgresql://ada@[::1]:5433,[fe80::1],b:6000/ulci",
            "::1,fe80::1,b",
            "5433,5432,6000",
        ),
    ],
)
def test_postgresql_may_have_several_hosts(text: str, hosts: str, ports: str) -> None:
    url = parse_url(text)
    assert url.database == "ulci"
    connect = url.get_dialect()().create_connect_args(url)[1]
    assert (connect["host"], connect["port"]) == (hosts, ports)
    assert has_several_hosts(url)


@pytest.mark.parametrize(
    ("text", "several"),
    [
        ("postgresql://ada:s3,cret@a/ulci", False),
        ("postgresql:///ulci?host=a,b", True),
        ("postgresql:///ulci?host=a&host=b", True),
        ("postgresql:///ulci?host=/run/postgresql", False),
    ],
)
def test_a_choice_of_hosts_may_stand_in_the_query_and_is_none_in_a_password(
    text: str, several: bool
) -> None:
    assert has_several_hosts(parse_url(text)) == several


@pytest.mark.parametrize(
    ("hosts", "wrong"),
    [
        ("a,", ""),
        ("a:x,b", "a:x"),
        ("a,b:0", "b:0"),
        ("a,b:65536", "b:65536"),
        ("a,::1", "::1"),
        ("a, b", " b"),
        ("a,[b]", "[b]"),
    ],
)
def test_one_of_several_hosts_that_is_none_is_named(hosts: str, wrong: str) -> None:
    with pytest.raises(StorageError) as caught:
        parse_url(f"postgresql://ada:s3cret@{hosts}/ulci")
    said = str(caught.value)
    assert said.startswith(f"{wrong!r} is not a host of PostgreSQL; several are written as")
    assert "s3cret" not in said


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("postgresql://ada:s3cret@a,b:5433/ulci", "postgresql://ada:***@a:5432,b:5433/ulci"),
        (
            "postgresql://ada:s3cret@[::1],b/ulci?sslmode=require",
            "postgresql://ada:***@[::1]:5432,b:5432/ulci?sslmode=require",
        ),
        ("postgresql://ada@a/ulci?password=s3cret", "postgresql://ada@a/ulci?password=***"),
        ("postgresql://ada:s3cret@a:5433/ulci", "postgresql://ada:***@a:5433/ulci"),
        ("postgresql:///ulci?host=a,b&port=1,2", "postgresql://a:1,b:2/ulci"),
    ],
)
def test_an_address_is_shown_without_its_passwords(text: str, shown: str) -> None:
    assert masked(parse_url(text)) == shown


def test_nor_is_one_in_a_query_shown_of_what_is_no_address() -> None:
    with pytest.raises(StorageError) as caught:
        parse_url("postgresql://ada@a:x/ulci?password=s3cret")
    assert "s3cret" not in str(caught.value)
