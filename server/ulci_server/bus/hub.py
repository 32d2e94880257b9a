"""What a bus needs of its medium: to publish to channels, receive from one, and notice when that
has ended."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from functools import cache
from hashlib import blake2b
from typing import Protocol


class HubError(Exception):
    """The hub cannot be used, or a connection to it has ended. The text says what is wrong and what
    to do, and shows no password."""


class HubConnection(Protocol):
    """One connection to a hub, subscribed to one channel. It never comes back to life: after an
    error its user reconnects, and knows thereby that payloads may be missing."""

    async def publish(self, frames: Sequence[tuple[str, bytes]]) -> list[int]:
        """Publish payloads to their channels, in order and in one round trip. Returns how many
        subscribers each reached. It is answered while another task receives.

        Raises:
            HubError: it is unknown which of them were published.
        """
        ...

    async def receive(self) -> Sequence[bytes]:
        """Wait for payloads of the channel, in order, at least one.

        Raises:
            HubError: the connection has ended; payloads may be missing from now on.
        """
        ...


class Hub(Protocol):
    """The medium, such as a Redis server. Its `str` names it for people, without a password."""

    def connect(self, channel: str) -> AbstractAsyncContextManager[HubConnection]:
        """A connection that receives from `channel` from the beginning of the block to its end.

        Raises:
            HubError: the hub is unreachable, does not answer or refuses us.
        """
        ...


def channel_of(key: str, run: int) -> str:
    """The channel of a run. `key`: the secret of the database, so that the servers of two databases
    can share one hub. The channel's name, which all who use the hub can see, does not tell it."""
    return f"ulci:{_name(key)}:{run}"


@cache
def _name(key: str) -> str:
    return blake2b(key.encode(), digest_size=8, person=b"ulci channel").hexdigest()
