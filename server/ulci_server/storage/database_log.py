"""SQLite's log beside a database (``-wal``), as it lies in the file.

SQLite itself does not notice when somebody truncates or overwrites the log of an open database: it
goes on behind the end that it remembers, and all of that is lost when the program ends. So it is
looked at from outside, with nothing of SQLite: the last frame that was seen has to be there still.
The format: https://www.sqlite.org/fileformat2.html#the_write_ahead_log
"""

import os
import struct
from collections.abc import Callable

read_at = os.pread

_HEADER = struct.Struct(">IIII8s8x")
_FRAME = struct.Struct(">II8s8s")

# The two differ in the byte order of checksums.
_MAGIC = (0x377F0682, 0x377F0683)

_LARGEST_PAGE = 65536


class LogEnd:
    """Follows the log of a database to its last commit."""

    def __init__(self) -> None:
        self._salt = b""  # other than before since the log began afresh
        self._frames = 0  # up to the last commit
        self._last = b""  # the header of that frame
        self._advance = 1  # frames of the last commits that were followed at once

    def forget(self) -> None:
        """Everything is in the database itself."""
        self._salt, self._frames, self._last = b"", 0, b""

    def check(self, file: int) -> bool:
        """Whether all is there that was there at the last call. `file` is a descriptor of it."""
        header = read_at(file, _HEADER.size, 0)
        if not header and not self._frames:
            return True
        if len(header) < _HEADER.size:
            return False
        magic, _, size, _, salt = _HEADER.unpack(header)
        if magic not in _MAGIC:
            return False
        step = _FRAME.size + (_LARGEST_PAGE if size == 1 else size)
        if salt != self._salt:  # all of it is in the database, and it was begun afresh
            self._salt, self._frames, self._last = salt, 0, b""

        def frame(number: int) -> bytes:
            """Its header, or nothing: a frame of an earlier log, or none at all."""
            found = read_at(file, _FRAME.size, _HEADER.size + (number - 1) * step)
            return found if found[8:16] == salt and len(found) == _FRAME.size else b""

        if self._frames and frame(self._frames) != self._last:
            return False
        self._follow(frame)
        return True

    def _follow(self, frame: Callable[[int], bytes]) -> None:
        """Up to the last commit. What follows it another program may take back.

        SQLite writes frames one after the other, so it takes few reads to find the last one, where
        it takes one for each frame to pass them all. Each read lets another thread of this program
        run first: 66 of them were a fifth of the cost of a move.
        """
        number, found = self._frames + 1, frame(self._frames + 1)
        if not found:
            return
        width = self._advance
        while later := frame(number + width):
            number, found = number + width, later
            width *= 2
        while width > 1:  # the last frame is less than `width` behind `number`
            half = width // 2
            if later := frame(number + half):
                number, found = number + half, later
                width -= half
            else:
                width = half
        while number > self._frames and not _FRAME.unpack(found)[1]:
            number -= 1
            found = frame(number)
        if number > self._frames:
            self._advance = number - self._frames
            self._frames, self._last = number, found
