"""Games of others: the list, a running game, a finished one."""

import json
import re
from typing import Any

import pytest

from tests.browser.conftest import PHONE
from tests.browser.pages import Visitor, expect

pytestmark = [pytest.mark.system, pytest.mark.slow]


MATE = ("e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6", "h5f7")


def test_a_game_of_two_engines_is_watched_from_the_list_to_its_end(opponent, visit):
    visitor = visit("/")
    visitor.see("#none-running", "No game is being played now")
    cat, dog = opponent("Cat", kind="name"), opponent("Dog", kind="name")
    number = cat.play(dog)
    visitor.see(".game-card", "Cat")
    visitor.page.locator(".game-card").click()
    visitor.see("h1", re.compile("Cat.*Dog"))
    visitor.see(".clock.running")
    for ply, move in enumerate(MATE, 1):
        mover = cat if ply % 2 else dog
        mover.hear("go ")
        mover.say(f"info depth {ply} score cp 30 pv {move}", f"bestmove {move}")
        visitor.said_move(ply)
    visitor.see(".status", "White won by checkmate")
    visitor.see("#why", "How")
    expect(visitor.page.locator(".moves button")).to_have_count(len(MATE))
    visitor.see("#scores svg")
    visitor.see("#times svg")
    assert visitor.page.url.endswith(f"/games/{number}")


def test_a_finished_game_is_replayed_by_keys_and_found_by_its_player(opponent, visit):
    cat, dog = opponent("Cat"), opponent("Dog")
    cat.play(dog, "game tictactoe")
    for square, answer in (("b2", "a1"), ("a2", "c2"), ("c3", "b1")):
        cat.move(square)
        dog.move(answer)
    cat.hear("go ")
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
    address = re.compile(f"{re.escape(f'?{wanted}')}$")
    expect(visitor.page.locator("#download")).to_have_attribute("href", address)
    visitor.page.locator("#finished .result a").first.click()
    visitor.see("[role=gridcell]")
    end = visitor.board()

    def pieces() -> list[str]:
        return sorted(visitor.board().values())

    for key, seen in (
        ("Home", []),
        ("ArrowRight", ["X"]),
        ("ArrowRight", ["O", "X"]),
        ("ArrowLeft", ["X"]),
    ):
        visitor.page.keyboard.press(key)
        visitor.becomes(pieces, seen)
    visitor.page.keyboard.press("End")
    visitor.becomes(visitor.board, end)
    visitor.page.get_by_role("button", name="Back one ply").click()
    visitor.becomes(lambda: len(visitor.board()), len(end) - 1)
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

    visitor.page.route("**/index.js", shorten)
    visitor.page.goto("/")
    visitor.see("#running-count", "1 or more")
    visitor.see(".game-card", "Cid")
    games[1].say("resign")
    visitor.see(".game-card", "Ada")


FINISHED = re.compile(r"/api/games\?.*state=finished")
RUNNING = re.compile(r"/api/games\?.*state=running")


def wait_for_ever(visitor: Visitor) -> None:
    """Let pages that are opened from now on give no question up, however slow the machine is."""

    def change(route) -> None:
        script = route.fetch().text()
        assert "ANSWER_MS = 15_000;" in script
        patient = script.replace("ANSWER_MS = 15_000;", "ANSWER_MS = 2 ** 30;")
        route.fulfill(body=patient, content_type="text/javascript")

    visitor.page.route("**/api.js", change)


def hold_second(visitor: Visitor, question: re.Pattern[str]) -> list[Any]:
    """Keep the answer to the page's second question of this kind until `let_go`. The page asks a
    second time as soon as it hears the news."""
    asked, held = [], []

    def answer(route) -> None:
        asked.append(route)
        if len(asked) == 2:
            held.append((route, route.fetch()))
        else:
            route.continue_()

    wait_for_ever(visitor)
    visitor.page.route(question, answer)
    return held


def let_go(visitor: Visitor, held: list[Any]) -> None:
    """Give the page the answer that was kept, and wait until it has read it."""
    [(route, answer)] = held
    with visitor.page.expect_response(route.request.url) as came:
        route.fulfill(response=answer)
    came.value.finished()
    visitor.read_all()


def test_news_that_is_newer_than_a_list_that_comes_late_stays_in_it(opponent, visit):
    visitor, ada = visit("/livez"), opponent("Ada")
    ada.play(opponent("Bob"))
    held = hold_second(visitor, RUNNING)
    news: list[Any] = []  # or the second question could come before the first answer
    visitor.page.route(
        "**/api/events", lambda route: route.continue_() if news else news.append(route)
    )
    visitor.page.goto("/")
    visitor.see(".game-card", "Ada")
    visitor.becomes(lambda: len(news), 1)
    news[0].continue_()
    visitor.becomes(lambda: len(held), 1)
    cid = opponent("Cid")
    cid.play(opponent("Dee"))
    visitor.see(".game-card", "Cid")
    ada.say("resign")
    expect(visitor.page.locator(".game-card")).to_have_count(1)
    let_go(visitor, held)
    cid.move("e2e4")
    visitor.see(".game-card", "1 ply")
    expect(visitor.page.locator(".game-card")).to_have_count(1)


