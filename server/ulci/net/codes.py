"""How the end of a line is named where a line has a name for it: in a WebSocket's close frame."""

from enum import IntEnum


class CloseCode(IntEnum):
    """RFC 6455, 7.4.1, and the registry that it founded."""

    NORMAL = 1000
    GOING_AWAY = 1001
    REJECTED = 1008
    """The same call would be refused again ("a message that violates its policy")."""
    TOO_BIG = 1009
    TRY_AGAIN = 1013
    """Another call may be welcome, after the time that the reason says."""
