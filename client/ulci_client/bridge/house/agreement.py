"""The challenge that a player has accepted and whose game has not begun, or its match.

A match is known by its number, and lasts from its acceptance to ``lobby match … over``. A lost
connection may hide its end, so the player forgets it then; the server announces it again (``lobby
match … game``) if it goes on.
"""

from dataclasses import dataclass

from ulci.protocol.lobby.lines import IncomingChallenge, MatchGame


@dataclass(frozen=True, slots=True)
class Agreed:
    """An accepted challenge. kind: the challenger's, empty if unknown. several: whether it becomes
    a match."""

    id: int
    player: str
    kind: str = ""
    several: bool = False


class Agreement:
    """challenge: its game has not begun. accepted: whether `accept` was sent for it. match: more
    games of it may come."""

    def __init__(self) -> None:
        self.challenge: Agreed | None = None
        self.accepted = False
        self.match: Agreed | None = None
        self._before: Agreed | None = None  # the match that was on when the connection was lost

    def agree(self, line: IncomingChallenge) -> Agreed:
        """Agree to a challenge, to be accepted once the engine is ready."""
        several = line.games > 1 or line.color == "later"
        self.challenge, self.accepted = Agreed(line.id, line.player, line.kind, several), False
        return self.challenge

    def accept(self) -> None:
        """Note that `accept` was sent."""
        assert self.challenge is not None
        self.accepted = True
        if self.challenge.several:
            self.match = self.challenge

    def await_next(self) -> Agreed | None:
        """Wait for the next game of the match, if there is a match: it begins by itself."""
        self.challenge, self.accepted = self.match, self.match is not None
        return self.match

    def clear(self) -> None:
        """Clear the challenge: its game has begun, or will not. A match goes on."""
        self.challenge, self.accepted = None, False

    def withdraw(self) -> None:
        """Clear the challenge and its match: no game will begin."""
        self.clear()
        self.match = None

    def line_lost(self) -> None:
        self._before = self.match or self._before
        self.withdraw()

    def match_goes_on(self, line: MatchGame) -> None:
        """``lobby match … game``."""
        for known in (self.match, self._before):
            if known is not None and (known.id, known.player) == (line.id, line.player):
                self.match = known
                return
        self.match = Agreed(line.id, line.player, several=True)

    def match_over(self) -> bool:
        """``lobby match … over``; whether its next game was awaited."""
        waits = self.challenge is not None and self.challenge is self.match
        self.match = None
        return waits

    def with_player(self, name: str) -> Agreed | None:
        """The challenge, if it is this player's."""
        agreed = self.challenge
        same = agreed is not None and agreed.player.casefold() == name.casefold()
        return agreed if same else None
