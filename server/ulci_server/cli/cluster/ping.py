"""How long a message takes through the bus and back to its sender."""

import secrets
from statistics import median

import trio

from ulci_server.bus import Hub, HubConnection, HubError, channel_of

PINGS = 9
"""The median of so many is shown: one alone may have met a busy moment."""

ANSWER = 2.0
"""Seconds for all of them: a server of the cluster that hears nothing for so long cannot use the
bus either."""


async def round_trip(hub: Hub) -> float:
    """Seconds, on a channel of our own that no server hears.

    Raises:
        HubError: the bus cannot be used.
    """
    channel = channel_of(secrets.token_hex(8), 0)
    with trio.move_on_after(ANSWER):
        async with hub.connect(channel) as connection:
            return median([await _ping(connection, channel) for _ in range(PINGS)])
    raise HubError(f"{hub} did not answer within {ANSWER:g} s")


async def _ping(connection: HubConnection, channel: str) -> float:
    before = trio.current_time()
    after = before

    async def hear() -> None:
        nonlocal after
        await connection.receive()
        after = trio.current_time()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(hear)
        await connection.publish([(channel, b"ping")])
    return after - before
