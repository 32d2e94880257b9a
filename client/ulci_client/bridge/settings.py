"""What a bridge is asked to do."""

from dataclasses import dataclass, field, replace

from ulci.protocol import Terms
from ulci_client.dial import Server
from ulci_client.engine import EngineSettings

# Seconds in which a server must say `uci`: it is a relay's first word, so a silent one is no relay.
HELLO = 10.0


@dataclass(frozen=True, slots=True)
class Settings:
    """terms: what to play. pool: the server's, in which to seek that; empty for the one of the
    address that is dialled. name: what to be called instead of the engine's own name. games: how
    many to begin in all; None for ever. concurrency: engines that play at the same time. hello: in
    s, for the server's first word, and for each that it owes us.

    Raises:
        ValueError: something of it cannot be said in a line; the text never quotes the token.
    """

    server: Server
    engine: EngineSettings
    terms: Terms = field(default_factory=Terms)
    pool: str = ""
    name: str = ""
    token: str = ""
    games: int | None = None
    concurrency: int = 1
    hello: float = HELLO

    def __post_init__(self) -> None:
        start = self.terms.start or ""
        for what, text in (("name", self.name), ("token", self.token), ("start", start)):
            if not text.isprintable():
                raise ValueError(f"the {what} must be one line without control characters")
        for what, word in (
            ("game", self.terms.game),
            ("pool", self.pool or None),
            ("time control", self.terms.time),
        ):
            if word is not None and (word.split() != [word] or not word.isprintable()):
                raise ValueError(f"the {what} must be one word, not {word!r}")

    @property
    def sought(self) -> Terms:
        """What is said to the lobby, which knows a pool by its name as it knows a game."""
        return replace(self.terms, game=self.pool) if self.pool else self.terms
