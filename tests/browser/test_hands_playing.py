"""A game is played by touch alone and by the keyboard alone, with all that a player may do."""

import re

import pytest

from tests.browser.conftest import pages_server

pytestmark = [pytest.mark.system, pytest.mark.slow]

QUEEN_AHEAD = "start 7k/P1P5/8/8/8/8/8/K7 w - - 0 1"
POCKETS = "game crazyhouse start 4k3/8/8/8/8/8/8/4K3[QNNp] w - - 0 1"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """One for all tests here, who therefore come in under different names."""
    with pages_server(tmp_path_factory.mktemp("server"), play="away = 1\n") as running:
        yield running


@pytest.fixture
def playing(come, opponent):
    """Somebody who plays the white pieces, and the opponent."""

    def begin(name: str, terms: str = ""):
        hand = come()
        name = f"{name}{type(hand).__name__}"
        rival = opponent(f"{name}s_rival")
        hand.fill("Your name", name)
        hand.send("Enter")
        hand.visitor.see("#lobby-title")
        rival.say(f"challenge {name} color black {terms}".rstrip())
        hand.press(re.compile(f"^Accept: {rival.name}"))
        hand.visitor.see("#table .status", "Your move")
        assert hand.visitor.my_turn()
        return hand, rival

    return begin


def test_a_premove_is_made_and_taken_back_and_a_pawn_becomes_a_knight(playing):
    ada, bob = playing("Ada", QUEEN_AHEAD)
    ada.move("a7a8")
    ada.leave_dialog()
    assert ada.visitor.board()["a7"] == "white pawn"
    ada.move("a7a8n")
    bob.hear("position ", " a7a8n")
    ada.move("c7c8")
    ada.visitor.see("#premove", "Premove: c7c8")
    ada.put_back("h2")
    ada.page.locator("#premove").wait_for(state="hidden")
    ada.move("c7c8")
    ada.press("Take it back")
    ada.page.locator("#premove").wait_for(state="hidden")
    ada.move("a1b1")
    ada.visitor.see("#premove", "Premove: a1b1")
    bob.say("bestmove h8h7")
    bob.hear("position ", " h8h7 a1b1")


def test_what_was_taken_is_dropped(playing):
    cleo, dan = playing("Cleo", POCKETS)
    cleo.move("N@c3")
    dan.hear("position ", " N@c3")
    cleo.move("Q@d2")
    cleo.visitor.see("#premove", "Premove: Q@d2")
    dan.say("bestmove P@e4")
    dan.hear("position ", " P@e4 Q@d2")
    cleo.visitor.see("[data-square=d2][aria-label^='d2, white queen']")


def test_sound_looks_confirmation_and_the_queen_are_set(playing):
    eve, fox = playing("Eve", QUEEN_AHEAD)
    eve.press("Sound")
    eve.visitor.see("#sound-button[aria-pressed=false]")
    eve.press("Settings")
    width = eve.page.locator("ulci-board").bounding_box()["width"]
    for label, option in (
        ("Colors of the board", "Wood"),
        ("Pieces", "Letters"),
        ("Size of the board", "Small"),
    ):
        eve.choose(label, option)
    assert not eve.page.get_by_label("Sound", exact=True).is_checked()
    eve.check("Confirm each move")
    eve.check("Always promote to a queen")
    eve.answer("Close")
    eve.page.get_by_role("dialog").wait_for(state="detached")
    eve.visitor.see("[data-square=a1] text", "K")
    assert eve.page.evaluate("document.documentElement.dataset.theme") == "wood"
    assert eve.page.locator("ulci-board").bounding_box()["width"] < width
    eve.move("a7a8")
    eve.visitor.see("#confirm", "Play a7a8q?")
    eve.press("Take it back")
    assert eve.visitor.my_turn()
    eve.move("c7c8")
    eve.visitor.see("#confirm", "Play c7c8q?")
    eve.press("Play it")
    fox.hear("position ", " c7c8q")
    eve.press("Settings")
    eve.check("Sound")
    eve.leave_dialog()
    eve.visitor.see("#sound-button[aria-pressed=true]")


