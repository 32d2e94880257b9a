"""Who lets an opponent wait, and what that costs: the time off the clock, then the game.

Nobody waits for an entrant whose game of this tournament is still on, or for an engine of the
server that plays with somebody else.
"""

from collections.abc import Set
from dataclasses import replace

from ulci.rules import Side
from ulci_server.game.time_control import ByoYomi, Control, Controls, Staged

LEAST = 1000
"""ms that a late one's clock has at the least."""


class Lateness:
    """Since when the pairings of a tournament wait for whom. late: s after which the game is lost.
    A restart of the server lets all begin to wait again: it could not be reached meanwhile."""

    def __init__(self, late: float) -> None:
        self.late = late
        self._since: dict[int, dict[int, float]] = {}  # by pairing and entrant
        self._came: dict[int, dict[int, float]] = {}

    def wait(self, pairing: int, absent: Set[int], at: float) -> bool:
        """At that time (s) the pairing waits for these and for nobody else. Whether all of them are
        too late."""
        since, came = self._since.setdefault(pairing, {}), self._came.setdefault(pairing, {})
        for entrant in absent:
            since.setdefault(entrant, at)
            came.pop(entrant, None)
        for entrant in since.keys() - absent:
            came.setdefault(entrant, at)
        return bool(absent) and all(at - since[one] >= self.late for one in absent)

    def due(self, pairing: int) -> float | None:
        """When all for whom the pairing waits are too late; None: it waits for nobody."""
        came = self._came.get(pairing, {})
        since = self._since.get(pairing, {})
        return max((at + self.late for one, at in since.items() if one not in came), default=None)

    def costs(self, pairing: int, entrants: tuple[int, int], at: float) -> tuple[float, float]:
        """The game begins: the s for which its White and Black were waited for. While both were,
        neither pays. The pairing is forgotten."""
        since, came = self._since.pop(pairing, {}), self._came.pop(pairing, {})
        white, black = (came.get(one, at) - since.get(one, came.get(one, at)) for one in entrants)
        both = min(white, black)
        return white - both, black - both

    def forget(self, pairing: int) -> None:
        """The pairing is decided."""
        self._since.pop(pairing, None)
        self._came.pop(pairing, None)


def charged(controls: Controls, costs: tuple[float, float]) -> Controls:
    """The time control of a game for which White and Black came so many s too late. Clocks that
    are no banks of time stay as they are."""
    white, black = (
        _charged(controls[side], round(1000 * cost)) for side, cost in zip(Side, costs, strict=True)
    )
    return Controls(white, black)


def _charged(control: Control, cost: int) -> Control:
    match control:
        case Staged((first, *others)) if cost:
            base = max(first.base - cost, min(first.base, LEAST))
            return Staged((replace(first, base=base), *others))
        case ByoYomi(base) if cost:
            return replace(control, base=max(base - cost, 0))
        case _:
            return control
