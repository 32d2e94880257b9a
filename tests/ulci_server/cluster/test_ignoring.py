"""Who is ignored is not heard, whichever servers the two and their game are at."""

import trio

from tests.support.cluster import people
from ulci.protocol.messages import Accept, Challenge, Id, Ignore, Ignored, Say, TellPlayer, Terms


async def test_nobody_hears_an_ignored_opponent_at_another_server_who_is_told_so(
    cluster, autojump_clock
):
    a, b, c = [await cluster.start(name) for name in "abc"]
    ada, bob = await b.person("Ada"), await c.person("Bob")
    ada.say(Challenge("Bob", Terms(time="60+1")))
    bob.say(Accept(int((await bob.hear_line("challenge")).split()[1])))
    for player in (ada, bob):
        await player.get_ready()
    ada.say(Ignore("Bob"))
    await ada.hear_line("ignore Bob")
    bob.say(Say("you play badly"), TellPlayer("Ada", "very badly"))
    for _ in range(2):
        assert await bob.hear_line("error") == "error ignored Ada ignores you"
    ada.say(Say("good game"))
    assert await bob.hear_line("say") == "say Ada good game"
    assert not any("badly" in str(message) for message in ada.heard)
    assert [*a.hall.tables, *b.hall.tables, *c.hall.tables] == [1]


async def test_a_new_lobby_knows_who_is_ignored_and_so_does_another_server(cluster, autojump_clock):
    a, b, c = [await cluster.start(name) for name in "abc"]
    ada, bob = await people(b, c)
    ada.say(Ignore("Bob"))
    await ada.hear_line("ignore Bob")
    a.kill()
    await trio.sleep(4)
    bob.say(TellPlayer("Ada", "hello"))
    await bob.hear_line("error ignored")
    ada.peer.cut("the line is lost")
    await trio.sleep(1)
    ada = await c.person("Ada", Id("resume", ada.secret))
    bob.say(TellPlayer("Ada", "hello"))
    await bob.hear_line("error ignored")
    ada.say(Ignored())
    assert await ada.hear_line("ignored") == "ignored 1"
