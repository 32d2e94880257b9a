"""Players, accounts and tournaments by touch alone and by the keyboard alone."""

import re

import pytest

from tests.browser.conftest import pages_server

pytestmark = [pytest.mark.system, pytest.mark.slow]

ARENA = 'name = "Evening"\nformat = "arena"\npool = "chess"\nminutes = 60\nopen = true\n'
PASSWORD = "correct horse"


@pytest.fixture
def server(tmp_path):
    with pages_server(tmp_path, '[clients]\nsign_up = "open"\n') as running:
        yield running


def test_a_player_is_found_by_a_game_among_the_leaders_and_by_name(come, opponent, server):
    for pool, name in (("chess", "Max"), ("blitz", "Mia")):
        server.run("player", "add", name)
        server.run("player", "anchor", name, pool, "1800")
    ada, bob = opponent("Ada"), opponent("Bob")
    ada.play(bob)
    ada.move("e2e4")
    bob.hear("go ")
    bob.say("resign")
    ada.hear("lobby game", " over ")
    cat = come("/")
    cat.visitor.see("#finished a", "Ada")
    cat.follow("Ada")
    cat.visitor.see("#title", "Ada")
    cat.visitor.see("#opponents a", "Bob")
    cat.follow(re.compile(", game 1:"))
    cat.visitor.see("[role=gridcell]")
    cat.follow("Bob")
    cat.visitor.see("#title", "Bob")
    cat.follow("Players")
    cat.visitor.see("#leaders", "Mia")
    cat.choose("Pool", "chess (1)")
    cat.follow("Max")
    cat.visitor.see("#ratings", "1800")
    cat.page.goto("/players")
    cat.fill("Name", "Ada")
    cat.send("Show")
    cat.visitor.see("#title", "Ada")


def test_a_game_is_watched_and_talked_about(come, opponent):
    ada, bob = opponent("Ada"), opponent("Bob")
    ada.play(bob)
    eve = come("/")
    eve.follow(re.compile("Ada.*Bob"))
    eve.visitor.see("#talk-hint", "The players are not shown it")
    eve.fill("Your name", "Eve")
    eve.fill("Say to the spectators", "who is better?")
    eve.send("Say")
    eve.visitor.see("#chat li", "Eve who is better?")
    ada.move("e2e4")
    eve.visitor.said_move(1)


def test_an_account_is_made_left_and_used_and_a_token_made_and_revoked(come):
    dan = come("/account")
    name = f"Dan{type(dan).__name__}"
    dan.fill("New name", name)
    dan.fill("New password", PASSWORD)
    dan.send("Make the account")
    dan.visitor.see("#me", name)
    dan.fill("What it is for", "laptop")
    dan.send("Make a token")
    dan.visitor.see("#made")
    token = dan.page.get_by_label("New token, shown only now").input_value()
    assert token.startswith("ulci_")
    dan.press("Revoke laptop")
    dan.answer("Keep it")
    dan.press("Revoke laptop")
    dan.answer("Revoke")
    dan.visitor.see("#no-tokens", "You have none.")
    dan.fill("Old password", PASSWORD)
    dan.fill("New password", f"{PASSWORD} battery")
    dan.press("Change it")
    dan.visitor.see("#done", "Your password is changed")
    dan.press("Sign out")
    dan.visitor.see("#in-title")
    dan.fill("Name", name)
    dan.fill("Password", f"{PASSWORD} battery")
    dan.send("Sign in")
    dan.visitor.see("#me", name)
    dan.follow("Play")
    dan.visitor.see("#signed-in", name)
    dan.press("Enter")
    dan.visitor.see("#rated-part")


@pytest.fixture
def member(server, come):
    """Somebody with an account, who came in by a link of the tournament's page."""

    def come_in(name: str):
        token = server.run("player", "add", name).strip()
        hand = come("/")
        hand.follow("Tournaments")
        hand.follow("Evening")
        hand.visitor.see("#facts", "begun")
        hand.follow("Enter")
        hand.fill("Your name", name)
        hand.unfold("I have an account here")
        hand.fill("Token", token)
        hand.send("Enter")
        return hand

    return come_in


def test_a_tournament_is_entered_left_and_played_with_half_the_time(member, server):
    description = server.folder / "evening.toml"
    description.write_text(ARENA)
    server.run("tournament", "create", str(description), "--start")
    mia = member("Mia")
    mia.visitor.see("#lobby-note", "You play in evening")
    mia.press("Withdraw: evening")
    mia.visitor.see("#lobby-note", "You play no more in evening")
    mia.press("Enter: evening")
    mia.visitor.see("#lobby-note", "You play in evening")
    ned = member("Ned")
    for hand in (mia, ned):
        hand.visitor.until("!document.querySelector('#table').hidden")
        hand.visitor.begun()
    mia.press("Berserk")
    mia.visitor.see("#table-note", "You play with half the time")
    ned.visitor.see("#table-note", "goes berserk")
    path = f"/api/games/{mia.visitor.game}"
    mia.press("Resign")
    mia.answer("Resign")  # and the next game begins at once, perhaps
    mia.visitor.until(
        f"fetch('{path}').then((answer) => answer.json())"
        ".then(({ reason }) => reason === 'resignation')"
    )