def test_an_answer_that_comes_late_does_not_replace_that_to_a_later_question(finished, visit):
    visitor = visit("/livez")
    held = hold_second(visitor, FINISHED)
    visitor.page.goto("/")
    visitor.see("#finished a", "Ada")
    visitor.becomes(lambda: len(held), 1)
    visitor.page.get_by_label("Player").fill("Nobody")
    visitor.page.get_by_role("button", name="Show").click()
    visitor.see("#none-finished", "No finished game is like that")
    let_go(visitor, held)
    visitor.see("#none-finished", "No finished game is like that")
    expect(visitor.page.locator("#finished a")).to_have_count(0)


def test_a_link_that_is_pressed_while_its_list_is_read_again_is_followed(finished, visit):
    visitor = visit("/livez")
    held = hold_second(visitor, FINISHED)
    visitor.page.goto("/")
    visitor.see("#finished a", "Ada")
    visitor.becomes(lambda: len(held), 1)
    with visitor.pressing(visitor.page.locator("#finished .result a")):
        let_go(visitor, held)
    visitor.page.wait_for_url(f"**/games/{finished}")


def test_a_move_that_is_pressed_when_the_game_ends_is_shown(opponent, visit):
    ada, bob = opponent("Ada"), opponent("Bob")
    number = ada.play(bob)
    visitor = visit(f"/games/{number}")
    ada.move("e2e4")
    bob.move("e7e5")
    visitor.said_move(2)
    with visitor.pressing(visitor.page.get_by_role("button", name="1, White, e4")):
        ada.say("resign")
        visitor.see(".status", "Black won by resignation")
        visitor.see("#times svg")  # the whole game was read again
    visitor.see(".moves button[aria-current]", "e4")


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
    assert not visitor.page.get_by_role("link", name="Play", exact=True).is_visible()
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
    visitor.see(".clock.running", re.compile("^(5:00|4:[0-5].)$"))
    clock = visitor.page.locator(".clock.running")
    for hours in (1, -1):
        visitor.page.evaluate(
            "hours => { const real = Date.now; Date.now = () => real() + hours * 3_600_000; }",
            hours,
        )
        before = clock.inner_text()
        expect(clock).not_to_have_text(before)
        expect(clock).to_have_text(re.compile("^4:[0-5].$"))


def test_spectators_talk_and_the_players_are_not_shown_it(server, opponent, visit):
    ada = visit("/play")
    ada.come_in("Ada")
    bob = opponent("Bob")
    ada.play_against(bob)
    eve, max_ = visit(f"/games/{ada.game}"), visit(f"/games/{ada.game}", PHONE)
    for one in (eve, max_):
        one.see("#talk-hint", "The players are not shown it")
    eve.page.get_by_label("Say to the spectators").fill("who is better?")
    eve.page.get_by_role("button", name="Say", exact=True).click()
    eve.see("#talk-note", "A name is needed")
    eve.page.get_by_label("Your name").fill("Eve")
    eve.page.get_by_role("button", name="Say", exact=True).click()
    max_.page.get_by_label("Your name").fill("Max")
    max_.page.get_by_label("Say to the spectators").fill("<b>White</b>")
    max_.page.get_by_label("Say to the spectators").press("Enter")
    for one in (eve, max_):
        one.see("#chat li", "Eve who is better?")
        one.see("#chat li", "Max <b>White</b>")
    for one in (eve, max_):
        one.see("#facts", "2 spectators")
    assert max_.widest() <= PHONE[0]
    eve.page.reload()
    eve.see("#chat li", "Max <b>White</b>")
    ada.page.get_by_label("Say to your opponent").fill("good luck")
    ada.page.get_by_label("Say to your opponent").press("Enter")
    bob.hear("lobby say Ada good luck")
    assert not bob.has_got("better")
    bob.say("say have fun")
    ada.see("#chat li", "Bob have fun")
    assert ada.page.locator("#chat li").all_inner_texts() == ["Ada good luck", "Bob have fun"]
    bob.say("resign")
    max_.see(".status", "won")
    max_.page.get_by_label("Say to the spectators").wait_for(state="hidden")
    max_.see("#chat li", "Eve who is better?")
    assert server.log.read_text().count("joined") == 4


def test_all_that_a_spectator_says_before_the_line_is_there_is_said_in_its_order(opponent, visit):
    number = opponent("Ada").play(opponent("Bob"))
    eve, max_ = visit(f"/games/{number}"), visit(f"/games/{number}")
    for one in (eve, max_):
        one.see("#talk-hint", "The players are not shown it")
    eve.page.get_by_label("Your name").fill("Eve")
    eve.page.evaluate("""() => {
        for (const text of ["one", "two", "three"]) {
            document.getElementById("said").value = text;
            document.getElementById("say-form").requestSubmit();
        }
    }""")
    for one in (eve, max_):
        expect(one.page.locator("#chat li")).to_have_text(["Eve one", "Eve two", "Eve three"])
