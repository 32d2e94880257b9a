"""Whether a hub can be used, and how long it takes: a few messages through it and back."""

import secrets
from statistics import median

import trio

from .hub import Hub, HubConnection, HubError, channel_of

PINGS = 9
"""The median of so many is reported: one alone may have met a busy moment."""

ANSWER = 2.0
"""Seconds for all of them: a server of the cluster that receives nothing for so long cannot use the
bus either."""


async def round_trip(hub: Hub) -> float:
    """Seconds through the hub and back, on a channel of our own that no server listens to.

    Raises:
        HubError: the hub cannot be used: we cannot connect, publish or receive, or there is no
            answer.
    """
    channel = channel_of(secrets.token_hex(8), 0)
    with trio.move_on_after(ANSWER):
        async with hub.connect(channel) as connection:
            return median([await _ping(connection, channel) for _ in range(PINGS)])
    raise HubError(f"{hub} did not answer within {ANSWER:g} s; is it stopped, or overloaded?")


async def _ping(connection: HubConnection, channel: str) -> float:
    before = trio.current_time()
    after = before
    failed: list[HubError] = []

    async with trio.open_nursery() as nursery:  # what is published is answered to who receives

        async def hear() -> None:
            nonlocal after
            try:
                await connection.receive()
            except HubError as error:
                failed.append(error)
                nursery.cancel_scope.cancel()
            after = trio.current_time()

        nursery.start_soon(hear)
        try:
            await connection.publish([(channel, b"ping")])
        except HubError as error:
            failed.append(error)
            nursery.cancel_scope.cancel()
    if failed:
        raise failed[0]
    return after - before
