"""What players say at another server than that of their game reaches the game."""

import trio

from tests.support.cluster import people
from ulci.protocol.messages import (
    Accept,
    BestMove,
    Blame,
    Id,
    Info,
    Report,
    Score,
    Seek,
    Stop,
    Takeback,
    Terms,
    Watch,
)
from ulci.rules import Side


async def at_two_servers(cluster):
    """The server of the game, where Ada is, and Bob somewhere else."""
    a, b = await cluster.start("a"), await cluster.start("b", owns=False)
    ada, bob = await people(a, b)
    await ada.move("e2e4")
    await bob.be_asked()
    [table] = a.hall.tables.values()
    return a, table, ada, bob


async def test_an_answer_to_a_question_that_was_taken_back_is_known_as_said(
    cluster, autojump_clock
):
    _, table, ada, bob = await at_two_servers(cluster)
    ada.say(Takeback())
    await bob.hear_line("game 1 offer takeback")
    bob.say(Takeback())
    await bob.hear(Stop)
    bob.say(BestMove("a7a5"))
    await ada.be_asked()
    await trio.sleep(1)
    assert table.game.repeats(Side.BLACK, "a7a5")


async def test_an_error_that_a_program_reports_is_stored(cluster, autojump_clock):
    a, _, _, bob = await at_two_servers(cluster)
    bob.say(Report(Blame.SERVER, "this position is wrong"))
    await trio.sleep(1)
    [report] = a.database.games.reports(1)
    assert (report.side, report.source) == (Side.BLACK, "player")
    assert "this position is wrong" in report.text


async def test_a_program_that_hangs_is_shown_as_hung_and_as_thinking_when_it_answers(
    cluster, autojump_clock
):
    a, b = await cluster.start("a"), await cluster.start("b", owns=False)
    white, ada = await b.engine("Fish", Id("feature", "lobby")), await a.person("Ada")
    await white.hear_line("welcome")
    white.say(Seek(Terms(time="60+1", color="white")))
    ada.say(Accept(int((await ada.hear_line("seek")).split()[1])))
    for player in (white, ada):
        await player.get_ready()
    await white.be_asked()
    await ada.hear_line("game 1 opponent hung")
    await white.get_ready()
    await ada.hear_line("game 1 opponent thinking")


async def test_a_player_is_shown_what_the_opponents_program_thinks_while_it_wants_that(
    cluster, autojump_clock
):
    _, _, ada, bob = await at_two_servers(cluster)
    bob.say(Watch(1))
    bob.say(BestMove("e7e5"))
    await ada.be_asked()
    ada.say(Info(depth=5, score=Score(cp=30), pv=("g1f3",)))
    ada.say(BestMove("g1f3"))
    await bob.be_asked()
    shown = await bob.hear(Info)
    assert shown.pv == ("g1f3",)