def test_draws_takebacks_and_talk_and_a_board_that_turns(playing):
    gil, hal = playing("Gil")
    gil.move("e2e4")
    hal.hear("go ")
    gil.press("Offer a draw")
    hal.hear("lobby game", "offer draw from")
    gil.visitor.see("#offer", "You offered a draw")
    hal.say("bestmove e7e5")
    gil.visitor.see("#offer", "declined")
    hal.say("draw")
    gil.visitor.see("#offer", "offers a draw")
    assert gil.visitor.my_turn()
    gil.move("g1f3")  # which declines it
    hal.hear("lobby game", "decline")
    gil.press("Take back")
    hal.hear("lobby game", "offer takeback 1")
    hal.say("takeback")
    hal.hear("stop")
    hal.say("bestmove 0000")
    gil.visitor.until("document.querySelectorAll('.moves button').length === 2")
    gil.fill("Type a move", "Nc3")
    gil.send("Move")
    gil.visitor.said_move(3)
    hal.move("g8f6")
    gil.visitor.said_move(4)
    hal.say("takeback")
    gil.press("Grant it")
    gil.visitor.until("document.querySelectorAll('.moves button').length === 3")
    gil.press("Give 15 s")
    hal.hear("lobby game", "15000")
    gil.fill("Say to your opponent", "well played")
    gil.send("Say")
    hal.hear("lobby say", "well played")
    gil.press("Flip the board (F)")
    first = gil.page.locator("[role=gridcell]").first
    assert first.get_attribute("data-square") == "h1"
    hal.say("bestmove d7d6")
    gil.visitor.said_move(4)
    assert gil.visitor.my_turn()
    gil.move("f1c4")  # on the board that is turned
    hal.hear("position ", " f1c4")
    hal.say("draw")
    gil.press("Accept the draw")
    gil.visitor.see("#table .status", "Draw by agreement")


def test_a_game_is_resigned_complained_about_and_played_again(playing):
    ida, jon = playing("Ida")
    ida.move("d2d4")
    jon.move("d7d5")
    ida.visitor.said_move(2)
    ida.press("Resign")
    ida.answer("Play on")
    ida.page.get_by_role("dialog").wait_for(state="detached")
    assert ida.visitor.my_turn()
    ida.press("Ignore the opponent")
    ida.press("Hear the opponent again")
    ida.visitor.see("#act-ignore", "Ignore the opponent")
    ida.press("Complain…")
    ida.fill("What happened?", "he hums")
    ida.answer("Complain")
    ida.visitor.see("#table-note", "the administrators will read it")
    ida.press("Resign")
    ida.answer("Resign")
    ida.visitor.see("#table-note", "You lost")
    number = ida.visitor.game
    ida.press("Back one ply (arrow left)")
    ida.visitor.see(".moves button[aria-current]", "d4")
    ida.press("Rematch")
    ida.visitor.see("#table-note", "You asked for a rematch")
    jon.say("rematch")
    ida.visitor.see("#table .status", "The opponent's move")
    assert ida.visitor.game != number
    ida.press("Abort")
    ida.visitor.see("#table-note", "No result")
    ida.press("To the lobby")
    ida.visitor.see("#lobby-title")
    ida.press("Leave")
    ida.visitor.see("#enter-title")


def test_whoever_is_left_alone_claims_the_game(playing):
    kim, lou = playing("Kim")
    kim.move("e2e4")
    lou.move("e7e5")
    kim.visitor.said_move(2)
    lou.close()
    kim.visitor.see("#presence", "You may claim the game now")
    kim.press("Claim a win")
    kim.visitor.see("#table-note", "You won")
    kim.follow("Look at the game")
    kim.visitor.see("h1", kim.visitor.name)
