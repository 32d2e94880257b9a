"""How do bytes move? The one room that touches a socket, a pipe or a process.

A `Peer` is a stream (TCP, TLS, WebSocket, a process's stdio, memory) and a `protocol.Connection`:
``receive()`` gives messages with the time at which their bytes were read, ``put()`` never waits.
`listen` serves peers, `dial` opens one by URL, `open_process` runs an engine as one. A `Gate`
counts who comes, `Limits` and their `Pace` bound what a peer may cost, `Attempts` who may guess.
"""

from ulci.net.address import Address
from ulci.net.allowance import Pace
from ulci.net.bucket import Attempts, Buckets, TokenBucket
from ulci.net.codes import CloseCode
from ulci.net.dial import dial
from ulci.net.errors import (
    DialError,
    ExhaustedError,
    HandshakeError,
    ListenError,
    NetError,
    ProcessError,
)
from ulci.net.gate import LOOPBACK, Gate, GateLimits, Network, network, within
from ulci.net.limits import Limits
from ulci.net.listen import Arrival, listen
from ulci.net.looking import PULSE, STALL, look_out
from ulci.net.memory import memory_peers
from ulci.net.peer import Heard, Peer, Statistics
from ulci.net.process import ProcessPeer, clean_environment, open_process
from ulci.net.streams import open_stream
from ulci.net.trust import TOKEN_VARIABLE, is_loopback, is_token, read_token, tls_context
from ulci.net.upgrade import MSGPACK, SUBPROTOCOLS, TEXT, MakeConnection

__all__ = [
    "LOOPBACK",
    "MSGPACK",
    "PULSE",
    "STALL",
    "SUBPROTOCOLS",
    "TEXT",
    "TOKEN_VARIABLE",
    "Address",
    "Arrival",
    "Attempts",
    "Buckets",
    "CloseCode",
    "DialError",
    "ExhaustedError",
    "Gate",
    "GateLimits",
    "HandshakeError",
    "Heard",
    "Limits",
    "ListenError",
    "MakeConnection",
    "NetError",
    "Network",
    "Pace",
    "Peer",
    "ProcessError",
    "ProcessPeer",
    "Statistics",
    "TokenBucket",
    "clean_environment",
    "dial",
    "is_loopback",
    "is_token",
    "listen",
    "look_out",
    "memory_peers",
    "network",
    "open_process",
    "open_stream",
    "read_token",
    "tls_context",
    "within",
]
