"""Whole games in the browser, against engines."""

import re

import pytest

from tests.browser.conftest import PHONE
from tests.browser.pages import Visitor, expect

pytestmark = [pytest.mark.system, pytest.mark.slow]

LONGEST = 60
"""Moves of ours, after which we resign: a small engine may need long to mate."""

OVER = re.compile("won|Draw")


def play_by_clicks(visitor: Visitor, longest: int = LONGEST) -> int:
    """Play until the game is over; how many moves that took us."""
    for played in range(longest):
        if not visitor.my_turn():
            return played
        legal, before = sorted(visitor.legal()), visitor.moves_said
        # Scattered over all pieces, and the same in every run.
        visitor.click_move(legal[(7 * played + 3) % len(legal)])
        visitor.said_move(before + 1)
    return longest


def test_a_whole_game_of_chess_is_played_by_clicks(engine, visit):
    engine("--color", "black")
    visitor = visit("/play")
    visitor.come_in("Ada")
    visitor.accept()
    expect(visitor.page.locator(".status")).to_have_text("Your move")
    visitor.becomes(lambda: len(visitor.board()), 32)
    played = play_by_clicks(visitor)
    if visitor.my_turn():
        visitor.resign()
    visitor.see(".status", OVER)
    game = visitor.finished_game()
    assert game["white"]["name"] == "Ada"
    assert len(game["moves"]) >= 2 * played - 1


def test_liberty_chess_on_twelve_by_twelve_is_played_by_typing(engine, visit):
    engine("--game", "liberty", "--color", "black")
    visitor = visit("/play")
    visitor.come_in("Ada")
    visitor.accept()
    assert visitor.my_turn()
    expect(visitor.page.locator("[role=gridcell]")).to_have_count(144)
    visitor.board_shows(b1="white centaur")
    for played in range(8):
        assert visitor.my_turn()
        legal, before = visitor.legal(), visitor.moves_said
        move = sorted(legal)[(11 * played + 5) % len(legal)]
        # Half of them as people write them, half as programs do.
        visitor.type_move(legal[move] if played % 2 else move)
        visitor.said_move(2 * played + 1)
        visitor.said_move(before + 1)
    assert visitor.my_turn()
    visitor.type_move("Qz99")
    visitor.see("#typed-fault")
    visitor.resign()
    visitor.see(".status", "Black won by resignation")
    game = visitor.finished_game()
    assert game["rules"] == "liberty"
    assert len(game["moves"]) >= 16


def test_tic_tac_toe_is_played_on_a_phone_to_its_end(engine, visit):
    engine("--game", "tictactoe", "--color", "black")
    visitor = visit("/play", PHONE)
    visitor.come_in("Ada")
    visitor.accept()
    assert visitor.my_turn()
    visitor.square("b2").click()
    visitor.said_move(2)
    visitor.board_shows(b2="X")
    play_by_clicks(visitor)
    visitor.see(".status", re.compile("X won|O won|Draw"))
    visitor.see("#act-rematch")


def test_a_piece_is_dragged_and_a_drag_to_nowhere_puts_it_back(engine, visit):
    engine("--color", "black")
    visitor = visit("/play")
    visitor.come_in("Ada")
    visitor.accept()
    assert visitor.my_turn()
    visitor.square("g1").drag_to(visitor.square("g5"))
    visitor.board_shows(g1="white knight", g5="empty")
    visitor.square("g1").drag_to(visitor.square("f3"))
    visitor.said_move(2)
    visitor.board_shows(f3="white knight", g1="empty")


def test_a_game_is_played_with_the_keyboard_alone(engine, visit):
    engine("--color", "black")
    visitor = visit("/play")
    press, page = visitor.page.keyboard.press, visitor.page

    def tab_to(selector: str) -> None:
        for _ in range(80):
            if page.evaluate("s => document.activeElement?.closest(s) !== null", selector):
                return
            press("Tab")
        raise AssertionError(f"no Tab leads to {selector}")

    tab_to("#name")
    page.keyboard.type("Ada")
    visitor.see("#enter-button:enabled")
    press("Enter")
    visitor.see("#seeks button")
    tab_to("#seeks button")
    press("Enter")
    visitor.begun()
    assert visitor.my_turn()
    tab_to("[role=gridcell]")
    visitor.focused("ariaLabel", "a1, white rook")
    for key in (*["ArrowRight"] * 4, "ArrowUp"):
        press(key)
    visitor.focused("ariaLabel", "e2, white pawn")
    press("Enter")
    expect(visitor.square("e2")).to_have_attribute("aria-selected", "true")
    press("Escape")
    expect(visitor.square("e2")).not_to_have_attribute("aria-selected", "true")
    for key in ("Enter", "ArrowUp", "ArrowUp", "Enter"):
        press(key)
    visitor.said_move(2)
    visitor.board_shows(e4="white pawn")
    visitor.focused("dataset.square", "e4")
    tab_to("#act-resign")
    press("Enter")
    page.get_by_role("dialog").wait_for()
    visitor.focused("innerText", "Play on")
    press("Tab")
    press("Enter")
    visitor.see(".status", "Black won by resignation")
    # Whoever had the focus on a button that is gone now is not thrown out of the page.
    visitor.until("document.activeElement !== document.body")
