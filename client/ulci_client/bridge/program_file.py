"""Notices that another version has replaced an engine's program on the disk."""

import os
import shutil
from pathlib import Path

from ulci.net.process import GAMES

Stamp = tuple[int, int, int, int]
"""Device, inode, modification time in ns, size: a copy changes the last, a rename the first."""


class ProgramFile:
    """A program as it was when it was started."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._started = self._seen = _stamp(path)

    @staticmethod
    def of(command: str) -> "ProgramFile | None":
        """The file that a command starts; None if there is none."""
        path = find_program(command)
        return None if path is None else ProgramFile(path)

    def updated(self) -> bool:
        """Whether the file has been replaced and has not changed since the last call: the bridge
        does not start a file that is still being written."""
        seen, self._seen = self._seen, _stamp(self.path)
        return self._seen is not None and seen == self._seen != self._started


def find_program(command: str) -> Path | None:
    """The path of a command's program; None if it is not found."""
    found = shutil.which(command, path=f"{os.environ.get('PATH', os.defpath)}{os.pathsep}{GAMES}")
    return None if found is None else Path(found)


def _stamp(path: Path) -> Stamp | None:
    try:
        known = path.stat()
    except OSError:
        return None
    return known.st_dev, known.st_ino, known.st_mtime_ns, known.st_size
