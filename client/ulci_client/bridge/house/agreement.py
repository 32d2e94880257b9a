"""What a player has accepted: a challenge whose game has not begun, or a match of several games.

A match is known by its number, and lasts from its acceptance to ``lobby match … over``. A lost
connection may hide its end, so it is forgotten then; the server tells of it again (``lobby match …
game``) if it goes on.
"""

from dataclasses import dataclass

from ulci.protocol.lobby.lines import IncomingChallenge, MatchGame


@dataclass(frozen=True, slots=True)
class Agreed:
    """A challenge that was accepted. `kind`: empty if unknown. `several`: it becomes a match."""

    id: int
    player: str
    kind: str = ""
    several: bool = False


class Agreement:
    """challenge: its game has not begun. accepted: whether `accept` was said for it. match: more
    games of it may come."""

    def __init__(self) -> None:
        self.challenge: Agreed | None = None
        self.accepted = False
        self.match: Agreed | None = None
        self._before: Agreed | None = None  # the match that was on when the connection was lost

    def agree(self, line: IncomingChallenge) -> Agreed:
        """The challenge is fine; it is to be accepted once the engine is ready."""
        several = line.games > 1 or line.color == "later"
        self.challenge, self.accepted = Agreed(line.id, line.player, line.kind, several), False
        return self.challenge

    def accept(self) -> None:
        """`accept` is said."""
        assert self.challenge is not None
        self.accepted = True
        if self.challenge.several:
            self.match = self.challenge

    def await_next(self) -> Agreed | None:
        """No game is on: the next one of the match begins by itself, if there is a match."""
        self.challenge, self.accepted = self.match, self.match is not None
        return self.match

    def clear(self) -> None:
        """The game has begun, or none comes of it. A match goes on."""
        self.challenge, self.accepted = None, False

    def withdraw(self) -> None:
        """No game comes of it, nor of its match."""
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
