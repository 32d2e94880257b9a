"""How an idle bot finds a game: it seeks one, or challenges somebody. Pure; times in s."""

import math
from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from ulci.protocol.lobby.lines import ListedPlayer
from ulci.protocol.messages import Terms

from . import opponent_names
from .sections import Config


class Matchmaker:
    """One player's idleness. choose(n): a random number below n."""

    def __init__(self, config: Config, choose: Callable[[int], int]) -> None:
        self._seek, self._table = config.seek, config.matchmaking
        self._choose = choose
        self._idle_since = math.inf
        self._tried = -math.inf
        self._asked: dict[str, float] = {}  # whom, and when

    # Idleness

    def idle(self, at: float) -> None:
        """The player waits for challenges from now on."""
        self._idle_since = at

    def busy(self) -> None:
        """The player has a game, or is about to have one, or is not connected."""
        self._idle_since = math.inf

    @property
    def due(self) -> float:
        """When to look for a game; inf: not while this lasts."""
        return min(self.seek_due, self.challenge_due)

    @property
    def seek_due(self) -> float:
        """When to seek."""
        waits = {"always": 0.0, "idle": self._seek.after, "never": math.inf}
        return self._idle_since + waits[self._seek.when]

    @property
    def challenge_due(self) -> float:
        """When to challenge somebody."""
        if not self._table.after:
            return math.inf
        return max(self._idle_since + self._table.after, self._tried + self._table.every)

    # Challenges

    def tried(self, at: float) -> None:
        """Note an attempt to challenge somebody."""
        self._tried = at

    def pick(self, present: Iterable[ListedPlayer], at: float) -> str | None:
        """The player to challenge, of those in the lobby whom the rules allow; None: nobody."""
        table = self._table
        self._asked = {who: when for who, when in self._asked.items() if at - when < table.again}
        found = [
            one.name
            for one in present
            if one.kind in table.kinds
            and one.state != "playing"
            and (not table.opponents or opponent_names.allowed(one.name, table.opponents))
            and opponent_names.key(one.name) not in self._asked
        ]
        if not found:
            return None
        name = found[self._choose(len(found))]
        self._asked[opponent_names.key(name)] = at
        return name

    def terms(self, sought: Terms) -> Terms:
        """The terms of a challenge: those of the seek, with a time drawn from the setting
        `times`."""
        times: Sequence[str] = self._table.times
        time = times[self._choose(len(times))] if times else sought.time
        return replace(sought, time=time, against="any")
