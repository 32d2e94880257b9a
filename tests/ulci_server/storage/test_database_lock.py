"""One server a database: a second one would end the games of the first."""

import fcntl
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.support.locks import is_locked, lose_lock, silent_network
from ulci_server.storage import (
    DatabaseLock,
    LockRefusedError,
    SchemaStatus,
    StorageError,
    TakenOverError,
    database_lock,
    downgrade,
    lock_database,
    migrate,
    migrate_unused,
    open_database,
    schema_state,
)
from ulci_server.storage.database_lock import _SchemaLock


def test_a_second_server_is_refused_until_the_first_one_ends(database_url: str) -> None:
    with lock_database(database_url):
        with pytest.raises(StorageError, match="another ulci-server keeps its games in"):
            lock_database(database_url).__enter__()
        with pytest.raises(StorageError, match="end it, or name another database"):
            lock_database(database_url).__enter__()
    with lock_database(database_url):
        pass


def test_a_lock_that_was_lost_is_taken_again(database_url: str) -> None:
    with lock_database(database_url) as lock:
        for _ in range(2):
            lose_lock(database_url)
            lock.check()
            lock.check()
            with pytest.raises(StorageError, match="another ulci-server keeps its games in"):
                lock_database(database_url).__enter__()
    with lock_database(database_url):
        pass


def test_a_lock_that_another_server_took_meanwhile_is_refused_until_that_one_ends(
    database_url: str,
) -> None:
    with lock_database(database_url) as lock:
        lose_lock(database_url)
        with lock_database(database_url) as other:
            for _ in range(2):
                with pytest.raises(LockRefusedError, match="another ulci-server keeps its games"):
                    lock.check()
            other.check()
        lock.check()
        with pytest.raises(LockRefusedError, match="another ulci-server keeps its games in"):
            lock_database(database_url).__enter__()


def test_a_session_that_died_unnoticed_keeps_nobody_from_the_lock(postgres_url: str) -> None:
    with silent_network(postgres_url) as network, lock_database(network.url) as lock:
        for _ in range(2):
            network.lose_all()
            assert is_locked(postgres_url)  # PostgreSQL knows nothing of it
            check_until_held(lock)
            with pytest.raises(StorageError, match="another ulci-server keeps its games in"):
                lock_database(postgres_url).__enter__()
    with lock_database(postgres_url):
        pass


def test_a_lock_is_free_at_once_though_its_session_ends_later(postgres_url: str) -> None:
    with silent_network(postgres_url) as network:
        for shared in (False, True):
            with lock_database(network.url, shared=shared):
                network.hide_ends()
            assert not is_locked(postgres_url)
        with lock_database(network.url):
            network.lose_all()
        assert is_locked(postgres_url)  # its session is there still


def check_until_held(lock: DatabaseLock) -> None:
    while True:
        try:
            lock.check()
        except LockRefusedError:
            raise
        except StorageError as error:
            assert "is being ended" in str(error)  # noqa: PT017
        else:
            return


def test_a_lock_lost_while_the_file_has_a_second_name_is_taken_again_when_that_is_gone(
    tmp_path: Path,
) -> None:
    database, backup = tmp_path / "games.db", tmp_path / "backup.db"
    url = f"sqlite:///{database}"
    migrate(url)
    with lock_database(url) as lock:
        backup.hardlink_to(database)
        lose_lock(url)
        with pytest.raises(LockRefusedError, match="has several names"):
            lock.check()
        backup.unlink()
        lock.check()
        assert is_locked(url)


def test_the_lock_of_a_cluster_that_was_lost_is_taken_again_unless_a_lone_server_has_it(
    postgres_url: str,
) -> None:
    with lock_database(postgres_url, shared=True) as lock:
        lose_lock(postgres_url)
        with lock_database(postgres_url, shared=True) as other:
            lock.check()
            other.check()
        lose_lock(postgres_url)
        with lock_database(postgres_url), pytest.raises(TakenOverError):
            lock.check()


@pytest.mark.parametrize("again", [False, True], ids=["taken", "taken again"])
def test_postgresql_is_told_to_keep_the_session_of_the_lock_while_its_machine_is_there(
    postgres_url: str, again: bool
) -> None:
    impatient = sa.make_url(postgres_url)
    options = f"{impatient.query['options']} -cidle_session_timeout=60s"
    url = impatient.update_query_dict({"options": options}).render_as_string(hide_password=False)
    with lock_database(url) as lock:
        if again:
            lose_lock(url)
            lock.check()
        assert isinstance(lock, _SchemaLock)
        assert lock._connection is not None
        told = {name: lock._connection.scalar(sa.text(f"SHOW {name}")) for name in TOLD}
    assert told == TOLD


