"""``ulci opponent`` as a process, with a GUI whose every line is written in the test; and a remote
player whose every word is, too."""

import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio

from ulci.net import Address, RemoteServer
from ulci.protocol import Accept, BestMove, Id, IsReady, Option, OptionType, ReadyOk

from .clients import Client
from .servers import PATIENCE, Server

OPPONENT = (sys.executable, "-m", "ulci_client.cli", "opponent")


def opponent_command(server: Server, *options: str) -> list[str]:
    return [*OPPONENT, "--server", f"tcp://127.0.0.1:{server.port()}", *options]


class Gui:
    """Says lines to the engine, and waits for lines of it."""

    def __init__(self, process: trio.Process) -> None:
        self.process = process
        self.heard: list[str] = []
        self._buffer = b""

    async def say(self, *lines: str) -> None:
        assert self.process.stdin is not None
        await self.process.stdin.send_all("".join(f"{line}\n" for line in lines).encode())

    async def hear(self, beginning: str) -> str:
        """The next line that begins so; what comes before it is only remembered."""
        assert self.process.stdout is not None
        with trio.fail_after(PATIENCE):
            while True:
                while b"\n" not in self._buffer:
                    data = await self.process.stdout.receive_some()
                    assert data, f"it ended before {beginning!r}; heard {self.heard}"
                    self._buffer += data
                line, _, self._buffer = self._buffer.partition(b"\n")
                self.heard.append(line.decode())
                if self.heard[-1].startswith(beginning):
                    return self.heard[-1]

    async def move(self, moves: str = "", start: str = "startpos", go: str = "go infinity") -> None:
        """Ask for the remote player's move (UCI)."""
        await self.say(f"position {start}{' moves ' if moves else ''}{moves}", go)

    async def end(self) -> int:
        """Say goodbye; the exit code."""
        await self.say("quit")
        with trio.fail_after(PATIENCE):
            return await self.process.wait()


@asynccontextmanager
async def gui(server: Server, *options: str) -> AsyncIterator[Gui]:
    """An engine of a GUI, gone with the block. Nothing may stand on its stderr."""
    process = await trio.lowlevel.open_process(
        opponent_command(server, *options),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        yield Gui(process)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        with trio.CancelScope(shield=True):
            await process.wait()
            for stream in (process.stdin, process.stdout):
                assert stream is not None
                await stream.aclose()


class Remote(Client):
    """A person at the server."""

    name = "Bob"
    secret = ""

    async def join(self) -> None:
        chess960 = Option("UCI_Chess960", OptionType.CHECK, "false")
        await self.introduce(Id("username", self.name), Id("feature", "lobby"), chess960)
        self.secret = (await self.hear_line("welcome")).split()[-1]

    async def accept(self, beginning: str = "challenge") -> str:
        """Accept the next challenge; the line."""
        line = await self.hear_line(beginning)
        self.say(Accept(int(line.split()[1])))
        return line

    async def end_search(self) -> None:
        """Answer the ``go`` of a game that is over, and be ready for the next."""
        await self.hear(IsReady)
        if self.peer.connection.owed:
            self.say(BestMove("0000"))
        self.say(ReadyOk())


@asynccontextmanager
async def remote(server: Server) -> AsyncIterator[Remote]:
    """Its connection, closed with the block."""
    address = Address.parse(f"tcp://127.0.0.1:{server.port()}")
    async with RemoteServer(address).dial() as peer:
        yield Remote(peer)
