"""From the configuration to the objects that serve it."""

import itertools
import secrets
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import partial

from ulci.net import MSGPACK, TEXT
from ulci.protocol import DIALECTS, ULCI, Codec, Connection, MsgpackCodec, Role, TextCodec
from ulci.rules import Rules
from ulci.rules.refereed import RefereedRules
from ulci_server.config import Config, load, untaped
from ulci_server.game import Patience as GamePatience
from ulci_server.hall import Door, Hall, Patience, Referee, RefereeSettings, Settings
from ulci_server.hall.recording import Works
from ulci_server.hall.replaying import Replay
from ulci_server.hall.tablebases import Tablebases, open_tablebases
from ulci_server.hall.tape import Recording
from ulci_server.hall.vitals import Pulse
from ulci_server.lobby import Lobby
from ulci_server.storage import Journal, Repository, SteadyClock

# Bytes of chance in the word that takes a seat back: nobody guesses 128 bits.
SECRET_BYTES = 16


def make_works(config: Config, repository: Repository, clock: SteadyClock) -> Works:
    """What a hall works with: the record, the door, and chance."""
    return Works(
        Journal(repository, now=clock),
        Door(
            repository,
            guests=config.clients.guests,
            exempt=config.limits.exempt,
            now=partial(datetime.now, UTC),
        ),
        secrets.randbelow,
        partial(secrets.token_hex, SECRET_BYTES),
        Pulse(),
    )


def replayed(recording: Recording, closing: ExitStack) -> Replay:
    """The recording, ready to be held again by a server as it was; `closing` is told how to let go
    of the tablebases that it had.

    Raises:
        ConfigError, TablebaseError: its configuration is none, or not possible here.
    """
    config = load(None, untaped(recording.config, recording.version))
    games = config.games()
    tablebases = open_tablebases(config.tablebases.paths, closing)

    def hall(works: Works) -> Hall:
        return make_hall(config, works, recording.next_game, games, (), tablebases)

    def connection(dialect: str, codec: str) -> Connection:
        return make_connection(config, dialect, MSGPACK if codec == "msgpack" else TEXT)

    return Replay(recording, hall, connection, partial(plays, config))


def make_referees(config: Config, games: Mapping[str, Rules]) -> list[Referee]:
    """Not started yet."""
    referees = []
    for table in config.game:
        rules = games[table.name]
        assert isinstance(rules, RefereedRules)
        settings = RefereeSettings(
            table.referee,
            table.options,
            table.start,
            table.answer,
            table.twice,
            table.second_opinion,
        )
        referees.append(Referee(rules, settings))
    return referees


def make_hall(
    config: Config,
    works: Works,
    first_game: int,
    games: Mapping[str, Rules],
    referees: Sequence[Referee],
    tablebases: Tablebases | None,
) -> Hall:
    """Without a game; its first one will be number `first_game`."""
    clients, play = config.clients, config.play
    return Hall(
        works.journal,
        Lobby(config.pools(games), works.choose, games, config.limits.of_boards()),
        works.door,
        ids=itertools.count(first_game),
        secret=works.secret,
        settings=Settings(
            Patience(clients.handshake, clients.rest, clients.nonsense, clients.pause),
            GamePatience(ready=play.ready, away=play.away),
            claims=play.claims,
            delay=play.delay,
            tablebases=tablebases,
            most_plies=config.limits.plies,
            listed=config.limits.listed,
        ),
        games=games,
        referees=referees,
        vitals=works.vitals,
        turns=works.turns,
    )


def make_connection(config: Config, dialect: str, subprotocol: str) -> Connection:
    """For somebody at a listener of that dialect, who chose that WebSocket subprotocol."""
    codec: Codec = (
        MsgpackCodec(max_message=config.limits.line)
        if subprotocol == MSGPACK
        else TextCodec(max_line=config.limits.line)
    )
    spoken = ULCI if dialect == "uci" else DIALECTS[dialect](Role.SERVER)
    return Connection(Role.SERVER, codec, spoken, defer_info=True)


def plays(config: Config, pool: str, dialect: str) -> str:
    """Who speaks UGI plays the game of the pool: there are no words to say which one it knows."""
    [game] = (table.game for table in config.pool if table.name == pool)
    return game if dialect == "ugi" else ""
