"""How many words may a client say to the lobby and the game? No search needs one.

A word costs what it makes the server do: some are told to everybody, or answered with a list of
them. It is paid twice: by the connection and by its address, which may have a hundred of them.
"""

from ulci.net import Buckets, TokenBucket, is_loopback, network
from ulci.protocol.messages import Accept, Games, Resign, Seek, Seeks, Unseek, Who

A_SECOND = 5.0
"""Words of a connection: who plays games of a second says one or two a game."""

AT_ONCE = 100
"""After a while of saying little: all the words of the longest game in one minute."""

OF_ADDRESS = 4
"""Times as many for all connections of an address."""

AUDIENCE = 200
"""So many people who hear of a word, or are listed, cost as much as the word itself."""

_TO_MANY = Seek | Unseek | Accept | Seeks | Who | Games


def bucket(at: float) -> TokenBucket:
    """What one connection may say from then on (s)."""
    return TokenBucket(A_SECOND, AT_ONCE, at)


class Pace:
    """For all connections of a hall."""

    def __init__(self) -> None:
        self._addresses = Buckets[str](OF_ADDRESS * A_SECOND, OF_ADDRESS * AT_ONCE)

    def wait(self, word: object, own: TokenBucket, host: str, present: int, at: float) -> float:
        """Seconds to wait until that word is heard; 0: it is. `own` is the connection's bucket,
        `present` how many people are here."""
        if isinstance(word, Resign):  # which ends what it could flood
            return 0.0
        cost = 1 + present / AUDIENCE if isinstance(word, _TO_MANY) else 1.0
        cost = min(cost, AT_ONCE / 2)
        wait = own.take(at, cost)
        if wait or _is_this_machine(host):
            return wait
        return self._addresses.take(network(host), at, cost)


def _is_this_machine(host: str) -> bool:
    """Its own programs, or a proxy with everybody behind it."""
    return not host or is_loopback(host)
