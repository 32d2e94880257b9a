"""How do bytes move? The one room that touches a socket, a pipe or a process.

A `Peer` is a stream (TCP, TLS, WebSocket, a process's stdio, memory) and a `protocol.Connection`:
``receive()`` gives messages with the time at which their bytes were read, ``put()`` never waits.
`listen` serves peers, `dial` opens one by URL, `open_process` runs an engine as one.
"""

from ulci.net.address import Address
from ulci.net.dial import dial
from ulci.net.errors import DialError, HandshakeError, ListenError, NetError, ProcessError
from ulci.net.limits import Limits
from ulci.net.listen import Arrival, listen
from ulci.net.memory import memory_peers
from ulci.net.peer import Heard, Peer, Statistics
from ulci.net.process import ProcessPeer, open_process
from ulci.net.streams import open_stream
from ulci.net.upgrade import MSGPACK, SUBPROTOCOLS, TEXT, MakeConnection

__all__ = [
    "MSGPACK",
    "SUBPROTOCOLS",
    "TEXT",
    "Address",
    "Arrival",
    "DialError",
    "HandshakeError",
    "Heard",
    "Limits",
    "ListenError",
    "MakeConnection",
    "NetError",
    "Peer",
    "ProcessError",
    "ProcessPeer",
    "Statistics",
    "dial",
    "listen",
    "memory_peers",
    "open_process",
    "open_stream",
]
