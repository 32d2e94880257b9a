"""Whole players: a real engine process, a real socket, and a server played by hand."""

import io
import math
import shlex
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import chess
import pytest
import trio

from tests.support.engines import SCRIPT, STOCKFISH, lines_of, needs_stockfish, scripted
from tests.support.fake_server import FakeServer, Line, fake_server
from tests.support.ports import closed_port
from tests.support.processes import lives
from tests.support.servers import until
from tests.support.spoken import Spoken
from tests.support.wires import HANG, client_tls
from ulci.net import Address, DialError, RemoteServer
from ulci.protocol.messages import (
    Accept,
    BestMove,
    Blame,
    Draw,
    Go,
    Info,
    IsReady,
    NewGame,
    Position,
    Quit,
    ReadyOk,
    Report,
    Seek,
    Seeks,
    SetOption,
    Stop,
    TellPlayer,
    Terms,
    Unseek,
)
from ulci_client.bot.engines import EngineLine
from ulci_client.bot.own_moves import OwnMoves
from ulci_client.bot.sections import Config
from ulci_client.bridge.console import Console, Level
from ulci_client.bridge.house import Bot
from ulci_client.bridge.player import BridgePlayer, PoolContext
from ulci_client.bridge.seeking import GameBudget
from ulci_client.bridge.settings import BridgeSettings
from ulci_client.bridge.supervisor import RejectedError, ServerError, Supervisor
from ulci_client.engine_settings import ClientEngineSettings

ONE_GAME = 1


@dataclass
class Bridge:
    """A running player, what a person sees of it, and the server that it calls."""

    supervisor: Supervisor
    player: BridgePlayer
    server: FakeServer
    screen: io.StringIO
    spoken: list[str]
    finished: trio.Event

    @property
    def shown(self) -> str:
        return self.screen.getvalue()

    async def done(self) -> None:
        with trio.fail_after(HANG):
            await self.finished.wait()


def context(asked: BridgeSettings, console: Console, spoken: Spoken) -> PoolContext:
    """What its player shares with nobody; a bot if the settings have one."""
    bot = None
    if asked.bot is not None:
        own_moves = OwnMoves([], None, lambda: 0.0, console.warn)
        now = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)
        bot = Bot(asked.bot, asked.engines, own_moves, lambda _: 0, lambda: now)
    return PoolContext(console, GameBudget(asked.games), spoken.follow, bot=bot)


@asynccontextmanager
async def bridge(
    engine: ClientEngineSettings | None = None,
    *,
    url: str = "tcp://127.0.0.1:0",
    msgpack: bool = False,
    token: str = "",
    games: int | None = ONE_GAME,
    **settings: object,
) -> AsyncIterator[Bridge]:
    """A player that is started, and has finished by the end of the block."""
    async with fake_server(url) as server, trio.open_nursery() as nursery:
        reach = RemoteServer(server.address, client_tls(), msgpack=msgpack, token=token)
        asked = BridgeSettings((reach,), engine or scripted(), games=games, hello=HANG)
        asked = replace(asked, **settings)  # type: ignore[arg-type]
        screen, spoken = io.StringIO(), Spoken()
        console = Console(screen, live=False, level=Level.DETAIL)
        player = BridgePlayer(asked, context(asked, console, spoken))
        # No chance: the first pause is a second, and nobody waits for the second one.
        supervisor = Supervisor(player, asked, console, lambda: 0.0)
        finished = trio.Event()

        async def run() -> None:
            await supervisor.run()
            finished.set()

        nursery.start_soon(run)
        running = Bridge(supervisor, player, server, screen, spoken.lines, finished)
        yield running
        await running.done()


# From the first game to the last


async def test_it_introduces_its_engine_seeks_plays_and_leaves(tmp_path):
    transcript = tmp_path / "read"
    words = ("--transcript", transcript, "--id", "version=1", "--id", "username=Eve")
    engine = scripted(*words, quit=HANG)  # it writes down the `quit`, too
    terms = Terms(game="chess", time="60+1", against="engine")
    async with bridge(engine, terms=terms) as running:
        line = await running.server.line()
        assert await line.admit() == Seek(terms)
        assert line.ids == [
            ("name", "Scripted 1.0"),
            ("author", "Nobody"),
            ("version", "1"),
            ("feature", "lobby"),
        ]
        assert line.options == ["Hash"]
        await line.begin()
        line.ask()
        assert await line.hear(BestMove) == BestMove("g1f3")
        line.ask("g1f3", "g8f6")
        assert await line.hear(BestMove) == BestMove("f3g1")
        line.finish()
        assert await line.end() == [Quit()]
        await line.hang_up()
    assert running.supervisor.failure is None
    assert lines_of(transcript) == [
        "uci",
        "isready",
        "ucinewgame",
        "isready",
        "position startpos",
        "go wtime 60000 btime 60000 winc 1000 binc 1000",
        "position startpos moves g1f3 g8f6",
        "go wtime 60000 btime 60000 winc 1000 binc 1000",
        "quit",
    ]
    assert "game 1 begins: Fish - Ada (chess 60+1)" in running.shown
    assert "game 1 is over: 1-0 (resignation); won 1, drawn 0, lost 0" in running.shown


HOUSE = (sys.executable, "-m", "ulci_client.cli", "engine", "--dialect")
PATIENT = {"start": HANG, "ping": HANG}


