"""What every dialect offers to the codec and to the connection."""

import enum
from collections.abc import Sequence
from typing import Protocol, get_args

from .info import Unread
from .messages import LobbyWord, Message, Unknown


class Role(enum.Enum):
    """Which end of the connection we are."""

    SERVER = enum.auto()
    CLIENT = enum.auto()


LOBBY_WORDS: frozenset[type] = frozenset(get_args(LobbyWord))

Read = Message | Unread | tuple[Message, ...]
"""What one line says: a message, or several, or nothing that concerns anybody else."""


class Dialect(Protocol):
    """Lines to messages and back.

    A row of the table of dialects may be shared by all connections. A dialect that remembers what
    was said is made for one connection and for one of its ends.
    """

    @property
    def name(self) -> str: ...

    @property
    def lobby(self) -> bool:
        """Are the lobby's words read from a client, and may `Lobby` be sent to it?"""
        ...

    @property
    def lacks(self) -> frozenset[str]:
        """Words of ``go`` that it does not have, and ``bestmove ponder`` if the move stands
        alone."""
        ...

    @property
    def replies(self) -> Sequence[Unknown]:
        """Lines that the dialect itself owes the other end, and that nobody else need know of."""
        ...

    def take_replies(self) -> Sequence[Unknown]:
        """The same, which are then said."""
        ...

    def forgive(self) -> None:
        """What was asked and not answered never will be."""
        ...

    def can_say(self, message: Message | Unread) -> bool:
        """Has the dialect a word for it?"""
        ...

    def read_untrusted(self, line: str, reader: Role, *, defer: bool = False) -> Read:
        """What the line means to us, who are `reader`; with `defer` an analysis may stay unread.

        Raises:
            RemoteProtocolError: it means nothing. A line without any word that the other side
                could begin with is no error but `Unknown`.
        """
        ...

    def write(self, message: Message | Unread) -> str:
        """The line for a message, or several with newlines between; empty: nothing is said.

        Raises:
            LocalProtocolError: it has no spelling.
        """
        ...

    def show(self, message: Message | Unread) -> str:
        """The message as an error's text quotes it; changes nothing."""
        ...
