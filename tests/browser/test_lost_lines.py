"""Reloads and lost lines: the seat is taken again, and the page says what happens."""

import re
import threading

import pytest

from tests.browser.opponent import wire
from tests.browser.pages import PATIENCE_MS, POLL_MS, Visitor, expect
from tests.browser.test_waking import stop_timers

pytestmark = [pytest.mark.system, pytest.mark.slow]


def test_a_reload_in_the_middle_takes_the_seat_again(engine, visit):
    engine("--color", "black")
    visitor = visit("/play")
    visitor.come_in("Ada")
    visitor.accept()
    assert visitor.my_turn()
    visitor.click_move("e2e4")
    visitor.said_move(2)
    number, board = visitor.game, visitor.board()
    visitor.page.reload()
    visitor.begun()
    assert visitor.my_turn()
    visitor.becomes(lambda: (visitor.game, visitor.board()), (number, board))
    visitor.click_move("g1f3")
    visitor.said_move(4)


def test_a_line_that_is_lost_comes_back_and_says_so(engine, visit):
    engine("--color", "black")
    visitor = visit("/play")
    visitor.come_in("Ada")
    visitor.accept()
    assert visitor.my_turn()
    visitor.offline = True
    visitor.page.context.set_offline(True)
    visitor.see("#line", "The connection to the server is lost")
    visitor.page.context.set_offline(False)
    visitor.page.locator("#line").wait_for(state="hidden")
    assert visitor.my_turn()
    visitor.click_move("e2e4")
    visitor.said_move(2)


def test_a_server_that_is_killed_is_called_again(visit, server):
    visitor = visit("/play")
    visitor.offline = True
    visitor.come_in("Ada")
    server.stop()
    visitor.see("#line", "The connection to the server is lost")


def test_a_line_that_is_cut_in_the_middle_of_a_game_is_called_again(opponent, visit, server):
    with wire(server.port("ws")) as line:
        visitor = visit("/play", port=line.port)
        visitor.come_in("Ada")
        bob = opponent("Bob")
        visitor.play_against(bob)
        assert visitor.my_turn()
        visitor.click_move("e2e4")
        bob.hear("go ")
        number = visitor.game
        visitor.offline = True
        line.cut()
        visitor.see("#line", "The connection to the server is lost")
        bob.hear("lobby game", "opponent away")
        bob.say("bestmove e7e5")  # which the page cannot hear
        visitor.page.locator("#move-form").wait_for()  # the game stays on the screen
        line.mend()
        bob.hear("lobby game", "opponent back")
        visitor.page.locator("#line").wait_for(state="hidden")
        visitor.said_move(2)
        assert visitor.my_turn()
        visitor.board_shows(e5="black pawn")
        assert visitor.game == number
        visitor.click_move("g1f3")
        bob.hear("position ", " g1f3")
        # The game may also end while the line is cut.
        line.cut()
        bob.hear("lobby game", "opponent away")
        bob.say("resign")
        bob.hear("lobby game", " over ")
        line.mend()
        visitor.see(".status", "White won by resignation")
        visitor.see("#act-leave")


def test_a_game_that_ended_while_the_line_was_cut_stays_with_its_result(opponent, visit, server):
    with wire(server.port("ws")) as line:
        visitor, bob = visit("/play", port=line.port), opponent("Bob")
        visitor.come_in("Ada")
        visitor.play_against(bob)
        bob.say("resign")
        visitor.see("#table-note", "You won")
        visitor.offline = True
        line.cut()
        visitor.see("#line", "The connection to the server is lost")
        line.mend()
        visitor.page.locator("#line").wait_for(state="hidden")
        visitor.see("#table .status", "White won by resignation")
        visitor.press("To the lobby")
        visitor.see("#lobby-title")