@pytest.mark.parametrize("dialect", ["ulci", "ugi", "uti"])
async def test_an_engine_of_another_dialect_is_the_same_to_the_server(dialect):
    engine = ClientEngineSettings((*HOUSE, dialect), dialect=dialect, **PATIENT)
    async with bridge(engine, terms=Terms("tictactoe")) as running:
        line = await running.server.line()
        await line.admit()
        assert "UCI_Variant" in line.options
        variant = SetOption("UCI_Variant", "tictactoe")
        await line.begin(1, "Fish", "Ada", variant, SetOption("UCI_Opponent", "none none human A"))
        line.ask("a1", "b1", "a2", "b2", go=Go(depth=1))
        assert await line.hear(BestMove) == BestMove("a3")
        line.finish()
        assert await line.end() == [Quit()]
        await line.hang_up()
        assert line.analyses
    assert running.supervisor.failure is None


async def test_a_game_that_the_dialect_cannot_express_is_given_up_with_the_reason():
    engine = ClientEngineSettings((*HOUSE, "uti"), dialect="uti", **PATIENT)
    async with bridge(engine) as running:
        line = await running.server.line()
        await line.admit()
        await line.begin()
        line.ask("e2e4")
        report, goodbye = await line.end()
        assert report.blame is Blame.CLIENT
        assert "speaks UTI: " in report.text
        assert goodbye == Quit()
        await line.hang_up()
    assert "is no position of a game that UTI can speak of" in str(running.supervisor.failure)


@pytest.mark.parametrize(
    ("url", "msgpack"),
    [
        ("tls://localhost:0", False),
        ("ws://localhost:0", False),
        ("wss://localhost:0", False),
        ("wss://localhost:0", True),
    ],
)
async def test_it_plays_over_every_kind_of_line(url, msgpack):
    async with bridge(url=url, msgpack=msgpack) as running:
        line = await running.server.line()
        await line.admit()
        await line.begin()
        line.ask()
        assert await line.hear(BestMove) == BestMove("g1f3")
        line.finish()
        await line.end()
        await line.hang_up()


async def test_it_sends_the_given_name_and_the_token():
    async with bridge(name="Nimzo", token="s3cret") as running:
        line = await running.server.line()
        await line.admit()
        assert line.ids == [
            ("name", "Nimzo"),
            ("author", "Nobody"),
            ("feature", "lobby"),
            ("token", "s3cret"),
        ]
        running.supervisor.depart()
        await line.end()
        await line.hang_up()
    assert "server > id token (secret)" in running.spoken
    assert "s3cret" not in running.shown


async def test_it_seeks_again_after_each_game_until_it_has_played_enough():
    async with bridge(games=2) as running:
        line = await running.server.line()
        await line.admit()
        await line.begin(1)
        line.finish(1)
        await line.hear(Seek)
        await line.begin(2, "Ada", "Fish")
        line.finish(2)
        assert await line.end() == [Quit()]
        await line.hang_up()
    assert "won 1, drawn 0, lost 1" in running.shown


async def test_a_game_that_ends_while_it_thinks_is_left_behind_in_order():
    async with bridge(scripted("--wait"), games=2) as running:
        line = await running.server.line()
        await line.admit()
        await line.begin()
        line.ask()
        line.finish()
        line.say(Stop(), IsReady())
        assert await line.hear(Seek) == Seek()
        assert await line.hear(BestMove) == BestMove("g1f3")
        assert await line.hear(ReadyOk) == ReadyOk()
        running.supervisor.depart()
        await line.end()
        await line.hang_up()


async def test_analysis_reaches_the_server_as_the_engine_wrote_it():
    async with bridge() as running:
        line = await running.server.line()
        await line.admit()
        await line.begin()
        line.ask("g1f3")
        await line.hear(BestMove)
        assert [each.line for each in line.analyses] == ["info depth 1 score cp 1 nodes 1 pv g8f6"]
        line.finish()
        await line.end()
        await line.hang_up()


async def test_the_servers_settings_reach_an_engine_that_offers_them_and_leaves_them_open(tmp_path):
    transcript = tmp_path / "read"
    engine = scripted(
        "--transcript", transcript, "--option", "name UCI_Opponent type string", options=("Hash=8",)
    )
    async with bridge(engine) as running:
        line = await running.server.line()
        await line.admit()
        settings = [
            SetOption("uci_opponent", "none none human Ada"),
            SetOption("UCI_Chess960", "true"),
            SetOption("Hash", "1"),
        ]
        await line.begin(1, "Fish", "Ada", *settings)
        line.finish()
        await line.end()
        await line.hang_up()
    assert [each for each in lines_of(transcript) if each.startswith("setoption")] == [
        "setoption name Hash value 8",
        "setoption name UCI_Opponent value none none human Ada",
    ]


async def test_a_server_without_a_lobby_is_played_at_too():
    async with bridge() as running:
        line = await running.server.line()
        await line.greet()
        line.say(NewGame(), IsReady())
        await line.hear(ReadyOk)
        line.ask()
        assert await line.hear(BestMove) == BestMove("g1f3")
        line.say(Info(string="result 1/2-1/2 reason repetition"))
        assert await line.end() == [Quit()]
        await line.hang_up()
    assert "the game is over: 1/2-1/2 (repetition); won 0, drawn 1, lost 0" in running.shown


