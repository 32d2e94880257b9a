"""Ratings on the page: of who is here, of offers, and of the players of a game."""

import pytest

from tests.browser.conftest import pages_server

pytestmark = [pytest.mark.system, pytest.mark.slow]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with pages_server(tmp_path_factory.mktemp("server")) as running:
        yield running


def test_ratings_are_shown_with_players_offers_and_games(server, opponent, visit):
    token = server.run("player", "add", "Kim").strip()
    server.run("player", "anchor", "Kim", "chess", "1812")
    kim = visit("/play")
    kim.page.get_by_label("Your name").fill("Kim")
    kim.page.get_by_text("I have an account here").click()
    kim.page.get_by_label("Token").fill(token)
    kim.come_in("Kim")
    ada = visit("/play")
    ada.come_in("Ada")
    ada.see("#players", "Kim rating 1812")
    kim.seek("chess", "white")
    ada.see("#seeks", "rating 1812 · ")
    ada.accept()
    for visitor in (ada, kim):
        visitor.begun()
        visitor.see("#table-board", "rating 1812")
    game = ada.get(f"/api/games/{ada.game}")
    assert (game["white"]["rating"], game["black"]["rating"]) == (1812, None)
    visit(f"/games/{ada.game}").see("main", "rating 1812")


def test_a_range_is_told_with_an_offer(server, opponent, visit):
    lars = opponent("Lars")
    lars.say("seek game chess range 1500-1800")
    lars.hear("lobby seek", "player Lars")
    eve = visit("/play")
    eve.come_in("Eve")
    eve.see("#seeks", "seeks a rating of 1500 to 1800")


def test_a_person_seeks_an_opponent_in_a_range_of_ratings(server, opponent, visit):
    lars = opponent("Lars")
    lars.say("seeks")
    eve = visit("/play")
    eve.come_in("Eve")
    form = eve.page.locator("#seek-form")
    form.locator("#more-terms > summary").click()
    form.get_by_label("Rating from").fill("1800")
    form.get_by_label("to", exact=True).fill("1500")
    eve.seek("chess")
    eve.see("#lobby-note", "two numbers, the lower one first")
    form.get_by_label("to", exact=True).fill("")
    eve.seek("chess")
    assert " range 1800-9999" in lars.hear("lobby seek", "player Eve")
    eve.see("#own", "seeks a rating of 1800 to 9999")
    eve.page.get_by_role("button", name="Challenge Lars").click()
    assert "range" not in lars.hear("lobby challenge", "player Eve")
