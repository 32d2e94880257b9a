"""The composition root: the only module that knows every concrete class of the server."""

import gc
import itertools
import math
import secrets
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from functools import partial

import structlog
import trio

from ulci.net import (
    MSGPACK,
    PULSE,
    STALL,
    TEXT,
    Address,
    Gate,
    HandshakeError,
    Peer,
    listen,
    look_out,
    memory_peers,
)
from ulci.protocol import DIALECTS, ULCI, Codec, Connection, MsgpackCodec, Role, TextCodec
from ulci.rules import Rules
from ulci.rules.refereed import RefereedRules
from ulci_server.config import Config, Listener, load
from ulci_server.game import Beaten
from ulci_server.game import Patience as GamePatience
from ulci_server.hall import (
    Door,
    Downtime,
    Hall,
    Patience,
    Referee,
    RefereeSettings,
    Settings,
)
from ulci_server.hall.recording import Recorder, Works
from ulci_server.hall.replaying import Replay
from ulci_server.hall.tablebases import Tablebases, open_tablebases
from ulci_server.hall.tape import Recording, Tape, TapeError
from ulci_server.lobby import Lobby
from ulci_server.storage import (
    MEMORY,
    Journal,
    Repository,
    SteadyClock,
    Unfinished,
    claimed,
    open_repository,
)

LOG = structlog.get_logger("ulci_server.app")

# Bytes of chance in the word that takes a seat back: nobody guesses 128 bits.
SECRET_BYTES = 16

# How long after a shutdown's last word players may take to read it, and the journal to be written.
FAREWELL = 2.0
LAST_COMMIT = 10.0

BEAT = 1.0
"""Seconds between two notes that the server is alive, by which the next one knows when it ended."""

SHUTDOWN = "the server is shutting down"

MakeTape = Callable[[int], Tape]
"""Given the number of the first game."""


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
    tape: MakeTape | None = None,
    task_status: trio.TaskStatus[list[Address]] = trio.TASK_STATUS_IGNORED,
) -> int:
    """Host games until `shutdown` is asked for; `task_status` gets the bound addresses. `tape`
    makes what everything is recorded on that is said until then, given the first game's number.

    Returns how many games were not over when their grace was.

    Raises:
        ListenError, StorageError, RefereeError, TablebaseError: it could not start.
        UnsavedError: the database refused to the end.
    """
    with ExitStack() as closing:
        repository = await trio.to_thread.run_sync(_open, config, closing)
        tablebases = open_tablebases(config.tablebases.paths, closing)
        try:
            return await _host(config, repository, tablebases, shutdown, tape, task_status)
        finally:
            with trio.CancelScope(shield=True):
                await trio.to_thread.run_sync(closing.close)


def _open(config: Config, closing: ExitStack) -> Repository:
    """The database, ours and ready: its schema current. `closing` is told how to let go of it."""
    database = config.database
    closing.enter_context(claimed(database.url))
    repository = open_repository(database.url, database.durability, migrating=database.migrate)
    closing.callback(repository.close)
    return repository


async def _host(
    config: Config,
    repository: Repository,
    tablebases: Tablebases | None,
    shutdown: Shutdown,
    tape: MakeTape | None,
    task_status: trio.TaskStatus[list[Address]],
) -> int:
    first_game = repository.last_game_id() + 1
    recorder = None if tape is None else Recorder(tape(first_game))
    clock = SteadyClock()
    works = _works(config, repository, clock)
    if recorder is not None:
        works = recorder.works(works, repository)
    journal = works.journal
    games = config.games()
    referees = _referees(config, games)
    hall = _hall(config, works, first_game, games, referees, tablebases)
    journal.tell_trouble(hall.trouble)
    look_out()
    with _no_garbage():
        run, down, unfinished = await trio.to_thread.run_sync(_take_over, repository, clock)
    if recorder is not None and unfinished:
        raise TapeError("a recording begins without running games, and there are some: serve on")
    async with trio.open_nursery() as keeping:
        await keeping.start(journal.run)
        async with trio.open_nursery() as hosting:
            hosting.start_soon(hall.keep_time)
            hosting.start_soon(_beat, journal, hall, run, clock)
            for referee in referees:
                await hosting.start(referee.run)
            _resume(hall, unfinished, down)
            gate = Gate(config.limits.of_gate())
            addresses = [
                await hosting.start(_listen, config, listener, hall, gate, recorder)
                for listener in config.listen
            ]
            task_status.started(addresses)
            await shutdown.asked.wait()
            if recorder is not None:
                recorder.stop()
            keeps = config.database.url != MEMORY
            cut = await hall.drain(shutdown.grace, config.shutdown.grace, SHUTDOWN, keeps=keeps)
            await hall.farewell(FAREWELL)
            hosting.cancel_scope.cancel()
        with trio.move_on_after(LAST_COMMIT) as last:
            await journal.drain()
        keeping.cancel_scope.cancel()
    if last.cancelled_caught:
        raise UnsavedError(f"the database refused to the end: {journal.trouble}")
    await trio.to_thread.run_sync(repository.end_run, run, clock())
    return cut


def _take_over(
    repository: Repository, clock: SteadyClock
) -> tuple[int, Downtime, list[Unfinished]]:
    """What an earlier server left: in a worker thread."""
    now = clock()
    unfinished = repository.running()
    run = repository.begin_run(now)
    newest = [noted.at for game in unfinished for noted in game.history[-1:]]
    known = [at for at in (run.last_ended, run.last_alive, *newest) if at is not None and at <= now]
    down = Downtime(max(known, default=now), now, run.slowest, run.last_alive)
    return run.id, down, unfinished


