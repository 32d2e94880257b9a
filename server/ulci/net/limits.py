"""The bounds of a connection, with the reason for each."""

from dataclasses import dataclass, field

from ulci.net.allowance import Pace

RECEIVE_BYTES = 16 * 1024
"""Read from a socket at once: two of the longest lines, so that no peer fills the memory."""

FAIR_SHARE = 64
"""Messages handed over before other tasks get a turn; a move comes alone, a flood does not."""

FAIR_TIME = 0.00025
"""Seconds after which the others have it in any case, as what some messages lead to takes longer. A
move is relayed in four turns of the loop, each as long as all who flood it take together."""

AHEAD = 4
"""Times `Limits.outbox` that may wait for a peer that takes what it can: what is put in one step,
such as a long list and then another, it could not take meanwhile, however fast it reads."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a peer may cost us. Times in seconds, sizes in bytes."""

    handshake: float = 10.0
    """TLS and the WebSocket upgrade together: a bad line needs three, a port scanner for ever."""

    outbox: int = 256 * 1024
    """Said but not yet taken by the system: the longest list we answer with fits twice, and who is
    further behind than that has stopped reading."""

    flush: float = 2.0
    """How long a peer that is dismissed or closed may take for what was put: longer than a lost
    packet."""

    linger: float = 1.0
    """Part of `flush`: how long we listen after our last word. Closing a socket at which unread
    bytes arrive destroys what the peer has not read yet, such as the reason for the close."""

    max_frame: int = 64 * 1024
    """One WebSocket message. The codec's limit of a line is smaller and says what was wrong; this
    one only bounds the memory."""

    keepalive_idle: int = 15
    """Whole seconds of silence before the system asks whether the other machine is still there."""

    keepalive_interval: int = 5
    """Whole seconds between two such questions."""

    keepalive_probes: int = 3
    """Questions without an answer until the connection is given up: 30 s from the last byte, about
    as long as a player may be away without harm."""

    unacknowledged: float = 30.0
    """The same for what was sent and never acknowledged (TCP_USER_TIMEOUT), where the system's own
    limit is a quarter of an hour."""

    ping_interval: float = 20.0
    """Silence on a WebSocket before it is pinged: proxies drop what is silent for 30 or 60 s."""

    ping_timeout: float = 20.0
    """How long the answer to a ping may take: a phone that changes its network needs ten."""

    connections: int = 10_000
    """Open at once at one listener, handshakes included; a process has fewer files than friends."""

    pace: Pace = field(default_factory=Pace)
    """How much it may say. Without limit unless said otherwise, as a client trusts its server."""
