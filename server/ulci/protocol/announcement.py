"""Lobby lines for many peers, encoded once for all of them."""

from collections.abc import Callable, Hashable, Sequence

from .messages import Lobby

Write = Callable[[Lobby], str | bytes]
"""Encodes a line for the wire."""


class AnnouncedLine:
    """A lobby line for any number of peers."""

    __slots__ = ("_written", "line")

    def __init__(self, line: Lobby) -> None:
        self.line = line
        self._written: dict[Hashable, str | bytes] = {}

    def written(self, key: Hashable, write: Write) -> str | bytes:
        """The line encoded by `write`, once per `key`; writers that write the same share a key."""
        if (known := self._written.get(key)) is None:
            known = self._written[key] = write(self.line)
        return known


class Announcement:
    """Announced lines in order, sent like a message. Every writer that was used is added to
    `writers`, by its key."""

    __slots__ = ("_parts", "_writers", "_written")

    def __init__(self, parts: Sequence[AnnouncedLine], writers: dict[Hashable, Write]) -> None:
        self._parts = parts
        self._writers = writers
        self._written: dict[Hashable, list[str | bytes]] = {}

    @property
    def lines(self) -> list[Lobby]:
        return [part.line for part in self._parts]

    def written(self, key: Hashable, write: Write) -> list[str | bytes]:
        """All lines, like `AnnouncedLine.written`."""
        if (known := self._written.get(key)) is None:
            self._writers.setdefault(key, write)
            known = self._written[key] = [part.written(key, write) for part in self._parts]
        return known