def _resume(hall: Hall, unfinished: list[Unfinished], down: Downtime) -> None:
    if unfinished:
        with _no_garbage():
            resumed = hall.resume(unfinished, down, _nobody())
        LOG.info(
            "games of an earlier run go on",
            games=resumed,
            given_up=len(unfinished) - resumed,
            away=f"{down.ms / 1000:.3f} s",
        )


@contextmanager
def _no_garbage() -> Iterator[None]:
    """Nothing of a thousand games that come back is garbage; to look for it costs a third more."""
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        gc.enable()


def _nobody() -> Peer:
    """The line of those whose server ended."""
    here, there = (
        Connection(role, TextCodec(max_line=256), ULCI) for role in (Role.SERVER, Role.CLIENT)
    )
    peer, _ = memory_peers(here, there)
    peer.cut("the server that it was connected to ended")
    return peer


async def _beat(journal: Journal, hall: Hall, run: int, clock: SteadyClock) -> None:
    """While there are games: note that we are alive, for whoever would have to go on with them, and
    keep the loop looking, so that it knows when it was stopped. While there are none: set the
    record's clock."""
    noted = -math.inf
    while True:
        now = trio.current_time()
        if hall.tables and now >= noted + BEAT:
            journal.note(Beaten(run, math.ceil(journal.statistics().slowest * 1000)))
            noted = now
        elif not hall.tables and (jumped := clock.follow()):
            LOG.warning("the machine's clock was set", seconds=round(jumped, 3))
        nap = PULSE if hall.tables else BEAT
        asleep = trio.current_time()
        await trio.sleep(nap)
        stalled = trio.current_time() - asleep - nap
        if stalled > STALL:
            LOG.warning("the server did not run for a while", seconds=round(stalled, 3))
            hall.hindered(stalled)


def _works(config: Config, repository: Repository, clock: SteadyClock) -> Works:
    return Works(
        Journal(repository, now=clock),
        Door(repository, guests=config.clients.guests, now=partial(datetime.now, UTC)),
        secrets.randbelow,
        partial(secrets.token_hex, SECRET_BYTES),
    )


def replayed(recording: Recording, closing: ExitStack) -> Replay:
    """The recording, ready to be held again by a server as it was; `closing` is told how to let go
    of the tablebases that it had.

    Raises:
        ConfigError, TablebaseError: its configuration is none, or not possible here.
    """
    config = load(None, recording.config)
    games = config.games()
    tablebases = open_tablebases(config.tablebases.paths, closing)

    def hall(works: Works) -> Hall:
        return _hall(config, works, recording.next_game, games, (), tablebases)

    def connection(dialect: str, codec: str) -> Connection:
        return _connection(config, dialect, MSGPACK if codec == "msgpack" else TEXT)

    return Replay(recording, hall, connection, partial(_plays, config))


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
    works: Works,
    first_game: int,
    games: Mapping[str, Rules],
    referees: Sequence[Referee],
    tablebases: Tablebases | None,
) -> Hall:
    clients, play = config.clients, config.play
    return Hall(
        works.journal,
        Lobby(config.pools(games), works.choose, games),
        works.door,
        ids=itertools.count(first_game),
        secret=works.secret,
        settings=Settings(
            Patience(clients.handshake, clients.rest, clients.nonsense),
            GamePatience(ready=play.ready, away=play.away),
            claims=play.claims,
            delay=play.delay,
            tablebases=tablebases,
        ),
        games=games,
        referees=referees,
    )


def _connection(config: Config, dialect: str, subprotocol: str) -> Connection:
    codec: Codec = (
        MsgpackCodec(max_message=config.limits.line)
        if subprotocol == MSGPACK
        else TextCodec(max_line=config.limits.line)
    )
    spoken = ULCI if dialect == "uci" else DIALECTS[dialect](Role.SERVER)
    return Connection(Role.SERVER, codec, spoken, defer_info=True)


def _plays(config: Config, pool: str, dialect: str) -> str:
    """Who speaks UGI plays the game of the pool: there are no words to say which one it knows."""
    [game] = (table.game for table in config.pool if table.name == pool)
    return game if dialect == "ugi" else ""


async def _listen(
    config: Config,
    listener: Listener,
    hall: Hall,
    gate: Gate,
    recorder: Recorder | None,
    *,
    task_status: trio.TaskStatus[Address],
) -> None:
    async def welcome(peer: Peer) -> None:
        if recorder is not None:
            peer = recorder.peer(peer, pool.name, listener.dialect)
        await hall.welcome(peer, pool.name, plays=_plays(config, pool.name, listener.dialect))

    pool = next(table for table in config.pool if listener.pool in (None, table.name))
    if warning := listener.warning():
        LOG.warning("not encrypted", advice=warning)
    if (certificates := listener.certificates()) is not None:
        certificates.tell()
    await listen(
        listener.address,
        welcome,
        partial(_connection, config, listener.dialect),
        limits=config.limits.of_net(),
        ssl_context=certificates,
        gate=gate,
        on_error=_report,
        task_status=task_status,
    )


def _report(who: str, error: BaseException) -> None:
    """A peer's own fault is an ordinary day, everything else is a bug of ours."""
    if isinstance(error, HandshakeError):
        LOG.info("no connection", peer=who, why=str(error))
    else:
        LOG.error("connection failed", peer=who, exc_info=error)
