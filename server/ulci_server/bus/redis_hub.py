"""A Redis server as the hub: PUBLISH and SUBSCRIBE on one connection.

Redis 6 and later speak RESP3, in which replies and published messages share a connection, so that
both are lost together. hiredis parses it. A Redis client library would keep connections and buffers
that nobody here can see; coredis 6.9 took three times the CPU time for a batch (deploy/bench/
bus_bench.py measures ours).
"""

import errno
import socket
import ssl
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, cast

import hiredis
import trio

from .hub import HubError
from .hub_url import RedisAddress

RECEIVE_BYTES = 64 * 1024
"""Bytes of one read from the socket."""

SEND_BYTES = 256 * 1024
"""Bytes that are collected for one write: enough for a round trip's frames as a rule, and copied,
or encrypted, in less than a millisecond."""

TLS_TIME = 1.5
"""Seconds for a TLS handshake, less than a bus waits for a connection: a Redis without TLS takes
the handshake for the beginning of a command, and waits for its end."""

OURS = b"ulci"
"""How our connections are called in Redis's CLIENT LIST."""


class RedisHub:
    """One Redis server. Pub/sub knows no databases: the channels' names keep clusters apart."""

    def __init__(self, address: RedisAddress) -> None:
        self._address = address

    def __str__(self) -> str:
        return str(self._address)

    @asynccontextmanager
    async def connect(self, channel: str) -> AsyncIterator["RedisConnection"]:
        """As in `Hub`."""
        address = self._address
        try:
            opened = await trio.open_tcp_stream(address.host, address.port)
        except (OSError, UnicodeError) as error:
            raise HubError(f"cannot reach {self}: {_unreachable(error)}") from error
        bottom = DirectStream(opened)
        try:
            connection = RedisConnection(await self._encrypted(bottom), address)
            await connection.begin(channel)
            yield connection
        finally:
            await trio.aclose_forcefully(bottom)

    async def _encrypted(self, bottom: trio.abc.Stream) -> trio.abc.Stream:
        address = self._address
        if address.context is None:
            return bottom
        stream = trio.SSLStream(bottom, address.context, server_hostname=address.host)
        try:
            with trio.fail_after(TLS_TIME):
                await stream.do_handshake()
        except trio.BrokenResourceError as error:
            raise HubError(f"no TLS with {self}: {_no_tls(error)}") from error
        except trio.TooSlowError as error:
            raise HubError(f"{self} does not answer; is it stopped, or {NO_TLS}?") from error
        return stream


class DirectStream(trio.abc.Stream):
    """The connection of `opened`, which is not used afterwards. Writes at once where the socket has
    room, and reads when there is something to read: Trio's own stream lets all other tasks run
    after each write, and asks the socket before it waits, which is half of what a small batch
    costs."""

    def __init__(self, opened: trio.SocketStream) -> None:
        self._socket = socket.socket(fileno=opened.socket.detach())
        self._socket.setblocking(False)

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """No checkpoint, unless it has to wait."""
        left = memoryview(data)
        while left:
            try:
                left = left[self._socket.send(left) :]
            except BlockingIOError:
                await trio.lowlevel.wait_writable(self._socket)
            except OSError as error:
                raise _broken(error) from error

    async def wait_send_all_might_not_block(self) -> None:
        await trio.lowlevel.wait_writable(self._socket)

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        while True:
            try:
                await trio.lowlevel.wait_readable(self._socket)
                return self._socket.recv(max_bytes or RECEIVE_BYTES)
            except BlockingIOError:
                continue
            except OSError as error:
                raise _broken(error) from error

    async def aclose(self) -> None:
        if self._socket.fileno() >= 0:
            trio.lowlevel.notify_closing(self._socket)
            self._socket.close()
        await trio.lowlevel.checkpoint()


def _broken(error: OSError) -> trio.BrokenResourceError:
    return trio.BrokenResourceError(error.strerror or str(error))


