"""The pairings of a tournament whose games are on."""

from collections import Counter
from collections.abc import Collection

from ulci_server.tournament import Pairing


class Running:
    """Of one tournament. Clients are known by their handles: who plays is known of games that
    began here, not of those that another run began."""

    def __init__(self) -> None:
        self._pairings: dict[int, Pairing] = {}
        self._games_of: Counter[int] = Counter()
        self._playing: dict[str, int] = {}
        self._begun_before: set[int] = set()  # by another run, which knew who plays
        self.perhaps_over: set[int] = set()
        """Those of which a player owes nothing any more."""

    def __contains__(self, number: int) -> bool:
        return number in self._pairings

    def __len__(self) -> int:
        return len(self._pairings)

    @property
    def numbers(self) -> Collection[int]:
        return self._pairings.keys()

    def games_of(self, entrant: int) -> int:
        """How many games the entrant plays now."""
        return self._games_of[entrant]

    def begin(self, pairing: Pairing, *clients: str) -> None:
        """The game of the pairing is on, or was begun by another run."""
        if pairing.number in self._pairings:
            return
        self._pairings[pairing.number] = pairing
        for entrant in _entrants(pairing):
            self._games_of[entrant] += 1
        for handle in clients:
            self._playing[handle] = pairing.number
        if not clients:
            self._begun_before.add(pairing.number)

    def end(self, number: int) -> None:
        """The game of that pairing is over, or does not begin."""
        pairing = self._pairings.pop(number, None)
        self.perhaps_over.discard(number)
        self._begun_before.discard(number)
        if pairing is not None:
            for entrant in _entrants(pairing):
                self._games_of[entrant] -= 1

    def free(self, handle: str) -> None:
        """The client owes nothing any more."""
        number = self._playing.pop(handle, None)
        if number is None:
            self.perhaps_over |= self._begun_before
        elif number in self._pairings:
            self.perhaps_over.add(number)


def _entrants(pairing: Pairing) -> tuple[int, ...]:
    return (pairing.white,) if pairing.black is None else (pairing.white, pairing.black)
