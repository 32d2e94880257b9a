"""A bridge and a GUI know several servers; the one in use is killed."""

import socket
import sys
from pathlib import Path

import pytest

from tests.support import scripted_engine
from tests.support.bridges import bridged
from tests.support.clients import Client
from tests.support.guis import gui, remote
from tests.support.hosting import connection
from tests.support.servers import Server, serving, until
from ulci.net import Address, dial
from ulci.protocol.messages import Resign, Seek, Terms

pytestmark = pytest.mark.system

TCP = "--listen=tcp://127.0.0.1:0"


def address(server: Server) -> str:
    return f"tcp://127.0.0.1:{server.port()}"


async def resign(bob: Client) -> None:
    """A server that is to end waits for its games."""
    bob.say(Resign())
    await bob.hear_line("game 1 over")


async def test_a_bridge_whose_server_is_killed_seeks_at_the_next_which_does_not_know_its_game(
    tmp_path: Path,
) -> None:
    folders = tmp_path / "one", tmp_path / "other"
    for folder in folders:
        folder.mkdir()
    engine = (sys.executable, scripted_engine.__file__)
    with serving(folders[1], TCP) as other:
        one = Server(folders[0], TCP)
        one.start()
        there, here = address(one), address(other)
        options = ("--server", there, "--server", here, "--time", "600", "--color", "white")
        with bridged(tmp_path, "bridge", *options, "--", *engine) as bridge:
            async with dial(Address.parse(there), connection) as peer:
                bob = Client(peer)
                await bob.introduce_person("Bob")
                bob.say(Seek(Terms(color="black", time="600")))
                await bob.get_ready()
                await bob.be_asked()
                one.kill()
            async with dial(Address.parse(here), connection) as peer:
                bob = Client(peer)
                await bob.introduce_person("Bob")
                bob.say(Seek(Terms(color="black", time="600")))
                await bob.get_ready()
                await resign(bob)
            lost = f"lost the connection to {there}: "
            assert lost in bridge.shown
            assert f"; trying {here} in 0" in bridge.shown  # a share of 0.25 s by chance
            assert (
                f"{here} does not know the seat that was kept at {there}: only servers of one"
                " cluster know each other's players and games" in bridge.shown
            )
            assert "the game that was interrupted is over" in bridge.shown
            await until(lambda: bridge.said(f"server - opened {here}") == 1, "that is logged")


async def test_a_gui_may_name_a_server_that_is_down_before_one_that_is_not(tmp_path: Path) -> None:
    # Nobody listens at a port that is taken.
    with serving(tmp_path, TCP) as server, socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        down = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        up = address(server)
        async with remote(server) as bob, gui(server, "--opponent", "Bob") as engine:
            await bob.join()
            await engine.say("uci")
            await engine.hear("uciok")
            await engine.say(f"setoption name Server value {down},{up}", "isready")
            await engine.hear("readyok")
            await engine.move("e2e4")
            said = await engine.hear("info string cannot reach")
            assert said.startswith(f"info string cannot reach {down}")
            assert f"; trying {up} in 0." in said
            await bob.accept()
            await bob.get_ready()
            assert await engine.end() == 0
            await resign(bob)
