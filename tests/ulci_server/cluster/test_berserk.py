"""Berserk is said at any server of a cluster, whichever the table is at."""

from tests.support.cluster import people
from ulci.protocol.messages import Berserk, BestMove
from ulci_server.game import Conduct


async def test_a_player_at_another_server_than_the_table_goes_berserk(cluster, autojump_clock):
    await cluster.start("a", conduct=Conduct(berserk=True))
    c, d = await cluster.start("c"), await cluster.start("d")
    ada, bob = await people(c, d)
    await ada.be_asked()
    for player, side, name in ((bob, "black", "Bob"), (ada, "white", "Ada")):
        player.say(Berserk())
        for one in (ada, bob):
            await one.hear_line(f"game 1 berserk {side} from {name}")
    ada.say(Berserk())
    await ada.hear_line("error berserk-said")
    ada.say(BestMove("e2e4"))
    asked = await bob.be_asked()
    assert asked.btime == 30_000
    assert not asked.binc
    assert asked.wtime <= 30_000
