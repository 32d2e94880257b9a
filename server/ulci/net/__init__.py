"""How do bytes move? The one room that touches a socket, a pipe or a process.

A `Peer` is a stream (TCP, TLS, WebSocket, a process's stdio, memory) and a `protocol.Connection`:
``receive()`` returns messages with the time at which their bytes were read; `deliver` passes them
to a plain call, which for plain TCP needs no task; ``put()`` never waits. `listen` serves peers,
`dial` opens one by URL, `open_process` runs an engine as one. A `Gate` limits connections per
address, `Limits` and their `RateLimit` bound the cost of a peer, `Attempts` slows down guessing.
"""

from ulci.net.address import Address
from ulci.net.dial import dial
from ulci.net.errors import (
    CloseCode,
    DialError,
    ExhaustedError,
    HandshakeError,
    ListenError,
    NetError,
    ProcessError,
)
from ulci.net.gate import LOOPBACK, Gate, GateLimits, Network, network, within
from ulci.net.http_front import Site
from ulci.net.http_origin import is_own_host, own_names
from ulci.net.limits import Limits, RateLimit
from ulci.net.listen import listen
from ulci.net.memory_peers import memory_peers
from ulci.net.peer import Ended, Hear, Heard, Misheard, Peer
from ulci.net.process import ProcessPeer, clean_environment, open_process
from ulci.net.remote import (
    DEFAULT_SERVER,
    TOKEN_VARIABLE,
    RemoteServer,
    context_for,
    is_loopback,
    is_token,
    read_token,
    tls_context,
)
from ulci.net.streams import open_stream
from ulci.net.timing import PULSE, STALL, detect_stalls
from ulci.net.token_bucket import Attempts, Buckets, TokenBucket
from ulci.net.upgrade import MSGPACK, SUBPROTOCOLS, TEXT, MakeConnection

__all__ = [
    "DEFAULT_SERVER",
    "LOOPBACK",
    "MSGPACK",
    "PULSE",
    "STALL",
    "SUBPROTOCOLS",
    "TEXT",
    "TOKEN_VARIABLE",
    "Address",
    "Attempts",
    "Buckets",
    "CloseCode",
    "DialError",
    "Ended",
    "ExhaustedError",
    "Gate",
    "GateLimits",
    "HandshakeError",
    "Hear",
    "Heard",
    "Limits",
    "ListenError",
    "MakeConnection",
    "Misheard",
    "NetError",
    "Network",
    "Peer",
    "ProcessError",
    "ProcessPeer",
    "RateLimit",
    "RemoteServer",
    "Site",
    "TokenBucket",
    "clean_environment",
    "context_for",
    "detect_stalls",
    "dial",
    "is_loopback",
    "is_own_host",
    "is_token",
    "listen",
    "memory_peers",
    "network",
    "open_process",
    "open_stream",
    "own_names",
    "read_token",
    "tls_context",
    "within",
]
