"""Refuser a connection costs next to nothing."""

import pytest
import trio
import trio.testing

from tests.support.wires import HANG, server_tls, tcp_pair
from ulci.net import Address, Limits, sockets
from ulci.net.gate import ConnectionRefusal
from ulci.net.refuse import Refuser, refuse
from ulci.protocol.messages import Blame


async def test_a_refused_client_that_is_gone_is_no_error() -> None:
    near, far = tcp_pair()
    sockets.reset(far)
    refuse(near, Address("tcp", "127.0.0.1", 1), ConnectionRefusal("no"))
    assert near.fileno() == -1


@pytest.mark.parametrize(
    ("scheme", "refusal", "said"),
    [
        ("tcp", ConnectionRefusal("full"), b"info servererror full\nquit\n"),
        (
            "tcp",
            ConnectionRefusal("no", Blame.CLIENT, 7),
            b"info clienterror no; retry-after 7\nquit\n",
        ),
        ("tls", ConnectionRefusal("no", Blame.CLIENT, 7), b""),
        (
            "ws",
            ConnectionRefusal("no", Blame.CLIENT, 7),
            b"HTTP/1.1 429 Too Many Requests\r\nContent-Type: text/plain; charset=utf-8\r\n"
            b"Content-Length: 18\r\nConnection: close\r\nRetry-After: 7\r\n\r\n"
            b"no; retry-after 7\n",
        ),
    ],
)
def test_a_refusal_is_said_in_what_is_spoken_there(
    scheme: str, refusal: ConnectionRefusal, said: bytes
) -> None:
    near, far = tcp_pair()
    with far:
        refuse(near, Address(scheme, "127.0.0.1", 1), refusal)
        far.setblocking(True)
        assert far.recv(1000) == said


async def test_only_so_many_refusals_wait_until_the_reason_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ulci.net.refuse.TOLD_AT_ONCE", 3)
    limits = Limits(flush=3600, linger=3600)
    pairs = [tcp_pair() for _ in range(10)]
    with trio.fail_after(HANG):
        async with trio.open_nursery() as nursery:
            door = Refuser(Address("tcp", "127.0.0.1", 1), limits, None, nursery)
            for near, far in pairs:
                far.send(b"hello")
                door.refuse(near, ConnectionRefusal("full"))
            await trio.testing.wait_all_tasks_blocked()
            assert len(nursery.child_tasks) == sum(near.fileno() != -1 for near, _ in pairs) == 3
            for _, far in pairs:
                far.close()


async def test_a_refused_peer_that_sends_anything_can_read_the_reason() -> None:
    near, far = tcp_pair()
    with trio.fail_after(HANG), far:
        async with trio.open_nursery() as nursery:
            door = Refuser(Address("tcp", "127.0.0.1", 1), Limits(), None, nursery)
            far.send(b"hello")
            door.refuse(near, ConnectionRefusal("full"))
            await trio.testing.wait_all_tasks_blocked()
            far.send(b"and more")
            await trio.testing.wait_all_tasks_blocked()
            assert far.recv(100) == b"info servererror full\nquit\n"
            assert far.recv(100) == b""
            far.close()


async def test_a_refused_peer_without_a_tls_handshake_times_out() -> None:
    near, far = tcp_pair()
    with trio.fail_after(HANG), far:
        async with trio.open_nursery() as nursery:
            limits = Limits(flush=0.05)
            door = Refuser(Address("tls", "127.0.0.1", 1), limits, server_tls, nursery)
            door.refuse(near, ConnectionRefusal("full"))
    assert near.fileno() == -1
