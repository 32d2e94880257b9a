"""Several whole players: real engine processes, real sockets, a server played by hand."""

import io
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import pytest
import trio

from tests.support.engines import scripted
from tests.support.fake_server import FakeServer, Line, fake_server
from tests.support.ports import closed_port
from tests.support.wires import HANG
from ulci.net import Address, RemoteServer
from ulci.protocol.messages import BestMove, Blame, Quit, Report, Seek, Seeks, Unseek
from ulci_client.bot.engines import EngineLine
from ulci_client.bot.sections import Config
from ulci_client.bridge.console import Console
from ulci_client.bridge.engine_pool import EnginePool, ExitCode
from ulci_client.bridge.settings import BridgeSettings
from ulci_client.engine_settings import ClientEngineSettings


@dataclass
class Running:
    """A crew at work; `code` is its exit code once it is done."""

    crew: EnginePool
    server: FakeServer
    screen: io.StringIO
    errors: io.StringIO
    code: ExitCode | None = None

    @property
    def shown(self) -> list[str]:
        return self.screen.getvalue().splitlines()

    async def admitted(self, *names: str) -> list[Line]:
        """The lines of so many players, who seek a game."""
        lines = []
        for name in names:
            lines.append(await self.server.line())
            await lines[-1].admit(name)
        return lines


@asynccontextmanager
async def crew(
    engine: ClientEngineSettings | None = None, **asked: object
) -> AsyncIterator[Running]:
    """A crew that is started, and has finished by the end of the block."""
    async with fake_server() as server:
        settings = BridgeSettings((RemoteServer(server.address),), engine or scripted())
        settings = replace(settings, **{"hello": HANG, **asked})  # type: ignore[arg-type]
        screen, errors = io.StringIO(), io.StringIO()
        console = Console(screen, live=False, errors=errors)
        running = Running(EnginePool(settings, console), server, screen, errors)

        async def run() -> None:
            with trio.fail_after(HANG):
                running.code = await running.crew.run()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(run)
            yield running


async def play(line: Line, number: int) -> None:
    """One game of one move."""
    await line.begin(number)
    line.ask()
    assert await line.hear(BestMove) == BestMove("g1f3")
    line.finish(number)


async def leave(line: Line) -> None:
    assert await line.end() == [Quit()]
    await line.hang_up()


# Sharing the games


async def test_they_play_at_the_same_time_and_share_the_games():
    async with crew(games=3, concurrency=2) as running:
        one, other = await running.admitted("Fish", "Fish-2")
        await one.begin(1)
        await other.begin(2)
        for line, number in ((one, 1), (other, 2)):
            line.ask()
            await line.hear(BestMove)
            line.finish(number)
            if line is one:
                await one.hear(Seek)
        await leave(other)  # the third game is the other's
        await play(one, 3)
        await leave(one)
    assert running.code is ExitCode.DONE
    assert running.shown[-1].startswith("game 3 is over: 1-0 (resignation); won ")


async def test_no_more_engines_are_started_than_there_are_games():
    async with crew(games=1, concurrency=5) as running:
        [line] = await running.admitted("Fish")
        await play(line, 1)
        await leave(line)
    assert running.code is ExitCode.DONE


# Failing


@pytest.mark.parametrize(
    ("engine", "code", "error"),
    [
        (
            scripted(options=("Hsah=8",)),
            ExitCode.USAGE,
            "error: Scripted 1.0: this engine has no option 'Hsah'; did you mean 'Hash'?",
        ),
        (
            scripted(options=("Hash=2000",)),
            ExitCode.USAGE,
            "error: Scripted 1.0: option 'Hash' cannot be 2000 (spin, 1 to 1024)",
        ),
        (
            scripted("--die-before-uciok"),
            ExitCode.FAILED,
            "uci` with `uciok` as UCI engines do: ",
        ),
        (
            ClientEngineSettings(("/no/engine",)),
            ExitCode.FAILED,
            "error: cannot start '/no/engine': ",
        ),
    ],
)
async def test_what_is_wrong_with_the_engine_is_told_once_for_all(engine, code, error):
    async with crew(engine, concurrency=3) as running:
        pass
    assert running.code is code
    [line] = running.errors.getvalue().splitlines()
    assert error in line


