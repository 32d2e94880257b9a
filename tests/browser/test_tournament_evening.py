"""An arena of people at their browsers: entered by the page, played and watched there."""

import re
from datetime import datetime, timedelta

import pytest

from tests.browser.conftest import pages_server
from tests.browser.pages import expect

pytestmark = [pytest.mark.system, pytest.mark.slow]

ARENA = 'name = "Evening"\nformat = "arena"\npool = "chess"\nminutes = 60\nopen = true\n'


@pytest.fixture
def server(tmp_path):
    with pages_server(tmp_path, "[web]\nembed = true\n") as running:
        description = tmp_path / "evening.toml"
        description.write_text(ARENA)
        running.run("tournament", "create", str(description), "--start")
        yield running


@pytest.fixture
def member(server, visit):
    """Somebody with an account, who came in by a link of the tournament's page."""

    def come_in(name: str):
        token = server.run("player", "add", name).strip()
        visitor = visit("/tournaments/evening")
        visitor.see("#facts", "begun")
        visitor.page.get_by_role("link", name="Enter", exact=True).click()
        visitor.see("#entering", "you need an account")
        visitor.page.get_by_label("Your name").fill(name)
        visitor.page.get_by_text("I have an account here").click()
        visitor.page.get_by_label("Token").fill(token)
        visitor.page.get_by_role("button", name="Enter", exact=True).click()
        return visitor

    return come_in


def test_an_arena_says_when_it_ends_and_that_nobody_has_entered(visit):
    visitor = visit("/tournaments/evening")
    visitor.see("#facts", re.compile("begun .* · ends .* · open to every account"))
    visitor.see("#no-entrants", "Nobody has entered yet.")
    assert visitor.page.locator("#ranks-part").is_hidden()
    found = visitor.get("/api/tournaments/evening")
    begun, ends = (datetime.fromisoformat(found[at]) for at in ("begun_at", "ends_at"))
    assert ends - begun == timedelta(minutes=60)


def test_people_enter_by_the_page_and_their_games_are_watched(server, member, visit):
    ada = member("Ada")
    ada.see("#lobby-note", "You play in evening")
    bob = member("Bob")
    for visitor in (ada, bob):
        visitor.begun()
    watcher = visit("/tournaments/evening")
    watcher.see("#followed [role=gridcell]")
    watcher.see("#live-count", "1")
    watcher.see("#duel-score", "Ada")
    assert watcher.page.locator("#no-entrants").is_hidden()
    ada.resign()
    watcher.see("#followed .status", "resign")
    watcher.see("#duel-score", re.compile("2 – 0|0 – 2"))


def test_who_has_not_moved_may_go_berserk_by_a_button(server, member):
    ada = member("Ada")
    bob = member("Bob")
    for visitor in (ada, bob):
        visitor.begun()
        assert not visitor.page.locator("#act-givetime").is_visible()
    ada.page.get_by_role("button", name="Berserk").click()
    ada.see("#table-note", "You play with half the time")
    bob.see("#table-note", "Ada goes berserk")
    expect(ada.page.locator("#act-berserk")).to_be_hidden()
    white, black = (ada, bob) if ada.status == "Your move" else (bob, ada)
    assert white.my_turn()
    white.click_move("e2e4")
    black.see("#table .status", "Your move")
    assert black.my_turn()
    black.click_move("e7e5")
    white.see("#table .status", "Your move")
    expect(bob.page.locator("#act-berserk")).to_be_hidden()


def test_who_enters_may_withdraw_by_a_button(server, member):
    ada = member("Ada")
    ada.see("#tournaments", "you play in it")
    ada.page.get_by_role("button", name="Withdraw: evening").press("Enter")
    ada.see("#lobby-note", "You play no more in evening")
    ada.page.get_by_role("button", name="Enter: evening").press("Enter")
    ada.see("#lobby-note", "You play in evening")


def test_a_guest_is_told_what_an_entry_needs(server, visit):
    visitor = visit("/tournaments/evening")
    visitor.see("#facts", "begun")
    visitor.page.get_by_role("link", name="Enter", exact=True).click()
    visitor.come_in("Eve")
    visitor.see("#lobby-note", "you need an account")
    visitor.see("#tournaments", "evening")
    assert visitor.page.get_by_role("button", name="Enter: evening").count() == 0


def test_it_is_shown_in_a_frame_that_may_only_run_scripts(server, member):
    ada, bob = member("Ada"), member("Bob")
    for visitor in (ada, bob):
        visitor.begun()
    address = f"http://127.0.0.1:{server.port('ws')}/embed/tournaments/evening"
    body = f'<iframe sandbox="allow-scripts" height="900" src="{address}"></iframe>'
    other = "http://other.test/"
    ada.page.route(f"{other}**", lambda route: route.fulfill(content_type="text/html", body=body))
    ada.page.goto(other)
    frame = ada.page.frame_locator("iframe")
    frame.locator("#followed .status", has_text="White to move").wait_for()
    frame.locator("#duel-score", has_text="Bob").wait_for()
