"""An engine of one server, played at a level by a person of another."""

import trio

from ulci.protocol.messages import BestMove, Option, OptionType, Seek, SetOption, Terms
from ulci_server.lobby import Profile, ServerProgram

SKILL = Option("Skill Level", OptionType.SPIN, "20", 0, 20)
FISH = Profile(
    "Fish",
    "",
    pool="chess",
    options={"skill level": SKILL},
    program=ServerProgram(("human",), levels=True),
)


async def test_an_engine_of_another_server_plays_at_a_level_also_after_the_owner_of_the_game_dies(
    cluster, autojump_clock
):
    a, b, c = [await cluster.start(name) for name in "abc"]
    fish = await c.program(FISH)
    ada = await b.person("Ada")
    await trio.sleep(1)
    players = (await a.site.ask("/api/players")).json["players"]
    assert {player["name"]: player["levels"] for player in players} == {"Fish": 8, "Ada": 0}
    ada.say(Seek(Terms(time="60+1", color="white", level=3)))
    for player in (ada, fish):
        await player.get_ready()
    assert "black-level 3" in await ada.hear_line("game 1 start")
    told = [said for said in fish.heard if isinstance(said, SetOption)]
    assert told == [SetOption("Skill Level", "6")]
    assert [*b.hall.tables] == [1]
    await ada.move("e2e4")
    await fish.be_asked()
    b.kill()
    await trio.sleep(5)
    [table] = [server.hall.tables[1] for server in (a, c) if server.hall.tables]
    assert table.agreement.level == 3
    assert [seat.level for seat in table.game.started.seats] == [None, 3]
    fish.say(BestMove("e7e5"))
    await trio.sleep(1)
    assert [*table.game.moves] == ["e2e4", "e7e5"]
