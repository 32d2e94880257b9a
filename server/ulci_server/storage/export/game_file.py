"""A file to which the games of a match are added as they end.

The record is the truth and the file is derived from it: after a crash the file tells which games it
has, and the others are added. For that each game carries its number, the tag GameId in PGN and a
comment in EPD, and is written by one call; of a half-written one nothing stays.
"""

import errno
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

CHUNK = 1024 * 1024
"""Bytes looked through at once."""

LONGEST_END = 64
"""Bytes of a mark or an end, which two chunks may share."""


class GameFileError(Exception):
    """The file cannot be written. The text is one sentence that names it."""


@dataclass(frozen=True, slots=True)
class GameForm:
    """mark: finds the number of a game. over: finds where one ends. end: what is put after it."""

    mark: re.Pattern[bytes]
    over: re.Pattern[bytes]
    end: bytes


PGN_FILE = GameForm(
    re.compile(rb'\n\[GameId "([0-9]+)"\]\n'),
    re.compile(rb"(?:1-0|0-1|1/2-1/2|\*)\n\n"),
    b"\n\n",
)
EPD_FILE = GameForm(re.compile(rb"# game ([0-9]+)\n"), re.compile(rb"\n"), b"\n")


class GameFile:
    """Blocks while it reads and writes, so it belongs into a worker thread.

    start: how many bytes of the file were there before the match. written: the numbers of the
    match's games that the file has.
    """

    def __init__(self, path: Path, form: GameForm, start: int | None = None) -> None:
        """Open the file, or make it. start: what this attribute was when the match began; None: it
        begins now, after what the file has.

        Raises:
            GameFileError: the file cannot be read and written.
        """
        self.path, self._form = path, form
        try:
            self._file = _opened(path)
            self.start = self._end() if start is None else min(start, self._size())
            self.written = self._found() if path.is_file() else set()  # a device has none
        except OSError as error:
            raise _failed(path, error) from error

    def add(self, game: int, text: str) -> None:
        """Add a game, unless the file has it. The text has no end of its own.

        Raises:
            GameFileError: it cannot be written, and the file is as it was.
        """
        if game in self.written:
            return
        data, before = text.encode() + self._form.end, self._size()
        try:
            if self._file.write(data) != len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            with suppress(OSError):
                self._file.truncate(before)
            raise _failed(self.path, error) from error
        self.written.add(game)

    def close(self) -> None:
        self._file.close()

    def _size(self) -> int:
        return self._file.seek(0, os.SEEK_END)

    def _end(self) -> int:
        """Where the first game goes: after what ends a game, whatever the file has."""
        if not (size := self._size()):
            return size
        end = self._form.end
        self._file.seek(max(0, size - len(end)))
        last = self._file.read(len(end))
        there = next(length for length in range(len(end), -1, -1) if last.endswith(end[:length]))
        return size + self._file.write(end[there:])

    def _found(self) -> set[int]:
        """The games from the start on; cuts off what comes after the last that is whole."""
        found, whole = dict[int, int](), self.start
        for at, data in self._chunks():
            found |= {int(mark[1]): at + mark.end() for mark in self._form.mark.finditer(data)}
            for over in self._form.over.finditer(data):
                whole = at + over.end()
        self._file.truncate(whole)
        return {game for game, place in found.items() if place <= whole}

    def _chunks(self) -> Iterator[tuple[int, bytes]]:
        """From the start on, each with its place, and with the end of the one before."""
        at, last = self.start, b""
        self._file.seek(at)
        while data := self._file.read(CHUNK):
            yield at - len(last), last + data
            at += len(data)
            last = (last + data)[-LONGEST_END:]


def empty_file(path: Path) -> None:
    """Make the file, or forget what it has. What is no file, such as a device, stays.

    Raises:
        GameFileError: it cannot be written.
    """
    try:
        path.open("wb").close()
    except OSError as error:
        raise _failed(path, error) from error


def _opened(path: Path) -> BinaryIO:
    """To read anywhere and to write at the end, without a buffer that a crash would lose."""
    return path.open("a+b", buffering=0)


def _failed(path: Path, error: OSError) -> GameFileError:
    return GameFileError(f"cannot write the file {path}: {error.strerror}")
