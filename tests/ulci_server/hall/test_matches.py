"""Matches in the hall: no accept between the games, and nobody waits for ever for a colour."""

import pytest
import trio

from ulci.protocol.messages import (
    Accept,
    BestMove,
    Challenge,
    ChooseColor,
    Info,
    Lobby,
    Resign,
    Score,
    Terms,
    Unseek,
    Watch,
)
from ulci_server.lobby.matches import CHOICE_TIME_OF_PROGRAM


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


async def test_who_reconnects_is_told_of_the_match_again(autojump_clock, server):
    async with server() as h:
        ada, bob = await h.person("Ada"), await h.person("Bob")
        ada.say(Challenge("Bob", Terms(games=3)))
        await bob.hear_line("challenge")
        bob.say(Accept(1))
        for client in (ada, bob):
            await client.hear_line("match 1 game 1 of 3")
            await client.get_ready()
        bob.peer.cut("the line is lost")
        again = await h.back("Bob", bob.secret)
        assert await again.hear_line("match") == "match 1 game 1 of 3 player Ada"
        await again.get_ready()
        ada.say(Resign())
        await ada.get_ready()
        await again.hear_line("game 1 over")
        await again.get_ready()
        assert await again.hear_line("match") == "match 1 game 2 of 3 player Ada"


async def test_who_reconnects_is_told_of_no_match_that_was_ended_meanwhile(autojump_clock, server):
    async with server() as h:
        ada, bob = await h.person("Ada"), await h.person("Bob")
        ada.say(Challenge("Bob", Terms(games=3)))
        await bob.hear_line("challenge")
        bob.say(Accept(1))
        for client in (ada, bob):
            await client.hear_line("match 1 game 1 of 3")
            await client.get_ready()
        bob.peer.cut("the line is lost")
        ada.say(Unseek())
        await ada.hear_line("match 1 over")
        again = await h.back("Bob", bob.secret)
        await again.get_ready()
        said = [message.words[0] for message in again.heard if isinstance(message, Lobby)]
        assert said[0] == "welcome"
        assert "match" not in said


async def test_a_color_that_is_never_said_frees_the_other(autojump_clock, server):
    async with server() as h:
        ada, fish = await h.person("Ada"), await h.engine("Fish")
        ada.say(Challenge("Fish", Terms(color="later")))
        await ada.hear_line("match 2 game 1 of 1 player Fish chooser Ada within 60000")
        began = autojump_clock.current_time()
        assert await ada.hear_line("match 2 over") == "match 2 over played 0 reason late"
        assert autojump_clock.current_time() - began == CHOICE_TIME_OF_PROGRAM
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


@pytest.mark.parametrize("ends", ["shutdown", "trouble"])
async def test_who_waits_for_a_color_is_told_that_none_will_come(autojump_clock, server, ends):
    async with server() as h:
        ada, bob = await h.person("Ada"), await h.person("Bob")
        ada.say(Challenge("Bob", Terms(color="later")))
        await bob.hear_line("challenge")
        bob.say(Accept(1))
        await bob.hear_line("match 1 game 1 of 1")
        if ends == "shutdown":
            await h.hall.closing.drain(trio.CancelScope(), 30, "shutting down", keeps=True)
        else:
            h.hall.trouble("the disk is full")
        for client in (ada, bob):
            line = await client.hear_line("match 1 over")
            assert line == "match 1 over played 0 reason closed"
