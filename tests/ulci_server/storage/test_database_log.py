"""The end of SQLite's log is found where it is, with few reads."""

import os
import random
import sqlite3
import struct
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ulci_server.storage import database_log
from ulci_server.storage.database_log import LogEnd

PAGE = 4096
HEADER = 32
FRAME = 24


@pytest.fixture
def database(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """Its log is as long as it likes. What does not fit into ten pages is written before the
    commit, as SQLite does with large transactions."""
    with closing(sqlite3.connect(tmp_path / "games.db", isolation_level=None)) as made:
        made.execute("PRAGMA journal_mode=WAL")
        made.execute("PRAGMA wal_autocheckpoint=0")
        made.execute("PRAGMA cache_size=10")
        made.execute("CREATE TABLE moves (id INTEGER PRIMARY KEY, text TEXT)")
        yield made


@pytest.fixture
def log(database: sqlite3.Connection, tmp_path: Path) -> Iterator[int]:
    descriptor = os.open(tmp_path / "games.db-wal", os.O_RDONLY)
    yield descriptor
    os.close(descriptor)


def write(database: sqlite3.Connection, pages: int, end: str = "COMMIT") -> None:
    database.execute("BEGIN")
    for _ in range(pages):
        database.execute("INSERT INTO moves (text) VALUES (?)", ("x" * (PAGE - 200),))
    database.execute(end)


def commits(log: int) -> list[int]:
    """The numbers of the frames that end a transaction, by a look at each."""
    content = os.pread(log, os.fstat(log).st_size, 0)
    salt, found = content[16:24], []
    for number, at in enumerate(range(HEADER, len(content), FRAME + PAGE), start=1):
        _, size, frame_salt = struct.unpack_from(">II8s", content, at)
        if frame_salt != salt:
            break
        if size:
            found.append(number)
    return found


def overwrite(path: Path, frame: int) -> None:
    with path.open("r+b") as file:
        file.seek(HEADER + (frame - 1) * (FRAME + PAGE))
        file.write(bytes(FRAME))


@pytest.mark.parametrize("seed", range(5))
def test_the_end_is_the_last_commit(
    database: sqlite3.Connection, log: int, tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    followed = LogEnd()
    for _ in range(40):
        for _ in range(chance.choice((0, 1, 1, 5))):
            rolled_back = chance.random() < 0.2
            write(database, chance.choice((1, 2, 30, 70)), "ROLLBACK" if rolled_back else "COMMIT")
        if chance.random() < 0.1:
            database.execute("PRAGMA wal_checkpoint(RESTART)")
        assert followed.check(log)
    # It is known which frame is the last that may not change, and that each one behind it may.
    last = commits(log)[-1]
    overwrite(tmp_path / "games.db-wal", last + 1)
    assert followed.check(log)
    overwrite(tmp_path / "games.db-wal", last)
    assert not followed.check(log)


def test_many_frames_take_few_reads(
    database: sqlite3.Connection, log: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = []

    def pread(*arguments: int) -> bytes:
        reads.append(arguments)
        return os.pread(*arguments)

    followed = LogEnd()
    assert followed.check(log)
    monkeypatch.setattr(database_log, "read_at", pread)
    for pages in (60, 64, 70, 1000, 60):
        before = commits(log)[-1]
        write(database, pages)
        assert commits(log)[-1] >= before + pages
        reads.clear()
        assert followed.check(log)
        assert len(reads) <= 26
    reads.clear()
    assert followed.check(log)
    assert len(reads) == 3  # the log's header, the last frame, and none behind it
