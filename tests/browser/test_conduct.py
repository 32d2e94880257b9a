"""A page says what is forbidden in a game, and has no buttons for it."""

import pytest

pytestmark = [pytest.mark.system, pytest.mark.slow]

CONDUCT = "[pool.conduct]\nabort = false\ntakeback = false\nrematch = false\n"
WORDS = "no aborting · no takebacks · no rematch"


@pytest.mark.parametrize("server", [CONDUCT], indirect=True, ids=[""])
def test_what_is_forbidden_is_said_with_the_offer_and_has_no_button(visit, opponent):
    ada = visit("/play")
    ada.come_in("Ada")
    bob = opponent("Bob")
    bob.say("challenge Ada color black")
    ada.see(".entry-what", WORDS)
    ada.page.get_by_role("button", name="Accept: Bob").click()
    ada.see("#table .status", "Your move")
    ada.see("#table-facts", WORDS)
    assert ada.my_turn()
    assert not ada.page.locator("#act-abort").is_visible()
    ada.click_move("e2e4")
    bob.hear("go ")
    ada.said_move(1)
    ada.see("#act-givetime")
    assert not ada.page.locator("#act-takeback").is_visible()
    bob.say("resign")
    ada.see("#table-note", "You won")
    ada.see("#act-leave")
    assert not ada.page.locator("#act-rematch").is_visible()