async def test_both_conversations_are_written_down_without_secrets():
    async with bridge() as running:
        line = await running.server.line()
        await line.admit()
        line.say(Info(string="hello there"), Report(Blame.SERVER, "mind the step"))
        await line.begin()
        line.ask()
        await line.hear(BestMove)
        line.finish()
        await line.end()
        await line.hang_up()
    said = running.spoken
    assert said.count("server - game ") == said.count("engine - over ") == 1
    assert "server < lobby welcome name Fish account no resume (secret)" in said
    assert "engine > position startpos" in said
    assert said.index("engine < bestmove g1f3") < said.index("server > bestmove g1f3")
    assert "the server says: mind the step" in running.shown
    assert "server: hello there" in running.shown


# Pondering


async def test_it_ponders_and_a_ponderhit_goes_on_with_the_same_search(tmp_path):
    transcript = tmp_path / "read"
    engine = scripted("--ponder", "--transcript", transcript, ponder=True)
    async with bridge(engine) as running:
        line = await running.server.line()
        await line.admit()
        await line.begin()
        line.ask()
        assert await line.hear(BestMove) == BestMove("g1f3", "g8f6")
        line.ask("g1f3", "g8f6")
        assert await line.hear(BestMove) == BestMove("f3g1", "f6g8")
        line.finish()
        await line.end()
        await line.hang_up()
    read = lines_of(transcript)
    assert "setoption name Ponder value true" in read
    hit = read.index("ponderhit")
    assert read[hit - 2] == "position startpos moves g1f3 g8f6"
    assert read[hit - 1].startswith("go ")
    assert "ponder" in read[hit - 1].split()


async def test_another_move_than_expected_is_searched_afresh_and_the_ponder_move_thrown_away(
    tmp_path,
):
    transcript = tmp_path / "read"
    engine = scripted("--ponder", "--transcript", transcript, ponder=True)
    async with bridge(engine) as running:
        line = await running.server.line()
        await line.admit()
        await line.begin()
        line.ask()
        await line.hear(BestMove)
        line.ask("g1f3", "e7e5", "f3g1")
        assert await line.hear(BestMove) == BestMove("f6g8", "g1f3")
        # what was pondered on has two plies, what was searched none or three
        assert [each.line.split()[5] for each in line.analyses] == ["0", "3"]
        line.finish()
        await line.end()
        await line.hang_up()
    read = lines_of(transcript)
    assert read[read.index("stop") + 1] == "position startpos moves g1f3 e7e5 f3g1"


# Engines that fail


async def test_an_engine_that_dies_is_restarted_and_asked_the_same(tmp_path):
    transcript = tmp_path / "read"
    engine = scripted(
        "--die-at-go", 1, "--once", tmp_path / "once", "--transcript", transcript,
        "--option", "name UCI_Opponent type string", options=("Hash=8",),
    )  # fmt: skip
    async with bridge(engine) as running:
        line = await running.server.line()
        await line.admit()
        await line.begin(1, "Fish", "Ada", SetOption("UCI_Opponent", "none none human Ada"))
        line.ask("g1f3", "g8f6")
        assert await line.hear(BestMove) == BestMove("f3g1")
        line.finish()
        await line.end()
        await line.hang_up()
    read = lines_of(transcript)
    again = read[read.index("uci", 1) :]
    assert again[:6] == [
        "uci",
        "setoption name Hash value 8",
        "setoption name UCI_Opponent value none none human Ada",
        "ucinewgame",
        "isready",
        "position startpos moves g1f3 g8f6",
    ]
    go = again[6].split()
    assert go[:2] == ["go", "wtime"]
    assert int(go[2]) < 60_000  # White's clock went on
    assert go[3:5] == ["btime", "60000"]
    assert "ended with exit code 7" in running.shown
    assert "what a pity" in running.shown
    assert "restarting" in running.shown


async def test_an_engine_that_crashes_is_reported_in_words(tmp_path):
    engine = scripted("--crash-at-go", 1, "--once", tmp_path / "once")
    async with bridge(engine) as running:
        line = await running.server.line()
        await line.admit()
        await line.begin()
        line.ask()
        assert await line.hear(BestMove) == BestMove("g1f3")
        line.finish()
        await line.end()
        await line.hang_up()
    assert "was killed by SIGSEGV (segmentation fault)" in running.shown


async def test_an_engine_that_hangs_before_a_game_is_replaced_by_one_that_gets_ready(
    tmp_path, mock_clock
):
    mock_clock.rate = 1.0
    transcript = tmp_path / "read"
    words = ("--hang-at-ready", 2, "--once", tmp_path / "once", "--transcript", transcript)
    async with bridge(scripted(*words, ping=20.0)) as running:
        line = await running.server.line()
        await line.admit()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(line.begin)
            await until(
                lambda: lines_of(transcript).count("isready") == 2, "it is asked", every=0.01
            )
            mock_clock.jump(80.0)
        line.finish()
        await line.end()
        await line.hang_up()
    assert (
        "no answer to `isready` within 80 s; --ping-timeout SECONDS (bot.toml: ping_timeout)"
        in running.shown
    )


async def test_an_engine_that_ignores_stop_is_killed_and_the_next_one_stops(tmp_path, mock_clock):
    mock_clock.rate = 1.0
    transcript = tmp_path / "read"
    words = ("--wait", "--ignore-stop", "--once", tmp_path / "once", "--transcript", transcript)
    async with bridge(scripted(*words, ping=20.0, quit=60.0)) as running:
        line = await running.server.line()
        await line.admit()
        await line.begin()
        line.ask()
        line.say(Stop())
        await until(lambda: "stop" in lines_of(transcript), "it is told", every=0.01)
        mock_clock.jump(20.0)
        assert await line.hear(BestMove) == BestMove("g1f3")
        line.finish()
        await line.end()
        await line.hang_up()
    assert "no answer to `stop` within 20 s" in running.shown


