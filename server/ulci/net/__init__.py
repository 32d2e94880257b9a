"""How bytes move. The one room that touches a socket, a pipe or a process.

A `Peer` is a stream and a `protocol.Connection`: ``receive()`` returns messages with the time at
which their bytes were read, ``deliver()`` passes them to a plain call, which for plain TCP needs no
task, and ``put()`` never waits.

* `peer`: what all peers share. `tcp`: over plain TCP. `streams`: over TLS, a process's stdio or a
  pipe. `websocket`: over WebSocket; `websocket_frames` counts its frames first.
* `listen`: serves peers at an address, over the sockets of `bind`. `reader`: one task that reads
  all plain sockets of a listener. `refuse`: turns connections away.
* `dial`: opens a peer by its `address`. `remote`: what a client knows of its server: certificates,
  token, subprotocol.
* `sockets`, `intake`, `tcpstream`: options, timed reads, and TLS of a TCP socket.
* `gate`: limits connections per address and network; `places`: of half-open ones the oldest goes
  first. `limits`: bounds the cost of a peer. `token_bucket`: the
  rate limit that both use.
* `turns`, `readiness`: how a crowd, or one long work, goes on without holding the loop.
* `timing`: the round-trip estimate, and stalls of the event loop. `empty_lines`: sent to a
  program whose line holds small writes back.
* `upgrade`: HTTP to WebSocket, on one port. `http`: all other requests, answered by an `asgi`
  application: `http_head` and `http_reader` read them, `http_front` says who may ask for what, and
  `http_origin` which pages are this server's own.
* `process`: runs an engine as a peer; `pipes`: its two pipes. `orphans`: kills the programs of a
  process that was killed.
* `errors`: errors of connections, and the codes that close a WebSocket. `failures`: which of them
  are reported.
"""

from ulci.net.address import Address
from ulci.net.dial import dial
from ulci.net.empty_lines import EmptyLines
from ulci.net.errors import (
    CloseCode,
    DialError,
    ExhaustedError,
    HandshakeError,
    ListenError,
    NetError,
    ProcessError,
)
from ulci.net.failures import Sample
from ulci.net.gate import LOOPBACK, Gate, GateLimits, Network, network, within
from ulci.net.http_front import Site
from ulci.net.http_origin import is_own_host, own_names
from ulci.net.limits import Limits, RateLimit
from ulci.net.listen import listen
from ulci.net.peer import Ended, Happened, Hear, Heard, Misheard, Peer
from ulci.net.process import ProcessPeer, clean_environment, open_process
from ulci.net.remote import (
    DEFAULT_SERVER,
    TOKEN_VARIABLE,
    RemoteServer,
    context_for,
    is_loopback,
    is_token,
    read_token,
)
from ulci.net.timing import PULSE, STALL, detect_stalls
from ulci.net.token_bucket import Buckets, TokenBucket
from ulci.net.turns import GradualEvent, Steps, Turns
from ulci.net.upgrade import MSGPACK, TEXT

__all__ = [
    "DEFAULT_SERVER",
    "LOOPBACK",
    "MSGPACK",
    "PULSE",
    "STALL",
    "TEXT",
    "TOKEN_VARIABLE",
    "Address",
    "Buckets",
    "CloseCode",
    "DialError",
    "EmptyLines",
    "Ended",
    "ExhaustedError",
    "Gate",
    "GateLimits",
    "GradualEvent",
    "HandshakeError",
    "Happened",
    "Hear",
    "Heard",
    "Limits",
    "ListenError",
    "Misheard",
    "NetError",
    "Network",
    "Peer",
    "ProcessError",
    "ProcessPeer",
    "RateLimit",
    "RemoteServer",
    "Sample",
    "Site",
    "Steps",
    "TokenBucket",
    "Turns",
    "clean_environment",
    "context_for",
    "detect_stalls",
    "dial",
    "is_loopback",
    "is_own_host",
    "is_token",
    "listen",
    "network",
    "open_process",
    "own_names",
    "read_token",
    "within",
]
