"""Who broke the protocol: us (a bug) or them (an ordinary day)."""

from typing import NamedTuple


class ProtocolError(Exception):
    """Abstract: what is raised is always one of the two below."""


class LocalProtocolError(ProtocolError):
    """We were about to say something that cannot or may not be said now: a bug of ours."""


class RemoteProtocolError(ProtocolError):
    """The peer said something that cannot or may not be said.

    The text is what the peer is told after ``info clienterror``: what was wrong, the rule, and what
    to do instead. After a `fatal` one nothing more can be read from this peer; after another the
    conversation goes on as if the faulty line had not been sent.
    """

    def __init__(self, text: str, *, fatal: bool = False) -> None:
        super().__init__(text)
        self.fatal = fatal


class Fault(NamedTuple):
    """A `RemoteProtocolError` to be raised when its turn comes. An error that somebody keeps would
    keep the stack that it was raised on, and with that whoever keeps it: a cycle."""

    text: str
    fatal: bool = False

    def error(self) -> RemoteProtocolError:
        """A new one."""
        return RemoteProtocolError(self.text, fatal=self.fatal)
