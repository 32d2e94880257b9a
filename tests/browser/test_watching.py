"""Games of others: the list, a running game, a finished one."""

import json
import re

import pytest

from tests.browser.conftest import PHONE
from tests.browser.pages import Visitor

pytestmark = [pytest.mark.system, pytest.mark.slow]


def moves_of(visitor: Visitor) -> int:
    return visitor.page.locator(".moves button").count()


def test_a_game_of_two_engines_is_watched_from_the_list_to_its_end(engine, visit):
    visitor = visit("/")
    visitor.see("#none-running", "No game is being played now")
    for color, name in (("white", "Cat"), ("black", "Dog")):
        # Not too fast to be watched.
        engine("--color", color, "--games", "1", "--time", "5+0.05", name=name)
    visitor.see(".game-card", "Cat")
    visitor.page.locator(".game-card").click()
    visitor.see("h1", re.compile("Cat.*Dog"))
    visitor.see(".clock.running")
    visitor.until("document.querySelectorAll('.moves button').length > 4")
    before = moves_of(visitor)
    visitor.until(f"document.querySelectorAll('.moves button').length > {before}")
    visitor.see(".status", re.compile("won|Draw"))
    visitor.see("#why", "How")
    number = visitor.page.url.rpartition("/")[2]
    game = visitor.get(f"/api/games/{number}")
    visitor.until(f"document.querySelectorAll('.moves button').length === {len(game['moves'])}")
    visitor.see("#times svg")


def test_a_finished_game_is_replayed_by_keys_and_found_by_its_player(opponent, visit):
    cat, dog = opponent("Cat"), opponent("Dog")
    cat.play(dog, "game tictactoe")
    for square, answer in (("b2", "a1"), ("a2", "c2"), ("c3", "b1")):
        cat.move(square)
        dog.move(answer)
    cat.say("resign")
    dog.hear("lobby game", " over ")
    visitor = visit("/", PHONE)
    visitor.see("#finished a", "Cat")
    visitor.page.get_by_label("Player").fill("Nobody")
    visitor.page.get_by_role("button", name="Show").click()
    visitor.see("#none-finished", "No finished game is like that")
    visitor.page.get_by_label("Player").fill("Cat")
    visitor.page.locator("#rules").select_option("tictactoe")
    visitor.page.get_by_role("button", name="Show").click()
    visitor.see("#finished a", "Cat")
    wanted = "player=Cat&rules=tictactoe&state=finished&limit=200"
    assert visitor.page.locator("#download").get_attribute("href").endswith(f"?{wanted}")
    visitor.page.locator("#finished a").first.click()
    visitor.see("[role=gridcell]")
    press, end = visitor.page.keyboard.press, visitor.board()
    press("Home")
    assert visitor.board() == {}
    press("ArrowRight")
    assert list(visitor.board().values()) == ["X"]
    press("ArrowRight")
    assert sorted(visitor.board().values()) == ["O", "X"]
    press("ArrowLeft")
    assert list(visitor.board().values()) == ["X"]
    press("End")
    assert visitor.board() == end
    visitor.page.get_by_role("button", name="Back one ply").click()
    assert len(visitor.board()) == len(end) - 1
    pgn = visitor.page.locator("#pgn").get_attribute("href")
    assert pgn.endswith(".pgn")
    game = json.loads(visitor.page.request.get(pgn.removesuffix(".pgn")).text())
    assert len(game["moves"]) == len(end)


def test_a_game_beyond_the_list_takes_the_place_of_one_that_ends(opponent, visit):
    games = []
    for names in (("Ada", "Bob"), ("Cid", "Dee")):
        white, black = (opponent(name) for name in names)
        white.play(black)
        games.append(white)
    visitor = visit("/livez")

    def shorten(route) -> None:
        script = route.fetch().text()
        assert "RUNNING_MAX = 50;" in script
        route.fulfill(
            body=script.replace("RUNNING_MAX = 50;", "RUNNING_MAX = 1;"),
            content_type="text/javascript",
        )

    visitor.page.route("**/static/index.js", shorten)
    visitor.page.goto("/")
    visitor.see("#running-count", "1 or more")
    visitor.see(".game-card", "Cid")
    games[1].say("resign")
    visitor.see(".game-card", "Ada")


def test_a_game_that_is_not_there_is_said_to_be_missing(visit):
    visitor = visit("/games/4711")
    visitor.see("#fault", "There is no game 4711")


