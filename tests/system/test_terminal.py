"""A person at a real terminal: ``ulci play`` in tmux against the house engine behind the bridge."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import nim
from tests.support.servers import Server, program, running, serving, until

pytestmark = pytest.mark.system

ULCI = (sys.executable, "-m", "ulci_client.cli")


class Terminal:
    """A terminal of 100 columns and 32 rows, in which one program runs."""

    def __init__(self, folder: Path) -> None:
        # A socket of its own: no other tmux of this user is touched.
        self._tmux = (program("tmux"), "-S", str(folder / "tmux"), "-f", "/dev/null")

    def start(self, *argv: str) -> None:
        """Run it; when it is over, the screen says with which exit code."""
        script = '"$@"; echo "left with $?"; read -r _'
        self._run(
            "new-session", "-d", "-x", "100", "-y", "32", "-e", "NO_COLOR=", "-e", "LC_ALL=C.UTF-8",
            "env", "TERM=xterm-256color", "sh", "-c", script, "sh", *argv,
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
        """The screen as soon as the regular expression is found on it."""
        try:
            await until(lambda: re.search(pattern, self.text()), f"{pattern} is on the screen")
        except AssertionError as error:
            raise AssertionError(f"{error}:\n{self.text()}") from None
        return self.text()

    def close(self) -> None:
        """Also where it was never started."""
        subprocess.run([*self._tmux, "kill-server"], capture_output=True, check=False, timeout=60)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    found = Terminal(tmp_path)
    yield found
    found.close()


def play(server: Server, *options: str) -> tuple[str, ...]:
    return (
        *ULCI,
        "play",
        "--server",
        f"tcp://127.0.0.1:{server.port()}",
        "--name",
        "Ada",
        *options,
    )


def bridge(server: Server, *options: str, dialect: str = "uci") -> tuple[str, ...]:
    address = f"tcp://127.0.0.1:{server.port()}"
    engine = (*ULCI, "engine", "--dialect", dialect)
    return (*ULCI, "bridge", "--server", address, "--name", "House", *options, "--", *engine)


async def test_two_games_at_a_terminal(tmp_path: Path, terminal: Terminal) -> None:
    with serving(tmp_path, "--listen", "tcp://127.0.0.1:0", "--time", "600+5") as server:
        terminal.start(*play(server))
        await terminal.sees("You are Ada here")
        async with running(bridge(server)):
            await terminal.sees(r"House +engine")
            terminal.type("seek 600+5 white")
            screen = await terminal.sees(r"Your move\.")
            assert "You are White against House (engine): chess 600+5." in screen
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
            await terminal.sees("Black wins: White resigned. You lose.")
            terminal.type("seek black against engine")
            await terminal.sees(r"You are Black against House \(engine\)(.*\n)*.*Your move\.")
            terminal.type("resign yes")
            await terminal.sees("White wins: Black resigned. You lose.")
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
        async with running(bridge(server, "--game", "large", dialect="ulci")):
            terminal.start(*play(server, "--game", "large", "--color", "white"))
            screen = await terminal.sees(r"Your move\.")
            assert "You are White against House (engine): liberty 600+5." in screen
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
            await terminal.sees("White wins: Black resigned. You lose.")
