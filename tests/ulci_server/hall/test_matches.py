"""Matches in the hall: no accept between the games, and nobody waits for ever for a colour."""

from ulci.protocol.messages import (
    Accept,
    BestMove,
    Challenge,
    ChooseColor,
    Info,
    Resign,
    Score,
    Terms,
    Watch,
)
from ulci_server.lobby.matches import CHOICE_TIME


async def test_the_next_game_of_a_match_begins_without_a_word_of_either(autojump_clock, server):
    async with server() as h:
        ada, bob = await h.person("Ada"), await h.person("Bob")
        ada.say(Challenge("Bob", Terms(games=2)))
        await bob.hear_line("challenge")
        bob.say(Accept(1))
        for number in (1, 2):
            await ada.hear_line(f"match 1 game {number} of 2 player Bob")
            await ada.get_ready()
            await bob.get_ready()
            ada.say(Resign())
            await ada.hear_line(f"game {number} over")
            await ada.get_ready()
            await bob.hear_line(f"game {number} over")
            await bob.get_ready()
        assert await bob.hear_line("match 1 over") == "match 1 over played 2 reason complete"


async def test_a_color_that_is_never_said_frees_the_other(autojump_clock, server):
    async with server() as h:
        ada, fish = await h.person("Ada"), await h.engine("Fish")
        ada.say(Challenge("Fish", Terms(color="later")))
        await ada.hear_line("match 2 game 1 of 1 player Fish chooser Ada within 180000")
        began = autojump_clock.current_time()
        assert await ada.hear_line("match 2 over") == "match 2 over played 0 reason late"
        assert autojump_clock.current_time() - began == CHOICE_TIME
        # It waits in its pool again.
        ada.say(Challenge("Fish", Terms(color="later")))
        await ada.hear_line("match")
        ada.say(ChooseColor("black"))
        await fish.get_ready()
        await ada.get_ready()
        await fish.be_asked()


async def test_a_player_may_be_shown_what_the_opponents_program_thinks(autojump_clock, server):
    async with server(delay=3.0) as h:
        ada, fish = await h.person("Ada"), await h.engine("Fish")
        ada.say(Challenge("Fish", Terms(color="black")))
        await fish.get_ready()
        await ada.get_ready()
        ada.say(Watch(1))
        await ada.hear_line("watch 1 white Fish black Ada")
        await fish.be_asked()
        thought = Info(depth=7, score=Score(cp=20), pv=("e2e4",))
        fish.say(thought)
        fish.say(BestMove("e2e4"))
        assert await ada.hear(Info) == thought
        assert not any(isinstance(message, Info) for message in fish.heard)
