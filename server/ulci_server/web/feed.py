"""Makes the events of one watched game, once for all its streams."""

import math
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import structlog
import trio

from ulci.net import GradualEvent
from ulci.protocol import MovesSoFar
from ulci.protocol.lobby.lines import Chat, GameOver
from ulci.protocol.messages import Clock, FromServer, Info, Lobby, Position
from ulci.rules import Side
from ulci.rules.refereed import RefereedRules
from ulci_server.hall.sharing import Sharing
from ulci_server.hall.table.spectators import WatchedTable
from ulci_server.storage import StorageError

from .answers import SiteContext, of_running
from .documents import Document, clocks, thought
from .event_stream import Ring, Waker
from .pieces import WholeGame, timed
from .played_moves import PlayedMoves
from .snapshot import recorded

LOG = structlog.get_logger("ulci_server.web")

KEPT = 128
"""Events of a game that a client may miss and still resume: a minute of a quick game, with its
engines' analysis."""

MOST_HEARD = 256
"""Messages that wait while a worker thread replays the moves; positions do not count."""

LINGER = 15.0
"""Seconds for which a feed follows its game after the last stream: a reloaded page is back by
then."""

SNAPSHOT_AGE = 1.0
"""Seconds for which new streams get the same snapshot of a game, and then the events since: so the
snapshot is made once for a thousand streams that begin together."""

COUNT_EVERY = 5.0
"""Seconds between two events with the number of spectators: each goes to all of them."""

THREADS = 2
"""Worker threads of all feeds, apart from the archive's: feeds do not wait for exports of games."""

NO_ANSWER = 5.0
"""How long (s) a feed waits for a game's first state, if another server plays the game."""


