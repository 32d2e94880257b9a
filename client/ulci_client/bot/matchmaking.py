"""What a bot does when nobody comes: it seeks a game, or challenges somebody. Pure; times in s."""

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
        """It waits for challenges from now on."""
        self._idle_since = at

    def busy(self) -> None:
        """It has, or is about to have, a game; or it is not connected."""
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
        """It looked for somebody to challenge."""
        self._tried = at

    def pick(self, present: Iterable[ListedPlayer], at: float) -> str | None:
        """Whom to challenge, of those who are here and may be played; None: nobody."""
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
        """Of a challenge: those of the seek, at one of the times that are drawn."""
        times: Sequence[str] = self._table.times
        time = times[self._choose(len(times))] if times else sought.time
        return replace(sought, time=time, against="any")
