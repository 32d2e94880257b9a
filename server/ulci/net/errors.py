"""Errors of connections, and the codes that close a WebSocket."""

from enum import Enum, IntEnum, auto


class NetError(OSError):
    """Abstract base of the errors below. The text is for people."""


class DialError(NetError):
    """The address cannot be reached; the text says why and what may help."""

    def __init__(
        self, text: str, retry_after: int | None = None, status: int | None = None
    ) -> None:
        super().__init__(text)
        self.retry_after = retry_after
        """Seconds until the server accepts another try; None if it did not say."""
        self.status = status
        """HTTP status of a rejected WebSocket upgrade; None if there was none."""


class ListenError(NetError):
    """The address cannot be listened on; the text says why and what may help."""


class ProcessError(NetError):
    """The program cannot be started; the text says why and what may help."""


class ExhaustedError(NetError):
    """No resources for new connections; the administrator must act."""


class Failed(Enum):
    """What a connection failed at. Failures of one kind are reported now and then (`failures`)."""

    TLS = auto()
    UPGRADE = auto()
    REQUEST = auto()
    """It was refused, or is none."""
    LEFT = auto()
    """The peer left, or made no progress."""
    FULL = auto()
    """A limit of connections."""
    PAGE = auto()
    """Another site's page asked for the WebSocket."""


class HandshakeError(NetError):
    """A peer failed TLS or the WebSocket upgrade: the peer's fault and no bug here."""

    def __init__(self, text: str, failed: Failed = Failed.UPGRADE) -> None:
        super().__init__(text)
        self.failed = failed


class CloseCode(IntEnum):
    """WebSocket close codes: RFC 6455 section 7.4.1 and its registry."""

    NORMAL = 1000
    GOING_AWAY = 1001
    REJECTED = 1008
    """A retry would be refused again ("a message that violates its policy")."""
    TOO_BIG = 1009
    TRY_AGAIN = 1013
    """A retry may succeed after the time in the reason."""
