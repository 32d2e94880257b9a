"""What the parts of a server tell others of a player is what they need."""

import trio

from ulci.protocol.messages import Option, OptionType


async def test_the_lobby_is_told_of_the_options_that_pairing_or_a_game_asks_for(
    cluster, autojump_clock
):
    lobby, other = await cluster.start("a"), await cluster.start("b")
    names = "Hash", "Skill Level", "UCI_Elo", "UCI_Variant", "UCI_Opponent", "SyzygyPath"
    await other.engine("Fish", *(Option(name, OptionType.STRING, "") for name in names))
    await trio.sleep(1)
    known = lobby.node.lobby_server.host.known("Fish")
    assert {*known.profile.options} == {"skill level", "uci_elo", "uci_variant", "uci_opponent"}
    [here] = other.node.edge.sessions.values()
    assert {*here.profile.options} == {name.lower() for name in names}
