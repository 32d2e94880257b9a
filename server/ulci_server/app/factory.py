"""Makes the server's objects from the configuration."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple

from ulci.net import MSGPACK
from ulci.protocol import DIALECTS, ULCI, Codec, Connection, MsgpackCodec, Role, TextCodec
from ulci.protocol.messages import Lobby as Line
from ulci.rules import Rules
from ulci.rules.refereed import RefereedRules
from ulci_server.config import Config
from ulci_server.game import Timeouts
from ulci_server.hall import (
    Authenticator,
    ClientTimeouts,
    Hall,
    HallSettings,
    LobbyHost,
    Referee,
    RefereeSettings,
)
from ulci_server.hall.host_services import BeginGame
from ulci_server.hall.lobby_service import LobbyService
from ulci_server.hall.table.tablebases import Tablebases
from ulci_server.hall.tournament import LobbyAccess, Tools, TournamentHost
from ulci_server.lobby import Keeper, Lobby
from ulci_server.openings import OpeningQueue
from ulci_server.storage import Accounts, Database, DatabaseLock, Journal, WallClock

# Random bytes of a resume secret: nobody guesses 128 bits.
SECRET_BYTES = 16


def make_authenticator(config: Config, accounts: Accounts) -> Authenticator:
    """The authenticator of the configuration, over these accounts."""
    return Authenticator(
        accounts,
        guests=config.clients.guests,
        exempt=config.exempt(),
        now=partial(datetime.now, UTC),
    )


def make_secret() -> str:
    """A new secret by which a player resumes a seat."""
    return secrets.token_hex(SECRET_BYTES)


def make_referees(config: Config, games: Mapping[str, Rules]) -> list[Referee]:
    """The referees of the configuration, not started yet."""
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


class Basics(NamedTuple):
    """The objects of every server, alone or in a cluster. games: the rules of each game that can be
    played, by name. openings: the openings of the pools that have a book, by pool."""

    config: Config
    lock: DatabaseLock
    database: Database
    tablebases: Tablebases | None
    clock: WallClock
    journal: Journal
    authenticator: Authenticator
    games: Mapping[str, Rules]
    referees: Sequence[Referee]
    openings: Mapping[str, OpeningQueue]


def make_basics(
    config: Config,
    lock: DatabaseLock,
    database: Database,
    tablebases: Tablebases | None,
    clock: WallClock,
) -> Basics:
    """Make the objects of a server, none of them started yet."""
    games = config.games()
    return Basics(
        config,
        lock,
        database,
        tablebases,
        clock,
        Journal(database, now=clock),
        make_authenticator(config, database.accounts),
        games,
        make_referees(config, games),
        {
            table.name: OpeningQueue(table.openings.book)
            for table in config.pool
            if table.openings is not None
        },
    )


def make_hall(basics: Basics, lobby: Callable[[Hall], LobbyService]) -> Hall:
    """A hall without games. lobby: makes its lobby, or the link to another server's."""
    config = basics.config
    clients, play = config.clients, config.play
    return Hall(
        basics.journal,
        lobby,
        settings=HallSettings(
            clients=ClientTimeouts(
                clients.handshake, clients.drain, clients.nonsense, clients.pause
            ),
            game=Timeouts(ready=play.ready, away=play.away),
            claims=play.claims,
            delay=play.delay,
            tablebases=basics.tablebases,
            most_plies=config.limits.plies,
            listed=config.limits.listed,
        ),
        games=basics.games,
        referees=basics.referees,
    )


def host_of(
    basics: Basics,
    hall: Hall,
    *,
    number: Callable[[], int],
    begin: BeginGame | None = None,
    announce: Callable[[Line], None] | None = None,
    keeper: Keeper | None = None,
    first_number: int = 1,
) -> LobbyHost:
    """The lobby; `number`, `begin`, `announce` and `keeper` as in `LobbyHost`, `first_number` as in
    `Lobby`."""
    config, games, openings = basics.config, basics.games, basics.openings
    pools = [
        replace(pool, openings=openings[pool.name].draw) if pool.name in openings else pool
        for pool in config.pools(games)
    ]

    def tournaments(access: LobbyAccess) -> TournamentHost:
        books = {
            table.name: table.openings.book for table in config.pool if table.openings is not None
        }
        tools = Tools(
            lobby=access,
            store=basics.database.tournaments,
            now=basics.clock,
            pools={pool.name: pool for pool in pools},
            books=books,
        )
        return TournamentHost(tools)

    return LobbyHost(
        hall.services,
        Lobby(pools, secrets.randbelow, games, config.limits.of_boards(), keeper, first_number),
        basics.authenticator,
        number=number,
        secret=make_secret,
        begin=begin,
        announce=announce,
        keeper=keeper,
        tournaments=tournaments,
        complaints=basics.database.complaints,
        now=basics.clock,
    )


def make_connection(config: Config, dialect: str, subprotocol: str) -> Connection:
    """The connection of a client at a listener of that dialect, with that WebSocket subprotocol."""
    codec: Codec = (
        MsgpackCodec(max_message=config.limits.line)
        if subprotocol == MSGPACK
        else TextCodec(max_line=config.limits.line)
    )
    spoken = ULCI if dialect == "uci" else DIALECTS[dialect](Role.SERVER)
    return Connection(Role.SERVER, codec, spoken, defer_info=True)


def plays(config: Config, pool: str, dialect: str) -> str:
    """The game that a UGI client plays: that of its pool, as UGI has no word to declare one."""
    [game] = (table.game for table in config.pool if table.name == pool)
    return game if dialect == "ugi" else ""
