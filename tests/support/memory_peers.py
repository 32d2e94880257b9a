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


class MemoryStream:
    """The far end of a connection as bytes, for a program with a reader of its own."""

    def __init__(self, far: MemoryPeer) -> None:
        self._far = far

    async def __aenter__(self) -> "MemoryStream":
        return self

    async def __aexit__(self, *_: object) -> None:
        self._far._leave(CLOSED_BY_PEER)

    async def send_all(self, data: bytes) -> None:
        """Raises `trio.BrokenResourceError`: the other end is closed."""
        await trio.lowlevel.checkpoint()
        if self._far._over:
            raise trio.BrokenResourceError
        self._far._write(data)

    async def receive_some(self, most: int) -> bytes:
        """Empty at the end."""
        far = self._far
        await trio.lowlevel.checkpoint()
        if not far._inbox and not far._over:
            await far._arrived.park()
        data = bytes(far._inbox[:most])
        del far._inbox[:most]
        return data


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