def test_a_game_that_ended_while_the_page_was_reloaded_is_shown_with_its_result(opponent, visit):
    visitor, bob = visit("/play"), opponent("Bob")
    visitor.come_in("Ada")
    visitor.play_against(bob)
    visitor.page.goto("about:blank")
    bob.hear("lobby game", "opponent away")
    bob.say("resign")
    bob.hear("lobby game", " over ")
    visitor.page.goto("/play")
    expect(visitor.page.locator("#me")).to_have_text("Ada")  # the lobby's: the server is heard
    visitor.see("#table .status", "White won by resignation")
    visitor.press("To the lobby")
    visitor.see("#lobby-title")


def test_a_tab_that_was_duplicated_plays_on_and_the_first_gives_way(opponent, visit):
    first = visit("/play")
    first.come_in("Ada")
    first.play_against(opponent("Bob"))
    kept = first.page.evaluate("sessionStorage.getItem('ulci.seat')")
    second = Visitor(first.page.context.new_page())
    second.page.goto("/livez")  # whose tab the browser would have given the same
    second.page.evaluate("seat => sessionStorage.setItem('ulci.seat', seat)", kept)
    second.page.goto("/play")
    second.begun()
    first.see("#enter-fault", "You play in another tab")
    assert second.my_turn()
    second.click_move("e2e4")
    second.said_move(1)
    first.page.reload()  # takes the seat again
    first.begun()
    first.said_move(1)
    second.see("#enter-fault", "You play in another tab")
    assert not second.faults


def patient(visit, port: int, name: str) -> Visitor:
    """Somebody whose page has a clock that can be put forward."""
    visitor = visit("/play", port=port)
    visitor.page.clock.install()
    visitor.page.reload()
    visitor.come_in(name)
    return visitor


def frames_of(visitor: Visitor, words: str) -> list[str]:
    """What the page hears from now on that has these words in it, as it comes."""
    found: list[str] = []
    visitor.page.on(
        "websocket",
        lambda line: line.on(
            "framereceived", lambda frame: found.append(frame) if words in frame else None
        ),
    )
    return found


