"""Listening sockets, and the delay when resources run out."""

import errno
import socket

import pytest
import trio

from tests.support.wires import HANG
from ulci.net import bind as bind_module
from ulci.net.address import Address
from ulci.net.bind import LONGEST, SHORTEST, SILENCE, Exhaustion, bind
from ulci.net.errors import ListenError
from ulci.net.intake import SO_TIMESTAMPNS


def close_all(sockets: list[socket.socket]) -> None:
    for sock in sockets:
        sock.close()


async def test_port_0_lets_the_system_choose() -> None:
    sockets = await bind(Address("tcp", "127.0.0.1", 0))
    assert [sock.getsockname()[1] > 0 for sock in sockets] == [True]
    close_all(sockets)


async def test_every_interface_is_every_family_with_the_same_port() -> None:
    sockets = await bind(Address("tcp", "*", 0))
    assert len({sock.getsockname()[1] for sock in sockets}) == 1
    assert {sock.family for sock in sockets} >= {socket.AF_INET}
    port = sockets[0].getsockname()[1]
    stream = await trio.open_tcp_stream("127.0.0.1", port)
    await stream.aclose()
    close_all(sockets)


async def test_a_port_can_be_used_again_at_once() -> None:
    sockets = await bind(Address("tcp", "127.0.0.1", 0))
    port = sockets[0].getsockname()[1]
    client = socket.create_connection(("127.0.0.1", port))
    accepted, _ = sockets[0].accept()
    accepted.close()  # the server closes first: its end goes to TIME_WAIT
    client.close()
    close_all(sockets)
    close_all(await bind(Address("tcp", "127.0.0.1", port)))


@pytest.mark.parametrize(
    ("host", "why"),
    [
        ("192.0.2.1", "this machine has no such address"),  # RFC 5737: nobody's
        ("there-is-no-such-host.invalid", "there is no host 'there-is-no-such-host.invalid'"),
        ("x" * 70, "there is no host"),  # no name may be as long
    ],
)
async def test_a_bad_host_is_named_with_its_fault(host: str, why: str) -> None:
    with pytest.raises(ListenError) as caught:
        await bind(Address("tcp", host, 4711))
    assert f"cannot listen at tcp://{host}:4711: {why}" in str(caught.value)


async def test_a_port_that_is_in_use_is_named() -> None:
    sockets = await bind(Address("tcp", "127.0.0.1", 0))
    port = sockets[0].getsockname()[1]
    with pytest.raises(ListenError) as caught:
        await bind(Address("ws", "127.0.0.1", port, "/ulci"))
    assert f"cannot listen at ws://127.0.0.1:{port}/ulci: another program" in str(caught.value)
    close_all(sockets)


async def test_a_port_is_shared_only_by_those_who_all_want_that() -> None:
    [first] = await bind(Address("tcp", "127.0.0.1", 0), shared=True)
    address = Address("tcp", "127.0.0.1", first.getsockname()[1])
    [second] = await bind(address, shared=True)
    with pytest.raises(ListenError, match="another program listens there"):
        await bind(address)
    first.close()
    second.close()


async def test_when_the_system_chooses_a_port_must_be_free_for_every_family(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real, calls = bind_module._listening, []

    def taken_at_first(place: bind_module._Place, port: int, *, shared: bool) -> socket.socket:
        calls.append(port)
        if len(calls) == 2:
            raise OSError(errno.EADDRINUSE, "by chance")
        return real(place, port, shared=shared)

    async def two_places(address: Address) -> list[bind_module._Place]:
        return [
            bind_module._Place(socket.AF_INET, ("127.0.0.1", 0)),
            bind_module._Place(socket.AF_INET, ("127.0.0.2", 0)),
        ]

    monkeypatch.setattr(bind_module, "_listening", taken_at_first)
    monkeypatch.setattr(bind_module, "_places", two_places)
    sockets = await bind(Address("tcp", "*", 0))
    assert len(sockets) == 2
    assert len(calls) == 4
    close_all(sockets)


async def test_a_machine_without_ipv6_listens_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    real = socket.socket

    class WithoutIPv6(real):  # type: ignore[misc, valid-type]
        def __init__(self, family: int = -1, *args: object, **more: object) -> None:
            if family == socket.AF_INET6:
                raise OSError(errno.EAFNOSUPPORT, "no IPv6 here")
            super().__init__(family, *args, **more)

    monkeypatch.setattr(socket, "socket", WithoutIPv6)
    sockets = await bind(Address("tcp", "*", 0))
    assert {sock.family for sock in sockets} == {socket.AF_INET}
    close_all(sockets)


async def test_bytes_that_arrive_before_accept_have_a_stamp() -> None:
    [listening] = await bind(Address("tcp", "127.0.0.1", 0))
    far = socket.create_connection(listening.getsockname())
    with listening, far, trio.fail_after(HANG):
        await trio.lowlevel.wait_readable(listening)
        near, _ = listening.accept()
        with near:
            assert near.getsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS)


FULL = OSError(errno.EMFILE, "Too many open files")


def test_a_shortage_is_reported_once_a_minute_with_a_count() -> None:
    exhaustion = Exhaustion()
    said = [exhaustion.report(FULL, 1000 + second) for second in range(int(2 * SILENCE) + 1)]
    texts = [str(error.strerror) for error in said if error is not None]
    assert len(texts) == 3
    assert texts[0].startswith("nobody can connect, out of file descriptors: ")
    assert texts[1].endswith(f" ({SILENCE:g} times since the last report)")


def test_the_retry_delay_doubles_and_is_reset_by_a_success() -> None:
    exhaustion = Exhaustion()
    assert [exhaustion.pause() for _ in range(3)] == [SHORTEST, 2 * SHORTEST, 4 * SHORTEST]
    assert max(exhaustion.pause() for _ in range(20)) == LONGEST
    exhaustion.succeeded()
    assert exhaustion.pause() == SHORTEST
