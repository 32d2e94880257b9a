"""Pages of players: who they are, what they have played, and what their names cannot do."""

import os
import re
from pathlib import Path

import pytest

from tests.browser.conftest import DESKTOP, PHONE, pages_server
from tests.browser.pages import Visitor, expect, in_both_schemes, judged
from tests.browser.test_watching import let_go, wait_for_ever

pytestmark = [pytest.mark.system, pytest.mark.slow]

SCREENSHOTS = "ULCI_TEST_SCREENSHOTS"

DIRECTED = '[tournaments]\ndirectors = ["Dee"]\n'


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with pages_server(tmp_path_factory.mktemp("server"), DIRECTED) as running:
        yield running


def keep(visitor: Visitor, name: str) -> None:
    if folder := os.environ.get(SCREENSHOTS):
        visitor.page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


def beat(winner, loser) -> str:
    """A finished game of the two; its number."""
    number = winner.play(loser, "game tictactoe")
    for square, answer in (("b2", "a1"), ("a3", "c1"), ("b3", "b1")):
        winner.move(square)
        loser.move(answer)
    winner.hear("lobby game", " over ")
    return number


def test_from_a_list_one_comes_to_a_player_its_opponents_and_its_games(visit, opponent):
    cat, dog = opponent("Cat"), opponent("Dog")
    number = beat(cat, dog)
    visitor = visit("/")
    visitor.page.locator("#finished").get_by_role("link", name="Cat").first.click()
    visitor.see("h1", "Cat")
    visitor.see("#guest", "A guest has no account here")
    visitor.see("#results", "Tic-tac-toe")
    visitor.see("#games tr")
    visitor.page.locator("#opponents").get_by_role("link", name="Dog").click()
    visitor.see("h1", "Dog")
    visitor.page.locator("#games .result a").first.click()
    visitor.page.wait_for_url(f"**/games/{number}")
    visitor.see("[role=gridcell]")
    visitor.page.get_by_role("heading", level=1).get_by_role("link", name="Cat").click()
    visitor.see("h1", "Cat")


def test_a_player_in_the_lobby_is_looked_at_in_a_tab_of_its_own(visit, opponent):
    rival = opponent("Eel")
    visitor = visit("/play")
    visitor.come_in("Fay")
    link = visitor.page.locator("#players").get_by_role("link", name="Eel")
    expect(link).to_have_attribute("target", "_blank")
    expect(link).to_have_attribute("rel", "noopener")
    rival.say("seek color black")
    visitor.page.locator("#seeks").get_by_role("link", name="Eel").wait_for()


def test_an_unknown_player_has_a_page_that_says_so(visit):
    visitor = visit("/players")
    visitor.page.get_by_role("searchbox", name="Name").fill("No/body?")
    visitor.page.get_by_role("button", name="Show").click()
    visitor.see("h1", "Not Found")
    visitor.see("main", "'No/body?' has no account here and has played no game.")


def test_leaders_are_shown_by_pool(visit, server):
    for number, name in enumerate(("Max", "Mia")):
        server.run("player", "add", name)
        server.run("player", "anchor", name, "chess", str(1800 + number))
    server.run("player", "anchor", "Max", "blitz", "1500")
    visitor = visit("/players")
    visitor.see("#leaders", "Mia")
    names = visitor.page.locator("#leaders th")
    expect(names).to_have_text([re.compile("^Mia"), re.compile("^Max")])
    visitor.page.get_by_label("Pool").select_option("blitz")
    expect(visitor.page.locator("#leaders tr")).to_have_count(1)
    visitor.page.wait_for_url("**?pool=blitz")
    visitor.page.get_by_role("link", name="Max").click()
    visitor.see("h1", "Max")
    visitor.see("#ratings", "1500")
    visitor.see("#ratings", "1800")


def test_the_pool_that_was_chosen_last_is_shown_whichever_is_answered_first(visit, server):
    for name, pool in (("Pat", "rapid"), ("Quin", "bullet")):
        server.run("player", "add", name)
        server.run("player", "anchor", name, pool, "1700")
    visitor = visit("/livez")
    wait_for_ever(visitor)
    visitor.page.goto("/players")
    visitor.see("#leaders a")
    held = []
    visitor.page.route(
        re.compile("/api/ratings/rapid"), lambda route: held.append((route, route.fetch()))
    )
    visitor.page.get_by_label("Pool").select_option("rapid")
    visitor.becomes(lambda: len(held), 1)
    visitor.page.get_by_label("Pool").select_option("bullet")
    visitor.see("#leaders", "Quin")
    let_go(visitor, held)
    expect(visitor.page.locator("#leaders th")).to_have_text("Quin")


EVIL = "<img/src=x/onerror=window.evil=1>"


def test_what_strangers_write_is_text_on_every_page(visit, opponent, server):
    """Names, talk, a complaint and a tournament's description."""
    token = server.run("player", "add", "Dee").strip()
    rival = opponent(EVIL)
    visitor = visit("/play")
    visitor.come_in(EVIL)
    looked = [visitor]

    def look(path: str, selector: str) -> None:
        seen = visit(path)
        seen.see(selector)
        looked.append(seen)

    rival.say(f"tell {visitor.page.locator('#me').inner_text()} {EVIL}")
    visitor.see("#lobby-note", EVIL)
    visitor.name = visitor.page.locator("#me").inner_text()
    visitor.see("#players b", EVIL)
    rival.say(f"challenge {visitor.name} game tictactoe color black")
    visitor.page.get_by_role("button", name=re.compile("^Accept")).click()
    visitor.begun()
    rival.say(f"say {EVIL}", f"complain {visitor.name} {EVIL}")
    visitor.see("#chat", EVIL)
    game = visitor.game
    visitor.resign()
    visitor.see(".status", "won by resignation")
    toml = f'name = "{EVIL}"\nformat = "roundrobin"\npool = "chess"\nopen = true\n'
    answer = visitor.page.request.post(
        "/api/tournaments?name=evil",
        data=toml,
        headers={"Authorization": f"Bearer Dee:{token}", "Content-Type": "application/toml"},
    )
    assert answer.status == 201
    look("/", "#finished a")
    look(f"/games/{game}", "[role=gridcell]")
    look(f"/players/{visitor.name.replace('/', '%2F')}", "#games a")
    look("/players/<b>%22'", "h1")
    look("/tournaments", "#list a")
    look("/tournaments/evil", "h1")
    for one in looked:
        assert one.page.evaluate("window.evil") is None
        assert one.page.locator("img[src=x], b b").count() == 0


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_it_fits_and_axe_finds_no_serious_fault(visit, opponent, server, axe, size):
    tag = f"{size[0]}"
    names = f"W{'w' * 40}{tag}", f"M{'m' * 40}{tag}"
    beat(*map(opponent, names))
    server.run("player", "add", f"Ann{tag}")
    for rating in (1500, 1700, 1620):
        server.run("player", "anchor", f"Ann{tag}", "chess", str(rating))
    faults = {}
    for name, path, selector in (
        ("guest", f"/players/{names[0]}", "#games a"),
        ("account", f"/players/Ann{tag}", "#ratings svg"),
        ("leaders", "/players", "#leaders a"),
        ("nobody", "/players/Nobody", "h1"),
        ("list", "/", "#finished a"),
    ):
        visitor = visit(path, size)
        visitor.see(selector)
        for scheme in in_both_schemes(visitor):
            keep(visitor, f"player_{name}_{tag}_{scheme}")
            assert visitor.widest() <= size[0], (name, scheme)
            if found := judged(visitor, axe):
                faults[name, scheme] = found
    assert faults == {}
