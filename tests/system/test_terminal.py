"""A person at a real terminal: ``ulci play`` in tmux against the house engine behind the bridge."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio

from tests.support import nim
from tests.support.lines import Line
from tests.support.servers import program, running, serving, until

pytestmark = pytest.mark.system

ULCI = (sys.executable, "-m", "ulci_client.cli")


class Terminal:
    """A terminal of so many columns and rows, in which one program runs."""

    def __init__(self, folder: Path, columns: int = 100, rows: int = 32) -> None:
        self._size = "-x", str(columns), "-y", str(rows)
        # A socket of its own: no other tmux of this user is touched.
        self._tmux = (program("tmux"), "-S", str(folder / "tmux"), "-f", "/dev/null")

    def start(self, *argv: str) -> None:
        """Run it; when it is over, the screen says with which exit code."""
        script = '"$@"; echo "left with $?"; read -r _'
        self._run(
            "new-session", "-d", *self._size, "-e", "NO_COLOR=", "-e", "LC_ALL=C.UTF-8", "env",
            "TERM=xterm-256color", "sh", "-c", script, "sh", *argv,
        )  # fmt: skip

    def _run(self, *argv: str) -> str:
        done = subprocess.run(
            [*self._tmux, *argv], capture_output=True, text=True, check=True, timeout=60
        )
        return done.stdout

    def type(self, line: str) -> None:
        self._run("send-keys", "-l", line)
        self._run("send-keys", "Enter")

    def text(self) -> str:
        """What is on the screen."""
        return self._run("capture-pane", "-p")

    async def sees(self, pattern: str) -> str:
        """The screen on which the regular expression is found first."""
        screen = ""

        def is_seen() -> bool:
            nonlocal screen
            screen = self.text()
            return bool(re.search(pattern, screen))

        try:
            await until(is_seen, f"{pattern} is on the screen")
        except AssertionError as error:
            raise AssertionError(f"{error}:\n{screen}") from None
        return screen

    def close(self) -> None:
        """Also where it was never started."""
        subprocess.run([*self._tmux, "kill-server"], capture_output=True, check=False, timeout=60)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    found = Terminal(tmp_path)
    yield found
    found.close()


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Terminal]:
    """One of the usual size."""
    found = Terminal(tmp_path, 80, 24)
    yield found
    found.close()


def play(port: int, *options: str) -> tuple[str, ...]:
    return (*ULCI, "play", "--server", f"tcp://127.0.0.1:{port}", "--name", "Ada", *options)


def bridge(port: int, *options: str, dialect: str = "uci") -> tuple[str, ...]:
    address = f"tcp://127.0.0.1:{port}"
    engine = (*ULCI, "engine", "--dialect", dialect)
    return (*ULCI, "bridge", "--server", address, "--name", "House", *options, "--", *engine)


async def test_two_games_at_a_terminal(tmp_path: Path, terminal: Terminal) -> None:
    with serving(tmp_path, "--listen", "tcp://127.0.0.1:0", "--time", "600+5") as server:
        terminal.start(*play(server.port()))
        await terminal.sees("You are Ada here")
        async with running(bridge(server.port())):
            await terminal.sees(r"House +engine")
            terminal.type("seek 600+5 white")
            screen = await terminal.sees(r"Your move\.")
            assert "You are White against House (engine): chess 600+5, lag compensation" in screen
            assert re.search(r"● Ada +(9:\d\d|10:00)", screen)
            terminal.type("Nf3")
            await terminal.sees(r" 1 Nf3 +\S+\n(.*\n)*.*Your move\.")
            terminal.type("Nf6")
            await terminal.sees("No knight of yours can go to f6")
            terminal.type("draw")
            await terminal.sees(r"You offer a draw\.")
            terminal.type("resign")
            await terminal.sees("yes or no >")
            terminal.type("yes")
            await terminal.sees("Black wins by resignation. You lose.")
            terminal.type("seek black against engine")
            await terminal.sees(r"You are Black against House \(engine\)(.*\n)*.*Your move\.")
            terminal.type("resign yes")
            await terminal.sees("White wins by resignation. You lose.")
            terminal.type("quit")
            await terminal.sees("left with 0")
        assert "0-1" in server.run("games")


LIBERTY = """
listen = [{ address = "tcp://127.0.0.1:0" }]

