"""How much strangers may say to one player."""

import pytest
import trio

from ulci.protocol.messages import (
    Accept,
    Challenge,
    Decline,
    Id,
    Seek,
    TellPlayer,
    Terms,
)
from ulci_server.hall.strangers import MOST_KNOWN, STRANGERS_BURST, Strangers


def heard(strangers: Strangers, *by: str, to: str = "Ada", at: float = 0.0) -> int:
    """How many of these may speak to her."""
    return sum(not strangers.wait(one, to, at) for one in by)


def crowd(count: int) -> list[str]:
    return [f"stranger{number}" for number in range(count)]


def test_strangers_together_say_so_much_at_once_and_more_later():
    strangers = Strangers()
    assert heard(strangers, *crowd(1000)) == STRANGERS_BURST
    assert 0 < strangers.wait("one", "Ada", 0.0) <= 1
    assert heard(strangers, *crowd(1000), at=10.0) == 20
    assert heard(strangers, "one", to="Bob") == 1


def test_who_was_spoken_to_or_played_is_no_stranger():
    strangers = Strangers()
    strangers.wait("Ada", "Bob", 0.0)
    strangers.know("Ada", "Cy")
    heard(strangers, *crowd(1000))
    assert heard(strangers, "Bob", "Cy", "Dan") == 2
    assert heard(strangers, *["Bob"] * 1000) == 1000


def test_one_whom_the_other_only_heard_is_still_a_stranger():
    strangers = Strangers()
    assert heard(strangers, *["Bob"] * 1000) == STRANGERS_BURST


def test_so_many_acquaintances_are_remembered_and_the_newest_first():
    strangers = Strangers()
    for number in range(MOST_KNOWN + 1):
        strangers.wait("Ada", f"friend{number}", 0.0)
    heard(strangers, *crowd(1000))
    assert heard(strangers, "friend0", f"friend{MOST_KNOWN}") == 1


def test_who_has_gone_knows_nobody_any_more():
    strangers = Strangers()
    strangers.wait("Ada", "Bob", 0.0)
    strangers.forget("Ada")
    strangers.forget("Nobody")
    heard(strangers, *crowd(1000))
    assert heard(strangers, "Bob") == 0


def refusals(client) -> int:
    lines = [" ".join(m.words) for m in client.heard if hasattr(m, "words")]
    return sum(line.startswith("error too-many-strangers") for line in lines)


@pytest.fixture
def slowly():
    """Longer than anybody is refused for."""
    return 20.0


async def test_ten_addresses_cannot_fill_a_screen(autojump_clock, server, slowly):
    async with server() as h:
        ada = await h.person("Ada")
        trolls = [await h.person(f"troll{n}x", host=f"192.0.2.{n}") for n in range(1, 11)]
        for troll in trolls:
            for _ in range(20):
                troll.say(TellPlayer("Ada", "hello"))
            troll.say(TellPlayer("Nobody", "done"))
        for troll in trolls:
            await troll.hear_line("error no-such-player")
        assert sum(map(refusals, trolls)) == 200 - STRANGERS_BURST
        assert "Ada hears from too many strangers; retry-after 1" in str(trolls[-1].heard)
        for _ in range(STRANGERS_BURST):
            await ada.hear_line("tell troll")
        await trio.sleep(slowly)
        trolls[0].say(TellPlayer("Ada", "how are you?"))
        assert await ada.hear_line("tell") == "tell troll1x how are you?"


async def test_a_program_that_hears_no_challenge_may_be_challenged_by_everybody(
    autojump_clock, server
):
    async with server() as h:
        await h.engines()
        for number in range(STRANGERS_BURST + 2):
            one = await h.person(f"one{number}x")
            one.say(Challenge("A", Terms()))
            assert await one.hear_line("error") == "error busy A is playing"


async def test_an_engine_of_the_lobby_hears_every_challenge(autojump_clock, server):
    async with server() as h:
        bot = await h.engine("Bot", Id("feature", "lobby"))
        for number in range(STRANGERS_BURST + 2):
            one = await h.person(f"one{number}x")
            one.say(Challenge("Bot", Terms()))
            offer = await bot.hear_line("challenge")
            bot.say(Decline(int(offer.split()[1])))
            await one.hear_line("declined")


async def test_the_same_for_challenges_and_whom_she_answers_gets_through(
    autojump_clock, server, slowly
):
    async with server() as h:
        ada, bob = await h.person("Ada"), await h.person("Bob")
        ada.say(TellPlayer("Bob", "are you there?"))
        await bob.hear_line("tell")
        for number in range(STRANGERS_BURST):
            one = await h.person(f"one{number}x")
            one.say(Challenge("Ada", Terms()))
            offer = await ada.hear_line("challenge")
            ada.say(Decline(int(offer.split()[1])))
        cy = await h.person("Cy")
        cy.say(Challenge("Ada", Terms()))
        await cy.hear_line("error too-many-strangers")
        bob.say(TellPlayer("Ada", "yes"))
        assert await ada.hear_line("tell") == "tell Bob yes"
        ada.say(Seek(Terms()))
        offer = await cy.hear_line("seek")
        cy.say(Accept(int(offer.split()[1])))
        await ada.hear_line("game 1 start")
        cy.say(TellPlayer("Ada", "good luck"))
        assert await ada.hear_line("tell") == "tell Cy good luck"