async def test_an_engine_that_hangs_in_a_search_is_replaced_before_its_clock_runs_out(
    tmp_path, mock_clock
):
    mock_clock.rate = 1.0
    engine = scripted("--hang-at-go", 1, "--once", tmp_path / "once", quit=60.0)
    async with bridge(engine) as running:
        line = await running.server.line()
        await line.admit()
        await line.begin()
        asked = running.spoken.count("engine > isready")
        line.ask(go=Go(60_000, 60_000, 0, 0))
        await until(
            lambda: any(said.startswith("engine < info") for said in running.spoken),
            "it thinks", every=0.01,
        )  # fmt: skip
        mock_clock.jump(30.0)
        await until(
            lambda: running.spoken.count("engine > isready") > asked, "it is probed", every=0.01
        )
        mock_clock.jump(28.0)
        assert await line.hear(BestMove) == BestMove("g1f3")
        line.finish()
        await line.end()
        await line.hang_up()
    assert "it hangs in its search: no output and no answer to `isready`" in running.shown


async def test_an_answer_that_was_lost_with_the_connection_is_given_again_without_another_search(
    tmp_path,
):
    transcript = tmp_path / "read"
    async with bridge(scripted("--transcript", transcript)) as running:
        line = await running.server.line()
        await line.admit()
        await line.begin()
        line.ask()
        await line.hear(BestMove)  # as it were: it never came
        await line.hang_up()
        line = await running.server.line()
        await line.greet()
        assert ("resume", "s3cret") in line.ids
        line.lobby("welcome name Fish account no resume s3cret")
        assert await line.hear(Accept) == Accept(0)
        await line.begin()
        line.ask(go=Go(50_000, 60_000))
        assert await line.hear(BestMove) == BestMove("g1f3")
        line.ask("g1f3", "g8f6")
        assert await line.hear(BestMove) == BestMove("f3g1")
        line.finish()
        await line.end()
        await line.hang_up()
    searches = [read for read in lines_of(transcript) if read.startswith("go ")]
    assert len(searches) == 2


async def test_an_engine_that_dies_again_and_again_is_given_up_and_the_server_is_told(tmp_path):
    async with bridge(scripted("--die-at-go", 1)) as running:
        line = await running.server.line()
        await line.admit()
        await line.begin()
        line.ask()
        report = await line.hear(Report)
        assert report.blame is Blame.CLIENT
        assert "Scripted 1.0 failed 4 times in a row" in report.text
        assert await line.end() == [Quit()]
        await line.hang_up()
    assert "failed 4 times in a row" in str(running.supervisor.failure)


async def test_an_engine_that_cannot_be_started_ends_it_before_any_server_is_called():
    async with bridge(ClientEngineSettings(("no-such-engine",))) as running:
        await running.done()
    assert "cannot start 'no-such-engine'" in str(running.supervisor.failure)


async def test_a_failed_copy_protection_ends_the_bridge():
    async with bridge(scripted("--copyprotection", "error")) as running:
        await running.done()
    assert "copyprotection error" in str(running.supervisor.failure)


# Servers that fail


async def test_it_comes_back_with_its_secret_and_gives_the_answer_that_it_found_meanwhile(tmp_path):
    transcript = tmp_path / "read"
    async with bridge(scripted("--wait", "--transcript", transcript)) as running:
        line = await running.server.line()
        await line.admit(resume="open-sesame")
        await line.begin()
        line.ask()
        while "go" not in lines_of(transcript)[-1]:
            await trio.testing.wait_all_tasks_blocked(0.01)
        await line.hang_up()
        line = await running.server.line()
        await line.greet()
        assert ("resume", "open-sesame") in line.ids
        line.lobby("welcome name Fish account no resume open-sesame")
        assert await line.hear(Accept) == Accept(0)
        line.lobby("error busy you are playing a game; finish it first")
        line.say(IsReady())
        await line.hear(ReadyOk)
        line.ask()
        line.say(Stop())
        assert await line.hear(BestMove) == BestMove("g1f3")
        line.finish()
        await line.end()
        await line.hang_up()
    assert sum(each.startswith("go ") for each in lines_of(transcript)) == 1
    assert "trying again in 0.25 s" in running.shown


async def test_during_a_game_every_disconnection_is_followed_by_a_quick_redial():
    async with bridge() as running:
        line = await running.server.line()
        await line.admit()
        await line.begin()
        for _ in range(3):
            await line.hang_up()
            line = await running.server.line()
            await line.greet()
            line.lobby("welcome name Fish account no resume s3cret")
            await line.hear(Accept)
        await line.begin()
        line.finish()
        await line.end()
        await line.hang_up()
    assert running.shown.count("trying again in 0.25 s") == 3


async def test_a_connection_that_breaks_before_the_first_welcome_is_dialled_again():
    async with bridge() as running:
        line = await running.server.line()
        await line.greet()
        await line.hang_up()
        line = await running.server.line()
        await line.admit()
        await line.begin()
        line.finish()
        await line.end()
        await line.hang_up()
    assert running.supervisor.failure is None


