"""The composition root: the only module that knows every concrete class of the server."""

import itertools
import secrets
import signal
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial

import structlog
import trio

from ulci.net import MSGPACK, Address, HandshakeError, Peer, listen
from ulci.protocol import DIALECTS, ULCI, Codec, Connection, MsgpackCodec, Role, TextCodec
from ulci.rules import Rules
from ulci.rules.refereed import RefereedRules
from ulci_server.config import Config, Listener
from ulci_server.game import Patience as GamePatience
from ulci_server.hall import Hall, Patience, Referee, RefereeSettings
from ulci_server.lobby import Lobby
from ulci_server.storage import Journal, Repository, claimed, open_repository

LOG = structlog.get_logger("ulci_server.app")

# Bytes of chance in the word that takes a seat back: nobody guesses 128 bits.
SECRET_BYTES = 16

# How long after a shutdown's last word players may take to read it, and the journal to be written.
FAREWELL = 2.0
LAST_COMMIT = 10.0

SHUTDOWN = "the server is shutting down"


class UnsavedError(Exception):
    """The server ended while the database refused what had been noted; the text says how much."""


class Shutdown:
    """Asked once, running games get their grace; asked again, they do not."""

    def __init__(self) -> None:
        self.asked = trio.Event()
        self.grace = trio.CancelScope()

    def ask(self) -> None:
        if self.asked.is_set():
            self.grace.cancel()
        self.asked.set()

    async def ask_at_signals(self, *, task_status: trio.TaskStatus[None]) -> None:
        """Let SIGTERM and SIGINT ask, for as long as the task lives."""
        with trio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
            task_status.started()
            async for number in signals:
                LOG.info("asked to end", signal=signal.Signals(number).name)
                self.ask()


async def run_server(
    config: Config,
    shutdown: Shutdown,
    *,
    task_status: trio.TaskStatus[list[Address]] = trio.TASK_STATUS_IGNORED,
) -> int:
    """Host games until `shutdown` is asked for; `task_status` gets the bound addresses.

    Returns how many games were cut short because their grace was over.

    Raises:
        ListenError, StorageError, RefereeError: it could not start.
        UnsavedError: the database refused to the end.
    """
    with ExitStack() as closing:
        repository = await trio.to_thread.run_sync(_open, config, closing)
        try:
            return await _host(config, repository, shutdown, task_status)
        finally:
            with trio.CancelScope(shield=True):
                await trio.to_thread.run_sync(closing.close)


def _open(config: Config, closing: ExitStack) -> Repository:
    """The database, ours and ready: its schema current, and the games of a server that died ended.
    `closing` is told how to let go of it."""
    database = config.database
    closing.enter_context(claimed(database.url))
    repository = open_repository(database.url, database.durability, migrating=database.migrate)
    closing.callback(repository.close)
    if cut := repository.close_unfinished("the server ended during the game"):
        LOG.warning("games of an earlier run ended without a result", games=len(cut))
    return repository


async def _host(
    config: Config,
    repository: Repository,
    shutdown: Shutdown,
    task_status: trio.TaskStatus[list[Address]],
) -> int:
    journal = Journal(repository)
    games = config.games()
    referees = _referees(config, games)
    hall = _hall(config, journal, repository.last_game_id(), games, referees)
    journal.tell_trouble(hall.trouble)
    async with trio.open_nursery() as keeping:
        await keeping.start(journal.run)
        async with trio.open_nursery() as hosting:
            hosting.start_soon(hall.alarms.run)
            for referee in referees:
                await hosting.start(referee.run)
            addresses = [
                await hosting.start(_listen, config, listener, hall) for listener in config.listen
            ]
            task_status.started(addresses)
            await shutdown.asked.wait()
            cut = await hall.drain(shutdown.grace, config.shutdown.grace, SHUTDOWN)
            await hall.farewell(FAREWELL)
            hosting.cancel_scope.cancel()
        with trio.move_on_after(LAST_COMMIT) as last:
            await journal.drain()
        keeping.cancel_scope.cancel()
    if last.cancelled_caught:
        raise UnsavedError(f"the database refused to the end: {journal.trouble}")
    return cut


def _referees(config: Config, games: Mapping[str, Rules]) -> list[Referee]:
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


def _hall(
    config: Config,
    journal: Journal,
    last_game: int,
    games: Mapping[str, Rules],
    referees: Sequence[Referee],
) -> Hall:
    clients, play = config.clients, config.play
    return Hall(
        journal,
        Lobby(config.pools(games), secrets.randbelow, games),
        ids=itertools.count(last_game + 1),
        secret=partial(secrets.token_hex, SECRET_BYTES),
        patience=Patience(clients.handshake, clients.rest, clients.nonsense),
        game_patience=GamePatience(ready=play.ready, away=play.away),
        claims=play.claims,
        referees=referees,
    )


async def _listen(
    config: Config,
    listener: Listener,
    hall: Hall,
    *,
    task_status: trio.TaskStatus[Address],
) -> None:
    def connection(subprotocol: str) -> Connection:
        codec: Codec = (
            MsgpackCodec(max_message=config.limits.line)
            if subprotocol == MSGPACK
            else TextCodec(max_line=config.limits.line)
        )
        dialect = ULCI if listener.dialect == "uci" else DIALECTS[listener.dialect](Role.SERVER)
        return Connection(Role.SERVER, codec, dialect, defer_info=True)

    async def welcome(peer: Peer) -> None:
        await hall.welcome(peer, pool.name, plays=plays)

    pool = next(table for table in config.pool if listener.pool in (None, table.name))
    # Who speaks UGI plays the game of the pool: there are no words to say which one it knows.
    plays = pool.game if listener.dialect == "ugi" else ""
    await listen(
        listener.address,
        welcome,
        connection,
        limits=config.limits.of_net(),
        ssl_context=listener.ssl_context(),
        on_error=_report,
        task_status=task_status,
    )


def _report(who: str, error: BaseException) -> None:
    """A peer's own fault is an ordinary day, everything else is a bug of ours."""
    if isinstance(error, HandshakeError):
        LOG.info("no connection", peer=who, why=str(error))
    else:
        LOG.error("connection failed", peer=who, exc_info=error)
