"""The open challenges: who asked whom, and for what."""

from dataclasses import dataclass

from .wish import Wish


@dataclass(frozen=True, slots=True)
class Directed:
    """A challenge: a wish that only one other (by handle) may meet."""

    wish: Wish
    to: str

    @property
    def by(self) -> str:
        """The handle of the challenger."""
        return self.wish.who.handle


class Challenges:
    """Each is known by the number of its wish; the oldest come first."""

    def __init__(self) -> None:
        self._all: dict[int, Directed] = {}

    def add(self, wish: Wish, to: str) -> None:
        self._all[wish.id] = Directed(wish, to)

    def remove(self, directed: Directed) -> None:
        del self._all[directed.wish.id]

    def to(self, handle: str, number: int) -> Directed | None:
        """The one of that number, if that player is asked."""
        directed = self._all.get(number)
        return directed if directed is not None and directed.to == handle else None

    def by(self, handle: str) -> list[Directed]:
        """Those that this player sent."""
        return [directed for directed in self._all.values() if directed.by == handle]

    def between(self, by: str, to: str) -> Directed | None:
        """The oldest that the one sent and the other was asked."""
        return next((directed for directed in self.by(by) if directed.to == to), None)

    def concerning(self, handle: str) -> list[Directed]:
        """Those that this player sent or was asked."""
        return [directed for directed in self._all.values() if handle in (directed.by, directed.to)]
