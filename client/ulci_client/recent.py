"""What a server tells us by number or by name: as much of it as is worth keeping. Pure."""

from typing import TypeVar

MOST_LISTED = 1000
"""Entries kept of a list of a server's lobby: twice as many as a server of ours lists."""

Key = TypeVar("Key")
Value = TypeVar("Value")


class Recent(dict[Key, Value]):
    """A dictionary of at most `most` entries: it drops the oldest ones."""

    def __init__(self, most: int = MOST_LISTED) -> None:
        super().__init__()
        self._most = most

    def __setitem__(self, key: Key, value: Value) -> None:
        super().__setitem__(key, value)
        if len(self) > self._most:
            del self[next(iter(self))]
