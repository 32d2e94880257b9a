"""Lines of the lobby, as text."""

from ulci.protocol.lobby.lines import UnknownLine, read_untrusted
from ulci.protocol.messages import Lobby


def lobby_line(text: str) -> Lobby:
    """As a client reads it."""
    return Lobby(read_untrusted(text.split()))


def as_it_is(text: str) -> Lobby:
    """For who says it word for word, whether the table has such a line or not."""
    return Lobby(UnknownLine(tuple(text.split())))
