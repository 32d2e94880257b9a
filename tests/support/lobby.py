"""Lines of the lobby, as text, and what is kept of it."""

from ulci.protocol.lobby.lines import UnknownLine, read_untrusted
from ulci.protocol.messages import Lobby
from ulci_server.lobby import Keeper


def lobby_line(text: str) -> Lobby:
    """As a client reads it."""
    return Lobby(read_untrusted(text.split()))


def as_it_is(text: str) -> Lobby:
    """For who says it word for word, whether the table has such a line or not."""
    return Lobby(UnknownLine(tuple(text.split())))


class Kept(Keeper):
    """What it was told, since it was cleared."""

    def __init__(self) -> None:
        self.last = 0
        self.clear()

    def clear(self) -> None:
        self.members, self.seeks = set[str](), set[int]()
        self.matches, self.keys = set[int](), set[str]()

    def member(self, handle: str) -> None:
        self.members.add(handle)

    def seek(self, number: int) -> None:
        self.seeks.add(number)

    def match(self, number: int) -> None:
        self.matches.add(number)

    def missed(self, key: str) -> None:
        self.keys.add(key)

    def number(self, last: int) -> None:
        self.last = last