def test_eight_pages_of_one_browser_follow_and_play_games_at_once(opponent, visit):
    """A browser opens six connections to a server."""
    games = []
    for names in (("Ada", "Bob"), ("Cid", "Dee")):
        white, black = (opponent(name) for name in names)
        games.append((white, black, white.play(black)))
    listing = visit("/")
    context, pages = listing.page.context, []
    for number in range(6):
        pages.append(Visitor(context.new_page()))
        pages[-1].page.goto(f"/games/{games[number % 2][2]}")
    for visitor in pages:
        visitor.see("[role=gridcell]")
    player, rival = Visitor(context.new_page()), opponent("Eve")
    player.page.goto("/play")
    player.come_in("Fay")
    player.play_against(rival)
    for ply, (white, black) in enumerate((("e2e4", "e7e5"), ("g1f3", "b8c6")), 1):
        for one, other, _ in games:
            one.move(white)
            other.move(black)
        for visitor in pages:
            visitor.said_move(2 * ply)
        assert player.my_turn()
        player.click_move(white)
        rival.move(black)
        listing.see(".game-card:has-text('Ada')", f"{2 * ply} plies")
    for one, _, _ in games:
        one.say("resign")
    for visitor in pages:
        visitor.see(".status", "Black won by resignation")
    player.said_move(4)
    assert not [fault for visitor in (*pages, player) for fault in visitor.faults]


def test_a_page_that_nobody_sees_gives_its_connection_back_and_catches_up(opponent, visit):
    ada, bob = opponent("Ada"), opponent("Bob")
    number = ada.play(bob)
    visitor = visit("/")
    visitor.page.clock.install()
    visitor.page.goto(f"/games/{number}")
    visitor.see("[role=gridcell]")
    ada.move("e2e4")
    visitor.said_move(1)
    shows = (
        "Object.defineProperty(document, 'visibilityState', { value: '%s', configurable: true })"
    )
    changes = "document.dispatchEvent(new Event('visibilitychange'))"
    visitor.page.evaluate(f"{shows % 'hidden'} && {changes}")
    visitor.page.clock.fast_forward(6000)
    visitor.until("navigator.locks.query().then(({ held }) => !held.length)")
    bob.move("e7e5")
    ada.hear("position ", " e7e5")
    assert visitor.moves_said == 1
    visitor.page.evaluate(f"{shows % 'visible'} && {changes}")
    visitor.said_move(2)
    assert visitor.page.locator(".banner.warning:visible").count() == 0


@pytest.mark.parametrize("server", ['[web]\nserve = "watch"\n'], indirect=True, ids=[""])
def test_nobody_plays_where_games_are_only_for_watching(visit):
    visitor = visit("/")
    visitor.see("#none-running")
    assert not visitor.page.get_by_role("link", name="Play").is_visible()
    visitor.page.goto("/play")
    visitor.see("#enter-fault", "Nobody plays in the browser on this server")
    assert not visitor.page.get_by_label("Your name").is_visible()
    visitor.page.get_by_role("link", name="Look at its games").click()
    visitor.see("#none-finished")


@pytest.mark.parametrize("server", ["[web]\nembed = true\n"], indirect=True, ids=[""])
def test_a_game_is_shown_in_a_frame_that_may_only_run_scripts(opponent, visit):
    ada, bob = opponent("Ada"), opponent("Bob")
    number = ada.play(bob)
    visitor = visit(f"/embed/{number}")
    frame = f'<iframe sandbox="allow-scripts" height="500" src="{visitor.page.url}"></iframe>'
    other = "http://other.test/"
    visitor.page.route(
        f"{other}**", lambda route: route.fulfill(content_type="text/html", body=frame)
    )
    visitor.page.goto(other)
    frame = visitor.page.frame_locator("iframe")
    frame.locator(".status", has_text="White to move").wait_for()
    piece = frame.locator("[data-square=e2] .piece use")
    piece.wait_for(state="attached")
    for move in ("e2e4", "e7e5"):
        (ada if move == "e2e4" else bob).move(move)
    frame.locator("[data-square=e4][aria-label='e4, white pawn']").wait_for()
    drawn = frame.locator("[data-square=e4] .piece use").evaluate("use => use.getBBox().width > 0")
    assert drawn


def test_clocks_go_on_as_they_did_when_the_machine_is_told_another_time(opponent, visit):
    number = opponent("Ada").play(opponent("Bob"))
    visitor = visit(f"/games/{number}")
    visitor.see(".clock.running", re.compile("^(5:00|4:5.)$"))
    for hours in (1, -1):
        visitor.page.evaluate(
            "hours => { const real = Date.now; Date.now = () => real() + hours * 3_600_000; }",
            hours,
        )
        visitor.page.wait_for_timeout(300)  # some ticks
        assert re.match("5:00|4:[0-5].$", visitor.page.locator(".clock.running").inner_text())
