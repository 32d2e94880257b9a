"""Two peers joined in memory: like real ones, without the system."""

import trio

from ulci.net.limits import RECEIVE_BYTES, Limits
from ulci.net.peer import CLOSED_BY_PEER, RESET_BY_PEER, BytePeer, Peer
from ulci.protocol import Connection


class MemoryPeer(BytePeer):
    """Writes into the inbox of the other peer. Unread bytes there count as the writer's outbox."""

    __slots__ = ("_arrived", "_inbox", "_other", "_over")

    def __init__(self, connection: Connection, *, label: str, limits: Limits) -> None:
        super().__init__(connection, label=label, limits=limits)
        self._other = self
        self._inbox = bytearray()
        self._arrived = trio.lowlevel.ParkingLot()
        self._over = ""  # why the other end sends nothing more

    def join(self, other: "MemoryPeer") -> None:
        """Connect to the other peer."""
        self._other = other

    async def _feed(self) -> None:
        if self._inbox or self._over:
            await trio.lowlevel.checkpoint()
        else:
            await self._arrived.park()
        if self._deaf:
            return
        if self._inbox:
            data = bytes(self._inbox[:RECEIVE_BYTES])
            del self._inbox[:RECEIVE_BYTES]
            self._read(data, trio.current_time())
        elif self._over == CLOSED_BY_PEER:
            self._read(b"", trio.current_time())
        else:
            self._end(self._over)

    def _write(self, data: bytes) -> None:
        if not self._over and self._fits(len(data)):
            self._other._inbox += data
            self._other._arrived.unpark()

    def _waiting(self) -> int:
        return len(self._other._inbox)

    def _finish(self) -> None:
        self._leave(CLOSED_BY_PEER)
        self._closed.set()

    def _abort(self) -> None:
        self._leave(RESET_BY_PEER if self._waiting() else CLOSED_BY_PEER)

    def _leave(self, why: str) -> None:
        self._inbox.clear()
        self._arrived.unpark_all()
        if not self._other._over:
            self._other._over = why
            self._other._arrived.unpark_all()


def memory_peers(
    server: Connection, client: Connection, *, limits: Limits | None = None
) -> tuple[Peer, Peer]:
    """The server's peer (connected to the client) and the client's."""
    limits = limits or Limits()
    to_client = MemoryPeer(server, label="memory client", limits=limits)
    to_server = MemoryPeer(client, label="memory server", limits=limits)
    to_client.join(to_server)
    to_server.join(to_client)
    return to_client, to_server
