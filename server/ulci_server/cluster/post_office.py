"""Sends messages to other servers, and knows which of them are silent: over the bus of the present
run."""

from collections.abc import Callable, Collection, Sequence

import trio

from ulci_server.bus import Bus, Hub
from ulci_server.game import Span
from ulci_server.hall import LocalSeat
from ulci_server.storage.membership import Membership

from . import messages as said

CUT_OFF = 2.0
"""Seconds of silence of the bus after which this server takes itself to be cut off. Other servers
learn that from the database."""

MEETING = 2.0
"""Seconds in which two servers get to know each other: messages of one that the other does not know
yet are lost, and sent again."""

SAY_FENCED = 0.1
"""Seconds for which the bus still sends to a server that was fenced."""


class PostOffice:
    """The `Post` of all parts of this server. owns: whether this server may be given games;
    otherwise it only has connections.

    `serve` is called once, with what knows the connections and games here. `begin` begins a run:
    messages before the first are dropped. `add` and `forget` other servers as they begin to live
    and have died.
    """

    def __init__(self, hub: Hub, *, owns: bool = True) -> None:
        self.owns = owns
        self.run = 0
        """The number of this server's run; 0 before the first."""
        self.lobby = 0
        """The server that hosts the lobby, as the election has set it; 0 if none is known."""
        self.draining = False
        """Whether this server releases its games, to shut down."""
        self.membership = Membership(0)
        self.bus: Bus | None = None
        self._hub = hub
        self._met_at: dict[int, float] = {}  # when (s) each living server was added

    def serve(self, link: Callable[[LocalSeat], said.Link], epoch: Callable[[int], int]) -> None:
        """link: the link of a player here. epoch: the epoch of a game that this server owns."""
        self._link, self._epoch = link, epoch

    def begin(
        self,
        run: int,
        key: str,
        *,
        heard: Callable[[int, Sequence[bytes]], object],
        lost: Callable[[int], object],
        deaf: Callable[[int], object],
    ) -> Bus:
        """Begin that run, and return its bus. `key` and the callbacks are as in `Bus`."""
        self.run, self.lobby = run, 0
        self.membership = Membership(run)
        self._met_at.clear()
        self.bus = Bus(self._hub, key, run, heard=heard, lost=lost, deaf=deaf)
        return self.bus

    # Sending

    def send(self, run: int, message: said.AnyMessage) -> None:
        """Send it to one server, which may be this one."""
        if self.bus is not None:
            self.bus.send(run, said.encode(message))

    def send_all(self, message: said.AnyMessage) -> None:
        """Send it to all servers, this one included."""
        data = said.encode(message)
        if self.bus is not None:
            for run in self.membership.living or (self.run,):
                self.bus.send(run, data)

    def answer_ping(self, run: int, _: said.Ping) -> None:
        self.send(run, said.Pong())

    async def flush(self) -> None:
        """Return when all messages to other servers are published, or dropped."""
        if self.bus is not None:
            await self.bus.flush()

    # Other servers

    @property
    def living(self) -> Collection[int]:
        """All servers that live, this one included."""
        return {self.run, *self.membership.living}

    def add(self, run: int) -> None:
        """Another server lives."""
        self._met_at[run] = trio.current_time()
        if self.bus is not None:
            self.bus.add(run)

    def tell_fenced(self, run: int) -> None:
        """That server was fenced or has ended. Send it `Fenced`, as it may be alive."""
        self._met_at.pop(run, None)
        self.send(run, said.Fenced())

    async def forget(self, run: int) -> None:
        """Stop sending to that server, after `SAY_FENCED` s for its `Fenced`."""
        bus = self.bus
        await trio.sleep(SAY_FENCED)
        if bus is not None:
            bus.forget(run)

    def is_new(self, run: int) -> bool:
        """Whether messages of that server may be lost because it was added only just now."""
        met_at = self._met_at.get(run)
        return met_at is not None and trio.current_time() < met_at + MEETING

    @property
    def reaches_lobby(self) -> bool:
        """Whether messages to the lobby are believed to arrive."""
        return self.lobby != 0 and (self.lobby == self.run or not self.is_cut_off)

    @property
    def silence(self) -> float:
        """Seconds since this server last received a ping of its own through the bus."""
        return 0.0 if self.bus is None else self.bus.silence

    @property
    def is_cut_off(self) -> bool:
        """Whether messages to other servers are believed not to arrive."""
        return self.silence > CUT_OFF

    def silence_of(self, run: int) -> float:
        """Seconds since another server was heard last."""
        return 0.0 if self.bus is None else self.bus.silence_of(run)

    def heard_at(self, run: int) -> float | None:
        """When (s) another server was heard last; None: it never was."""
        return None if self.bus is None else self.bus.heard_at(run)

    def heard_since(self, run: int, at: float) -> bool:
        """Whether another server was heard since that time (s), or was never known."""
        heard_at = self.heard_at(run)
        return heard_at is None or heard_at >= at

    def heard_before(self, run: int, at: float) -> float:
        """The last time (s) until `at` when another server was heard; `at` if it was never
        known."""
        return at if self.bus is None else self.bus.heard_before(run, at)

    def silent(self, run: int, since: float, until: float) -> Sequence[Span]:
        """The spans between these two times (s) in which another server was silent while it
        lived."""
        return () if self.bus is None else self.bus.silent(run, since, until)

    # Here

    def link(self, player: LocalSeat) -> said.Link:
        """A player of this server, as others know it."""
        return self._link(player)

    def epoch(self, game: int) -> int:
        """The epoch of a game that this server owns."""
        return self._epoch(game)
