"""A page that slept, as a phone's does, is back at once: it does not wait for its timers."""

import pytest

from tests.browser.opponent import wire
from tests.browser.pages import POLL_MS, Visitor

pytestmark = [pytest.mark.system, pytest.mark.slow]

ASLEEP = 60
"""Seconds."""

SOON = 72
"""Steps of 10 ms at first: until silent lines are given up."""

AHEAD = 5
"""Seconds. A clock can be stopped only at a time that is to come, however long the machine takes;
this is less than any line may be silent."""

ANSWERED = 2000
"""In ms: more than a page that comes back waits for an answer."""

SIGNS = {
    "from its sleep": "document.dispatchEvent(new Event('resume'))",
    "from another tab": "document.dispatchEvent(new Event('visibilitychange'))",
    "from the browser's cache": "dispatchEvent(new Event('pageshow'))",
    "to a network": "dispatchEvent(new Event('online'))",
}


def stop_timers(visitor: Visitor) -> float:
    """Let the page's timers stand still. The time of day before, in s."""
    now = visitor.page.evaluate("Date.now() / 1000")
    visitor.page.clock.pause_at(now + AHEAD)
    return now


def fall_asleep(visitor: Visitor) -> None:
    """The page's timers stand still, and the time of day goes on."""
    now = stop_timers(visitor)
    visitor.page.clock.set_system_time(now + ASLEEP)


def awake_within_a_second(visitor: Visitor, sign: str, script: str) -> None:
    """Let the page wake, and let its own time pass until this is true in it: a second at most,
    however long the machine takes."""
    visitor.page.evaluate(sign)
    for polls in range(4 * 1000):
        if visitor.page.evaluate(script):
            return
        if polls < SOON:
            visitor.page.clock.run_for(10)
            continue
        if polls % 4 == 0:
            visitor.page.clock.run_for(1)
        if polls // 4 + 10 * SOON > 1000:
            break
        visitor.page.wait_for_timeout(POLL_MS)
    seen = visitor.page.locator("main").inner_text()
    raise AssertionError(f"waited in vain until {script}; what is seen: {seen}")


BACK = (
    "document.querySelectorAll('.moves button').length === 2"
    " && !!document.querySelector('ulci-board').legal.size"
    " && document.querySelector('#line').hidden"
)


@pytest.mark.parametrize("sign", SIGNS.values(), ids=SIGNS)
def test_a_player_who_comes_back_has_the_opponents_move_at_once(sign, opponent, visit, server):
    with wire(server.port("ws")) as line:
        visitor, bob = visit("/play", port=line.port), opponent("Bob")
        visitor.page.clock.install()
        visitor.page.reload()
        visitor.come_in("Ada")
        visitor.play_against(bob)
        assert visitor.my_turn()
        visitor.click_move("e2e4")
        visitor.said_move(1)
        bob.hear("go ")
        number = visitor.game
        fall_asleep(visitor)
        line.fall_silent()
        bob.say("bestmove e7e5")
        awake_within_a_second(visitor, sign, BACK)
        assert visitor.game == number
        visitor.click_move("g1f3")
        bob.hear("position ", " e7e5 g1f3")


def test_who_only_watches_and_comes_back_sees_the_game_as_it_is(opponent, visit, server):
    ada, bob = opponent("Ada"), opponent("Bob")
    number = ada.play(bob)
    with wire(server.port("ws")) as line:
        visitor = visit("/games/1", port=line.port)
        visitor.page.clock.install()
        visitor.page.goto(f"/games/{number}")
        visitor.see(".status", "White to move")
        ada.move("e2e4")
        visitor.said_move(1)
        fall_asleep(visitor)
        line.fall_silent()
        bob.move("e7e5")
        moves = "document.querySelectorAll('.moves button').length === 2"
        awake_within_a_second(visitor, SIGNS["from its sleep"], moves)


def test_a_line_that_lives_is_kept_when_the_page_comes_back(opponent, visit, server):
    visitor, bob = visit("/play"), opponent("Bob")
    visitor.page.clock.install()
    visitor.page.reload()
    visitor.come_in("Ada")
    visitor.play_against(bob)
    assert visitor.my_turn()
    stop_timers(visitor)  # or a slow machine's answers would be late
    for sign in SIGNS.values():
        visitor.page.evaluate(sign)
    visitor.click_move("e2e4")
    bob.move("e7e5")
    visitor.said_move(2)
    assert visitor.my_turn()  # the server asked for the move after it had answered the page
    visitor.page.clock.run_for(ANSWERED)
    visitor.click_move("g1f3")
    bob.hear("position ", " g1f3")
    assert " left " not in server.log.read_text()
