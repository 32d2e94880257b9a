"""A person chooses the strength of an engine of the server."""

import json
import sys

import pytest

from tests.browser.conftest import pages_server
from tests.browser.pages import expect

pytestmark = [pytest.mark.system, pytest.mark.slow]

ENGINE = f"""
[[engine]]
name = "House"
command = {json.dumps([sys.executable, "-m", "ulci_client.house_engine"])}
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with pages_server(tmp_path_factory.mktemp("server"), ENGINE) as running:
        yield running


def test_the_level_of_an_engine_is_chosen_with_the_game_and_shown_with_its_name(visit):
    ada = visit("/play")
    ada.come_in("Ada")
    ada.see("#players", "House engine, levels 1 to 8")
    level = ada.page.get_by_label("Level")
    levels = ["1 (weakest)", *"234567", "8 (strongest)"]
    expect(level.locator("option")).to_have_text(["full strength", *levels])
    level.select_option("2")
    ada.choose("chess", "white", "300+3")
    ada.press("Play the computer")
    ada.begun()
    ada.see("#table-board", "House level 2")
    assert ada.my_turn()
    ada.resign()
    ada.see("#table-note", "You lost")
    number = ada.game
    game = ada.get(f"/api/games/{number}")
    assert (game["black"]["name"], game["black"]["level"]) == ("House", 2)
    watcher = visit(f"/games/{number}")
    watcher.see("#title", "Ada – House level 2")


def test_a_level_leaves_a_challenge_to_a_person_as_it_is_chosen(server, opponent, visit):
    token = server.run("player", "add", "Kim").strip()
    lars = opponent("Lars")
    kim = visit("/play")
    kim.page.get_by_label("Your name").fill("Kim")
    kim.page.get_by_text("I have an account here").click()
    kim.page.get_by_label("Token").fill(token)
    kim.come_in("Kim")
    kim.see("#players", "levels 1 to 8")
    kim.page.get_by_label("Level").select_option("3")
    kim.page.get_by_label("Rated").check()
    kim.page.get_by_role("button", name="Challenge Lars").click()
    line = lars.hear("lobby challenge", "player Kim ")
    assert " rated yes " in line
    assert "level" not in line


def test_an_engine_is_challenged_at_the_chosen_level(visit):
    bob = visit("/play")
    bob.come_in("Bob")
    bob.see("#players", "levels 1 to 8")
    bob.page.get_by_label("Level").select_option("8")
    bob.page.get_by_role("button", name="Challenge House").click()
    bob.begun()
    bob.see("#table-board", "House level 8")
    bob.resign()
