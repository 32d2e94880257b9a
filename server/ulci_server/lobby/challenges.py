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
        self._by: dict[str, dict[int, Directed]] = {}
        self._to: dict[str, dict[int, Directed]] = {}

    def add(self, wish: Wish, to: str) -> None:
        directed = Directed(wish, to)
        self._by.setdefault(directed.by, {})[wish.id] = directed
        self._to.setdefault(to, {})[wish.id] = directed

    def remove(self, directed: Directed) -> None:
        for those, handle in ((self._by, directed.by), (self._to, directed.to)):
            del those[handle][directed.wish.id]
            if not those[handle]:
                del those[handle]

    def to(self, handle: str, number: int) -> Directed | None:
        """The one of that number, if that player is asked."""
        return self._to.get(handle, {}).get(number)

    def asked(self, handle: str) -> int:
        """How many that player has not answered."""
        return len(self._to.get(handle, {}))

    def by(self, handle: str) -> list[Directed]:
        """Those that this player sent."""
        return [*self._by.get(handle, {}).values()]

    def between(self, by: str, to: str) -> Directed | None:
        """The oldest that the one sent and the other was asked."""
        return next((directed for directed in self.by(by) if directed.to == to), None)

    def concerning(self, handle: str) -> list[Directed]:
        """Those that this player sent or was asked."""
        concerned = {**self._by.get(handle, {}), **self._to.get(handle, {})}
        return [concerned[number] for number in sorted(concerned)]
