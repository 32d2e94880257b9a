"""The screen and the keys without a terminal: a pipe for the keys, an output of fixed size."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import pytest
import trio
from prompt_toolkit.application import Application
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import ColorDepth, DummyOutput

from tests.support.fake_server import Line
from tests.support.terminal_server import HANG, MemoryServer, greeted
from ulci.net import Peer
from ulci.protocol.messages import BestMove, Draw, Quit, Resign
from ulci_client.server_list import ServerList
from ulci_client.terminal.model.state import ClientState, Exit, Leave
from ulci_client.terminal.shell.client import Client
from ulci_client.terminal.shell.full_screen import FullScreen
from ulci_client.terminal.view.theme import ASCII, COLOR, FEW_COLORS, MONO, Theme

CTRL_C, CTRL_D, CTRL_L, ESCAPE, F1, F2 = "\x03", "\x04", "\x0c", "\x1b", "\x1bOP", "\x1bOQ"


class Seat:
    """A person before a screen: presses keys, and looks until something is there."""

    def __init__(
        self, script: "Script", keys: PipeInput, server: MemoryServer, theme: Theme
    ) -> None:
        self._script = script
        self._keys = keys
        self._server = server
        self.address = server.address
        self._token: trio.lowlevel.TrioToken | None = None
        self._fault: Exception | None = None
        self._drawn = trio.Event()
        self.screen = FullScreen(
            Client(ClientState("Ada", "memory")),
            ServerList([self]),
            theme,
            input=keys,
            output=DummyOutput(),
        )
        self.screen.app.after_render += self._note

    def _note(self, _: Application[Leave]) -> None:
        """Called by the host, between Trio's steps."""
        if self._token is not None:
            with suppress(trio.RunFinishedError):
                self._token.run_sync_soon(self._wake)

    def _wake(self) -> None:
        self._drawn.set()
        self._drawn = trio.Event()

    @asynccontextmanager
    async def dial(self) -> AsyncIterator[Peer]:
        if self._token is None:
            self._token = trio.lowlevel.current_trio_token()
            trio.lowlevel.spawn_system_task(self._run)  # which outlives the first line
        async with self._server.dial() as peer:
            yield peer

    async def _run(self) -> None:
        """The test, in the guest's run; it is let finish, and its fault kept for `sit`."""
        try:
            with trio.CancelScope(shield=True):
                await self._script(self, self._server)
        except Exception as error:  # noqa: BLE001 (a system task must not fail)
            self._fault = error
            self.screen.app.exit(result=Leave(Exit.DONE))

    def sit(self) -> Leave:
        left = asyncio.run(self.screen.run())
        if self._fault is not None:
            raise self._fault
        return left

    def press(self, keys: str) -> None:
        self._keys.send_text(keys)

    def type(self, line: str) -> None:
        self.press(f"{line}\r")

    def text(self) -> str:
        """What is on the screen."""
        drawn = self.screen.app.renderer.last_rendered_screen
        if drawn is None:
            return ""
        size = self.screen.app.output.get_size()
        rows = (drawn.data_buffer[row] for row in range(size.rows))
        return "\n".join("".join(row[at].char for at in range(size.columns)) for row in rows)

    async def sees(self, *texts: str, without: str = "\0") -> None:
        with trio.move_on_after(HANG):
            while not all(text in self.text() for text in texts) or without in self.text():
                await self._drawn.wait()
            return
        raise AssertionError(f"{texts} is not to be seen:\n{self.text()}")


Script = Callable[[Seat, MemoryServer], Awaitable[None]]


async def nothing(_: Seat, __: MemoryServer) -> None:
    await trio.lowlevel.checkpoint()


def play(script: Script, *, theme: Theme = ASCII, server: MemoryServer | None = None) -> Leave:
    with create_pipe_input() as keys:
        return Seat(script, keys, server or MemoryServer(), theme).sit()


async def begun(server: MemoryServer) -> Line:
    """Ada is in a game as White, and asked for her first move."""
    line = await greeted(server)
    await line.begin(white="Ada", black="Bob")
    line.ask()
    return line


def test_a_game_from_the_lobby_to_its_end() -> None:
    async def script(seat: Seat, server: MemoryServer) -> None:
        line = await greeted(server)
        await seat.sees("Open seeks", "You are Ada here.")
        await line.begin(white="Ada", black="Bob")
        line.ask()
        await seat.sees("Your move.", " 1   R    N    B", "* Ada")
        seat.type("Nf3")
        assert await line.hear(BestMove) == BestMove("g1f3")
        await seat.sees("Waiting for Bob to move.", "Nf3")
        seat.type("draw")
        await line.hear(Draw)
        await seat.sees("You offer a draw.")
        seat.type("resign")
        await seat.sees("yes or no >")
        seat.type("yes")
        await line.hear(Resign)
        line.finish(result="0-1")
        await seat.sees("Black wins by resignation. You lose.", "Type rematch")
        seat.type("quit")
        await line.hear(Quit)

    assert play(script) == Leave(Exit.DONE)