async def test_a_server_that_is_not_there_is_told_in_one_line():
    with closed_port() as port:
        address = Address("tcp", "127.0.0.1", port)
        async with crew(servers=(RemoteServer(address),), concurrency=2) as running:
            pass
    assert running.code is ExitCode.FAILED
    assert running.errors.getvalue().startswith(f"error: cannot reach {address}: ")
    assert len(running.errors.getvalue().splitlines()) == 1


async def test_one_failed_player_does_not_stop_the_others():
    async with crew(games=2, concurrency=2) as running:
        one, other = await running.admitted("Fish", "Fish-2")
        one.lobby("error no-such-game there is no game go")
        await leave(one)
        await play(other, 1)
        await other.hear(Seek)  # what the other did not play is left to be played
        await play(other, 2)
        await leave(other)
    assert running.code is ExitCode.REJECTED


async def test_a_rejection_is_shown_once_and_has_its_own_exit_code():
    async with crew(concurrency=2) as running:
        for line in await running.admitted("Fish", "Fish-2"):
            line.say(Report(Blame.CLIENT, "you are banned here: spam"), Quit())
            await line.hang_up()
    assert running.code is ExitCode.REJECTED
    [error] = running.errors.getvalue().splitlines()
    assert error.endswith("rejects this engine: you are banned here: spam")


# Signals


async def test_the_first_ctrl_c_takes_back_the_seek_and_ends_it():
    async with crew() as running:
        [line] = await running.admitted("Fish")
        signal.raise_signal(signal.SIGINT)
        await line.hear(Unseek)
        await line.hear(Seeks)
        line.lobby("seeks 0")
        await leave(line)
    assert running.code is ExitCode.DONE


async def test_the_first_ctrl_c_during_a_game_finishes_that_game():
    async with crew(concurrency=2) as running:
        one, other = await running.admitted("Fish", "Fish-2")
        await one.begin(1)
        running.crew.signalled(signal.SIGINT)
        await other.hear(Unseek)
        await other.hear(Seeks)
        other.lobby("seeks 0")
        await leave(other)
        one.ask()
        await one.hear(BestMove)
        one.finish(1)
        await leave(one)
    assert running.code is ExitCode.DONE
    assert "finishing the running game; press Ctrl-C again to leave at once" in running.shown


async def test_the_second_ctrl_c_leaves_a_running_game_and_says_so_by_the_exit_code():
    async with crew(scripted("--wait"), concurrency=2) as running:
        lines = await running.admitted("Fish", "Fish-2")
        for number, line in enumerate(lines):
            await line.begin(number)
        running.crew.signalled(signal.SIGINT)
        running.crew.signalled(signal.SIGINT)
        for line in lines:
            await leave(line)
    assert running.code is ExitCode.INTERRUPTED
    assert "finishing 2 running games; press Ctrl-C again to leave at once" in running.shown


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
async def test_a_service_managers_stop_and_a_closed_terminal_leave_at_once(number):
    async with crew() as running:
        [line] = await running.admitted("Fish")
        await line.begin()
        signal.raise_signal(number)
        await leave(line)
    assert running.code is ExitCode.DONE


async def test_ctrl_c_ends_a_pool_whose_engines_are_not_ready_yet():
    async with crew(scripted("--no-uciok", start=600.0), concurrency=2) as running:
        await trio.testing.wait_all_tasks_blocked(0.01)
        running.crew.signalled(signal.SIGINT)
    assert running.code is ExitCode.DONE


# A bot with several engines


def bot_of(*engines: ClientEngineSettings) -> dict[str, object]:
    lines = tuple(EngineLine(engine, (f"game{at}",)) for at, engine in enumerate(engines))
    config = Config.model_validate({"seek": {"when": "never"}})
    return {"bot": config, "engines": lines}


async def test_all_its_engines_are_introduced_as_one():
    other = scripted("--option", "name MultiPV type spin default 1 min 1 max 9")
    async with crew(scripted(), **bot_of(scripted(), other)) as running:
        line = await running.server.line()
        await line.greet()
        assert line.options == ["Hash", "MultiPV"]
        line.lobby("welcome name Fish account no resume s3cret")
        running.crew.signalled(signal.SIGTERM)
        assert await line.end() == [Quit()]
        await line.hang_up()
    assert running.code is ExitCode.DONE


async def test_one_of_its_engines_that_does_not_work_is_told_before_it_comes():
    async with crew(scripted(), **bot_of(scripted(), scripted("--die-before-uciok"))) as running:
        pass
    assert running.code is ExitCode.FAILED
    assert "does not answer `uci`" in running.errors.getvalue()
