"""Checks that the file with a database's name is still the one that is open.

A file that is deleted, moved away or replaced while a server has it open can still be written, but
its data is lost. So its name is checked before and after every transaction that writes, and rows
count as written only if they are in the file of that name. SQLite's log beside it (``-wal``) holds
what is not in the file itself yet, so it is checked, too.
"""

import math
import os
import stat
import threading
import time
from contextlib import closing, suppress
from pathlib import Path

import sqlalchemy as sa

from .errors import StorageError

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
        self._log_opened: Identity | None = None
        self._advice = ""  # for a copy, once there is one
        self._no_copy = ""  # why there is no copy
        self._copy_next = -math.inf
        self._one = threading.Lock()  # the threads of the journal and the authenticator both check
        sa.event.listen(engine, "connect", self._connected)

    def _connected(self, *_: object) -> None:
        if self._opened is None:
            self._opened = _identity(self._name)
            with suppress(OSError):
                self._mode = stat.S_IMODE(self._path.stat().st_mode)
        # SQLite's name for it. It is created with the first transaction of a connection, and may
        # be another one with the next connection.
        self._log = f"{os.path.realpath(self._path)}-wal"
        self._log_opened = None

    def check(self) -> None:
        """Raises `StorageError` if the file is missing. Its content is then copied to a new file,
        once, however long that takes; if the copy fails, again every `COPY_AGAIN` s."""
        with self._one:
            if not (gone := self._gone()):
                self._advice = ""
                return
            advice = self._advice or self._copy()
        raise StorageError(f"{gone} while the server was running. {advice}")

    def _gone(self) -> str:
        if self._opened is None or self._log is None:  # nothing is open yet
            return ""
        found = _identity(self._name)
        if found is None:
            return f"the database file {self._path} was deleted or moved away"
        if found != self._opened:
            return f"the database file {self._path} was replaced by another one"
        log = _identity(self._log)
        self._log_opened = self._log_opened or log
        if log != self._log_opened:
            return f"{self._log}, a part of the database, was deleted or replaced"
        return ""

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


def _identity(path: str) -> Identity | None:
    """None if there is no such file, or it cannot be reached."""
    try:
        found = os.stat(path)  # noqa: PTH116 (before and after every commit: half as long)
    except OSError:
        return None
    return found.st_dev, found.st_ino
