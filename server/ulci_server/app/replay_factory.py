"""Makes a server that replays a recording: its parts, with stand-ins for what is outside."""

from contextlib import ExitStack
from functools import partial

from ulci.net import MSGPACK, TEXT
from ulci.protocol import Connection
from ulci_server.config import load, settings_of_recording
from ulci_server.hall import Hall
from ulci_server.hall.table.tablebases import open_tablebases
from ulci_server.replay.recording import Services
from ulci_server.replay.replaying import Replay
from ulci_server.replay.stand_ins import OlderAuthenticator
from ulci_server.replay.tape import Recording
from ulci_server.storage import MemoryRepository

from .factory import lobby_of, make_authenticator, make_connection, make_hall, plays


def replayed(recording: Recording, closing: ExitStack) -> Replay:
    """The replay of a recording, by a server configured as it was; `closing` releases its
    tablebases.

    Raises:
        ConfigError, TablebaseError: its configuration is invalid, or not possible here.
    """
    config = load(None, settings_of_recording(recording.config, recording.version))
    games = config.games()
    tablebases = open_tablebases(config.tablebases.paths, closing)

    def hall(services: Services) -> Hall:
        inputs = services.inputs
        authenticator = (
            make_authenticator(config, MemoryRepository(), inputs)
            if recording.version > 2
            else OlderAuthenticator(inputs)
        )
        lobby = lobby_of(config, services, authenticator, recording.next_game, games)
        return make_hall(config, services, lobby, games, (), tablebases)

    def connection(dialect: str, codec: str) -> Connection:
        return make_connection(config, dialect, MSGPACK if codec == "msgpack" else TEXT)

    return Replay(recording, hall, connection, partial(plays, config))
