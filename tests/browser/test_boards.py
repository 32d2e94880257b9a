"""What boards can show and take: promotions, pockets, parts of a large board, games without one."""

import pytest

from tests.browser.conftest import NIM, PHONE, pages_server
from tests.browser.pages import expect

pytestmark = [pytest.mark.system, pytest.mark.slow]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """One for all tests here, who therefore come in under different names."""
    with pages_server(tmp_path_factory.mktemp("server"), NIM) as running:
        yield running


def test_a_pawn_becomes_what_is_chosen_by_click_and_by_key(opponent, visit):
    ada = visit("/play")
    ada.come_in("Ada")
    bob = opponent("Bob")
    ada.play_against(bob, "start 7k/P1P5/8/8/8/8/8/K7 w - - 0 1")
    dialog = ada.page.get_by_role("dialog", name="Promote to")
    assert ada.my_turn()
    ada.square("a7").click()
    ada.square("a8").click()
    pieces = ["bishop", "knight", "queen", "rook"]
    ada.becomes(lambda: sorted(dialog.get_by_role("button").all_inner_texts()), pieces)
    ada.page.keyboard.press("Escape")
    dialog.wait_for(state="detached")
    ada.board_shows(a7="white pawn")  # and no move was made
    ada.click_move("a7a8n")
    bob.hear("position ", " a7a8n")
    ada.board_shows(a8="white knight")
    bob.move("h8h7")
    assert ada.my_turn()
    press = ada.page.keyboard.press
    ada.square("c7").focus()
    for key in ("Enter", "ArrowUp", "Enter"):
        press(key)
    dialog.wait_for()
    for _ in pieces:
        if ada.page.evaluate("document.activeElement.innerText") != "rook":
            press("Tab")
    ada.focused("innerText", "rook")
    press("Enter")
    bob.hear("position ", " c7c8r")
    ada.see("[data-square=c8][aria-label='c8, white rook, last move']")
    ada.focused("dataset.square", "c8")


def test_what_was_taken_is_dropped_by_click_and_by_key(opponent, visit):
    carl = visit("/play", PHONE)
    start = "4k3/8/8/8/8/8/8/4K3[QNNp] w - - 0 1"
    carl.come_in("Carl")
    dora = opponent("Dora")
    carl.play_against(dora, f"game crazyhouse start {start}")
    assert carl.my_turn()
    pocket = carl.page.get_by_role("group", name="White's pocket")
    knight = pocket.get_by_role("button", name="white knight, 2 in the pocket")
    theirs = carl.page.get_by_role("group", name="Black's pocket")
    expect(theirs.get_by_role("button", name="black pawn, 1 in the pocket")).to_be_disabled()
    knight.click()
    expect(knight).to_have_attribute("aria-pressed", "true")
    assert not carl.page.locator("[data-square=e8].target").count()
    carl.square("c3").click()
    dora.hear("position ", " N@c3")
    pocket.get_by_role("button", name="white knight, 1 in the pocket").wait_for()
    dora.move("P@e4")
    assert carl.my_turn()
    carl.see("[data-square=e4][aria-label='e4, black pawn, last move']")
    pocket.get_by_role("button", name="queen").focus()
    press = carl.page.keyboard.press
    press("Enter")
    carl.square("d1").focus()
    press("ArrowUp")
    press("Enter")
    dora.hear("position ", " Q@d2")
    carl.see(".moves button", "Q@d2")
    carl.board_shows(d2="white queen")
    expect(pocket.get_by_role("button")).to_have_count(1)
    assert carl.widest() <= PHONE[0]


def test_a_piece_of_the_pocket_is_picked_up_though_the_opponent_moves_meanwhile(opponent, visit):
    kim = visit("/play")
    kim.come_in("Kim")
    lars = opponent("Lars")
    kim.play_against(lars, "game crazyhouse start 4k3/8/8/8/8/8/8/4K3[QNNp] w - - 0 1")
    assert kim.my_turn()
    kim.click_move("e1e2")
    lars.hear("go ")
    knight = kim.page.get_by_role("button", name="white knight")
    with kim.pressing(knight):
        lars.say("bestmove e8e7")
        kim.said_move(2)
        assert kim.my_turn()
    expect(knight).to_have_attribute("aria-pressed", "true")
    kim.square("c3").click()
    lars.hear("position ", " N@c3")


def test_a_game_with_a_referee_is_played_as_text_and_watched(opponent, visit):
    emma = visit("/play")
    emma.come_in("Emma")
    finn = opponent("Finn")
    emma.play_against(finn, "game nim")
    emma.see("#table", "The board of this game is not known to the server")
    emma.type_move("z9")
    emma.see("#table-note, #typed-fault", "illegal move")
    emma.type_move("a2")
    emma.said_move(1)
    watcher = visit(f"/games/{emma.game}")
    watcher.see(".moves button", "a2")
    finn.move("b2")
    emma.see(".moves button", "b2")
    emma.see(".status", "Your move")
    for played, (mine, theirs) in enumerate((("c4", "a1"), ("b1", "b1"))):
        emma.type_move(mine)
        finn.move(theirs)
        emma.said_move(2 * played + 4)
    emma.type_move("c1")
    emma.see(".status", "by the rules of the game")
    watcher.see(".status", "by the rules of the game")
    expect(watcher.page.locator(".moves button")).to_have_count(7)


def test_a_part_is_shown_of_a_board_above_64_squares_a_side(opponent, visit):
    gina = visit("/play", PHONE)
    start = "k69/70/70/70/70/70/P67P1/K69 w - - 0 1"
    gina.come_in("Gina")
    hugo = opponent("Hugo")
    gina.play_against(hugo, f"game liberty start {start}")
    assert gina.my_turn()
    cells = gina.page.locator("[role=gridcell]")
    expect(cells).to_have_count(24 * 8)
    expect(cells.first).to_have_attribute("data-square", "a8")
    expect(gina.page.get_by_role("grid")).to_have_attribute("aria-colcount", "70")
    for _ in range(5):
        gina.page.get_by_role("button", name="further right").click()
    expect(cells.last).to_have_attribute("data-square", "br1")
    gina.becomes(gina.board, {"bq2": "white pawn"})
    gina.click_move("bq2bq3")
    hugo.hear("position ", " bq2bq3")
    hugo.move("a8b8")
    assert gina.my_turn()
    gina.square("bq3").focus()
    gina.page.keyboard.press("Home")  # walks out of the part that is shown
    gina.focused("dataset.square", "a3")
    gina.square("a2").click()
    gina.square("a3").click()
    hugo.hear("position ", " a2a3")
    assert gina.widest() <= PHONE[0]


def test_sides_who_put_stones_are_called_by_them(opponent, visit):
    ida, jon = opponent("Ida"), opponent("Jon")
    number = ida.play(jon, "game tictactoe")
    for square, answer in (("b2", "a1"), ("a3", "c1"), ("b3", "b1")):
        ida.hear("go ")
        ida.say("info depth 3 score cp 90", f"bestmove {square}")
        jon.move(answer)
    jon.hear("lobby game", " over ")
    visitor = visit(f"/games/{number}")
    visitor.see(".status", "O won by the rules of the game")
    visitor.see("#scores-key", "Above the middle X is better. Solid: X's view. Dashed: O's.")
    visitor.page.get_by_role("img", name="Evaluations, in the end better for X").wait_for()
    visitor.page.get_by_role("timer", name="O's clock").wait_for()
    assert visitor.page.get_by_text("White").count() == 0