class RedisConnection:
    """As `HubConnection`. Only `receive` reads, so nothing is buffered for a slow receiver but in
    Redis; a publication is answered while somebody receives."""

    def __init__(self, stream: trio.abc.Stream, address: RedisAddress) -> None:
        self._stream = stream
        self._address = address
        self._reader = hiredis.Reader()
        self._replies: deque[object] = deque()
        self._pushes: list[list[Any]] = []
        self._replied = trio.Event()
        self._greeted = False

    async def begin(self, channel: str) -> None:
        """Introduce ourselves and subscribe.

        Raises:
            HubError: Redis refuses us, or it is something else.
        """
        address = self._address
        hello: list[bytes | str] = [b"HELLO", b"3"]
        if address.user or address.password:
            hello += (b"AUTH", address.user or b"default", address.password)
        commands = [[*hello, b"SETNAME", OURS]]
        if address.database:
            commands.append([b"SELECT", str(address.database)])
        await self._send([*commands, [b"SUBSCRIBE", channel]])
        if not isinstance(self._ok(await self._first_reply()), dict):
            raise self._no_redis()
        self._greeted = True
        for _ in commands[1:]:
            self._ok(await self._first_reply())
        while not (self._pushes or self._replies):
            await self._read()
        if self._replies:  # to SUBSCRIBE there is only a refusal
            self._ok(self._replies.popleft())
            raise self._no_redis()

    async def publish(self, frames: Sequence[tuple[str, bytes]]) -> list[int]:
        """As in `HubConnection`; if it is cancelled, the connection cannot be used any more."""
        await self._send([[b"PUBLISH", channel, payload] for channel, payload in frames])
        while len(self._replies) < len(frames):
            self._replied = trio.Event()
            await self._replied.wait()
        return [self._number(self._replies.popleft()) for _ in frames]

    async def receive(self) -> Sequence[bytes]:
        """As in `HubConnection`."""
        while True:
            pushes, self._pushes = self._pushes, []
            if payloads := [push[2] for push in pushes if push[0] == b"message"]:
                return payloads
            await self._read()

    async def _send(self, commands: Sequence[Sequence[bytes | str]]) -> None:
        packed = bytearray()
        try:
            for command in commands:
                packed += hiredis.pack_command(tuple(command))  # type: ignore[arg-type]
                if len(packed) >= SEND_BYTES:
                    await self._stream.send_all(packed)
                    packed = bytearray()
            await self._stream.send_all(packed)
        except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
            raise self._ended(error) from error

    async def _first_reply(self) -> object:
        while not self._replies:
            await self._read()
        return self._replies.popleft()

    async def _read(self) -> None:
        try:
            data = await self._stream.receive_some(RECEIVE_BYTES)
        except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
            raise self._ended(error) from error
        if not data:
            raise self._ended(None)
        try:
            self._reader.feed(bytes(data))
            while (reply := self._reader.gets()) is not False:
                if isinstance(reply, hiredis.PushNotification):
                    self._pushes.append(reply)
                else:
                    self._replies.append(reply)
        except hiredis.ProtocolError as error:
            raise self._no_redis() from error
        if self._replies:
            self._replied.set()

    def _number(self, reply: object) -> int:
        if not isinstance(self._ok(reply), int):
            raise self._no_redis()
        return cast(int, reply)

    def _ok(self, reply: object) -> object:
        if isinstance(reply, hiredis.ReplyError):
            words = str(reply).partition(", with args")[0]  # Redis 5 repeats the password there
            raise HubError(f"{self._address} refuses us: {_refusal(words)}")
        return reply

    def _ended(self, error: Exception | None) -> HubError:
        why = "closed by the other side" if error is None else _cause(error)
        if not self._greeted:
            return HubError(f"{self._address} ends the connection at once ({why}); {OTHER}")
        return HubError(f"the connection to {self._address} has ended: {why}")

    def _no_redis(self) -> HubError:
        return HubError(f"{self._address} does not speak as Redis does; {OTHER}")


NO_TLS = "a port without TLS (redis://)"
OTHER = "is the port that of another program, or one for TLS (rediss://)?"

_REFUSALS = (
    ("WRONGPASS", "user or password is wrong; correct them in the URL"),
    ("NOAUTH", "it wants a password; add one to the URL: redis://user:password@host"),
    ("HELLO must be called with", "it wants a password; add one: redis://user:password@host"),
    (
        "NOPERM",
        "this user lacks a permission; it needs +publish, +subscribe and the channels &ulci:*, and"
        " +select for another database than 0",
    ),
    ("unknown command", "Redis 6 or later is needed"),
    ("DB index", "it has no database of that number; correct it in the URL"),
    ("max number of clients", "it has too many connections; raise maxclients, or end some"),
    ("DENIED", "it lets in only its own machine; give it a password, or change protected-mode"),
)
"""Texts of Redis's errors, and the advice for each."""


def _refusal(words: str) -> str:
    advice = next((text for sign, text in _REFUSALS if sign in words), "see the text in brackets")
    return f"{advice} ({words})"


def _unreachable(error: Exception) -> str:
    """The most useful error of all addresses of a name: a refusal proves that the machine is up."""
    group = error.__cause__
    errors = [*group.exceptions] if isinstance(group, BaseExceptionGroup) else [error]
    if any(getattr(one, "errno", None) == errno.ECONNREFUSED for one in errors):
        return "nothing listens there; is Redis running, and does it listen on that address?"
    if isinstance(error, OSError) and error.errno and error.errno > 0:
        return error.strerror or str(error)
    return "the host's name is unknown; correct it in the URL"


def _no_tls(error: Exception) -> str:
    cause = error.__cause__
    if isinstance(cause, ssl.SSLCertVerificationError):
        return (
            f"its certificate is not trusted: {cause.verify_message}; name its authority in the"
            " URL: ?ssl_ca_certs=/path/to/ca.pem"
        )
    return f"is it {NO_TLS}? ({_cause(error)})"


def _cause(error: BaseException) -> str:
    while error.__cause__ is not None:
        error = error.__cause__
    if isinstance(error, ssl.SSLError) and error.reason:
        return error.reason.replace("_", " ").lower()
    return getattr(error, "strerror", None) or str(error) or "closed by the other side"
