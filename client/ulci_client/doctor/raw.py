"""Lines as they are: the dialect of somebody who judges what others only try to understand."""

from collections.abc import Sequence

from ulci.protocol import Message, Quit, Role, Unknown, Unread


class Raw:
    """A `Dialect` in which every line is `Unknown`, and may be said and heard at any time."""

    name = "raw"
    lobby = False
    lacks: frozenset[str] = frozenset()
    replies: Sequence[Unknown] = ()

    def take_replies(self) -> Sequence[Unknown]:
        return ()

    def forgive(self) -> None:
        """It does not count questions."""

    def can_say(self, message: Message | Unread) -> bool:
        """Lines; and ``quit``, which is what a program is told at its end in any dialect."""
        return isinstance(message, Unknown | Quit)

    def read_untrusted(self, line: str, reader: Role, *, defer: bool = False) -> Unknown:  # noqa: ARG002
        """The line, with its blanks."""
        return Unknown(line)

    def write(self, message: Message | Unread) -> str:
        """The line, even if it ends with a CR."""
        return message.line if isinstance(message, Unknown | Unread) else "quit"

    def show(self, message: Message | Unread) -> str:
        return self.write(message)
