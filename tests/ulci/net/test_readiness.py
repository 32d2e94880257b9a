"""Sockets that can be read at the same moment are read a few in a turn of the loop."""

import socket

import pytest
import trio
import trio.testing

from tests.ulci.net.test_turns import Loop
from ulci import system
from ulci.net.readiness import AT_ONCE, Readiness

CROWD = 100


def pairs(number: int) -> list[tuple[socket.socket, socket.socket]]:
    made = [socket.socketpair() for _ in range(number)]
    for near, _ in made:
        near.setblocking(False)
    return made


def close(made: list[tuple[socket.socket, socket.socket]]) -> None:
    for sockets in made:
        for sock in sockets:
            sock.close()


@pytest.mark.skipif(system.EPOLL is None, reason="this system has no epoll")
async def test_of_a_crowd_a_few_go_on_in_a_turn_of_the_loop() -> None:
    loop, readiness, made = Loop(), Readiness(), pairs(CROWD)
    trio.lowlevel.add_instrument(loop)

    async def read(sock: socket.socket) -> None:
        for _ in range(3):
            await readiness.wait(sock)
            loop.passed()
            assert sock.recv(10) == b"x"

    async with trio.open_nursery() as nursery:
        nursery.start_soon(readiness.run)
        async with trio.open_nursery() as readers:
            for near, _ in made:
                readers.start_soon(read, near)
            for _ in range(3):
                await trio.testing.wait_all_tasks_blocked()
                for _, far in made:
                    far.send(b"x")
        nursery.cancel_scope.cancel()
    close(made)
    assert 0 < loop.most <= AT_ONCE


async def test_a_socket_that_is_closed_is_waited_for_no_longer() -> None:
    readiness, made = Readiness(), pairs(1)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(readiness.run)

        async def wait() -> None:
            with pytest.raises(trio.ClosedResourceError):
                await readiness.wait(made[0][0])

        async with trio.open_nursery() as waiting:
            waiting.start_soon(wait)
            await trio.testing.wait_all_tasks_blocked()
            if system.EPOLL is not None:
                with pytest.raises(trio.BusyResourceError):
                    await readiness.wait(made[0][0])
            trio.lowlevel.notify_closing(made[0][0])
            readiness.forget(made[0][0])
        nursery.cancel_scope.cancel()
    close(made)


async def test_who_stops_to_wait_may_wait_again() -> None:
    readiness, made = Readiness(), pairs(1)
    near, far = made[0]
    async with trio.open_nursery() as nursery:
        nursery.start_soon(readiness.run)
        with trio.CancelScope() as scope:
            scope.cancel()
            await readiness.wait(near)
        far.send(b"x")
        await readiness.wait(near)
        assert near.recv(10) == b"x"
        nursery.cancel_scope.cancel()
    close(made)


async def test_when_it_does_not_run_any_more_sockets_are_still_waited_for() -> None:
    readiness, made = Readiness(), pairs(2)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(readiness.run)
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    for near, far in made:
        far.send(b"x")
        await readiness.wait(near)
        assert near.recv(10) == b"x"
    close(made)
