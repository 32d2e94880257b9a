"""Who has not come back after a restart keeps the seat, hears nothing, and can be sent away."""

import trio.testing

from tests.ulci_server.hall.test_admin import ask, root
from ulci.protocol.messages import Id, Lobby, Say, Seek, Terms
from ulci.rules import Side
from ulci_server.game import GameFinished


async def half_resumed(h, **kwargs):
    """Another server with the game of Ada and Bob; only Ada is back."""
    ada, _ = await h.people()
    await ada.be_asked()
    later = await h.resumed(**kwargs)
    again = await later.back("Ada", ada.secret)
    await again.get_ready()
    await again.hear_line("game 1 resumed")
    return later, again


async def test_a_chat_with_an_absent_player_is_refused_to_nobody(autojump_clock, server):
    async with server() as h:
        _, ada = await half_resumed(h)
        ada.say(Say("are you there?"))
        await trio.testing.wait_all_tasks_blocked()
        assert not [m for m in ada.heard if isinstance(m, Lobby) and m.words[0] == "error"]


async def test_an_absent_player_who_is_banned_has_left_for_good(
    autojump_clock, server, authenticator, database
):
    async with server(authenticator=authenticator) as h:
        ada = await h.person("", Id("token", "ada-token"))
        cy = await h.person("Cy")
        for person, color in ((ada, "white"), (cy, "black")):
            person.say(Seek(Terms(color=color)))
            await trio.testing.wait_all_tasks_blocked()
        await ada.get_ready()
        await cy.get_ready()
        for person, move in ((ada, "e2e4"), (cy, "e7e5")):
            await person.move(move)
        await ada.be_asked()
        later = await h.resumed(authenticator=authenticator, database=database)
        again = await later.back("Cy", cy.secret)
        await again.get_ready()
        admin = await root(later)
        await ask(admin, "ban Ada 1h cheating")
        await trio.testing.wait_all_tasks_blocked()
        [end] = later.journal.kinds(GameFinished)
        assert end.outcome.winner is Side.BLACK
        assert end.detail == "White (Ada) left: banned by Root: cheating"


async def test_an_absent_player_leaves_the_lobby_with_the_end_of_the_game(autojump_clock, server):
    async with server() as h:
        later, _ = await half_resumed(h)
        assert {member.handle for member in later.hall.present} == {"Ada", "Bob"}
        await trio.sleep(300)
        assert {member.handle for member in later.hall.present} == {"Ada"}
