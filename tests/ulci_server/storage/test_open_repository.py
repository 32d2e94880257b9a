"""Opening what an address names."""

from pathlib import Path

import pytest

from tests.support.facts import noted, started
from ulci_server.storage import (
    MemoryRepository,
    Repository,
    SchemaError,
    SchemaStatus,
    StorageError,
    check_url,
    migrate,
    open_repository,
    schema_state,
)


def test_memory_needs_nothing() -> None:
    repository = open_repository("memory:")
    assert isinstance(repository, MemoryRepository)
    repository.close()


def test_sqlite_is_migrated_unless_told_not_to(sqlite_url: str) -> None:
    with pytest.raises(SchemaError, match="ulci-server migrate"):
        open_repository(sqlite_url, migrating=False)

    repository = open_repository(sqlite_url)
    repository.save(noted([started(1)]))
    repository.close()

    again = open_repository(sqlite_url, "process", migrating=False)
    assert again.last_game_id() == 1
    again.close()


def test_postgres_is_not_migrated_unless_told_to(postgres_url: str) -> None:
    with pytest.raises(SchemaError, match="ulci-server migrate"):
        open_repository(postgres_url)

    repository = open_repository(postgres_url, migrating=True)
    repository.save(noted([started(1)]))
    repository.close()

    again = open_repository(postgres_url)
    assert again.last_game_id() == 1
    again.close()


def test_reading_creates_and_changes_nothing(tmp_path: Path, sqlite_url: str) -> None:
    with pytest.raises(SchemaError, match=r"there is no database .*/games.db; name the right one"):
        open_repository(sqlite_url, writing=False)
    assert list(tmp_path.iterdir()) == []

    migrate(sqlite_url)
    before = (tmp_path / "games.db").read_bytes()
    repository = open_repository(sqlite_url, writing=False)
    assert repository.games() == []
    repository.close()

    assert (tmp_path / "games.db").read_bytes() == before


def test_that_nothing_can_be_written_shows_at_once(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrate(sqlite_url)
    monkeypatch.setattr("ulci_server.storage.sql_engine.BUSY_TIMEOUT", 0.0)
    holder = Repository(sqlite_url)

    with (
        holder.writer.begin(),
        pytest.raises(StorageError, match="another program holds it locked"),
    ):
        open_repository(sqlite_url, migrating=False)
    holder.close()


def test_reading_waits_for_nobody_who_writes(sqlite_url: str) -> None:
    migrate(sqlite_url)
    holder = Repository(sqlite_url)

    with holder.writer.begin():
        assert schema_state(sqlite_url).standing is SchemaStatus.CURRENT
        repository = open_repository(sqlite_url, writing=False)
        assert repository.games() == []
        repository.close()
    holder.close()


@pytest.mark.parametrize("url", ["memory:", "sqlite:///games.db", "postgresql://ada@host/games"])
def test_an_address_can_be_checked_without_going_there(url: str) -> None:
    check_url(url)


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(StorageError, match="not the address of a database"):
        check_url("games")
    with pytest.raises(StorageError, match="not the address of a database"):
        open_repository("games")
