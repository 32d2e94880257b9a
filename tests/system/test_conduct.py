"""A pool's conduct from its configuration to its players, over a restart of the server."""

from pathlib import Path

import pytest

from tests.support.clients import Client
from tests.support.hosting import config, hosting
from ulci.protocol.messages import Abort, GiveTime, Rematch, Resign, Seek, Takeback, Terms
from ulci_server.config import Config
from ulci_server.storage import Database

pytestmark = pytest.mark.system

FORBIDDEN = {"abort": False, "takeback": False, "givetime": False, "rematch": False}
WORDS = "no-abort,no-takeback,no-givetime,no-rematch"


def settings(url: str) -> Config:
    return config(url, grace=0, pool=[{"name": "cup", "time": "300+3", "conduct": FORBIDDEN}])


async def refuses(player: Client) -> None:
    """All that is forbidden during the game is refused."""
    for command, why in (
        (Abort(), "this game cannot be aborted"),
        (Takeback(), "no moves are taken back"),
        (GiveTime(15_000), "no time is given"),
    ):
        player.say(command)
        await player.hear_line(f"error forbidden {why}")


async def test_what_a_pool_forbids_is_refused_before_and_after_a_restart(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/games.db"
    async with hosting(settings(url)) as hosted, hosted.client() as ada, hosted.client() as bob:
        secret = await ada.introduce_person("Ada")
        await bob.introduce_person("Bob")
        ada.say(Seek(Terms(color="white")))
        assert (await bob.hear_line("seek 1")).endswith(f"conduct {WORDS}")
        bob.say(Seek(Terms(color="black")))
        await ada.get_ready()
        await bob.get_ready()
        assert (await ada.hear_line("game 1 start")).endswith(f"conduct {WORDS}")
        await ada.move("e2e4")
        await refuses(ada)
        hosted.shutdown.ask()
        await ada.hear_line("game 1 paused")
    async with hosting(config(url, grace=0)) as hosted, hosted.client() as ada:
        await ada.come_back("Ada", secret)
        await ada.get_ready()
        assert (await ada.hear_line("game 1 start")).endswith(f"conduct {WORDS}")
        await refuses(ada)
        ada.say(Resign())
        await ada.hear_line("game 1 over result 0-1 reason resignation")
    database = Database(url)
    [game] = database.games.find()
    assert game.conduct == WORDS
    database.close()


async def test_there_is_no_rematch_in_such_a_pool(tmp_path: Path) -> None:
    async with hosting(settings("memory:")) as hosted, hosted.game() as (ada, bob):
        bob.say(Resign())
        await ada.hear_line("game 1 over result 1-0")
        await ada.get_ready()
        ada.say(Rematch())
        await ada.hear_line("error forbidden there is no rematch of this game")
