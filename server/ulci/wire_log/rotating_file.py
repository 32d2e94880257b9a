"""A file that is put aside when it is full: ``wire.log``, before it ``wire.log.1``, and so on."""

import errno
import os
import stat
from itertools import pairwise
from pathlib import Path

from ulci import system

SIZE = 64_000_000
"""Bytes of a file."""

FILES = 8
"""Files that are kept, the one that is written included: half a gigabyte."""


class WireLogError(Exception):
    """The log cannot be begun; the text says why, for people."""


class TakenError(WireLogError):
    """Another program writes the file."""


class RotatingFile:
    """Appends to a file that only its owner can read, and that no other program writes.

    Raises:
        TakenError: another program writes it.
        WireLogError: it cannot be opened.
    """

    def __init__(self, path: Path, *, size: int = SIZE, files: int = FILES) -> None:
        self._path = path
        self._most = size
        self._files = files
        try:
            self._descriptor, self._size = _opened(path)
        except BlockingIOError:
            text = f"another program writes the wire log {path}; name another file"
            raise TakenError(text) from None
        except OSError as error:
            why = error.strerror or error
            raise WireLogError(f"cannot write the wire log {path}: {why}") from None

    def write(self, lines: bytes) -> None:
        """Whole lines. Raises `OSError`, as when the disk is full."""
        if self._size and self._size + len(lines) > self._most:
            self._put_aside()
        left = memoryview(lines)
        while left:
            written = os.write(self._descriptor, left)
            self._size += written
            left = left[written:]

    def close(self) -> None:
        os.close(self._descriptor)

    def _put_aside(self) -> None:
        older = [self._path, *(numbered(self._path, at) for at in range(1, self._files))]
        for newer, target in reversed([*pairwise(older)]):
            if newer.exists():
                newer.replace(target)
        if self._files == 1:
            self._path.unlink()
        descriptor, self._size = _opened(self._path)
        os.close(self._descriptor)
        self._descriptor = descriptor


def numbered(path: Path, number: int) -> Path:
    """The file that was put aside so many files ago."""
    return path.with_name(f"{path.name}.{number}")


def _opened(path: Path) -> tuple[int, int]:
    """The file, locked, and its size. A last line that was cut off is ended."""
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | system.NEVER_WAITS | system.IS_BINARY
    descriptor = os.open(path, flags, 0o600)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is no file")
        system.make_private(descriptor)
        system.lock(descriptor)
        size = os.fstat(descriptor).st_size
        if size and system.read_at(descriptor, 1, size - 1) != b"\n":
            size += os.write(descriptor, b"\n")
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor, size