[[pool]]
name = "large"
game = "liberty"
time = "600+5"
start = "liberty"
"""


async def test_a_game_of_liberty_chess_on_twelve_by_twelve(
    tmp_path: Path, terminal: Terminal
) -> None:
    config = tmp_path / "server.toml"
    config.write_text(LIBERTY)
    with serving(tmp_path, "--config", str(config)) as server:
        async with running(bridge(server.port(), "--game", "large", dialect="ulci")):
            terminal.start(*play(server.port(), "--game", "large", "--color", "white"))
            screen = await terminal.sees(r"Your move\.")
            assert "You are White against House (engine): liberty 600+5, lag compensation" in screen
            assert re.search(r"\n12 +♜ +u +a +♝ +h +♛ +♚ +h +♝ +c +u +♜\s", screen)
            assert re.search(r"\n +a +b +c +d +e +f +g +h +i +j +k +l\n", screen)
            terminal.type("d3d6")
            await terminal.sees(r" 1 d6 +\S+\n(.*\n)*.*Your move\.")
            terminal.type("quit")
            terminal.type("yes")
            await terminal.sees("left with 3")


NIM = """
listen = [
    {{ address = "tcp://127.0.0.1:0" }},
    {{ address = "tcp://localhost:0", dialect = "ugi" }},
]

[[game]]
name = "nim"
referee = ["{python}", "{nim}"]

[[pool]]
name = "nim"
game = "nim"
time = "600+5"
start = "3,3 1"
"""


async def test_a_game_that_only_its_referee_knows(tmp_path: Path, terminal: Terminal) -> None:
    config = tmp_path / "server.toml"
    config.write_text(NIM.format(python=sys.executable, nim=nim.__file__))
    with serving(tmp_path, "--config", str(config)) as server:
        people, engines = (address.rpartition(":")[2] for address in server.addresses)
        engine = f"EXEC:{sys.executable} {nim.__file__}"
        async with running((program("socat"), f"TCP:127.0.0.1:{engines}", engine)):
            address = f"tcp://127.0.0.1:{people}"
            terminal.start(
                *(*ULCI, "play", "--server", address, "--name", "Ada"),
                *("--game", "nim", "--color", "black"),
            )
            screen = await terminal.sees(r" 1 \S+ +(.*\n)*.*Your move\.")
            assert "this client does not know the game nim" in screen
            terminal.type("c9")
            await terminal.sees(r"Your move was not made(.*\n)*.*Your move\.")
            terminal.type("resign yes")
            await terminal.sees("White wins by resignation. You lose.")


LADDER = """
listen = [{ address = "tcp://127.0.0.1:0" }]

[[pool]]
name = "ladder"
time = "600+5"
start = "8/8/8/7k/R7/8/8/1R4K1 w - - 0 1"
"""
"""Two rooks mate in four, whatever Black does."""


async def test_a_game_is_won_although_the_line_is_lost_twice_and_the_server_once(
    tmp_path: Path, small: Terminal
) -> None:
    config = tmp_path / "server.toml"
    config.write_text(LADDER)
    with serving(tmp_path, "--config", str(config)) as server:
        async with trio.open_nursery() as lines:
            ours, theirs = Line(server.port()), Line(server.port())
            for line in (ours, theirs):
                await lines.start(line.run)
            async with running(bridge(theirs.port)):
                small.start(*play(ours.port, "--color", "white", "--against", "engine"))
                await small.sees(r"Your move\.")
                small.type("Rb5")
                await answered(small, r"1 Rb5\+")

                ours.cut()  # while Ada thinks
                await small.sees(r"Back at the game\.\n.*Your move\.")

                ours.cut_after("bestmove a4")  # in the middle of what she answers
                small.type("Ra6")
                await small.sees("Your move was lost with the connection; it is sent again")
                await answered(small, r"2 Ra6\+")

                server.kill()
                screen = await small.sees(r"trying again in \d+ s")
                assert "disconnected from tcp://" in screen
                server.start()
                ours.far = server.port()
                await small.sees(r"The server was down for [\d.]+ s; no clock was charged")
                theirs.far = server.port()
                await small.sees(r"Your move\.")
                small.type("Rb7")
                await answered(small, r"3 Rb7\+")
                small.type("Ra8")
                await small.sees(r"White wins by checkmate\. You win\.")
                small.type("quit")
                await small.sees("left with 0")
            lines.cancel_scope.cancel()
        assert server.run("verify") == "1 game, 7 plies: all agree\n"


async def answered(terminal: Terminal, move: str) -> None:
    """When the opponent has moved, too."""
    await terminal.sees(rf"{move} +K\w\d(.*\n)*.*Your move\.")
