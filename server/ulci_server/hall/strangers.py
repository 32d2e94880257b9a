"""How much a player hears from strangers, however many they are and wherever they come from."""

from collections import OrderedDict, defaultdict

from ulci.net import Buckets

STRANGERS_A_SECOND = 2.0
"""What strangers say to one player, by ``tell`` and ``challenge``: more, nobody can read."""

STRANGERS_BURST = 30
"""The same at once: a player whom many greet when it comes, or want to play."""

MOST_KNOWN = 1000
"""Others whom a player knows: days of games. Beyond this the oldest are strangers again."""


class Strangers:
    """Players by their handles. A player knows those whom it has spoken to or played."""

    def __init__(self) -> None:
        self._heard = Buckets[str](STRANGERS_A_SECOND, STRANGERS_BURST)
        self._known: defaultdict[str, OrderedDict[str, None]] = defaultdict(OrderedDict)

    def wait(self, by: str, to: str, at: float) -> float:
        """Seconds until `by` may speak to `to`; 0: it does so now, and knows it from now on."""
        known = to in self._known and by in self._known[to]
        wait = 0.0 if known else self._heard.take(to, at)
        if not wait:
            self.know(by, to)
        return wait

    def know(self, who: str, whom: str) -> None:
        """The second one is no stranger to the first one from now on."""
        known = self._known[who]
        known[whom] = None
        known.move_to_end(whom)
        if len(known) > MOST_KNOWN:
            known.popitem(last=False)

    def forget(self, who: str) -> None:
        """The player has gone."""
        self._known.pop(who, None)
