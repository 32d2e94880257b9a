"""What the lobby knows of a program that one of our servers runs."""

from dataclasses import dataclass

from ulci.protocol.messages import Against
from ulci_server.game.facts import Kind


@dataclass(frozen=True, slots=True)
class ServerProgram:
    """meets: which kinds of player. People ask for it, by a challenge or a seek for an engine;
    for engines it waits in its pools. Empty: it waits like any client, in the pool of its profile.
    pools, games: the names of those in which it plays; empty: all that it can. levels: whether it
    plays at levels, if its options allow it."""

    meets: tuple[Kind, ...] = ()
    pools: tuple[str, ...] = ()
    games: tuple[str, ...] = ()
    levels: bool = False

    @property
    def is_on_call(self) -> bool:
        """Whether people ask for it."""
        return "human" in self.meets

    @property
    def against(self) -> Against:
        """By whom it may be asked."""
        return self.meets[0] if len(self.meets) == 1 else "any"

    def plays(self, pool: str, game: str) -> bool:
        """Whether it plays that game in that pool."""
        return pool in (self.pools or (pool,)) and game in (self.games or (game,))
