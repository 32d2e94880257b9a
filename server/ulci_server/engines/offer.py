"""What the operator wants of an engine of the server."""

from dataclasses import dataclass
from hashlib import blake2b

from ulci.engines.settings import EngineSettings
from ulci_server.lobby import ServerProgram


@dataclass(frozen=True, slots=True)
class EngineOffer:
    """name: what it is called; empty: as it calls itself. program: whom it meets, and where.
    boards: games at once, each with a process of its own. idle: seconds without a game after which
    a process is ended. plays: its game, if its dialect cannot name it."""

    engine: EngineSettings
    program: ServerProgram
    name: str = ""
    boards: int = 1
    idle: float = 60.0
    plays: str = ""

    @property
    def title(self) -> str:
        """What it is called in the log before it has introduced itself."""
        return self.name or self.engine.argv[0]


def secret_of(key: str, offer: EngineOffer, board: int) -> str:
    """The secret of a seat at that board, by which a program goes on with the game of the one
    before, also after a restart of the server. key: a secret of this installation, and of this
    server where there are several."""
    of = f"{key}\n{offer.title}\n{board}".encode()
    return blake2b(of, digest_size=16, person=b"ulci engine").hexdigest()
