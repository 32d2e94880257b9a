"""A server that says whatever the test wants, byte by byte, and a machine on which a program of
ours runs beside files that it must not touch."""

import fcntl
import hashlib
import os
import struct
import subprocess
import sys
import termios
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import trio

from . import without_linux
from .servers import PATIENCE


class StrangeServer:
    """`port`: where it listens. One client at a time; `heard`: its lines so far."""

    def __init__(self, listener: trio.SocketListener) -> None:
        self.port = listener.socket.getsockname()[1]
        self.heard: list[str] = []
        self._listener = listener
        self._stream: trio.SocketStream | None = None
        self._buffer = b""

    @property
    def address(self) -> str:
        return f"tcp://127.0.0.1:{self.port}"

    async def accept(self) -> None:
        """The next client."""
        with trio.fail_after(PATIENCE):
            self._stream = await self._listener.accept()
        self._buffer = b""

    async def say(self, *lines: str | bytes) -> None:
        assert self._stream is not None
        encoded = (line if isinstance(line, bytes) else line.encode() for line in lines)
        with trio.fail_after(PATIENCE):
            await self._stream.send_all(b"".join(line + b"\n" for line in encoded))

    async def hear(self, beginning: str) -> str:
        """The client's next line that begins so."""
        assert self._stream is not None
        with trio.fail_after(PATIENCE):
            while True:
                while b"\n" not in self._buffer:
                    data = await self._stream.receive_some()
                    assert data, f"it hung up before {beginning!r}; heard {self.heard[-20:]}"
                    self._buffer += data
                line, _, self._buffer = self._buffer.partition(b"\n")
                self.heard.append(line.decode())
                if self.heard[-1].startswith(beginning):
                    return self.heard[-1]

    async def admit(self, name: str) -> None:
        """From ``uci`` into the lobby."""
        await self.accept()
        await self.say("uci")
        await self.hear("uciok")
        await self.say(f"lobby welcome name {name} account no resume s3cret")

    async def close(self) -> None:
        if self._stream is not None:
            await trio.aclose_forcefully(self._stream)


@asynccontextmanager
async def strange_server() -> AsyncIterator[StrangeServer]:
    [listener] = await trio.open_tcp_listeners(0, host="127.0.0.1")
    async with listener:
        server = StrangeServer(listener)
        try:
            yield server
        finally:
            await server.close()


class Machine:
    """A home, and a folder in which programs are started, with files of its owner in both.
    `system`: whose way of doing things our programs have to do with, if not that of Linux."""

    def __init__(self, folder: Path, system: str = "linux") -> None:
        self._command = [sys.executable, "-m", "ulci_client.cli"]
        if system != "linux":
            self._command = [sys.executable, without_linux.__file__, system]
        self.home, self.work = folder / "home", folder / "work"
        for place in (self.home, self.work):
            place.mkdir()
            for name in (".profile", "games.pgn", "engine.nnue"):
                (place / name).write_text(f"the owner's {name}\n")
        self._before = self._files()

    def _files(self) -> dict[str, str]:
        root = self.home.parent
        return {
            str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest()
            for place in (self.home, self.work)
            for path in sorted(place.rglob("*"))
            if path.is_file()
        }

    def touched(self) -> set[str]:
        """The files that were made, changed or removed, relative to the folder."""
        now = self._files()
        return {name for name in {*now, *self._before} if now.get(name) != self._before.get(name)}

    @asynccontextmanager
    async def running(self, *argv: str) -> AsyncIterator["Program"]:
        """A command of ``ulci``, gone with the block."""
        process = await trio.lowlevel.open_process(
            [*self._command, *argv],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=self.work,
            env=self._environment(),
        )
        assert process.stdin is not None
        assert process.stdout is not None
        async with _watched(Program(process, process.stdin, process.stdout)) as started:
            yield started

    @asynccontextmanager
    async def on_a_terminal(self, *argv: str) -> AsyncIterator["Program"]:
        """The same, on a terminal of 100 columns and 30 rows."""
        ours, theirs = os.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        process = await trio.lowlevel.open_process(
            [*self._command, *argv],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=self.work,
            env=self._environment() | {"TERM": "xterm-256color"},
            start_new_session=True,
        )
        os.close(theirs)
        keys, screen = trio.lowlevel.FdStream(os.dup(ours)), trio.lowlevel.FdStream(ours)
        async with _watched(Program(process, keys, screen, newline="\r")) as started:
            yield started

    def _environment(self) -> dict[str, str]:
        ours = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
        return {**ours, "HOME": str(self.home), "COLUMNS": "80", "NO_COLOR": "1"}


class Program:
    """What it has written so far: `output`. newline: what is typed to end a line."""

    def __init__(
        self,
        process: trio.Process,
        keys: trio.abc.SendStream,
        screen: trio.abc.ReceiveStream,
        newline: str = "\n",
    ) -> None:
        self.process = process
        self.output = b""
        self._keys = keys
        self._screen = screen
        self._newline = newline
        self._more = trio.Event()

    async def read(self) -> None:
        with suppress(trio.BrokenResourceError):  # a terminal whose program has ended
            async for data in self._screen:
                self.output += data
                self._more.set()
                self._more = trio.Event()

    async def shows(self, text: str) -> None:
        with trio.fail_after(PATIENCE):
            while text.encode() not in self.output:
                await self._more.wait()

    async def type(self, *lines: str) -> None:
        await self._keys.send_all("".join(f"{line}{self._newline}" for line in lines).encode())

    async def ended(self) -> int:
        with trio.fail_after(PATIENCE):
            return await self.process.wait()

    async def close(self) -> None:
        await self._keys.aclose()
        await self._screen.aclose()


@asynccontextmanager
async def _watched(program: Program) -> AsyncIterator[Program]:
    """Reads what it writes; killed with the block."""
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(program.read)
            yield program
            nursery.cancel_scope.cancel()
    finally:
        if program.process.poll() is None:
            program.process.kill()
        with trio.CancelScope(shield=True):
            await program.process.wait()
            await program.close()


def controls(text: bytes, but: Sequence[str] = ("\n",)) -> set[str]:
    """The characters in it that command a terminal or hide from a reader."""
    return {char for char in text.decode() if not char.isprintable() and char not in but}