async def test_after_a_disconnection_with_an_open_seek_it_redials_at_once():
    async with bridge() as running:
        line = await running.server.line()
        await line.admit()
        for _ in range(3):
            await line.hang_up()
            line = await running.server.line()
            await line.greet()  # and lost again before it is welcome
        line.lobby("welcome name Fish account no resume s3cret")
        await line.hear(Seek)
        await line.begin()
        line.finish()
        await line.end()
        await line.hang_up()
    assert running.shown.count("trying again in 0.25 s") == 1
    assert running.shown.count("trying again in 0.5 s") == 1
    assert running.shown.count("trying again in 1 s") == 1


@pytest.mark.parametrize("welcome", [True, False], ids=["after the seek", "after the greeting"])
async def test_a_line_that_falls_silent_where_an_answer_is_due_is_dialled_again(
    welcome, mock_clock
):
    mock_clock.rate = 1.0
    async with bridge(hello=60.0) as running:
        line = await running.server.line()
        await line.admit()
        if not welcome:
            await line.hang_up()
            line = await running.server.line()
            await line.greet()
        mock_clock.jump(60.0)
        assert await line.end() == []
        await line.hang_up()
        line = await running.server.line()
        await line.admit()
        await line.begin()
        line.finish()
        await line.end()
        await line.hang_up()
    assert "no answer within 60 s" in running.shown


async def test_a_server_that_is_full_is_called_again_when_it_says():
    async with bridge() as running:
        line = await running.server.line()
        line.say(Report(Blame.SERVER, "this server is full; retry-after 1"))
        await line.hang_up()
        line = await running.server.line()
        await line.admit()
        await line.begin()
        line.finish()
        await line.end()
        await line.hang_up()
    assert running.supervisor.failure is None
    said = "closed the connection: this server is full"
    assert f"{said}; trying again in 1 s, as it asks" in running.shown


async def test_it_is_called_again_when_it_says_also_by_http(monkeypatch):
    refusals = [DialError("too many connections from your address", 1, 429)]
    dial = RemoteServer.dial

    @asynccontextmanager
    async def refused_once(server):
        if refusals:
            raise refusals.pop()
        async with dial(server) as peer:
            yield peer

    monkeypatch.setattr(RemoteServer, "dial", refused_once)
    async with bridge() as running:
        line = await running.server.line()
        await line.admit()
        await line.begin()
        line.finish()
        await line.end()
        await line.hang_up()
    assert (
        "too many connections from your address; trying again in 1 s, as it asks" in running.shown
    )
    assert running.supervisor.failure is None


async def test_a_game_lost_while_disconnected_counts_and_the_next_is_sought():
    async with bridge(games=2) as running:
        line = await running.server.line()
        await line.admit()
        await line.begin()
        await line.hang_up()
        line = await running.server.line()
        await line.greet()
        line.lobby("welcome name Fish account no resume other")
        await line.hear(Accept)
        line.lobby("error no-such-seek there is no seek 0")
        await line.hear(Seek)
        await line.begin(2)
        line.finish(2)
        assert await line.end() == [Quit()]
        await line.hang_up()
    assert "the game that was interrupted is over" in running.shown


async def test_a_server_that_cannot_be_reached_at_first_is_a_failure():
    with closed_port() as port:
        address = Address("tcp", "127.0.0.1", port)
        async with bridge(servers=(RemoteServer(address),)) as running:
            await running.done()
    assert isinstance(running.supervisor.failure, ServerError)
    assert f"cannot reach {address}" in str(running.supervisor.failure)


async def test_a_server_that_says_nothing_is_no_relay():
    async with bridge(hello=0.2) as running:
        line = await running.server.line()
        assert await line.end() == []
        await line.hang_up()
    assert "does not answer like a ULCI server: no `uci` within" in str(running.supervisor.failure)


async def test_a_server_that_hangs_up_at_once_may_be_another_kind_of_server():
    async with bridge() as running:
        line = await running.server.line()
        await line.hang_up()
    assert "closed by the other side; check the port and the scheme" in str(
        running.supervisor.failure
    )


async def test_a_server_that_rejects_us_is_not_called_again():
    async with bridge() as running:
        line = await running.server.line()
        await line.greet()
        line.say(Report(Blame.CLIENT, "this token is not known"))
        await line.hang_up()
        await running.done()
    assert "the server says: this token is not known" in running.shown
    assert isinstance(running.supervisor.failure, RejectedError)
    assert str(running.supervisor.failure) == (
        f"{running.server.address} rejects this engine: this token is not known"
    )


async def test_a_rejection_during_a_game_is_final():
    async with bridge() as running:
        line = await running.server.line()
        await line.admit()
        await line.begin()
        line.ask()
        line.say(Report(Blame.CLIENT, "you were kicked by Boss: it floods"), Quit())
        await line.hang_up()
        await running.done()
    assert "kicked by Boss: it floods" in str(running.supervisor.failure)
    assert isinstance(running.supervisor.failure, RejectedError)


@pytest.mark.parametrize("more", ["a search", "nothing"])
async def test_a_complaint_during_a_game_does_not_prevent_reconnection(more):
    async with bridge() as running:
        line = await running.server.line()
        await line.admit()
        await line.begin()
        line.say(Report(Blame.CLIENT, "bestmove e2e4 was said before; go is still open"))
        if more == "a search":
            line.ask()
            await line.hear(BestMove)
        await line.hang_up()
        line = await running.server.line()
        await line.greet()
        line.lobby("welcome name Fish account no resume s3cret")
        await line.hear(Accept)
        await line.begin()
        line.finish()
        await line.end()
        await line.hang_up()
    assert running.supervisor.failure is None


