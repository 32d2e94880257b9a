"""The operator's settings of an engine of the server."""

from dataclasses import dataclass
from hashlib import blake2b

from ulci.engines.settings import EngineSettings
from ulci_server.lobby import ServerProgram


@dataclass(frozen=True, slots=True)
class EngineOffer:
    """The settings of one engine. name: its name in the lobby; empty: the engine's own. program:
    which opponents it plays, and where. boards: games at once, each with a process of its own.
    idle: seconds without a game after which a process ends. plays: its game, if its dialect cannot
    name it."""

    engine: EngineSettings
    program: ServerProgram
    name: str = ""
    boards: int = 1
    idle: float = 60.0
    plays: str = ""

    @property
    def title(self) -> str:
        """The engine's name in the log before it has introduced itself."""
        return self.name or self.engine.argv[0]


def secret_of(key: str, offer: EngineOffer, board: int) -> str:
    """The secret of the seat at that board. With it a program continues the game of the program
    before it, also after a restart of the server. key: a secret of this installation; in a cluster,
    of this server."""
    of = f"{key}\n{offer.title}\n{board}".encode()
    return blake2b(of, digest_size=16, person=b"ulci engine").hexdigest()
