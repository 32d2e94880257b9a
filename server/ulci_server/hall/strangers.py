"""How much a player hears from strangers, however many they are and wherever they come from."""

from collections import OrderedDict

from ulci.net import Buckets

STRANGERS_A_SECOND = 2.0
"""What strangers say to one player, by ``tell`` and ``challenge``: more, nobody can read."""

STRANGERS_BURST = 30
"""The same at once: so many challengers of a program that many want to play."""

MOST_KNOWN = 50_000
"""Pairs of whom one knows the other, 10 MB. Beyond this the oldest are strangers again."""


class Strangers:
    """Players by their handles. A player knows those whom it has spoken to or played."""

    def __init__(self) -> None:
        self._heard = Buckets[str](STRANGERS_A_SECOND, STRANGERS_BURST)
        self._known: OrderedDict[tuple[str, str], None] = OrderedDict()

    def meet(self, one: str, other: str) -> None:
        """They play, and know each other from now on."""
        self._know(one, other)
        self._know(other, one)

    def wait(self, by: str, to: str, at: float) -> float:
        """Seconds until `by` may speak to `to`; 0: it does so now, and knows it from now on."""
        wait = 0.0 if (to, by) in self._known else self._heard.take(to, at)
        if not wait:
            self._know(by, to)
        return wait

    def _know(self, who: str, whom: str) -> None:
        self._known[who, whom] = None
        self._known.move_to_end((who, whom))
        if len(self._known) > MOST_KNOWN:
            self._known.popitem(last=False)
