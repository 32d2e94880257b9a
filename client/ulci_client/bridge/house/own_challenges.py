"""The challenges that one player of a bot makes when nobody comes: whom it asks, and until when it
waits for the answer. Plain calls, no waiting. Times in s."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ulci.protocol import Challenge, FromClient, Terms, Unseek, Who
from ulci.protocol.lobby.lines import ListedPlayer
from ulci_client.bot.matchmaking import Matchmaker

# `_to_come` until the server has told how long the list of players is.
UNKNOWN = -1


@dataclass(slots=True)
class OwnChallenge:
    """A challenge of our own: whom, until when, and its number once the server told it."""

    player: str
    kind: str
    until: float
    id: int | None = None


class OwnChallenges:
    """At most one is open. `asked`: that one."""

    def __init__(self, matchmaker: Matchmaker) -> None:
        self.asked: OwnChallenge | None = None
        self._matchmaker = matchmaker
        self._to_come = 0  # players of the list
        self._present: list[ListedPlayer] = []

    @property
    def due(self) -> float:
        """When the one who is asked has had time enough; inf: nobody is."""
        return math.inf if self.asked is None else self.asked.until

    # Who is here

    @property
    def lists(self) -> bool:
        """Whether the list of players is still to come."""
        return self._to_come != 0

    def look_around(self, at: float) -> list[FromClient]:
        """Ask the server who is here."""
        self._matchmaker.tried(at)
        self._to_come = UNKNOWN
        return [Who()]

    def forget_list(self) -> None:
        """What has not come by now does not come."""
        self._to_come = 0

    def list_begins(self, count: int) -> None:
        """``lobby who``."""
        if self.lists:
            self._to_come, self._present = count, []

    def list_goes_on(self, line: ListedPlayer) -> bool:
        """``lobby player``; whether it was the last."""
        if self._to_come <= 0:
            return False
        self._to_come -= 1
        self._present.append(line)
        return self._to_come == 0

    # The challenge

    def challenge(
        self, plays: Callable[[ListedPlayer, Terms], bool], sought: Terms, at: float
    ) -> Sequence[Challenge]:
        """Challenge one of those who are here and whom it `plays`, if there is one."""
        terms = self._matchmaker.terms(sought)
        fits = [one for one in self._present if plays(one, terms)]
        name = self._matchmaker.pick(fits, at)
        if name is None:
            return []
        kind = next(one.kind for one in fits if one.name == name)
        self.asked = OwnChallenge(name, kind, at + self._matchmaker.patience)
        return [Challenge(name, terms)]

    def numbered(self, number: int) -> None:
        """``lobby challenging``."""
        if self.asked is not None:
            self.asked.id = number

    def declined(self, number: int) -> bool:
        """Whether that is ours: then there is nothing to withdraw."""
        if self.asked is None or self.asked.id != number:
            return False
        self.asked.id = None
        return True

    def give_up(self) -> list[FromClient]:
        """No game comes of it: withdraw it."""
        number = None if self.asked is None else self.asked.id
        self.asked = None
        return [] if number is None else [Unseek(number)]
