"""``ulci opponent`` as a process, with a GUI whose every line is written in the test; and a remote
player whose every word is, too."""

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import chess.pgn
import trio

from ulci.net import Address, RemoteServer
from ulci.protocol.messages import Accept, BestMove, Id, IsReady, Option, OptionType, ReadyOk

from .clients import Client
from .servers import PATIENCE, Server, program

OPPONENT = (sys.executable, "-m", "ulci_client.cli", "opponent")


def opponent_command(server: Server, *options: str) -> list[str]:
    """At the server, unless the options name another place."""
    where = () if "--server" in options else ("--server", f"tcp://127.0.0.1:{server.port()}")
    return [*OPPONENT, *where, *options]


def match_command(server: Server, protocol: str, games: int, *options: str) -> list[str]:
    """For a GUI that plays a match. It waits two seconds for a first ``feature``, in which Python
    may not have begun on a busy machine: a shell says it, once the GUI has said
    ``xboard``, a word that means nothing to the program."""
    command = opponent_command(server, *options, "--games", str(games), "--protocol", protocol)
    first = ["sh", "-c", 'read -r _; echo feature done=0; exec "$@"', "sh"]
    return [*first, *command] if protocol == "xboard" else command


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


class UciGui:
    """The lines of a GUI that speaks UCI."""

    protocol = "uci"
    resigned = drawn = flagged = "bestmove (none)"

    def __init__(self, gui: Gui) -> None:
        self.gui = gui

    async def start(self, *options: str) -> None:
        await self.gui.say("uci")
        await self.gui.hear("uciok")
        await self.gui.say(*(f"setoption name {option}" for option in options))
        await self.new_game()

    async def new_game(self) -> None:
        await self.gui.say("ucinewgame", "isready")

    async def ready(self) -> None:
        await self.gui.hear("readyok")

    async def ask(self, *moves: str) -> None:
        """For the remote player's move in the game so far; the last move is the GUI's own."""
        await self.gui.move(" ".join(moves))

    async def told_of(self, reason: str) -> str:
        """That the server's game is over; what follows it."""
        await self.gui.hear(f"info string result {reason}")
        return await self.gui.hear("bestmove")

    async def offer_draw(self) -> None:
        await self.gui.say("setoption name OfferDraw")

    async def resign(self) -> None:
        await self.gui.say("setoption name Resign")

    async def answer(self) -> str:
        return (await self.gui.hear("bestmove")).split()[1]


class XboardGui(UciGui):
    """The same in XBoard's protocol."""

    protocol = "xboard"
    resigned = "resign"
    drawn = "1/2-1/2 {agreement at the server}"
    flagged = "1-0 {time at the server}"

    pings = 0

    async def start(self, *options: str) -> None:
        await self.gui.say("xboard", "protover 2", *options)
        await self.gui.hear("feature done=1")
        await self.new_game()

    async def new_game(self) -> None:
        self.pings += 1
        await self.gui.say("new", "post", f"ping {self.pings}")

    async def ready(self) -> None:
        await self.gui.hear(f"pong {self.pings}")

    async def ask(self, *moves: str) -> None:
        await self.gui.say(f"usermove {moves[-1]}" if moves else "go")

    async def told_of(self, reason: str) -> str:
        while (line := await self.gui.hear("")).startswith("#"):
            pass
        return line

    async def offer_draw(self) -> None:
        await self.gui.say("draw")

    async def resign(self) -> None:
        await self.gui.say("result 0-1 {White resigns}")

    async def answer(self) -> str:
        return (await self.gui.hear("move")).split()[1]


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


# Other people's GUIs


def xboard_command(
    screen: Sequence[str],
    engine: Sequence[str],
    local: Sequence[str],
    protocol: str,
    games: int,
    saved: Path,
) -> list[str]:
    """xboard on this screen (`screens`); `engine`, our end, has White in the first game. It shows
    the last result until somebody closes its window."""
    program("polyglot")  # is how it speaks UCI
    argv = [*screen, program("xboard"), "-matchMode", "true"]
    argv += ["-fcp", shlex.join(engine), *(["-fUCI"] if protocol == "uci" else [])]
    argv += ["-scp", shlex.join(local), "-mg", str(games), "-matchPause", "50"]
    # Its clocks are no concern of the test's.
    return [*argv, "-timeControl", "60", "-inc", "1", "-saveGameFile", str(saved)]


def saved_games(path: Path) -> list[chess.pgn.Game]:
    """What xboard has written so far."""
    games = []
    if path.exists():
        with path.open() as file:
            while (game := chess.pgn.read_game(file)) is not None:
                games.append(game)
    return games
