"""An opponent is found by touch alone and by the keyboard alone."""

import json
import re
import sys

import pytest

from tests.browser.conftest import CHESS, pages_server
from tests.browser.pages import Visitor

pytestmark = [pytest.mark.system, pytest.mark.slow]

ENGINE = f"""
[[engine]]
name = "House"
command = {json.dumps([sys.executable, "-m", "ulci_client.house_engine"])}
"""


ENGINE_IS_THERE = """
fetch('/api/players').then((answer) => answer.json())
  .then(({ players }) => players.some(({ levels }) => levels))
"""
"""Else the lobby shows it some 20 s later."""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """One for all tests here, who therefore come in under different names."""
    with pages_server(tmp_path_factory.mktemp("server"), ENGINE, CHESS) as running:
        yield running


@pytest.fixture
def enter(come):
    """Opens the page to play, and enters."""

    def come_in(name: str, path: str = "/play", when: str = "true", **options):
        hand = come(path, **options)
        hand.visitor.until(when)
        hand.visitor.name = f"{name}{type(hand).__name__}"
        hand.fill("Your name", hand.visitor.name)
        hand.send("Enter")
        return hand

    return come_in


def resign(hand) -> None:
    hand.press("Resign")
    hand.answer("Resign")
    hand.visitor.see("#table .status", "by resignation")


def test_the_computer_is_played_in_a_chosen_game_at_a_chosen_level_and_time(enter):
    ada = enter("Ada", when=ENGINE_IS_THERE)
    ada.visitor.see("#level-part")
    ada.check("10 minutes and 5 seconds a move")
    ada.check(re.compile("^White"))
    ada.unfold("more games")
    for game in ("Crazyhouse", "Tic-tac-toe"):
        ada.check(re.compile(f"^{game}"))
        picture = ada.page.locator(f".game-choice:has(:checked):has-text('{game}') .game-board")
        assert picture.bounding_box()["width"] >= 60
    ada.check(re.compile("^Chess [^9]"))
    ada.choose("Level", "2")
    ada.press("Play the computer")
    ada.visitor.begun()
    ada.visitor.see("#table-board", "House level 2")
    assert ada.visitor.my_turn()
    ada.move("e2e4")
    ada.visitor.said_move(2)
    game = ada.visitor.get(f"/api/games/{ada.visitor.game}")
    assert (game["control"], game["rules"]) == ("600+5", "chess")
    resign(ada)
    ada.press("To the lobby")
    ada.visitor.see("#lobby-title")


def test_a_friend_is_invited_by_a_link_that_is_copied_and_takes_it(enter):
    clipboard = {"permissions": ["clipboard-read", "clipboard-write"]}
    bea = enter("Bea", **clipboard)
    bea.check("another time, in minutes and seconds")
    bea.fill("Minutes", "7.5")
    bea.fill("Seconds a move", "4")
    bea.check(re.compile("^White"))
    bea.press("Invite a friend")
    bea.visitor.see("#invitation-text", "you play White")
    bea.press("Withdraw the invitation")
    bea.page.locator("#invitation-part").wait_for(state="hidden")
    bea.press("Invite a friend")
    bea.press("Copy the link")
    bea.visitor.see("#invitation-copied", "Copied.")
    link = bea.page.evaluate("navigator.clipboard.readText()")
    cid = enter("Cid", link)
    for hand in (bea, cid):
        hand.visitor.begun()
    assert bea.visitor.my_turn()
    assert cid.visitor.get(f"/api/games/{cid.visitor.game}")["control"] == "450+4"
    resign(cid)


def test_a_seek_with_odds_lives_through_a_reload_and_is_withdrawn(enter, opponent):
    dan = enter("Dan")
    eve = opponent(f"Eve{type(dan).__name__}")
    dan.unfold("Odds, other clocks")
    dan.fill("Time as text", "5m|3m")
    dan.press("Play anybody")
    dan.visitor.see("#own", "300|180")
    assert " time 300|180 " in eve.hear("lobby seek", f"player {dan.visitor.name} ")
    dan.page.reload()
    dan.visitor.see("#lobby-note", "your seeks are open again")
    dan.visitor.see("#own", "300|180")
    dan.press(re.compile("^Withdraw: Your .*300"))
    dan.page.locator("#own-part").wait_for(state="hidden")
    eve.say("seek color black")
    dan.press(re.compile(f"^Play: {eve.name}"))
    dan.visitor.see("#table .status", "Your move")
    resign(dan)


def test_a_challenge_is_made_by_name_declined_and_accepted(enter):
    fay = enter("Fay")
    fay.visitor.see("#lobby-title")
    gus = enter("Gus")
    gus.visitor.see("#players", fay.visitor.name)
    gus.fill("Challenge by name", fay.visitor.name)
    gus.send("Challenge")
    fay.press(re.compile(f"^Decline: {gus.visitor.name}"))
    gus.visitor.see("#lobby-note", "declined your challenge")
    gus.press(f"Challenge {fay.visitor.name}")
    fay.press(re.compile(f"^Accept: {gus.visitor.name}"))
    for hand in (fay, gus):
        hand.visitor.begun()
    resign(fay)


def test_each_page_leads_back_to_the_game(enter, opponent):
    hal = enter("Hal")
    ida = opponent(f"Ida{type(hal).__name__}")
    ida.say("seek color black")
    hal.press(re.compile(f"^Play: {ida.name}"))
    assert hal.visitor.my_turn()
    # A game in which both have moved is not aborted when a player leaves.
    hal.move("e2e4")
    ida.move("e7e5")
    hal.visitor.said_move(2)
    hal.page.goto("/")
    hal.follow("Back to your game")
    hal.visitor.see("#table .status", "Your move")
    assert hal.visitor.my_turn()
    other = type(hal)(Visitor(hal.page.context.new_page()))
    other.page.goto("/play")
    other.press("Back to your game")
    other.visitor.see("#table .status", "Your move")
    assert other.visitor.my_turn()
    resign(other)
    assert not other.visitor.faults
