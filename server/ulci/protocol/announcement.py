"""What many are told at once: written once for all of them, and not once for each."""

from collections.abc import Callable, Hashable, Sequence

from .messages import Lobby

Write = Callable[[Lobby], str | bytes]
"""A line as it goes over the wire."""


class AnnouncedLine:
    """A line of the lobby for any number of peers."""

    __slots__ = ("_written", "line")

    def __init__(self, line: Lobby) -> None:
        self.line = line
        self._written: dict[Hashable, str | bytes] = {}

    def written(self, key: Hashable, write: Write) -> str | bytes:
        """The line as `write` makes it; once for each `key`, which stands for all writers that
        write the same."""
        if (known := self._written.get(key)) is None:
            known = self._written[key] = write(self.line)
        return known


class Announcement:
    """Such lines in order, said like a message. Whoever has ever written one is added to `writers`,
    by its key."""

    __slots__ = ("_parts", "_writers", "_written")

    def __init__(self, parts: Sequence[AnnouncedLine], writers: dict[Hashable, Write]) -> None:
        self._parts = parts
        self._writers = writers
        self._written: dict[Hashable, list[str | bytes]] = {}

    @property
    def lines(self) -> list[Lobby]:
        return [part.line for part in self._parts]

    def written(self, key: Hashable, write: Write) -> list[str | bytes]:
        """All lines, as `AnnouncedLine.written`."""
        if (known := self._written.get(key)) is None:
            self._writers.setdefault(key, write)
            known = self._written[key] = [part.written(key, write) for part in self._parts]
        return known