async def test_a_seek_that_is_refused_for_good_is_a_failure():
    async with bridge(terms=Terms(game="go")) as running:
        line = await running.server.line()
        await line.admit()
        line.lobby("error no-such-game there is no game go; there are: chess")
        assert await line.end() == [Quit()]
        await line.hang_up()
    assert "there is no game go" in str(running.supervisor.failure)
    assert isinstance(running.supervisor.failure, RejectedError)


async def test_a_server_that_says_goodbye_is_called_again_while_there_are_games_to_play():
    async with bridge() as running:
        line = await running.server.line()
        await line.admit()
        line.say(Quit())
        assert await line.end() == []
        await line.hang_up()
        line = await running.server.line()
        await line.admit()
        await line.begin()
        line.finish()
        assert await line.end() == [Quit()]
        await line.hang_up()
    assert ": the server says goodbye; trying again in 0.25 s" in running.shown
    assert running.supervisor.failure is None


async def test_nonsense_of_the_server_does_no_harm():
    async with bridge() as running:
        line = await running.server.line()
        await line.admit()
        line.lobby("weather fine and warm")
        line.lobby("game 99 over result 1-0 reason time")
        line.peer._sock.send(b"bestmove e2e4\x00\njoho\n")
        await line.begin()
        line.finish()
        await line.end()
        await line.hang_up()


# Leaving


async def test_asked_to_leave_while_it_seeks_it_takes_the_seek_back_first():
    async with bridge(games=None) as running:
        line = await running.server.line()
        await line.admit()
        running.supervisor.leave()
        await line.hear(Unseek)
        await line.hear(Seeks)
        line.lobby("gone 1")
        line.lobby("seeks 0")
        assert await line.end() == [Quit()]
        await line.hang_up()


async def test_asked_to_leave_it_gives_a_silent_server_some_time(monkeypatch):
    monkeypatch.setattr("ulci_client.bridge.seeking.LAST_WORDS", 0.2)
    async with bridge(games=None) as running:
        line = await running.server.line()
        await line.admit()
        running.supervisor.leave()
        assert await line.end() == [Unseek(), Seeks(), Quit()]
        await line.hang_up()


async def test_asked_to_leave_during_a_game_it_plays_to_the_end():
    async with bridge(games=None) as running:
        line = await running.server.line()
        await line.admit()
        await line.begin()
        running.supervisor.leave()
        line.ask()
        assert await line.hear(BestMove) == BestMove("g1f3")
        line.finish()
        assert await line.end() == [Quit()]
        await line.hang_up()


async def test_made_to_leave_during_a_game_it_says_goodbye_and_leaves_no_process():
    async with bridge(scripted("--wait"), games=None) as running:
        line = await running.server.line()
        await line.admit()
        await line.begin()
        line.ask()
        pid = running.player._engine.pid
        running.supervisor.depart()
        assert [each for each in await line.end() if not hasattr(each, "line")] == [Quit()]
        await line.hang_up()
        await running.done()
    assert not lives(pid)


async def test_made_to_leave_while_it_waits_for_the_server_to_come_back_it_does_not_wait():
    async with bridge(games=None) as running:
        line = await running.server.line()
        await line.admit()
        await line.hang_up()
        while "trying again" not in running.shown:
            await trio.testing.wait_all_tasks_blocked(0.01)
        running.supervisor.depart()
        await running.done()
    assert running.supervisor.failure is None


async def test_made_to_leave_before_the_engine_is_ready_it_does_not_wait():
    async with bridge(scripted("--no-uciok", start=600.0)) as running:
        await trio.testing.wait_all_tasks_blocked(0.01)
        running.supervisor.depart()
        await running.done()
    assert running.supervisor.failure is None


UTI_REFUSES = """
import sys
for line in sys.stdin:
    word = line.split()[0]
    answers = {"uti": "utiok", "isready": "readyok", "id": "name Grump", "quit": "quit"}
    if word in answers:
        print(answers[word], flush=True)
    elif word not in ("info", "newgame", "pos"):
        print("CommandNotKnowError SetboardIncorrect", flush=True)
"""


async def test_why_a_uti_engine_refuses_a_board_reaches_the_server_and_the_person():
    argv = (sys.executable, "-c", UTI_REFUSES)
    engine = ClientEngineSettings(argv, dialect="uti", **PATIENT)
    async with bridge(engine, terms=Terms(game="tictactoe")) as running:
        line = await running.server.line()
        await line.admit()
        await line.begin()
        line.say(Position("3/3/3 x 3"), Go(movetime=1000))
        report = await line.hear(Report)
        assert report.text == "CommandNotKnowError SetboardIncorrect: the board is incorrect"
        assert await line.hear(BestMove) == BestMove("0000")
        line.finish()
        await line.end()
        await line.hang_up()
    assert "Grump complains: CommandNotKnowError SetboardIncorrect" in running.shown


# Real engines


@needs_stockfish
async def test_a_real_engine_plays_and_ponders():
    options = ("Hash=1", "Threads=1")
    engine = ClientEngineSettings((STOCKFISH,), options=options, ponder=True, **PATIENT)
    async with bridge(engine) as running:
        line = await running.server.line()
        await line.admit()
        await line.begin()
        moves: list[str] = []
        board = chess.Board()
        for _ in range(6):
            line.ask(*moves, go=Go(1_000, 1_000, 10, 10))
            answer = await line.hear(BestMove)
            board.push_uci(answer.move)
            # One that was hardly let run expects nothing.
            reply = answer.ponder or next(iter(board.legal_moves)).uci()
            board.push_uci(reply)
            # every other time the expected answer, so that both a hit and a miss are played
            moves += [answer.move, reply]
        line.finish()
        await line.end()
        await line.hang_up()
    assert "engine > ponderhit" in running.spoken
    assert running.player.relay.due == math.inf


