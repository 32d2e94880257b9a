"""The ways between pages: back to one's game, to the page that plays, and to players."""

import re

import pytest

from tests.browser.conftest import PHONE, pages_server
from tests.browser.pages import Visitor

pytestmark = [pytest.mark.system, pytest.mark.slow]

MORE = '[clients]\nsign_up = "open"\n'
PASSWORD = "correct horse"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with pages_server(tmp_path_factory.mktemp("server"), MORE) as running:
        yield running


def finished(opponent, white: str, black: str) -> str:
    """A game of the two, which White has resigned; its number."""
    first, second = opponent(white), opponent(black)
    number = first.play(second)
    first.move("e2e4")
    second.move("e7e5")
    first.hear("go ")
    first.say("resign")
    first.hear("lobby game", " over ")
    return number


def test_each_page_leads_back_to_the_game_that_one_plays(visit, opponent):
    visitor = visit("/play")
    visitor.come_in("Amy")
    rival = opponent("Ben")
    visitor.play_against(rival)
    visitor.click_move("e2e4")
    rival.move("e7e5")
    visitor.said_move(2)
    number = visitor.game
    for path in ("/analysis", "/players", "/players/Ben", "/account", f"/games/{number}"):
        visitor.page.goto(path)
        visitor.page.get_by_role("link", name="Back to your game").click()
        visitor.begun()
        assert visitor.game == number
    visitor.resign()
    visitor.see("#act-leave")


def test_a_game_that_one_looks_at_leads_to_the_page_that_plays(visit, opponent):
    number = finished(opponent, "Cal", "Dan")
    visitor = visit(f"/games/{number}")
    visitor.page.get_by_role("link", name="Analyse").click()
    visitor.page.get_by_role("link", name="Play", exact=True).click()
    visitor.see("#enter-form")
    for path in (f"/games/{number}", "/players", "/players/Cal", "/tournaments"):
        visitor.page.goto(path)
        visitor.see("header a.play", "Play")


def test_where_nobody_plays_on_the_page_no_way_leads_there(chromium, tmp_path):
    with pages_server(tmp_path, '[web]\nserve = "watch"\n') as running:
        context = chromium.new_context(base_url=f"http://127.0.0.1:{running.port('ws')}")
        visitor = Visitor(context.new_page())
        with visitor.page.expect_response("**/api/server"):
            visitor.page.goto("/players")
        visitor.see("h1")
        assert not visitor.page.locator("header a.play").is_visible()
        assert visitor.faults == []
        context.close()


def test_names_on_small_boards_and_beside_the_board_lead_to_the_players(visit, opponent):
    eva, fay = opponent("Eva"), opponent("Fay")
    number = eva.play(fay)
    visitor = visit("/")
    visitor.see(".game-card", "Eva")
    small = visitor.page.locator(".game-card", has_text="Eva")
    small.get_by_role("link", name="Eva", exact=True).click()
    visitor.see("h1", "Eva")
    visitor.page.goto("/")
    visitor.see(".game-card", "Fay")
    small.click()
    visitor.see("[role=gridcell]")
    assert visitor.page.url.endswith(f"/games/{number}")
    visitor.page.locator(".player-bar").get_by_role("link", name="Fay", exact=True).click()
    visitor.see("h1", "Fay")


def test_a_time_is_told_as_people_say_it_wherever_a_game_is_named(visit, opponent):
    visitor = visit("/play")
    visitor.come_in("Meg")
    rival = opponent("Ned")
    rival.say("seek game chess time 180+2")
    visitor.see("#seeks", "Chess · 3+2")
    quick = opponent("Oda")
    quick.say("seek game chess time 5+0.05")
    visitor.see("#seeks", "Chess · 5 s+0.05")
    visitor.page.locator("#seeks").get_by_role("button", name="Play: Ned").click()
    visitor.see("#table-facts", "Chess · 3+2")
    visitor.begun()
    watcher = visit("/")
    watcher.see(".game-card", "Chess · 3+2")
    visitor.resign()
    visitor.see("#act-leave")
    watcher.see("#finished tr", "3+2")
    watcher.page.goto(f"/games/{visitor.game}")
    watcher.see("#facts", "Chess · 3+2 · ")
    watcher.page.goto("/players/Meg")
    watcher.see("#games tr", "3+2")


def test_beside_the_own_board_a_name_opens_a_tab_of_its_own(visit, opponent):
    visitor = visit("/play")
    visitor.come_in("Gil")
    visitor.play_against(opponent("Hue"))
    with visitor.page.context.expect_page() as opened:
        visitor.page.locator(".player-bar").get_by_role("link", name="Hue").click()
    looked = Visitor(opened.value)
    looked.see("h1", "Hue")
    visitor.see(".status", "Your move")
    visitor.see(".player-bar", "Gil (you)")
    visitor.resign()
    visitor.see("#act-leave")


def test_on_a_phone_a_challenge_after_the_game_comes_into_sight(visit, opponent):
    visitor = visit("/play", PHONE)
    visitor.come_in("Ike")
    rival = opponent("Joy")
    visitor.play_against(rival)
    visitor.resign()
    visitor.see("#table-note", "You lost")
    rival.hear("lobby game", " over ")
    rival.say("rematch")
    accept = visitor.page.get_by_role("button", name=re.compile("Accept: Joy"))
    accept.wait_for()
    # At its middle is the button, not the bar that covers the end of the screen.
    visitor.until("""(() => {
        const button = document.querySelector("#challenges button");
        const box = button.getBoundingClientRect();
        return document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2) === button;
    })()""")
    accept.click()
    visitor.see(".status", "The opponent's move")
    visitor.resign()
    visitor.see("#act-leave")


def test_whoever_is_signed_in_goes_on_with_the_game_after_a_reload_and_in_another_tab(
    visit, opponent
):
    visitor = visit("/account")
    form = visitor.page.locator("#up-form")
    form.get_by_label("New name").fill("Kit")
    form.get_by_label("New password").fill(PASSWORD)
    form.get_by_role("button").click()
    visitor.see("#me", "Kit")
    visitor.page.goto("/play")
    visitor.see("#signed-in", "You are signed in as Kit")
    visitor.press("Enter")
    visitor.see("#lobby-title")
    visitor.name = "Kit"
    rival = opponent("Lou")
    visitor.play_against(rival)
    visitor.click_move("e2e4")
    rival.move("e7e5")
    visitor.said_move(2)
    number = visitor.game
    visitor.page.reload()
    visitor.said_move(2)
    assert visitor.my_turn()
    visitor.click_move("g1f3")
    rival.move("b8c6")
    visitor.said_move(4)
    assert visitor.game == number
    other = Visitor(visitor.page.context.new_page())
    other.page.goto("/account")
    other.page.get_by_role("link", name="Back to your game").click()
    other.said_move(4)
    assert other.game == number
    assert other.my_turn()
    other.click_move("f1b5")
    rival.move("g8f6")
    other.said_move(6)
    assert other.get(f"/api/games/{number}")["white"]["name"] == "Kit"
    other.resign()
    other.see(".status", "Black won by resignation")
    assert other.faults == []
