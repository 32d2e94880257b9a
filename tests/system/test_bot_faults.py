"""Whatever befalls a bot, its real engine makes the next move of the same game."""

import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import chess
import pytest
import trio

from tests.support.bots import BotFile, Challenger, bot, challenger, here
from tests.support.bridges import Bridge, wire
from tests.support.servers import Server, program, serving, until
from ulci.protocol.lobby.lines import GameStart, MatchOver
from ulci.protocol.messages import BestMove, Position, Terms

pytestmark = [pytest.mark.system, pytest.mark.slow]

# Kings behind locked pawns: nothing ends the game early.
LOCKED = "8/8/k7/p1p1p1p1/P1P1P1P1/8/8/K7 w - - 0 1"

FILE = BotFile(
    """
server = "tcp://127.0.0.1:{port}"
token_file = "{folder}/bot.token"
[[engine]]
command = ["{folder}/engine"]
options = {{ Hash = 8, "Move Overhead" = 500 }}
ping_timeout = 5.0
[seek]
when = "never"
""",
    "engine.ping_timeout",
)

CHESS = Terms("chess", "60+1")

SUSPENDED = 15.0
"""Seconds for which the machine sleeps."""


@contextmanager
def hosting(folder: Path) -> Iterator[Server]:
    """A server where Fish has an account; its engine is a copy of Stockfish."""
    shutil.copy(program("stockfish"), folder / "engine")
    config = folder / "server.toml"
    config.write_text('listen = [{ address = "tcp://127.0.0.1:0" }]\nshutdown = { grace = 0 }\n')
    with serving(folder, "--config", str(config)) as server:
        token = folder / "bot.token"
        token.touch(0o600)
        token.write_text(server.run("player", "add", "Fish", "--kind", "engine"))
        yield server


async def plays(ada: Challenger, time: str, games: int = 1) -> None:
    """They begin: Ada has White, and has moved."""
    await ada.plays("Fish", Terms("chess", time, color="white", start=LOCKED, games=games))
    await moves(ada)


async def moves(ada: Challenger) -> None:
    """Ada, who is asked, or will be, moves."""
    ada.say(BestMove(new_move(await ada.asked())))


def new_move(position: Position) -> str:
    """A legal one that repeats no position."""
    board = chess.Board(position.start or chess.STARTING_FEN)
    for move in position.moves:
        board.push_uci(move)
    for move in board.legal_moves:
        board.push(move)
        if not board.is_repetition(2):
            return move.uci()
        board.pop()
    raise AssertionError(f"nothing new in {board.fen()}")


def engine_of(bridge: Bridge) -> int:
    [pid] = bridge.processes()
    return pid


async def test_an_engine_that_crashes_hangs_or_is_updated_costs_no_move(tmp_path):
    with hosting(tmp_path) as server, bot(server, FILE, folder=tmp_path) as bridge:
        await here(bridge)
        async with challenger(server.port(), "Ada") as ada:
            await plays(ada, "14+1")
            await moves(ada)
            # It crashes in its search, and on Ada's time.
            os.kill(engine_of(bridge), signal.SIGSEGV)
            await moves(ada)
            await ada.asked()
            os.kill(engine_of(bridge), signal.SIGSEGV)
            ada.say(BestMove(new_move(ada.place)))
            await moves(ada)
            # It hangs.
            os.kill(engine_of(bridge), signal.SIGSTOP)
            await ada.asked()
            assert "was killed by SIGSEGV" in bridge.shown
            assert "it hangs in its search" in bridge.shown
            await ada.resign()
            # Its program is replaced while it waits.
            script = tmp_path / "engine.new"
            script.write_text(f"#!/bin/sh\nexec {program('stockfish')}\n")
            script.chmod(0o755)
            before = engine_of(bridge)
            script.replace(tmp_path / "engine")
            await until(lambda: "was updated: starting it anew" in bridge.shown, "it is seen")
            await plays(ada, "14+1")
            await ada.asked()
            assert engine_of(bridge) != before
        assert [game["reason"] for game in server.games("--finished")] == ["resignation"]


async def asleep(bridge: Bridge) -> None:
    """All of it stands still, as on a machine that is suspended."""
    stopped = [bridge.process.pid, *bridge.processes()]
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    await trio.sleep(SUSPENDED)
    for pid in stopped:
        os.kill(pid, signal.SIGCONT)


async def test_a_line_that_is_cut_and_a_machine_that_sleeps_cost_no_move_and_no_match(tmp_path):
    with hosting(tmp_path) as server:
        port = server.port()
        async with (
            wire(port) as line,
            challenger(port, "Ada") as ada,
            challenger(port, "Eve") as eve,
        ):
            with bot(server, FILE, port=line.port, folder=tmp_path) as bridge:
                await here(bridge)
                await plays(ada, "30+0.1", games=2)
                await moves(ada)
                line.cut()
                await moves(ada)
                await ada.asked()
                assert line.calls == 2
                ada.say(BestMove(new_move(ada.place)))
                await asleep(bridge)
                await moves(ada)
                await ada.asked()
                # The next game of the match begins by itself, and nobody comes between.
                await ada.resign()
                why = await eve.declined("Fish", CHESS)
                assert why == "I play a game already; try again later"
                await ada.line(GameStart)
                await moves(ada)
                await ada.asked()
                await ada.resign()
                await ada.line(MatchOver)
                await eve.plays("Fish", CHESS)
        assert "Traceback" not in bridge.shown
        assert len(server.games("--finished")) >= 2


async def test_a_bot_and_a_server_that_are_killed_cost_no_move_of_a_match(tmp_path):
    with hosting(tmp_path) as server:
        port = server.port()
        words = {"port": port, "folder": tmp_path}
        async with challenger(port, "Ada") as ada:
            with bot(server, FILE, **words) as bridge:
                await here(bridge)
                await plays(ada, "30+0.1", games=3)
                await moves(ada)
            with bot(server, FILE, **words) as bridge:
                await moves(ada)
                await ada.asked()
                assert "is known to the server as Fish" in bridge.shown
                # The match goes on with the bot that was started in it.
                await ada.resign()
                await ada.line(GameStart)
                await moves(ada)
                await ada.asked()
                server.kill()
                server.options = (*server.options, "--listen", f"tcp://127.0.0.1:{port}")
                server.start()
                async with challenger(port, "Ada", resume=ada.secret) as again:
                    await moves(again)
                    await moves(again)
                    await again.asked()
                    # With the server ended the match: the bot is free behind its game.
                    await again.resign()
                    await again.plays("Fish", CHESS)
        assert "Traceback" not in bridge.shown
