"""Where the entries of a text file begin: made once, then any entry is read by itself.

An index takes 8 bytes an entry, and a mark for each `CHUNK`; the file is never in memory. Reads are
small, so that a thread that makes an index releases the interpreter after every `CHUNK`, a fraction
of a millisecond.
"""

import stat
from array import array
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from operator import itemgetter
from os import fstat, stat_result
from pathlib import Path
from typing import BinaryIO, NamedTuple

from .formats import BOM, HEAD, Format, check_format
from .opening import BookError

CHUNK = 64 * 1024
"""Bytes of a read."""

MOST_ENTRIES = 16_000_000
"""Entries of a book: 128 MB of index. The largest books in use have a few millions."""

LONGEST_LINE = 1024 * 1024
"""Bytes of a line. Of an entry, too, at most so much is read."""

Blocks = Iterator[tuple[int, list[bytes]]]
"""Whole lines, and where the first of them begins."""

Scan = Callable[[Blocks], Iterator[int]]
"""Yields where entries begin."""

Pulse = Callable[[], object]
"""Called for every chunk; may raise to give up."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """Shows whether the file has changed."""

    size: int
    modified: int

    @classmethod
    def of(cls, status: stat_result) -> "Stamp":
        return cls(status.st_size, status.st_mtime_ns)


class LineMark(NamedTuple):
    """A place where a line begins, in bytes, and how many lines are before it."""

    at: int
    lines: int


@dataclass(frozen=True, slots=True)
class Index:
    """starts: where each entry begins. marks: a few of the lines, about one for each `CHUNK`.
    digest: SHA-256 of the file, in hex, without a byte order mark."""

    path: Path
    starts: "array[int]"
    marks: tuple[LineMark, ...]
    stamp: Stamp
    digest: str

    def __len__(self) -> int:
        return len(self.starts)

    def text(self, number: int) -> str:
        """The entry of this number, from 0, and what follows up to the next one: at most
        `LONGEST_LINE` bytes, with lines that end with ``\\n``.

        Raises:
            BookError: the file is gone, or is no longer as it was.
        """
        start = self.starts[number]
        last = number + 1 == len(self.starts)
        end = self.stamp.size if last else self.starts[number + 1]
        data = read_at(self.path, self.stamp, start, min(end - start, LONGEST_LINE))
        return data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")

    def line(self, number: int) -> int:
        """The line of the file, from 1, with which an entry begins. Reads what is between the
        last mark before it and the entry: one chunk, or a little more.

        Raises:
            BookError: the file is gone, or is no longer as it was.
        """
        start = self.starts[number]
        mark = self.marks[bisect_right(self.marks, start, key=itemgetter(0)) - 1]
        between = read_at(self.path, self.stamp, mark.at, start - mark.at)
        return mark.lines + len(between.splitlines()) + 1


def make_index(path: Path, form: Format, scan: Scan, pulse: Pulse) -> Index:
    """Read the file once.

    Raises:
        BookError: it cannot be read, is of another format, or has no entry or too many.
    """
    with open_book_file(path) as file:
        before = Stamp.of(fstat(file.fileno()))
        head = file.read(HEAD)
        check_format(path, head, form)
        first = len(BOM) if head.startswith(BOM) else 0
        file.seek(first)
        chunks = Chunks(path, file, pulse)
        marks: list[LineMark] = []
        starts = _gathered(path, scan(_marked(_blocks(path, chunks, first), marks)))
        if before != Stamp.of(fstat(file.fileno())):
            raise _changed(path)
    return Index(path, starts, tuple(marks), before, chunks.digest())


class Chunks:
    """Reads a file as far as it went when it was opened, and computes its digest."""

    def __init__(self, path: Path, file: BinaryIO, pulse: Pulse) -> None:
        self._path, self._file, self._pulse = path, file, pulse
        self._left = fstat(file.fileno()).st_size
        self._hash = sha256()

    def __iter__(self) -> Iterator[bytes]:
        while self._left > 0 and (chunk := self._read()):
            self._left -= len(chunk)
            self._pulse()
            self._hash.update(chunk)
            yield chunk

    def _read(self) -> bytes:
        try:
            return self._file.read(CHUNK)
        except OSError as error:
            raise _unreadable(self._path, error) from error

    def exhausted(self) -> "Chunks":
        """After the whole file was read."""
        deque(self, maxlen=0)
        return self

    def digest(self) -> str:
        return self._hash.hexdigest()


def open_book_file(path: Path) -> BinaryIO:
    """The file to read from, without a buffer. Raises BookError."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise BookError(f"the book {path} is not a file")
        file = path.open("rb", buffering=0)
    except OSError as error:
        raise _unreadable(path, error) from error
    if not fstat(file.fileno()).st_size:
        file.close()
        raise BookError(f"the book {path} is empty")
    return file


def unchanged(path: Path, stamp: Stamp) -> BinaryIO:
    """Return the file if it has not changed. Raises BookError."""
    file = open_book_file(path)
    if Stamp.of(fstat(file.fileno())) != stamp:
        file.close()
        raise _changed(path)
    return file


def read_at(path: Path, stamp: Stamp, start: int, size: int) -> bytes:
    """Read so many bytes from there. Raises BookError, also if the file has changed."""
    try:
        with unchanged(path, stamp) as file:
            file.seek(start)
            return file.read(size)
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: OSError) -> BookError:
    return BookError(f"cannot read the book {path}: {error.strerror}")


def _changed(path: Path) -> BookError:
    return BookError(
        f"the book {path} was changed while it was used, and its openings are others now"
    )


def _gathered(path: Path, found: Iterator[int]) -> "array[int]":
    starts = array("Q", islice(found, MOST_ENTRIES + 1))
    if not starts:
        raise BookError(f"the book {path} holds no opening")
    if len(starts) > MOST_ENTRIES:
        raise BookError(f"the book {path} holds more than {MOST_ENTRIES} openings; split it")
    return starts


def _marked(blocks: Blocks, marks: list[LineMark]) -> Blocks:
    """Yields the blocks; adds where each begins to `marks`."""
    before = 0
    for at, lines in blocks:
        marks.append(LineMark(at, before))
        before += len(lines)
        yield at, lines


def _blocks(path: Path, chunks: Iterable[bytes], at: int) -> Blocks:
    """Lines that end with ``\\n``, ``\\r\\n`` or ``\\r``; the last may have no end."""
    rest = b""
    for chunk in chunks:
        lines = (rest + chunk).splitlines(keepends=True)
        # What ends with \r may go on with \n.
        rest = b"" if chunk.endswith(b"\n") else lines.pop()
        if len(rest) > LONGEST_LINE:
            raise BookError(f"the book {path} has a line of more than {LONGEST_LINE} bytes")
        yield at, lines
        at += sum(map(len, lines))
    yield at, [rest]
