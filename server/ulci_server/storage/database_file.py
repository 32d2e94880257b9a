"""Checks that the file with a database's name is still the one that is open, and is whole.

A file that is deleted, moved away or replaced while a server has it open can still be written, but
its data is lost. So its name is checked before and after every transaction that writes, and rows
count as written only if they are in the file of that name. SQLite's log beside it (``-wal``) holds
what is not in the file itself yet, so it is checked, too, and so is its index (``-shm``), without
which another program would read an older state.

Whoever truncates or overwrites one of them is noticed at the next of these checks: the file has
become shorter, or the end of the log is not what it was (`database_log`). Then the database is read
by a new connection, as it lies there. What is lost is lost; but no further move is told.
"""

import math
import os
import sqlite3
import stat
import threading
import time
from contextlib import closing, suppress
from pathlib import Path

import sqlalchemy as sa
import structlog

from .database_log import LogEnd
from .errors import StorageError

LOG = structlog.get_logger("ulci_server.storage")

COPY_AGAIN = 10.0
"""Seconds between two tries to copy the content of a missing file."""

BACK = "Put the same file back, and the games go on"
"""The advice that always applies."""

Identity = tuple[int, int]
"""Identifies a file independently of its name: device and inode."""


class DatabaseFile:
    """The file of a SQLite database that `engine` writes to with its one connection."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self._path = Path(engine.url.database or "").absolute()
        self._name = str(self._path)
        self._opened: Identity | None = None
        self._mode = 0o600
        self._log: str | None = None
        self._log_file: int | None = None  # a descriptor of it
        self._beside: dict[str, Identity | None] = {}  # the log and its index
        self._end = LogEnd()
        self._size = 0  # of the database, in bytes, at the last check
        self._length = 0  # at this one
        self._reading = False  # all of it, because of what another program did
        self._damage = ""
        self._advice = ""  # for a copy, once there is one
        self._no_copy = ""  # why there is no copy
        self._copy_next = -math.inf
        self._one = threading.Lock()  # the threads of the journal and the authenticator both check
        sa.event.listen(engine, "connect", self._connected)

    def _connected(self, *_: object) -> None:
        if self._opened is None:
            self._opened = _identity(_found(self._name))
            with suppress(OSError):
                self._mode = stat.S_IMODE(self._path.stat().st_mode)
        # SQLite's names for them. They are created with the first transaction of a connection, and
        # may be others with the next connection.
        path = os.path.realpath(self._path)
        self._log = f"{path}-wal"
        self._beside = dict.fromkeys((self._log, f"{path}-shm"))
        self._end.forget()
        self._size = 0
        self.close()

    def close(self) -> None:
        """Nothing is checked any more, until there is a new connection."""
        if self._log_file is not None:
            os.close(self._log_file)
            self._log_file = None

    def check(self) -> None:
        """Raises `StorageError` if the file is missing. Its content is then copied to a new file,
        once, however long that takes; if the copy fails, again every `COPY_AGAIN` s. Raises it also
        if what was stored is lost: then for ever."""
        with self._one:
            if gone := self._gone():
                advice = self._advice or self._copy()
                raise StorageError(f"{gone} while the server was running. {advice}")
            self._advice = ""
            if not self._damage and not self._is_as_before():
                self._judge()
            if self._damage:
                raise StorageError(self._damage)

    def seems_whole(self) -> bool:
        """Whether `check` has nothing to do; does not wait."""
        if not self._one.acquire(blocking=False):
            return False
        try:
            return not self._damage and not self._gone() and self._is_as_before()
        finally:
            self._one.release()

    def _gone(self) -> str:
        if self._opened is None or self._log is None:  # nothing is open yet
            return ""
        found = _found(self._name)
        if found is None:
            return f"the database file {self._path} was deleted or moved away"
        self._length = found.st_size
        if _identity(found) != self._opened:
            return f"the database file {self._path} was replaced by another one"
        for path, opened in self._beside.items():
            identity = _identity(_found(path))
            self._beside[path] = opened or identity
            if opened is not None and identity != opened:
                return f"{path}, a part of the database, was deleted or replaced"
        return ""

    def _is_as_before(self) -> bool:
        """Whether the database is as long as it was, and its log has the end that it had."""
        if self._log is None:
            return True
        if self._log_file is None:
            # Never a descriptor of the database or the index: when it is closed, the locks of
            # SQLite on them end. There are none on the log.
            try:
                self._log_file = os.open(self._log, os.O_RDONLY | os.O_CLOEXEC)
            except OSError:  # there is no log yet, or no more, which the next check says
                return True
        if self._length < self._size or not self._end.check(self._log_file):
            return False
        self._size = self._length
        return True

    def _judge(self) -> None:
        """Another program has shortened or overwritten the database or its log. If all can be read
        nevertheless (it was a checkpoint, or a VACUUM), go on, with an empty log."""
        if not self._reading:  # once, though another program may read it for long
            self._reading = True
            LOG.warning(
                "another program changed the database's files: no move is stored until all is read",
                database=self._name,
                megabytes=_megabytes(self._name),
            )
        lost = _unreadable(self._name)
        if not lost:
            with closing(self._engine.raw_connection()) as connection:
                cursor = connection.cursor()
                cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                busy = cursor.fetchall()[0][0]
            if busy:
                raise StorageError(
                    f"another program has changed {self._path} or its log while the server was"
                    " running, and still reads it; the games go on when it has ended"
                )
            self._end.forget()
            self._size = 0
            self._reading = False
            LOG.warning("the database was read, and games go on", lost="nothing")
            return
        what = (
            f"{self._path} or {self._log} was truncated or overwritten while the server was running"
        )
        advice = self._rescue()
        self._damage = f"{what}, and a part of what was stored is lost ({lost}). {advice}"

    def _rescue(self) -> str:
        """Copy what the writer still has in its memory; returns the advice for the operator."""
        copy = Path(f"{self._path}.saved-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}")
        then = "then ulci-server verify says whether it is consistent"
        backup = f"End the server, and restore {self._path} from a backup; {then}"
        try:
            os.close(os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, self._mode))
            with closing(self._engine.raw_connection()) as connection:
                connection.cursor().execute("VACUUM INTO ?", (str(copy),))
        except (OSError, sa.exc.SQLAlchemyError, self._engine.dialect.loaded_dbapi.Error):
            copy.unlink(missing_ok=True)
            return backup
        if _unreadable(str(copy)):
            copy.unlink()
            return backup
        assert self._log is not None
        # Else SQLite would write its holes into the database when this program ends.
        os.truncate(self._log, 0)
        name = self._path
        return (
            f"The server still had it: end it, which loses nothing more, then mv {copy} {name} &&"
            f" rm -f {name}-wal {name}-shm, and start it again; {then}"
        )

    def _copy(self) -> str:
        """Copy the content; returns the advice for the operator."""
        if time.monotonic() < self._copy_next:
            return self._no_copy
        copy = Path(f"{self._path}.saved-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}")
        part = Path(f"{copy}.part")
        try:
            # With the same permissions as before.
            os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, self._mode))
            with (
                closing(self._engine.raw_connection()) as connection,
                closing(connection.cursor()) as cursor,
            ):
                cursor.execute("VACUUM INTO ?", (str(part),))
                # Otherwise the log would be applied to the copy, once that has the file's name.
                cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._end.forget()
            part.rename(copy)
        except (OSError, sa.exc.SQLAlchemyError, self._engine.dialect.loaded_dbapi.Error) as error:
            with suppress(OSError):
                part.unlink(missing_ok=True)
            self._copy_next = time.monotonic() + COPY_AGAIN
            self._no_copy = f"{BACK}. What was stored could not be copied: {error}"
            return self._no_copy
        name = self._path
        self._advice = (
            f"{BACK}; or end the server, which loses nothing that anybody was told of, then"
            f" mv {copy} {name} && rm -f {name}-wal {name}-shm, and start it again"
        )
        return self._advice


def _found(path: str) -> os.stat_result | None:
    """None if there is no such file, or it cannot be reached."""
    try:
        return os.stat(path)  # noqa: PTH116 (before and after every commit: half as long)
    except OSError:
        return None


def _identity(found: os.stat_result | None) -> Identity | None:
    return found and (found.st_dev, found.st_ino)


def _megabytes(path: str) -> float:
    return round(os.stat(path).st_size / 1e6, 1)  # noqa: PTH116 (as above)


def _unreadable(path: str) -> str:
    """What SQLite cannot read of the database, by a new connection; empty if it reads all."""
    if not os.stat(path).st_size:  # noqa: PTH116 (as above)
        return "it is empty"  # whose log SQLite would delete
    try:
        with closing(sqlite3.connect(path)) as connection:
            [found] = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.Error as error:
        return str(error)
    return "" if found == "ok" else str(found)
