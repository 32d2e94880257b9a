"""The rate limit of players' commands, by connection and by address."""

from ulci.net import Buckets, TokenBucket, is_loopback, network
from ulci.protocol.messages import PlayerCommand, Resign

COMMANDS_A_SECOND = 5.0
"""Commands of a connection: a player of one-second games sends one or two a game."""

COMMAND_BURST = 100
"""Commands of a connection at once: those of the longest game in one minute."""

ADDRESS_FACTOR = 4
"""Times the limit of one connection for all connections of an address."""

AUDIENCE = 200
"""So many recipients of a command, or lines of a list, cost as much as the command itself."""


def command_bucket(at: float) -> TokenBucket:
    """The rate limit of one connection that begins at `at` (s)."""
    return TokenBucket(COMMANDS_A_SECOND, COMMAND_BURST, at)


class CommandRate:
    """The rate limit of commands for all connections of a hall."""

    def __init__(self) -> None:
        self._addresses = Buckets[str](
            ADDRESS_FACTOR * COMMANDS_A_SECOND, ADDRESS_FACTOR * COMMAND_BURST
        )

    def wait(
        self, command: PlayerCommand, own: TokenBucket, host: str, present: int, at: float
    ) -> float:
        """Seconds to wait until the command is allowed; 0: it is. `own` is the connection's
        bucket, `present` the number of sessions."""
        if isinstance(command, Resign):  # it ends the game that it could flood
            return 0.0
        cost = 1 + present / AUDIENCE if command.to_many else 1.0
        cost = min(cost, COMMAND_BURST / 2)
        wait = own.take(at, cost)
        if wait or _is_this_machine(host):
            return wait
        return self._addresses.take(network(host), at, cost)


def _is_this_machine(host: str) -> bool:
    """Local programs, or a reverse proxy with everybody behind it."""
    return not host or is_loopback(host)
