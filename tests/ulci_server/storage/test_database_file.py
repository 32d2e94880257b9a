"""A database whose file is gone takes nothing more, and everything of it can be had elsewhere."""

import math
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.facts import noted, played, started
from ulci_server.storage import Database, StorageError, database_file, migrate


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "games.db"


@pytest.fixture
def database(path: Path) -> Iterator[Database]:
    """With a game of one move."""
    migrate(f"sqlite:///{path}")
    path.chmod(0o640)
    made = Database(f"sqlite:///{path}")
    made.save(noted([started(1), played(1, 0, "e2e4")]))
    yield made
    made.close()


def moves(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as database:
        return [move for (move,) in database.execute("SELECT move FROM moves ORDER BY ply")]


def saved(path: Path) -> Path:
    """The only copy."""
    [copy] = path.parent.glob("games.db.saved-*")
    return copy


def delete(path: Path) -> None:
    path.unlink()


def move_away(path: Path) -> None:
    path.rename(path.with_name("elsewhere.db"))


def delete_all(path: Path) -> None:
    for part in path.parent.glob("games.db*"):
        part.unlink()


def replace(path: Path) -> None:
    other = path.with_name("other.db")
    migrate(f"sqlite:///{other}")
    other.replace(path)


def delete_log(path: Path) -> None:
    path.with_name("games.db-wal").unlink()


def delete_index(path: Path) -> None:
    path.with_name("games.db-shm").unlink()


GONE = pytest.mark.parametrize(
    ("befall", "what"),
    [
        (delete, r"games.db was deleted or moved away while the server was running"),
        (move_away, r"games.db was deleted or moved away"),
        (delete_all, r"games.db was deleted or moved away"),
        (replace, r"games.db was replaced by another one"),
        (delete_log, r"games.db-wal, a part of the database, was deleted or replaced"),
        (delete_index, r"games.db-shm, a part of the database, was deleted or replaced"),
    ],
)


@GONE
def test_a_file_that_is_gone_takes_nothing_more_and_is_copied(
    database: Database, path: Path, befall: Callable[[Path], None], what: str
) -> None:
    befall(path)
    for _ in range(3):
        with pytest.raises(StorageError, match=f"{what}.* or end the server.* mv .*saved-"):
            database.save(noted([played(1, 1, "e7e5")]))
    assert moves(saved(path)) == ["e2e4"]
    assert saved(path).stat().st_mode & 0o777 == 0o640


@GONE
def test_the_copy_takes_the_place_of_the_file(
    database: Database, path: Path, befall: Callable[[Path], None], what: str
) -> None:
    befall(path)
    with pytest.raises(StorageError):
        database.save(noted([played(1, 1, "e7e5")]))
    database.close()
    saved(path).rename(path)  # whoever forgets to delete the rest loses nothing by it
    again = Database(f"sqlite:///{path}")
    again.save(noted([played(1, 1, "e7e5")]))
    again.close()
    assert moves(path) == ["e2e4", "e7e5"]


def test_a_move_that_was_written_when_the_file_was_gone_is_not_durable_but_in_the_copy(
    database: Database, path: Path
) -> None:
    def lose_it(statement: str) -> None:
        if statement == "COMMIT":
            path.unlink()

    with closing(database.transactions.writer.raw_connection()) as connection:
        connection.driver_connection.set_trace_callback(lose_it)
    with pytest.raises(StorageError, match="was deleted"):
        database.save(noted([played(1, 1, "e7e5")]))
    assert moves(saved(path)) == ["e2e4", "e7e5"]


def test_when_the_same_file_is_back_all_goes_on(database: Database, path: Path) -> None:
    move_away(path)
    with pytest.raises(StorageError):
        database.save(noted([played(1, 1, "e7e5")]))
    path.with_name("elsewhere.db").rename(path)
    database.save(noted([played(1, 1, "e7e5")]))
    assert moves(path) == ["e2e4", "e7e5"]


def test_a_copy_that_cannot_be_made_is_told(database: Database, path: Path) -> None:
    away = path.parent.with_name(f"{path.parent.name}-away")
    path.parent.rename(away)
    for _ in range(2):
        with pytest.raises(StorageError, match=r"Put the same file back.* could not be copied"):
            database.save(noted([played(1, 1, "e7e5")]))
    assert not [*away.glob("*.part")]
    away.rename(path.parent)
    database.save(noted([played(1, 1, "e7e5")]))


def test_a_copy_that_could_not_be_made_is_tried_again(
    database: Database, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = path.parent.with_name(f"{path.parent.name}-away")
    path.parent.rename(away)
    with pytest.raises(StorageError, match="could not be copied"):
        database.save(noted([played(1, 1, "e7e5")]))
    path.parent.mkdir()
    with pytest.raises(StorageError, match="could not be copied"):  # not yet
        database.save(noted([played(1, 1, "e7e5")]))
    monkeypatch.setattr(database_file, "COPY_AGAIN", 0.0)
    monkeypatch.setattr(database_file.time, "monotonic", lambda: math.inf)
    with pytest.raises(StorageError, match=r"or end the server.* mv .*saved-"):
        database.save(noted([played(1, 1, "e7e5")]))
    assert moves(saved(path)) == ["e2e4"]


def test_two_threads_that_find_it_gone_make_one_copy(database: Database, path: Path) -> None:
    path.unlink()
    told: list[str] = []

    def look() -> None:
        with pytest.raises(StorageError) as raised:
            database.save(noted([played(1, 1, "e7e5")]))
        told.append(str(raised.value))

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({*told}) == 1
    assert "or end the server" in told[0]
    assert moves(saved(path)) == ["e2e4"]


def test_a_link_that_leads_elsewhere_now_is_another_file(tmp_path: Path, path: Path) -> None:
    link = tmp_path / "link.db"
    link.symlink_to(path)
    migrate(f"sqlite:///{link}")
    database = Database(f"sqlite:///{link}")
    database.save(noted([started(1)]))
    other = tmp_path / "other.db"
    migrate(f"sqlite:///{other}")
    link.unlink()
    link.symlink_to(other)
    with pytest.raises(StorageError, match=r"link.db was replaced by another one"):
        database.save(noted([started(2)]))
    database.close()
