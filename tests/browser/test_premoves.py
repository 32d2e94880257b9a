"""Moves that are chosen while the opponent thinks."""

import pytest

from tests.browser.conftest import NIM, PHONE, pages_server
from tests.browser.opponent import Opponent
from tests.browser.pages import Visitor, expect

pytestmark = [pytest.mark.system, pytest.mark.slow]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """One for all tests here, who therefore come in under different names."""
    with pages_server(tmp_path_factory.mktemp("server"), NIM) as running:
        yield running


def playing(visit, opponent, name: str, terms: str = "", **options) -> tuple[Visitor, Opponent]:
    """Somebody who has the white pieces, and the opponent."""
    visitor = visit("/play", **options)
    visitor.come_in(name)
    rival = opponent(f"{name}s_rival")
    visitor.play_against(rival, terms)
    assert visitor.my_turn()
    return visitor, rival


def premove(visitor: Visitor, move: str) -> None:
    """By clicks; wait until it is shown."""
    visitor.click_move(move)
    visitor.see("#premove", f"Premove: {move}")


def test_a_premove_by_clicks_is_shown_and_made_when_the_turn_comes(opponent, visit):
    ada, bob = playing(visit, opponent, "Ada")
    ada.click_move("e2e4")
    bob.hear("go ")
    premove(ada, "g1f3")
    ada.see("[data-square=f3].premove[aria-label='f3, empty, premove']")
    ada.see("[data-square=g1].premove[aria-label='g1, white knight, premove from here']")
    bob.say("bestmove e7e5")
    bob.hear("position ", " e2e4 e7e5 g1f3")
    ada.said_move(3)
    ada.board_shows(f3="white knight")
    expect(ada.page.locator(".premove")).to_have_count(0)
    expect(ada.page.locator("#premove")).to_be_hidden()


def test_a_premove_is_replaced_and_taken_back_by_a_click_a_key_and_a_button(opponent, visit):
    carl, dora = playing(visit, opponent, "Carl")
    carl.click_move("e2e4")
    dora.hear("go ")
    premove(carl, "d2d4")
    carl.square("h5").click()
    carl.page.locator("#premove").wait_for(state="hidden")
    premove(carl, "d2d4")
    carl.page.keyboard.press("Escape")
    carl.page.locator("#premove").wait_for(state="hidden")
    premove(carl, "d2d4")
    carl.page.locator("#act-premove").click()
    carl.page.locator("#premove").wait_for(state="hidden")
    premove(carl, "d2d4")
    premove(carl, "b1c3")  # instead
    expect(carl.page.locator(".square.premove")).to_have_count(2)
    carl.square("h5").click()
    dora.say("bestmove e7e5")
    assert carl.my_turn()
    assert carl.moves_said == 2  # and none was made
    carl.click_move("b1c3")
    dora.hear("position ", " e7e5 b1c3")


def test_a_premove_that_is_not_legal_any_more_is_dropped_with_a_word(opponent, visit):
    emma, finn = playing(visit, opponent, "Emma")
    emma.click_move("e2e4")
    finn.hear("go ")
    premove(emma, "e4e5")
    finn.say("bestmove e7e5")
    emma.see("#table-note", "Your premove e4e5 is not possible any more.")
    assert emma.my_turn()
    assert emma.moves_said == 2
    emma.click_move("g1f3")
    finn.hear("position ", " e7e5 g1f3")


def test_a_premove_is_dragged_and_a_recapture_goes_onto_ones_own_piece(opponent, visit):
    gina, hugo = playing(visit, opponent, "Gina")
    gina.click_move("e2e4")
    hugo.move("d7d5")
    gina.said_move(2)
    assert gina.my_turn()
    gina.click_move("b1c3")
    hugo.hear("go ")
    gina.square("c3").drag_to(gina.square("e4"))
    gina.see("#premove", "Premove: c3e4")
    hugo.say("bestmove d5e4")
    hugo.hear("position ", " d5e4 c3e4")


def test_a_piece_is_dragged_while_the_opponent_moves(opponent, visit):
    ines, jack = playing(visit, opponent, "Ines")
    ines.click_move("e2e4")
    jack.hear("go ")
    mouse = ines.page.mouse

    def middle(square: str) -> tuple[float, float]:
        box = ines.square(square).bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    mouse.move(*middle("g1"))
    mouse.down()
    mouse.move(*middle("f3"), steps=4)
    jack.say("bestmove e7e5")
    ines.said_move(2)
    assert ines.my_turn()
    mouse.up()
    jack.hear("position ", " e7e5 g1f3")


