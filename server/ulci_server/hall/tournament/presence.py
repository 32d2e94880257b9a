"""Which clients play for which entrant, and which of them are free."""

from collections.abc import Callable, Mapping

from ulci_server.storage import EntrantRecord


class Presence:
    """Clients by their handles, entrants by their numbers. A client that is free here may have
    begun a game elsewhere: it is asked for when it is seated."""

    def __init__(self) -> None:
        self._entrant: dict[str, int] = {}
        self._here: dict[int, dict[str, None]] = {}
        self._free: dict[int, dict[str, None]] = {}  # the longest free first

    def come(self, handle: str, entrant: int) -> None:
        """The client plays for that entrant, and has no game yet."""
        if handle not in self._entrant:
            self._entrant[handle] = entrant
            self._here.setdefault(entrant, {})[handle] = None

    def go(self, handle: str) -> None:
        """The client has left, or plays for nobody any more."""
        entrant = self._entrant.pop(handle, None)
        if entrant is None:
            return
        self._take(entrant, handle)
        del self._here[entrant][handle]
        if not self._here[entrant]:
            del self._here[entrant]

    def free(self, handle: str) -> None:
        """The client owes nothing for a game."""
        if (entrant := self._entrant.get(handle)) is not None:
            self._free.setdefault(entrant, {})[handle] = None

    def busy(self, handle: str) -> None:
        """The client has a game."""
        if (entrant := self._entrant.get(handle)) is not None:
            self._take(entrant, handle)

    def entrant_of(self, handle: str) -> int | None:
        """Whom the client plays for."""
        return self._entrant.get(handle)

    def is_here(self, entrant: int) -> bool:
        """Whether a client plays for the entrant, free or not."""
        return entrant in self._here

    def first_free(self, entrant: int) -> str | None:
        """The client of the entrant that has been free for the longest time."""
        return next(iter(self._free.get(entrant, ())), None)

    @property
    def boards(self) -> Mapping[int, int]:
        """How many clients are free, by entrant."""
        return {entrant: len(handles) for entrant, handles in self._free.items()}

    def handles_of(self, entrant: int) -> list[str]:
        """All clients that play for the entrant."""
        return [*self._here.get(entrant, ())]

    def _take(self, entrant: int, handle: str) -> None:
        free = self._free.get(entrant)
        if free is not None:
            free.pop(handle, None)
            if not free:
                del self._free[entrant]


def free_boards(
    presence: Presence, rows: Mapping[int, EntrantRecord], games_of: Callable[[int], int]
) -> Mapping[int, int]:
    """For how many games each entrant is free, of those that are. games_of: how many it plays."""
    free = {}
    for entrant, clients in presence.boards.items():
        row = rows.get(entrant)
        if row is not None and row.left is None:
            boards = min(clients, row.boards - games_of(entrant))
            if boards > 0:
                free[entrant] = boards
    return free