# A bot


def kept(engine: ClientEngineSettings, *more: EngineLine, **tables: object) -> dict[str, object]:
    """The settings of a bot by these tables of its file, with this engine."""
    config = Config.model_validate({"seek": {"when": "never"}, **tables})
    return {"bot": config, "engines": (EngineLine(engine), *more), "engine": engine}


async def challenged(line: Line, number: int, game: str = "chess") -> None:
    """Ada challenges it, and the answer is `accept`."""
    line.lobby(f"challenge {number} player Ada kind human game {game} time 60+1 rated no")
    assert await line.hear(Accept) == Accept(number)
    line.lobby(f"gone {number}")


async def test_a_bot_accepts_plays_greets_and_ends_with_its_last_game(tmp_path):
    settings = kept(scripted(), greeting={"begin": "Hello {opponent}.", "end": "Bye."})
    async with bridge(**settings) as running:
        line = await running.server.line()
        await line.greet()
        line.lobby("welcome name Fish account no resume s3cret")
        await challenged(line, 7)
        line.lobby("game 1 start white Fish black Ada game chess time 60+1 rated no")
        assert await line.hear(TellPlayer) == TellPlayer("Ada", "Hello Ada.")
        line.ask()
        assert await line.hear(BestMove) == BestMove("g1f3")
        line.finish()
        assert await line.end() == [TellPlayer("Ada", "Bye."), Quit()]
        await line.hang_up()


async def test_an_engine_that_dies_between_two_games_is_ready_for_the_next(tmp_path):
    engine = scripted("--die-at-go", 2, "--once", tmp_path / "died")
    async with bridge(**kept(engine), games=2) as running:
        line = await running.server.line()
        await line.greet()
        line.lobby("welcome name Fish account no resume s3cret")
        for number in (1, 2):
            await challenged(line, 6 + number)
            await line.begin(number)
            line.ask()
            assert await line.hear(BestMove) == BestMove("g1f3")
            line.ask("g1f3", "g8f6")
            assert await line.hear(BestMove) == BestMove("f3g1")
            line.finish(number)
        assert await line.end() == [Quit()]
        await line.hang_up()
    assert "what a pity" in running.shown


def installed(path: Path, *switches: object) -> None:
    """The scripted engine as a program of its own, by a rename as packages do it."""
    argv = " ".join(map(shlex.quote, (sys.executable, str(SCRIPT), *map(str, switches))))
    new = path.with_suffix(".new")
    new.write_text(f"#!/bin/sh\nexec {argv}\n")
    new.chmod(0o755)
    new.rename(path)


async def test_a_program_that_is_updated_is_started_anew_between_two_games(tmp_path):
    program, transcript = tmp_path / "engine", tmp_path / "read"
    installed(program)
    engine = ClientEngineSettings((str(program),), quit=0.3, **PATIENT)
    async with bridge(**kept(engine), games=2) as running:
        line = await running.server.line()
        await line.greet()
        line.lobby("welcome name Fish account no resume s3cret")
        await challenged(line, 7)
        await line.begin(1)
        installed(program, "--transcript", transcript)
        for _ in range(3):
            running.supervisor.look_at_program()  # not during a game
        line.ask()
        await line.hear(BestMove)
        assert lines_of(transcript) == []
        line.finish(1)

        def noticed() -> bool:
            running.supervisor.look_at_program()
            return "was updated" in running.shown

        await until(noticed, "the new program is seen", every=0.01)
        await challenged(line, 8)  # once the new one is ready
        assert lines_of(transcript)[0] == "uci"
        await line.begin(2)
        line.ask()
        assert await line.hear(BestMove) == BestMove("g1f3")
        line.finish(2)
        assert await line.end() == [Quit()]
        await line.hang_up()
    assert running.supervisor.failure is None


async def test_each_game_is_played_by_its_own_engine(tmp_path):
    chess, mnk = tmp_path / "chess", tmp_path / "mnk"
    first, second = scripted("--transcript", chess), scripted("--transcript", mnk)
    settings = kept(first)
    settings["engines"] = (EngineLine(first, ("chess",)), EngineLine(second, ("mnk",)))
    async with bridge(**settings, games=3) as running:
        line = await running.server.line()
        await line.greet()
        line.lobby("welcome name Fish account no resume s3cret")
        for number, game in enumerate(("mnk", "chess", "mnk"), 1):
            await challenged(line, 6 + number, game)
            line.lobby(f"game {number} start white Fish black Ada game {game} time 9 rated no")
            line.ask()
            assert await line.hear(BestMove) == BestMove("g1f3")
            line.finish(number)
        assert await line.end() == [Quit()]
        await line.hang_up()
    assert sum(said.startswith("go") for said in lines_of(chess)) == 1
    assert sum(said.startswith("go") for said in lines_of(mnk)) == 2
    assert running.supervisor.failure is None


