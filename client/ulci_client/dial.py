"""Where the server is and how to reach it: address, certificates, token, subprotocol."""

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from ulci.net import MSGPACK, TEXT, Address, DialError, Limits, Peer, dial, is_loopback
from ulci.protocol import ULCI, Connection, MsgpackCodec, Role, TextCodec

DEFAULT_SERVER = "tcp://127.0.0.1:25565"

# Bytes of what a server says at once. The longest possible game of chess has some 11,800 moves, and
# a board of Liberty Chess may have 65,536 squares.
LONGEST_LINE = 256 * 1024
LIMITS = Limits(max_frame=2 * LONGEST_LINE)


@dataclass(frozen=True, slots=True)
class Server:
    """How to reach one server. `ssl_context` None: the system's certificates are trusted. `token`:
    of our account there, said in the upgrade of a WebSocket."""

    address: Address
    ssl_context: ssl.SSLContext | None = None
    msgpack: bool = False
    timeout: float = 10.0
    token: str = field(default="", repr=False)

    @property
    def is_private(self) -> bool:
        """Whether nobody on the way can read what is said: TLS, or this very machine."""
        return self.address.tls or is_loopback(self.address.host)

    @asynccontextmanager
    async def dial(self) -> AsyncIterator[Peer]:
        """A new line to it, on which we are the client.

        Raises:
            DialError: it cannot be reached; the text says why and what may help.
        """
        offered = (MSGPACK, TEXT) if self.msgpack else (TEXT,)
        async with dial(
            self.address,
            _connection,
            ssl_context=self.ssl_context,
            timeout=self.timeout,
            headers={"Authorization": f"Bearer {self.token}"} if self.token else None,
            subprotocols=offered,
            limits=LIMITS,
        ) as peer:
            yield peer


def _connection(subprotocol: str) -> Connection:
    codec = (
        MsgpackCodec(max_message=LONGEST_LINE)
        if subprotocol == MSGPACK
        else TextCodec(max_line=LONGEST_LINE)
    )
    return Connection(Role.CLIENT, codec, ULCI.with_lobby())


__all__ = [
    "DEFAULT_SERVER",
    "DialError",
    "Server",
]
