"""Protocol errors: ours (a bug) and the peer's."""

from typing import NamedTuple


class ProtocolError(Exception):
    """Abstract base of the two errors below."""


class LocalProtocolError(ProtocolError):
    """This end was about to send a message that has no spelling or is not allowed now: our bug."""


class RemoteProtocolError(ProtocolError):
    """The peer sent something invalid, or not allowed now.

    The text is sent to the peer after ``info clienterror``: the fault, the rule, and a correction.
    After a `fatal` error nothing more can be read from this peer; after any other the conversation
    continues as if the line had not been sent.
    """

    def __init__(self, text: str, *, fatal: bool = False) -> None:
        super().__init__(text)
        self.fatal = fatal


class Fault(NamedTuple):
    """A `RemoteProtocolError` to be raised later. A stored exception would keep its traceback
    alive, and with it a reference cycle."""

    text: str
    fatal: bool = False

    @classmethod
    def of(cls, error: RemoteProtocolError) -> "Fault":
        """The fault of a raised error."""
        return cls(str(error), error.fatal)

    def error(self) -> RemoteProtocolError:
        """A new exception."""
        return RemoteProtocolError(self.text, fatal=self.fatal)
