"""The clients play with what is left of Python on other systems than Linux, taken away here."""

import sys

import pytest

from tests.support.strange_server import Machine, strange_server

pytestmark = pytest.mark.system

HOUSE = (sys.executable, "-m", "ulci_client.house_engine", "--dialect", "ulci")


@pytest.fixture(params=["darwin", "win32"])
def machine(request, tmp_path) -> Machine:
    return Machine(tmp_path, request.param)


async def test_an_engine_plays_at_the_bridge(machine):
    async with strange_server() as server:
        argv = ("--server", server.address, "--games", "1", "--wire-log", "wire.log", "--", *HOUSE)
        async with machine.running("bridge", *argv) as program:
            await server.admit("Fish")
            await server.hear("seek")
            await server.say(
                "lobby game 1 start white Fish black Ada game chess time 60+1 rated no",
                "ucinewgame", "isready",
            )  # fmt: skip
            await server.hear("readyok")
            await server.say("position startpos", "go wtime 1000 btime 1000")
            await server.hear("bestmove ")
            await server.say("lobby game 1 over result 1-0 reason resignation", "isready")
            await server.hear("quit")
            await server.close()
            assert await program.ended() == 0
        assert b"Traceback" not in program.output
    assert "bestmove " in (machine.work / "wire.log").read_text()


async def test_a_person_plays_by_plain_lines(machine):
    async with (
        strange_server() as server,
        machine.running("play", "--plain", "--server", server.address, "--name", "Ada") as program,
    ):
        await server.admit("Ada")
        await server.say(
            "lobby game 1 start white Ada black Bob game chess time 60+1 rated no",
            "ucinewgame", "isready", "position startpos", "go wtime 60000 btime 60000",
        )  # fmt: skip
        await server.hear("readyok")
        await program.type("e4")
        await server.hear("bestmove e2e4")
        await program.type("quit", "yes")
        await server.hear("quit")
        await program.ended()
    assert b"Traceback" not in program.output


async def test_a_gui_plays_at_the_opponent(machine):
    async with (
        strange_server() as server,
        machine.running("opponent", "--server", server.address, "--opponent", "Bob") as program,
    ):
        await program.type("uci", "ucinewgame", "isready")
        await server.admit("GUI")
        await server.hear("challenge")
        await server.say(
            "lobby game 1 start white GUI black Bob game chess time 60+1 rated no", "ucinewgame",
            "isready",
        )  # fmt: skip
        await server.hear("readyok")
        await program.shows("readyok")
        await program.type("position startpos moves e2e4", "go")
        await server.say("position startpos", "go wtime 60000 btime 60000")
        await server.hear("bestmove e2e4")
        await server.say("position startpos moves e2e4 e7e5", "go wtime 60000 btime 60000")
        await program.shows("bestmove e7e5")
        await program.type("quit")
        assert await program.ended() == 0
    assert b"Traceback" not in program.output