TOLD = {
    "idle_session_timeout": "0",
    "tcp_keepalives_idle": "10",
    "tcp_keepalives_interval": "5",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "25000",
}


def test_a_database_that_does_not_answer_keeps_nobody_from_giving_the_lock_back(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_lock, "UNLOCK", 0.01)
    with silent_network(postgres_url) as network, lock_database(network.url):
        network.fall_silent()


def test_who_only_reads_or_migrates_is_not_kept_out(database_url: str) -> None:
    with lock_database(database_url):
        migrate(database_url)
        database = open_database(database_url, writing=False)
        assert database.games.find() == []
        database.close()


def test_the_servers_of_a_cluster_share_the_database_and_no_lone_server_has_it(
    postgres_url: str,
) -> None:
    with (
        lock_database(postgres_url, shared=True),
        lock_database(postgres_url, shared=True),
        pytest.raises(StorageError, match=r"the servers of a cluster keep .* end them all"),
    ):
        lock_database(postgres_url).__enter__()
    with lock_database(postgres_url):
        pass


def test_no_server_of_a_cluster_begins_beside_a_lone_server(postgres_url: str) -> None:
    with (
        lock_database(postgres_url),
        pytest.raises(StorageError, match=r"another ulci-server .* for itself alone; end it"),
    ):
        lock_database(postgres_url, shared=True).__enter__()
    with lock_database(postgres_url, shared=True):
        pass


def test_only_postgres_can_be_shared(sqlite_url: str) -> None:
    for url in (sqlite_url, "memory:"):
        with pytest.raises(StorageError, match="can only share a PostgreSQL database"):
            lock_database(url, shared=True).__enter__()


def test_memory_is_everybodys_own() -> None:
    with lock_database("memory:"), lock_database("memory:"):
        pass


def test_two_files_are_two_databases(tmp_path: Path) -> None:
    with lock_database(f"sqlite:///{tmp_path}/a.db"), lock_database(f"sqlite:///{tmp_path}/b.db"):
        pass


@pytest.mark.parametrize("there", [True, False])
def test_a_file_is_one_database_whatever_links_lead_to_it(tmp_path: Path, there: bool) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link.db").symlink_to("folder/games.db")
    (tmp_path / "other").symlink_to("folder")
    if there:
        migrate(f"sqlite:///{tmp_path}/folder/games.db")
    ways = ["folder/games.db", "link.db", "other/games.db", "folder/../folder/games.db"]
    for first in ways:
        with lock_database(f"sqlite:///{tmp_path}/{first}"):
            for second in ways:
                with pytest.raises(StorageError, match="another ulci-server keeps its games in"):
                    lock_database(f"sqlite:///{tmp_path}/{second}").__enter__()


def test_a_file_of_several_names_is_refused(tmp_path: Path) -> None:
    first, second = tmp_path / "games.db", tmp_path / "second.db"
    migrate(f"sqlite:///{first}")
    second.hardlink_to(first)
    for path in (first, second):
        with pytest.raises(StorageError, match=r"has several names .*find / -xdev -samefile"):
            lock_database(f"sqlite:///{path}").__enter__()
    second.unlink()
    with lock_database(f"sqlite:///{first}"):
        pass


def test_where_nothing_can_be_written_the_database_says_why(tmp_path: Path) -> None:
    with lock_database(f"sqlite:///{tmp_path}/no/such/folder/games.db"):
        pass


def test_a_file_system_without_locks_is_no_obstacle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def flock(file: object, how: int) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", flock)
    with lock_database(f"sqlite:///{tmp_path}/games.db"):
        pass


def test_a_server_that_cannot_be_reached_is_told_as_ever() -> None:
    with (
        pytest.raises(StorageError, match="is PostgreSQL running there"),
        lock_database("postgresql://ada@127.0.0.1:1/games"),
    ):
        pass


def test_the_tables_of_a_cluster_are_migrated_only_while_no_server_uses_them(
    postgres_url: str,
) -> None:
    migrate(postgres_url)
    downgrade(postgres_url, "0003")
    with (
        lock_database(postgres_url, shared=True),
        pytest.raises(StorageError, match=r"the servers of a cluster keep .* end them all"),
    ):
        migrate_unused(postgres_url, shared=True)
    assert schema_state(postgres_url).revision == "0003"
    assert migrate_unused(postgres_url, shared=True).revision == "0003"
    with lock_database(postgres_url, shared=True):
        assert migrate_unused(postgres_url, shared=True).standing is SchemaStatus.CURRENT


def test_a_file_is_not_migrated_for_a_cluster(sqlite_url: str) -> None:
    migrate(sqlite_url)
    downgrade(sqlite_url, "0003")
    with pytest.raises(StorageError, match="can only share a PostgreSQL database"):
        migrate_unused(sqlite_url, shared=True)
    assert schema_state(sqlite_url).revision == "0003"
