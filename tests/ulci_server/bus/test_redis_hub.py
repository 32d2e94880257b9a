"""Redis as the hub: passwords, permissions, TLS, and what is said where it cannot be used."""

import socket
from contextlib import ExitStack

import pytest
import trio

from tests.support.buses import NotedBus, start_buses, trouble_of
from tests.support.redis_servers import RedisServer
from ulci_server.bus import HubError, bus, open_hub, redis_hub

SECRET = "s3cr3t"
PATIENCE = 60


@pytest.fixture
def patient(monkeypatch) -> None:
    """A Redis that a busy machine lets stand still for seconds is waited for."""
    monkeypatch.setattr(bus, "NO_ANSWER", PATIENCE)
    monkeypatch.setattr(redis_hub, "TLS_TIME", PATIENCE)


@pytest.fixture
def serve(tmp_path):
    """Starts a Redis server with some options."""
    with ExitStack() as stack:

        def start(*options: str, tls: bool = False) -> RedisServer:
            server = RedisServer(tmp_path, *options, tls=tls)
            stack.callback(server.stop)
            server.start()
            return server

        yield start


async def complaint(url: str) -> str:
    """What is said of a hub that cannot be used; it never shows the password."""
    with trio.fail_after(PATIENCE), pytest.raises(HubError) as caught:
        async with open_hub(url).connect("ulci:key:1"):
            pass
    assert SECRET not in str(caught.value)
    return str(caught.value)


async def works(url: str, nursery: trio.Nursery) -> None:
    """Messages cross in both directions."""
    with trio.fail_after(PATIENCE):
        one, two = await start_buses(nursery, open_hub(url), 1, 2)
        one.send(2, b"a")
        two.send(1, b"b")
        await two.notes.until((1, b"a"))
        await one.notes.until((2, b"b"))


async def test_redis_that_does_not_run(serve) -> None:
    server = serve()
    server.kill()
    said = await complaint(server.url)
    assert f"cannot reach Redis at 127.0.0.1:{server.port}: nothing listens there; is Redis" in said


async def test_a_host_that_does_not_exist() -> None:
    assert "the host's name is unknown" in await complaint("redis://no-such-host.invalid")
    assert "the host's name is unknown" in await complaint("redis://" + 70 * "x")


async def test_a_password_is_asked_for_checked_and_accepted(serve, patient, nursery) -> None:
    server = serve("--requirepass", SECRET)
    where = f"127.0.0.1:{server.port}"
    assert "it wants a password" in await complaint(f"redis://{where}")
    assert "user or password is wrong" in await complaint(f"redis://:{SECRET}x@{where}")
    assert "user or password is wrong" in await complaint(f"redis://ada:{SECRET}@{where}")
    await works(f"redis://:{SECRET}@{where}", nursery)


async def test_a_user_needs_few_permissions_and_is_told_of_missing_ones(
    serve, patient, nursery
) -> None:
    server = serve()
    hub = f"redis://ulci:{SECRET}@127.0.0.1:{server.port}/1"
    needed = ["+publish", "+subscribe", "+select", "&ulci:*"]
    for missing in needed:
        rights = [right for right in needed if right != missing]
        server.ask("ACL", "SETUSER", "ulci", "reset", "on", f">{SECRET}", *rights)
        one = NotedBus(open_hub(hub), 1)
        with trio.fail_after(PATIENCE):
            async with trio.open_nursery() as inner:
                inner.start_soon(one.run)
                trouble = await trouble_of(one)
                inner.cancel_scope.cancel()
        assert "this user lacks a permission; it needs +publish, +subscribe and" in trouble
        assert SECRET not in trouble
    server.ask("ACL", "SETUSER", "ulci", "reset", "on", f">{SECRET}", *needed)
    await works(hub, nursery)


async def test_a_database_that_redis_does_not_have(serve) -> None:
    server = serve("--databases", "2")
    assert "it has no database of that number" in await complaint(f"{server.url}/2")


async def test_too_many_connections(serve) -> None:
    server = serve("--maxclients", "1")
    async with open_hub(server.url).connect("ulci:key:1"):
        assert "raise maxclients" in await complaint(server.url)


async def test_tls_with_an_authority_of_its_own(serve, patient, nursery) -> None:
    await works(serve(tls=True).url, nursery)


async def test_a_certificate_that_is_not_trusted(serve, patient) -> None:
    server = serve(tls=True)
    said = await complaint(f"rediss://localhost:{server.port}")
    assert "its certificate is not trusted" in said
    assert "?ssl_ca_certs=/path/to/ca.pem" in said


async def test_a_certificate_of_another_name(serve, patient) -> None:
    server = serve(tls=True)
    assert "is not trusted" in await complaint(server.url.replace("localhost", "127.0.0.1"))


async def test_plain_text_to_a_port_for_tls_and_the_reverse(serve, tmp_path) -> None:
    server = serve(tls=True)
    assert "one for TLS (rediss://)?" in await complaint(f"redis://127.0.0.1:{server.port}")
    plain = serve()
    said = await complaint(f"rediss://localhost:{plain.port}?ssl_ca_certs={tmp_path}/ca.pem")
    assert "does not answer; is it stopped, or a port without TLS (redis://)?" in said


@pytest.mark.parametrize(
    "says", [b"SSH-2.0-OpenSSH_9\r\n", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"+OK\r\n:1\r\n", b""]
)
async def test_another_program_at_the_port(nursery, says) -> None:
    async def serve(stream: trio.SocketStream) -> None:
        async with stream:
            await stream.receive_some()
            await stream.send_all(says)
            if says:
                await stream.receive_some()

    [listener] = await trio.open_tcp_listeners(0, host="127.0.0.1")
    nursery.start_soon(trio.serve_listeners, serve, [listener])
    said = await complaint(f"redis://127.0.0.1:{listener.socket.getsockname()[1]}")
    assert "is the port that of another program, or one for TLS (rediss://)?" in said


async def test_a_redis_without_hello_repeats_the_password_and_we_do_not(nursery) -> None:
    async def serve(stream: trio.SocketStream) -> None:
        async with stream:
            await stream.receive_some()
            said = f"`3`, `AUTH`, `default`, `{SECRET}`, "
            await stream.send_all(
                f"-ERR unknown command `HELLO`, with args beginning with: {said}\r\n".encode()
            )
            await stream.receive_some()

    [listener] = await trio.open_tcp_listeners(0, host="127.0.0.1")
    nursery.start_soon(trio.serve_listeners, serve, [listener])
    said = await complaint(f"redis://:{SECRET}@127.0.0.1:{listener.socket.getsockname()[1]}")
    assert "Redis 6 or later is needed (ERR unknown command `HELLO`)" in said


async def test_a_port_that_never_answers(nursery) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        hub = open_hub(f"redis://127.0.0.1:{silent.getsockname()[1]}")
        one = NotedBus(hub, 1)
        nursery.start_soon(one.run)
        with trio.fail_after(bus.NO_ANSWER + PATIENCE):
            said = await trouble_of(one)
        assert said == f"{hub} does not answer; is it stopped, or overloaded?"


async def test_no_connection_is_left_behind(serve) -> None:
    server = serve()
    channels = [f"ulci:key:{run}" for run in range(20)]
    for channel in channels:
        async with open_hub(server.url).connect(channel):
            assert server.ask("PUBLISH", channel, "hello") == 1
    # It reads the end of a connection no later than the next connection's first command.
    assert [server.ask("PUBLISH", channel, "hello") for channel in channels] == [0] * 20