@pytest.mark.parametrize("key", [CTRL_C, CTRL_D])
def test_ctrl_c_clears_the_line_then_asks_then_leaves(key: str) -> None:
    async def script(seat: Seat, server: MemoryServer) -> None:
        line = await begun(server)
        await seat.sees("Your move.")
        seat.press("Nf")
        await seat.sees("> Nf")
        seat.press(key)
        await seat.sees("Your move.", without="> Nf")
        seat.press(key)
        await seat.sees("Leave in the middle of the game?")
        seat.press(key)
        await line.hear(Quit)

    assert play(script) == Leave(Exit.MID_GAME)


def test_what_is_typed_may_be_completed() -> None:
    async def script(seat: Seat, server: MemoryServer) -> None:
        line = await begun(server)
        await seat.sees("Your move.")
        seat.press("Nf")
        await seat.sees("Nf3", "g1f3")
        seat.type("\t")
        assert await line.hear(BestMove) == BestMove("g1f3")
        seat.type("quit yes")
        await line.hear(Quit)

    assert play(script) == Leave(Exit.MID_GAME)


def test_keys_for_help_for_turning_the_board_and_for_drawing_anew() -> None:
    async def script(seat: Seat, server: MemoryServer) -> None:
        await begun(server)
        await seat.sees("Your move.")
        seat.press(F1)
        await seat.sees("give up the game")
        seat.press(ESCAPE)
        await seat.sees(" 8   r    n", without="give up the game")
        seat.press(F2)
        await seat.sees(" 1   R    N    B    K")
        seat.press(CTRL_L)
        seat.type("quit yes")

    assert play(script) == Leave(Exit.MID_GAME)


LEFT, RIGHT, HOME = "\x1b[D", "\x1b[C", "\x1b[H"


def test_keys_step_through_the_game_unless_something_is_typed() -> None:
    async def script(seat: Seat, server: MemoryServer) -> None:
        line = await begun(server)
        await seat.sees("Your move.")
        seat.type("e4")
        await line.hear(BestMove)
        line.ask("e2e4", "e7e5")
        await seat.sees("Your move.", "e5")
        seat.press(LEFT)
        await seat.sees("(board after 1. e4")
        seat.press(HOME)
        await seat.sees("(board before the first move")
        seat.press(RIGHT)
        await seat.sees("(board after 1. e4")
        seat.press(ESCAPE)
        await seat.sees("Your move.", without="(board")
        seat.press("Ng3")
        await seat.sees("> Ng3")
        seat.press(f"{LEFT}\x7ff{RIGHT}\r")  # of a line that is being typed they move the cursor
        assert await line.hear(BestMove) == BestMove("g1f3")
        seat.type("quit yes")

    assert play(script) == Leave(Exit.MID_GAME)


def test_a_disconnection_is_shown_and_followed_by_a_reconnection() -> None:
    async def script(seat: Seat, server: MemoryServer) -> None:
        line = await begun(server)
        await seat.sees("Your move.")
        server.refusals += ["refused"] * 1000  # until it is seen
        await line.hang_up()
        await seat.sees("disconnected from memory", "trying again in")
        server.refusals.clear()
        line = await server.line()
        await line.greet()
        assert ("resume", "s3cret") in line.ids
        line.lobby("welcome name Ada account no resume s3cret")
        line.lobby("game 1 start white Ada black Bob game chess time 60+1 rated no")
        line.ask()
        await seat.sees("Back at the game.", "Your move.")
        seat.type("quit yes")

    assert play(script) == Leave(Exit.MID_GAME)


def test_nobody_there_ends_it_before_a_key_is_pressed() -> None:
    server = MemoryServer("cannot reach memory")
    assert play(nothing, server=server) == Leave(Exit.NO_SERVER, "cannot reach memory")


class Faulty(MemoryServer):
    """Reaching it brings a fault of our own to light."""

    @asynccontextmanager
    async def dial(self) -> AsyncIterator[Peer]:
        await trio.lowlevel.checkpoint()
        yield 1 / 0  # type: ignore[misc]


def test_an_error_of_ours_is_raised_after_the_screen_is_restored() -> None:
    with pytest.raises(BaseExceptionGroup) as caught:
        play(nothing, server=Faulty())
    assert caught.group_contains(ZeroDivisionError)


@pytest.mark.parametrize(
    ("theme", "depth"),
    [
        (COLOR, ColorDepth.DEPTH_8_BIT),
        (FEW_COLORS, ColorDepth.ANSI_COLORS_ONLY),
        (MONO, ColorDepth.MONOCHROME),
    ],
)
def test_no_more_colors_are_used_than_the_terminal_has(theme: Theme, depth: ColorDepth) -> None:
    async def script(seat: Seat, server: MemoryServer) -> None:
        await begun(server)
        await seat.sees("Your move.")
        assert seat.screen.app.color_depth is depth
        seat.type("quit yes")

    assert play(script, theme=theme) == Leave(Exit.MID_GAME)
