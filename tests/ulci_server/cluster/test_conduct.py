"""A game has the conduct that its lobby offered, whichever servers it is at."""

import trio

from tests.support.cluster import people
from ulci.protocol.messages import Rematch, Resign, Takeback
from ulci_server.game import Conduct


async def test_the_conduct_is_that_of_the_lobby_and_moves_with_the_game(cluster, autojump_clock):
    await cluster.start("a", conduct=Conduct(takeback=False, rematch=False))
    b, c, d = [await cluster.start(name) for name in "bcd"]  # whose pool is another
    ada, bob = await people(c, d)
    await ada.move("e2e4")
    forbidden = "error forbidden no moves are taken back in this game"
    ada.say(Takeback())
    await ada.hear_line(forbidden)
    owners = [server for server in (b, c, d) if server.hall.tables]
    owners[0].kill()
    await trio.sleep(10)
    survivor = bob if owners[0] is c else ada
    survivor.say(Takeback())
    await survivor.hear_line(forbidden)
    survivor.say(Resign())
    await survivor.hear_line("game 1 over")
    await survivor.get_ready()
    survivor.say(Rematch())
    await survivor.hear_line("error forbidden there is no rematch of this game")
