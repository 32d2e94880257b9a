"""The interface of a dialect, and the words in which the dialects of the UCI family differ."""

import enum
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Protocol

from .info import Unread
from .messages import Message, Unknown


class Role(enum.Enum):
    """Which end of the connection this is."""

    # It is looked up at every line, and Python would hash it by its name.
    __hash__ = object.__hash__

    SERVER = enum.auto()
    CLIENT = enum.auto()


Read = Message | Unread | tuple[Message, ...]
"""The contents of a line: one message, several, or none that concerns the caller."""


class Dialect(Protocol):
    """Lines to messages and back.

    The dialects of the table may be shared by all connections. A dialect with state belongs to one
    end of one connection.
    """

    @property
    def name(self) -> str: ...

    @property
    def lobby(self) -> bool:
        """Whether lobby commands are read from a client, and `Lobby` may be sent to it."""
        ...

    @property
    def lacks(self) -> frozenset[str]:
        """Words of ``go`` that the dialect lacks, and ``bestmove ponder`` if it sends the move
        alone."""
        ...

    @property
    def appends(self) -> bool:
        """Whether a position is its start followed by its moves, so that the next one only
        grows."""
        ...

    @property
    def sayable(self) -> frozenset[type]:
        """Kinds of messages for which `can_say` always holds, except a `Go` with pondering."""
        ...

    @property
    def replies(self) -> Sequence[Unknown]:
        """Replies that the dialect itself owes the other end."""
        ...

    def take_replies(self) -> Sequence[Unknown]:
        """Take the `replies` to send them."""
        ...

    def forgive(self) -> None:
        """Expect no answers to earlier questions."""
        ...

    def can_say(self, message: Message | Unread) -> bool:
        """Whether the dialect can spell this message."""
        ...

    def read_untrusted(self, line: str, reader: Role, *, defer: bool = False) -> Read:
        """Parse a line for the end `reader`; with `defer` an analysis may stay unparsed.

        Raises:
            RemoteProtocolError: the line is invalid. A line without a verb of the other side is no
                error but `Unknown`.
        """
        ...

    def write(self, message: Message | Unread) -> str:
        """The line for a message, or several separated by newlines; empty if nothing is sent.

        Raises:
            LocalProtocolError: the message has no spelling.
        """
        ...

    def show(self, message: Message | Unread) -> str:
        """The message as an error quotes it; changes no state."""
        ...


@dataclass(frozen=True)
class Spelling:
    """The words of one dialect of the UCI family."""

    name: str
    hello: str
    hello_ok: str
    new_game: str
    clock_keys: Mapping[str, str] = field(compare=False)
    """Words for the clocks in the order of writing, and the fields they stand for."""
    says: frozenset[type]
    """Messages that may be sent to a client of this dialect."""
    lacks: frozenset[str] = frozenset()
    """Words of ``go`` that the dialect lacks, and ``bestmove ponder`` if it sends the move
    alone."""
    opaque: bool = False
    """Positions and moves are arbitrary words, neither counted nor repaired."""
    lobby: bool = False
    clock_line: str = field(init=False, compare=False, repr=False)
    """All words for the clocks, each after a blank and with a place for its time (``%d``)."""
    clocks_of: Callable[[object], tuple[int | None, ...]] = field(
        init=False, compare=False, repr=False
    )
    """Takes the times out of a message, in that order."""

    def __post_init__(self) -> None:
        line = "".join(f" {word} %d" for word in self.clock_keys)
        object.__setattr__(self, "clock_line", line)
        keys = [*self.clock_keys.values()]
        object.__setattr__(self, "clocks_of", attrgetter(*keys) if keys else lambda _: ())