async def test_after_a_suspension_it_dials_at_once_and_searches_with_the_time_that_is_left(
    tmp_path,
):
    transcript = tmp_path / "read"
    async with bridge(scripted("--transcript", transcript, "--wait")) as running:
        line = await running.server.line()
        await line.admit()
        await line.begin()
        line.ask()
        await until(lambda: "go " in " ".join(lines_of(transcript)), "it searches", every=0.01)
        running.supervisor.suspended(300.0)
        await line.end()
        await line.hang_up()
        line = await running.server.line()
        assert "this machine was suspended for 300 s; trying again in 0 s" in running.shown
        await line.greet()
        line.lobby("welcome name Fish account no resume s3cret")
        assert await line.hear(Accept) == Accept(0)
        line.lobby("error busy you are playing a game; finish it first")
        line.ask(go=Go(9_000, 60_000, 1_000, 1_000))
        line.say(Stop())
        assert await line.hear(BestMove) == BestMove("g1f3")
        line.finish()
        assert await line.end() == [Quit()]
        await line.hang_up()
    searches = [said for said in lines_of(transcript) if said.startswith("go")]
    assert [said.split()[2] for said in searches] == ["60000", "9000"]


async def test_a_suspension_ends_the_pause_before_dialling(tmp_path):
    async with bridge() as running:
        line = await running.server.line()
        await line.admit()
        line.say(Report(Blame.SERVER, "back soon; retry-after 3600"), Quit())
        await line.end()
        await line.hang_up()
        await until(lambda: running.player.progress.again_at is not None, "it waits", every=0.01)
        running.supervisor.suspended(7200.0)
        line = await running.server.line()
        await line.admit()
        await line.begin()
        line.ask()
        await line.hear(BestMove)
        line.finish()
        await line.end()
        await line.hang_up()


async def test_it_offers_a_draw_with_its_move():
    draw = {"offer": True, "after": 1, "moves": 1}
    async with bridge(**kept(scripted(), draw=draw)) as running:
        line = await running.server.line()
        await line.greet()
        line.lobby("welcome name Fish account no resume s3cret")
        await challenged(line, 7)
        await line.begin(1)
        line.ask()
        assert await line.hear(BestMove) == BestMove("g1f3")
        assert await line.hear(Draw) == Draw()
        line.finish()
        assert await line.end() == [Quit()]
        await line.hang_up()
    assert "offers a draw" in running.shown


# Several servers


async def test_while_the_first_server_is_down_it_plays_at_the_next():
    with closed_port() as port:
        nobody = Address("tcp", "127.0.0.1", port)
        async with fake_server() as up:
            servers = RemoteServer(nobody), RemoteServer(up.address)
            async with bridge(servers=servers) as running:
                line = await up.line()
                await line.admit()
                await line.begin()
                line.finish()
                await line.end()
                await line.hang_up()
    assert running.supervisor.failure is None
    assert f"cannot reach {nobody}" in running.shown
    assert f"; trying {up.address} in 0 s" in running.shown
    assert f"server - opened {up.address}" in running.spoken


async def test_if_no_server_can_be_reached_at_first_it_fails():
    with closed_port() as one, closed_port() as other:
        addresses = [Address("tcp", "127.0.0.1", port) for port in (one, other)]
        async with bridge(servers=tuple(map(RemoteServer, addresses))) as running:
            await running.done()
    assert isinstance(running.supervisor.failure, ServerError)
    assert f"cannot reach {addresses[0]}" in running.shown
    assert f"cannot reach {addresses[1]}" in str(running.supervisor.failure)


async def test_a_game_goes_on_at_another_server_of_the_cluster():
    async with fake_server() as one, fake_server() as other:
        servers = RemoteServer(one.address), RemoteServer(other.address)
        async with bridge(servers=servers) as running:
            line = await one.line()
            await line.admit()
            await line.begin()
            line.ask()
            assert await line.hear(BestMove) == BestMove("g1f3")
            await line.hang_up()
            line = await other.line()
            await line.greet()
            assert ("resume", "s3cret") in line.ids
            line.lobby("welcome name Fish account no resume s3cret")
            await line.hear(Accept)
            line.lobby("error busy you are playing")
            await line.begin()
            line.ask("g1f3", "g8f6")
            assert await line.hear(BestMove) == BestMove("f3g1")
            line.finish()
            assert await line.end() == [Quit()]
            await line.hang_up()
    assert running.supervisor.failure is None
    assert "does not know" not in running.shown


async def test_a_server_that_asks_for_a_pause_does_not_keep_it_from_the_others():
    async with fake_server() as full, fake_server() as other:
        servers = RemoteServer(full.address), RemoteServer(other.address)
        async with bridge(servers=servers) as running:
            line = await full.line()
            line.say(Report(Blame.SERVER, "this server is full, retry-after 1000"))
            await line.hang_up()
            line = await other.line()
            await line.admit()
            await line.begin()
            line.finish()
            await line.end()
            await line.hang_up()
    assert f"this server is full; trying {other.address} in 0 s" in running.shown


async def test_a_server_of_no_cluster_does_not_know_the_seat_and_that_is_said():
    async with fake_server() as one, fake_server() as other:
        servers = RemoteServer(one.address), RemoteServer(other.address)
        async with bridge(servers=servers, games=2) as running:
            line = await one.line()
            await line.admit()
            await line.begin()
            await line.hang_up()
            line = await other.line()
            await line.greet()
            line.lobby("welcome name Fish account no resume other")
            await line.hear(Accept)
            line.lobby("error no-such-seek there is no seek 0")
            await line.hear(Seek)
            await line.begin(2)
            line.finish(2)
            assert await line.end() == [Quit()]
            await line.hang_up()
    assert (
        f"{other.address} does not know the seat that was kept at {one.address}: only servers of"
        " one cluster know each other's players and games" in running.shown
    )