def answered(visitor: Visitor, answers: list[str], count: int) -> None:
    """Wait until so many answers have come, and the page has read them."""
    for _ in range(PATIENCE_MS // POLL_MS):
        if len(answers) >= count:
            break
        visitor.page.wait_for_timeout(POLL_MS)
    assert len(answers) >= count
    visitor.page.evaluate(
        "new Promise((done) => { const { port1, port2 } = new MessageChannel();"
        " port1.onmessage = done; port2.postMessage(0); })"
    )


def notices_silence(visitor: Visitor, seconds: int) -> None:
    """Let so much time pass on the page at most, until it says that nothing comes any more; it
    calls again only when its time goes on."""
    stop_timers(visitor)
    for _ in range(2 * seconds):
        if visitor.page.locator("#line").is_visible():
            break
        visitor.page.clock.fast_forward(500)
    visitor.see("#line", "Nothing comes from the server any more")
    visitor.page.clock.resume()


def wait(visitor: Visitor, seconds: int) -> None:
    """Let so much time pass on the page, in two steps: a timer may set another."""
    for _ in range(2):
        visitor.page.clock.fast_forward(500 * seconds)


def test_a_line_that_falls_silent_is_noticed_after_20_s_and_a_lost_move_is_said_again(
    opponent, visit, server
):
    with wire(server.port("ws")) as line:
        visitor, bob = patient(visit, line.port, "Ada"), opponent("Bob")
        visitor.play_against(bob)
        assert visitor.my_turn()
        visitor.click_move("e2e4")
        bob.move("e7e5")
        visitor.said_move(2)
        assert visitor.my_turn()
        number = visitor.game
        line.fall_silent()
        visitor.click_move("g1f3")  # which goes nowhere
        notices_silence(visitor, 20)
        bob.hear("position ", " g1f3")
        visitor.page.locator("#line").wait_for(state="hidden")
        visitor.said_move(3)
        bob.move("b8c6")
        visitor.said_move(4)
        assert visitor.my_turn()
        visitor.board_shows(f3="white knight")
        assert visitor.game == number
        visitor.click_move("f1b5")
        bob.hear("position ", " f1b5")


@pytest.mark.parametrize("granted", ["before the line is lost", "while it is", "after it was"])
def test_a_move_that_was_taken_back_is_not_said_again_after_a_lost_line(
    granted, opponent, visit, server
):
    with wire(server.port("ws")) as line:
        visitor, bob = visit("/play", port=line.port), opponent("Bob")
        visitor.come_in("Ada")
        visitor.play_against(bob)
        assert visitor.my_turn()
        visitor.click_move("e2e4")
        visitor.said_move(1)
        bob.hear("go ")

        def lose_line() -> None:
            visitor.offline = True
            line.cut()
            visitor.see("#line", "The connection to the server is lost")
            visitor.until("!document.querySelector('ulci-board').legal.size")
            bob.hear("lobby game", "opponent away")

        def come_back() -> None:
            line.mend()
            bob.hear("lobby game", "opponent back")
            visitor.page.locator("#line").wait_for(state="hidden")

        if granted == "after it was":
            lose_line()
            come_back()
        visitor.press("Take back")
        bob.hear("lobby game", "offer takeback")
        if granted == "while it is":
            lose_line()
        bob.say("takeback", "bestmove 0000")
        bob.hear("position startpos")
        if granted != "while it is":
            assert visitor.my_turn()
            lose_line()
        come_back()
        assert visitor.my_turn()
        visitor.click_move("d2d4")
        assert bob.hear("position startpos moves") == "position startpos moves d2d4"


def test_moves_are_offered_when_the_questions_for_them_are_lost_the_newest_first(opponent, visit):
    visitor, bob = visit("/play"), opponent("Bob")
    visitor.come_in("Ada")
    visitor.play_against(bob)
    assert visitor.my_turn()
    visitor.click_move("e2e4")
    asked, lost = [], threading.Event()
    visitor.page.route(
        "**/legal",
        lambda question: question.continue_() if lost.is_set() else asked.append(question),
    )

    def wait_for_questions(count: int) -> None:
        for _ in range(PATIENCE_MS // POLL_MS):
            if len(asked) >= count:
                return
            visitor.page.wait_for_timeout(POLL_MS)
        raise AssertionError(f"only {len(asked)} questions")

    bob.move("e7e5")
    wait_for_questions(1)
    visitor.press("Take back")
    bob.hear("lobby game", "offer takeback")
    bob.say("takeback")
    wait_for_questions(2)
    lost.set()
    for question in reversed(asked):
        question.abort()
    assert visitor.my_turn()
    visitor.click_move("d2d4")
    bob.hear("position startpos moves d2d4")


def test_a_line_that_falls_silent_in_the_lobby_is_called_again(opponent, visit, server):
    with wire(server.port("ws")) as line:
        visitor = visit("/play", port=line.port)
        answers = frames_of(visitor, "lobby tournaments")  # to the last question of who comes in
        visitor.page.clock.install()
        visitor.page.reload()
        visitor.come_in("Ada")
        answered(visitor, answers, 1)
        line.fall_silent()
        opponent("Bob").say("seek time 300+3")
        notices_silence(visitor, 20)
        visitor.page.locator("#line").wait_for(state="hidden")
        visitor.see("#seeks", "Bob")


def test_a_line_on_which_nothing_happens_is_kept(opponent, visit, server):
    bob = opponent("Bob")
    visitor = visit("/play")
    answers = frames_of(visitor, "lobby pong")
    visitor.page.clock.install()
    visitor.page.reload()
    visitor.come_in("Ada")
    visitor.play_against(bob)
    stop_timers(visitor)  # or a slow machine's answers would be late
    for asked in range(1, 4):
        visitor.page.clock.fast_forward(8500)
        answered(visitor, answers, asked)
    assert visitor.page.locator("#line").is_hidden()
    visitor.click_move("e2e4")
    bob.hear("position ", " e2e4")
    assert " left " not in server.log.read_text()


def test_a_game_that_is_only_watched_is_asked_for_again_when_its_line_falls_silent(
    opponent, visit, server
):
    ada, bob = opponent("Ada"), opponent("Bob")
    number = ada.play(bob)
    with wire(server.port("ws")) as line:
        visitor = visit("/games/1", port=line.port)
        visitor.page.clock.install()
        visitor.page.goto(f"/games/{number}")
        visitor.see(".status", "White to move")
        line.fall_silent()
        ada.move("e2e4")
        wait(visitor, 45)
        visitor.said_move(1)


BLOCKED = {
    "storage that is blocked": "Object.defineProperty(window, 'sessionStorage', { get() { throw"
    " new DOMException('blocked', 'SecurityError'); } });",
    "storage that is full": "Storage.prototype.setItem = () => { throw"
    " new DOMException('full', 'QuotaExceededError'); };",
    "tabs that may not talk": "window.BroadcastChannel = class { constructor() { throw"
    " new DOMException('blocked', 'SecurityError'); } };",
    "locks that are blocked": "navigator.locks.request = () => Promise.reject("
    "new DOMException('blocked', 'SecurityError'));",
}


@pytest.mark.parametrize("scripts", [*([script] for script in BLOCKED.values()), BLOCKED.values()],
                         ids=[*BLOCKED, "all of these"])  # fmt: skip
def test_a_browser_that_keeps_nothing_for_pages_plays_all_the_same(scripts, opponent, visit):
    visitor = visit("/play")
    for script in scripts:
        visitor.page.add_init_script(script)
    visitor.page.reload()
    visitor.come_in("Ada")
    if any("torage" in script for script in scripts):
        visitor.see("#lobby-note", "Your browser keeps nothing for this page")
    bob = opponent("Bob")
    visitor.play_against(bob)
    assert visitor.my_turn()
    visitor.click_move("e2e4")
    bob.move("e7e5")
    visitor.said_move(2)
    visitor.resign()
    visitor.see("#act-leave")
    visitor.press("To the lobby")
    visitor.press("Leave")
    visitor.come_in("Eve")
    expect(visitor.page.locator("#me")).to_have_text("Eve")


def test_what_one_looks_for_is_said_again_after_a_reload_and_no_more_after_a_game(opponent, visit):
    visitor, bob = visit("/play"), opponent("Bob")
    visitor.come_in("Ada")
    visitor.seek("chess", "white", "300+3")
    visitor.seek("crazyhouse", "black", "60+1")
    for game in ("Chess", "Crazyhouse"):
        visitor.see("#own", game)
    first = bob.hear("lobby seek", "game chess").split()[2]
    bob.hear("lobby seek", "game crazyhouse")
    visitor.page.reload()
    bob.hear(f"lobby gone {first}")
    visitor.see("#lobby-note", "your seeks are open again")
    for game in ("Chess", "Crazyhouse"):
        visitor.see("#own", game)
    number = bob.hear("lobby seek", "game chess").split()[2]
    visitor.page.get_by_role("button", name=re.compile("^Withdraw: Your Crazyhouse")).click()
    visitor.page.locator("#own li").filter(has_text="Crazyhouse").wait_for(state="detached")
    visitor.page.reload()
    bob.hear(f"lobby gone {number}")
    bob.say(f"accept {bob.hear('lobby seek', 'game chess').split()[2]}")
    visitor.begun()
    visitor.page.reload()
    visitor.begun()
    visitor.resign()
    visitor.press("To the lobby")
    visitor.page.reload()
    visitor.see("#lobby-title")
    visitor.seek("tictactoe")  # is said after those that would be said again
    visitor.see("#own", "Tic-tac-toe")
    expect(visitor.page.locator("#own li")).to_have_count(1)


@pytest.mark.parametrize("name", ["Nobody", "Bob"], ids=["who is not here", "who ignores one"])
def test_what_one_looks_for_is_kept_when_a_challenge_before_it_is_refused(name, opponent, visit):
    visitor, bob, cat = visit("/play"), opponent("Bob"), opponent("Cat")
    bob.say("ignore Ada")
    bob.hear("lobby ignore Ada")
    visitor.come_in("Ada")
    visitor.type_time("300+3")
    visitor.page.locator("#challenge-name").fill(name)
    # Both are said before either is answered.
    visitor.page.evaluate(
        "() => ['challenge', 'seek'].forEach("
        "word => document.getElementById(`${word}-form`).requestSubmit())"
    )
    number = cat.hear("lobby seek", "player Ada").split()[2]
    visitor.see("#own", "Chess")
    visitor.page.reload()
    cat.hear(f"lobby gone {number}")
    cat.hear("lobby seek", "player Ada")
    visitor.see("#own", "Chess")


def test_whoever_has_closed_the_browser_is_shown_as_away(opponent, visit):
    visitor, gone = visit("/play"), opponent("Gone")
    visitor.come_in("Ada")
    gone.play(opponent("Bob"))
    visitor.page.clock.install()
    visitor.page.reload()
    visitor.see("#players", re.compile("Gone playing"))
    gone.close()
    visitor.becomes(lambda: visitor.is_here("Gone"), False)
    visitor.page.clock.fast_forward(20_000)
    visitor.see("#players", re.compile("Gone away from a game"))
    assert not visitor.page.get_by_role("button", name="Challenge Gone").count()
    visitor.page.get_by_role("button", name="Challenge Bob").wait_for()


def test_whoever_is_ignored_stays_so_over_a_reload_and_can_be_heard_again(opponent, visit):
    visitor, bob = visit("/play"), opponent("Bob")
    visitor.come_in("Ada")
    visitor.play_against(bob)
    visitor.press("Ignore the opponent")
    visitor.see("#act-ignore", "Hear the opponent again")
    listed = frames_of(visitor, "lobby ignore Bob")
    visitor.page.reload()
    visitor.begun()
    answered(visitor, listed, 1)
    visitor.see("#act-ignore", "Hear the opponent again")
    assert "hear nothing more" not in visitor.page.locator("#lobby-note").text_content()
    visitor.press("Hear the opponent again")
    visitor.see("#act-ignore", "Ignore the opponent")
    bob.say("say hello")
    visitor.see("#chat", "hello")
    visitor.page.reload()
    visitor.begun()
    visitor.see("#act-ignore", "Ignore the opponent")


def test_whoever_is_ignored_stays_so_when_the_server_has_forgotten_the_seat(opponent, visit):
    visitor, bob = visit("/play"), opponent("Bob")
    visitor.come_in("Ada")
    visitor.play_against(bob)
    visitor.press("Ignore the opponent")
    visitor.see("#act-ignore", "Hear the opponent again")
    visitor.resign()
    visitor.press("To the lobby")
    # A server that was restarted knows the secret no more. (The name is taken as long as the seat.)
    seat = '{"name": "Eve", "secret": "forgotten"}'
    visitor.page.evaluate("seat => sessionStorage.setItem('ulci.seat', seat)", seat)
    visitor.page.reload()
    visitor.see("#lobby-title")
    visitor.seek("chess", "white")
    number = bob.hear("lobby seek", "player Eve").split()[2]
    bob.say("tell Eve hello")
    bob.hear("lobby error ignored")
    bob.say(f"accept {number}")
    visitor.begun()
    visitor.see("#act-ignore", "Hear the opponent again")
    visitor.resign()
    visitor.press("To the lobby")
    visitor.press("Leave")
    visitor.come_in("Cat")
    bob.say("tell Cat hello")
    visitor.see("#lobby-note", "Bob tells you: hello")