class GameFeed:
    """Watches one table for the streams of its game. closed: called when the feed ends."""

    def __init__(
        self,
        table: WatchedTable,
        context: SiteContext,
        waker: Waker,
        threads: trio.CapacityLimiter,
        closed: "Callable[[GameFeed], None]",
    ) -> None:
        self.table = table
        self.ring = Ring(waker, KEPT)
        self._context = context
        self._hall = context.hall
        self._archive = context.archive
        self._threads = threads
        self._closed = closed
        self._played: PlayedMoves | None = None
        self._moves: Sequence[str] = ()
        self._playing = trio.Lock()  # so that one thread at a time uses `_played`
        self._position: Position | None = None
        self._heard: deque[tuple[FromServer, Side | None]] = deque(maxlen=MOST_HEARD)
        self._presence: Mapping[str, str] = {}
        self._over = False
        self._used = trio.current_time()  # when there was a stream last (s)
        self._woken = trio.Event()
        self._ready = GradualEvent(context.turns)
        self._sharing = Sharing(context.turns)
        self._snapshot: tuple[float, int, bytes] | None = None
        self._spectators = 0  # as sent last
        self._counted = -math.inf

    # A watcher of the table

    def tell(self, *messages: FromServer) -> None:
        spectators = self.table.spectators
        for message in messages:
            if isinstance(message, Position):
                self._position = message
            else:
                self._heard.append((message, spectators.thinker(message)))
        self._woken.set()

    def hear_chat(self, line: Lobby) -> None:
        self.tell(line)

    def stop_watching(self) -> None:
        self.table.unwatch(self)
        self._over = True
        self._woken.set()

    def watch(self, table: WatchedTable) -> None:
        """Watch the game at another server, where it continues."""
        self.table = table
        table.watch(self)
        self._woken.set()

    # Its task

    async def run(self) -> None:
        """Follow the game until it ends, or until it has had no stream for `LINGER` s."""
        try:
            self.table.watch(self)
            if not await self._known():
                return
            if await recorded(self._context, self.table.id) is None:
                return  # its streams end at once, and their clients reconnect
            self._position = self.table.spectators.position
            await self._follow()
            self._ready.set()
            while not self._over and await self._woken_or_used():
                self._woken = trio.Event()
                number = self.ring.last
                await self._follow()
                self._report(told_clocks=self.ring.last != number)
        except StorageError as error:
            LOG.info("feed ended", game=self.table.id, why=str(error))
        except Exception:  # a bug here ends the watching of one game
            LOG.exception("feed failed", game=self.table.id)
        finally:
            self.table.unwatch(self)
            self._closed(self)
            if not self.ring.ended:
                self.ring.end()
            self._ready.set()

    async def _known(self) -> bool:
        """Wait for the game's first state; False if none comes within `NO_ANSWER` s."""
        with trio.move_on_after(NO_ANSWER):
            while (state := self.table.state()) is None and not self._over:
                self._woken = trio.Event()
                await self._woken.wait()
            self._presence = {} if state is None else state.presence
            return state is not None
        return False

    async def _woken_or_used(self) -> bool:
        """Wait for news of the game; False if it has had no stream for `LINGER` s."""
        while True:
            now = trio.current_time()
            if self._must_count(now):
                return True
            if self.ring.streams:
                self._used = now
            until = max(self._used, self.ring.read_at) + LINGER
            if now >= until:
                return False
            if self._woken.is_set():
                return True
            with trio.move_on_at(min(until, max(now, self._counted) + COUNT_EVERY)):
                await self._woken.wait()

    async def _in_thread(self, work: Callable[[], Any]) -> Any:
        return await trio.to_thread.run_sync(work, limiter=self._threads, abandon_on_cancel=True)

    async def _follow(self) -> None:
        """Replay the moves that the players have made since, and report them."""
        async with self._playing:
            if self._played is None:
                game, started = self.table.agreement.game, self.table.started
                opened = partial(PlayedMoves, game, started.start, started.opening)
                self._played, self._moves = await self._in_thread(opened), started.opening
            if self._position is None or self._position.moves is self._moves:
                return
            played, before = self._played, len(self._played.plies)
            moves, known = self._position.moves, self._moves
            more = moves.after(known) if isinstance(moves, MovesSoFar) else None
            if isinstance(self.table.agreement.game, RefereedRules):
                # Only the database knows which side moved.
                sides = await self._archive.sides(self.table.id)
                kept = await self._in_thread(partial(played.follow, tuple(moves), sides))
            elif more is not None:
                await self._in_thread(partial(played.extend, more))
                kept = before
            else:
                kept = await self._in_thread(partial(played.follow, tuple(moves)))
            self._moves = moves
            if not self._ready.is_set():
                return
            if kept < before:
                self.ring.add("takeback", {"ply": kept, **self._board_at(kept), **self._clocks()})
            for number, ply in enumerate(played.plies[kept:], kept + 1):
                self.ring.add("move", {"ply": number, **ply.document(), **self._clocks()})

    def _board_at(self, plies: int) -> Document:
        assert self._played is not None
        if plies:
            return {"board": self._played.plies[plies - 1].board}
        return {"board": self._played.start_board}

    def _clocks(self) -> Document:
        state = self.table.state()
        return {"clocks": None if state is None else clocks(state.clocks, state.running)}

    def _report(self, *, told_clocks: bool) -> None:
        """Report everything but the moves. told_clocks: whether events of moves have just carried
        the clocks."""
        heard, self._heard = self._heard, deque(maxlen=MOST_HEARD)
        if (state := self.table.state()) is not None:
            self._report_presence(state.presence)
        if self._must_count(now := trio.current_time()):
            self._spectators, self._counted = self._count(), now
            self.ring.add("spectators", {"count": self._spectators})
        for message, side in heard:
            match message:
                case Clock() if not told_clocks:
                    told_clocks = True
                    self.ring.add("clock", self._clocks())
                case Info() if side is not None:
                    self.ring.add("info", thought(side, message))
                case Lobby(line=Chat() as chat):
                    self.ring.add("chat", {"by": chat.by, "text": chat.text})
                case Lobby(line=GameOver() as over):
                    detail = "" if state is None else state.detail
                    ended = {"result": over.result, "reason": over.reason, "detail": detail}
                    self.ring.end("over", ended)

    def _must_count(self, now: float) -> bool:
        """Whether the streams are due an event with the number of spectators."""
        return now >= self._counted + COUNT_EVERY and self._count() != self._spectators

    def _count(self) -> int:
        """The number of spectators at this server: streams and clients, without this feed."""
        return self.ring.spectators + max(0, len(self.table.spectators) - 1)

    def _report_presence(self, presence: Mapping[str, str]) -> None:
        for side, state in presence.items():
            if self._presence.get(side, state) != state:
                self.ring.add("player", {"side": side, "state": state})
        self._presence = presence

    # For streams

    async def fresh(self) -> WholeGame | None:
        """The whole game, as it was at most `SNAPSHOT_AGE` ago."""
        await self._ready.wait()
        if self._played is None:
            return None
        if not self._is_fresh():
            await self._sharing.share("snapshot", self._make_snapshot)
        assert self._snapshot is not None
        _, number, body = self._snapshot
        more, count = of_running(self.table.state()), self._count()
        if self.ring.streams == 1:  # this snapshot tells the only stream
            self._spectators = count
        return WholeGame(number, *timed(body, **more, spectators=count))

    def _is_fresh(self) -> bool:
        if self._snapshot is None:
            return False
        at, number, _ = self._snapshot
        if number == self.ring.last:
            return True
        return self.ring.follows(number) and trio.current_time() < at + SNAPSHOT_AGE

    async def _make_snapshot(self) -> None:
        async with self._playing:
            if self._is_fresh():  # an earlier caller has made it
                return
            assert self._played is not None
            number, at = self.ring.last, trio.current_time()
            work = partial(self._archive.running_game, self.table.id, self._played)
            self._snapshot = at, number, await self._archive.ask(work)


class TooManyFeedsError(Exception):
    """More games are watched than the server can follow."""


MOST_FEEDS = 200
"""Games that have a feed at once, each of up to some MB."""


class Feeds:
    """The feeds of one site."""

    def __init__(self, context: SiteContext, waker: Waker, nursery: trio.Nursery) -> None:
        self._context = context
        self._waker = waker
        self._nursery = nursery
        self._threads = trio.CapacityLimiter(THREADS)
        self._feeds: dict[int, GameFeed] = {}

    def of(self, number: int) -> GameFeed | None:
        """The feed of a running game; None if it does not run. Raises `TooManyFeedsError`."""
        if (feed := self._feeds.get(number)) is not None:
            return feed
        table = self._context.hall.find_table(number)
        if table is None:
            return None
        if len(self._feeds) >= MOST_FEEDS:
            raise TooManyFeedsError
        feed = GameFeed(table, self._context, self._waker, self._threads, self._ended)
        self._feeds[number] = feed
        self._nursery.start_soon(feed.run)
        return feed

    def _ended(self, feed: GameFeed) -> None:
        if self._feeds.get(feed.table.id) is feed:
            del self._feeds[feed.table.id]

    def __len__(self) -> int:
        return len(self._feeds)