def test_a_typed_premove_is_read_when_the_turn_comes(opponent, visit):
    kim, lars = playing(visit, opponent, "Kim")
    kim.click_move("e2e4")
    lars.hear("go ")
    kim.type_move("Nf3")
    kim.see("#premove", "Premove: Nf3")
    lars.say("bestmove e7e5")
    lars.hear("position ", " e7e5 g1f3")
    lars.hear("go ")
    kim.type_move("Qh7")
    kim.see("#premove", "Premove: Qh7")
    lars.say("bestmove b8c6")
    kim.see("#table-note", "Your premove Qh7 is not possible any more.")
    assert kim.my_turn()


def test_a_premove_is_made_and_taken_back_with_the_keyboard(opponent, visit):
    mia, ned = playing(visit, opponent, "Mia")
    mia.click_move("e2e4")
    ned.hear("go ")
    mia.said_move(1)  # which is read out, too
    press = mia.page.keyboard.press
    mia.square("d2").focus()
    for key in ("Enter", "ArrowUp", "ArrowUp", "Enter"):
        press(key)
    mia.see("#premove", "Premove: d2d4")
    mia.see("#live", "Premove d2d4. Escape takes it back.")
    press("Escape")
    mia.see("#live", "The premove is taken back.")
    mia.focused("dataset.square", "d4")
    for key in ("ArrowDown", "ArrowDown", "Enter", "ArrowUp", "Enter"):
        press(key)
    mia.see("#premove", "Premove: d2d3")
    ned.say("bestmove e7e5")
    ned.hear("position ", " e7e5 d2d3")


def test_a_premove_is_made_by_touch_and_becomes_a_queen(opponent, visit):
    start = "7k/P7/8/8/8/8/8/K7 w - - 0 1"
    options = {"size": PHONE, "has_touch": True}
    olga, pete = playing(visit, opponent, "Olga", f"start {start}", **options)
    olga.square("a1").tap()
    olga.square("b1").tap()
    pete.hear("go ")
    olga.square("a7").tap()
    olga.square("a8").tap()
    olga.see("#premove", "Premove: a7a8")
    pete.say("bestmove h8h7")
    pete.hear("position ", " h8h7 a7a8q")


def test_premoves_of_stones_drops_and_games_without_a_board(opponent, visit):
    rosa, sam = playing(visit, opponent, "Rosa", "game tictactoe")
    rosa.click_move("b2")
    sam.hear("go ")
    premove(rosa, "a1")
    sam.say("bestmove c3")
    sam.hear("position ", " c3 a1")
    start = "start 4k3/8/8/8/8/8/8/4K3[QNp] w - - 0 1"
    tina, ugo = playing(visit, opponent, "Tina", f"game crazyhouse {start}")
    tina.click_move("e1e2")
    ugo.hear("go ")
    tina.page.get_by_role("button", name="white knight").click()
    tina.square("c3").click()
    tina.see("#premove", "Premove: N@c3")
    ugo.say("bestmove e8e7")
    ugo.hear("position ", " e8e7 N@c3")
    vera, walt = playing_nim(visit, opponent)
    vera.type_move("a2")
    walt.hear("go ")
    vera.type_move("c4")
    vera.see("#premove", "Premove: c4")
    walt.say("bestmove b2")
    walt.hear("position ", " b2 c4")


def playing_nim(visit, opponent) -> tuple[Visitor, Opponent]:
    vera = visit("/play")
    vera.come_in("Vera")
    walt = opponent("Walt")
    vera.play_against(walt, "game nim")
    return vera, walt


def test_a_premove_does_not_outlive_a_takeback_or_the_game(opponent, visit):
    xena, yuri = playing(visit, opponent, "Xena")
    xena.click_move("e2e4")
    yuri.move("e7e5")
    xena.said_move(2)
    assert xena.my_turn()
    xena.click_move("g1f3")
    yuri.hear("go ")
    premove(xena, "f1c4")
    xena.press("Take back")
    yuri.hear("lobby game", "offer takeback")
    yuri.say("takeback", "bestmove 0000")
    xena.until("document.querySelectorAll('.moves button').length === 2")
    xena.page.locator("#premove").wait_for(state="hidden")
    assert xena.my_turn()
    xena.click_move("d2d4")
    yuri.hear("position ", " e7e5 d2d4")
    premove(xena, "d4e5")
    yuri.say("resign")
    xena.see("#table-note", "You won")
    expect(xena.page.locator("#premove")).to_be_hidden()
    expect(xena.page.locator(".premove")).to_have_count(0)
