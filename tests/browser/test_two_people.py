"""Two people: what they offer, claim and say to each other, and the accounts that they have."""

import re

import pytest

from tests.browser.conftest import pages_server
from tests.browser.pages import expect

pytestmark = [pytest.mark.system, pytest.mark.slow]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """One for all tests here, who therefore come in under different names. Whoever is left alone
    may claim the game soon."""
    with pages_server(tmp_path_factory.mktemp("server"), play="away = 1\n") as running:
        yield running


def test_a_draw_is_offered_declined_by_a_move_and_agreed(opponent, visit):
    ada = visit("/play")
    ada.come_in("Ada")
    bob = opponent("Bob")
    ada.play_against(bob)
    assert ada.my_turn()
    ada.click_move("e2e4")
    bob.hear("go ")
    ada.until("document.title === 'Playing: Bob'")
    ada.press("Offer a draw")
    ada.see("#offer", "You offered a draw")
    bob.hear("lobby game", "offer draw from Ada")
    bob.say("bestmove e7e5")
    ada.see("#offer", "Bob declined")
    ada.until("document.title === 'Your move: Bob'")
    bob.say("draw")
    ada.see("#offer", "Bob offers a draw")
    ada.press("Accept the draw")
    ada.see(".status", "Draw by agreement")
    ada.see("#table-note", "A draw")
    assert bob.hear("lobby game", " over ").endswith("result 1/2-1/2 reason agreement")


def test_a_move_is_taken_back_when_the_other_grants_it(opponent, visit):
    carl = visit("/play")
    carl.come_in("Carl")
    dora = opponent("Dora")
    carl.play_against(dora)
    assert carl.my_turn()
    carl.click_move("a2a3")
    dora.hear("go ")
    carl.press("Take back")
    dora.hear("lobby game", "offer takeback 1 from Carl")
    dora.say("takeback")
    dora.hear("stop")
    dora.say("bestmove 0000")
    carl.until("document.querySelectorAll('.moves button').length === 0")
    carl.board_shows(a2="white pawn")
    assert carl.my_turn()
    carl.click_move("d2d4")
    dora.move("d7d5")
    assert carl.my_turn()
    dora.say("takeback")
    carl.see("#offer", "Dora asks to take back 1 ply")
    carl.press("Grant it")
    carl.until("document.querySelectorAll('.moves button').length === 1")
    carl.board_shows(d7="black pawn")
    carl.see(".status", "The opponent's move")
    dora.move("g8f6")
    carl.see(".moves button", "Nf6")


def test_a_rematch_is_played_with_the_other_side(opponent, visit):
    emma = visit("/play")
    emma.come_in("Emma")
    finn = opponent("Finn")
    emma.play_against(finn)
    number = emma.game
    emma.resign()
    emma.see("#table-note", "You lost")
    finn.hear("lobby game", " over ")
    emma.press("Rematch")
    emma.see("#table-note", "You asked for a rematch")
    finn.say("rematch")
    emma.see(".status", "The opponent's move")
    assert emma.game != number
    emma.board_shows(e1="white king")
    first = emma.page.locator("[role=gridcell]").first
    expect(first).to_have_attribute("data-square", "h1")  # Black's side is below
    finn.move("e2e4")
    assert emma.my_turn()


def test_whoever_is_left_alone_claims_the_game(opponent, visit):
    gina = visit("/play")
    gina.come_in("Gina")
    hugo = opponent("Hugo")
    gina.play_against(hugo)
    assert gina.my_turn()
    gina.click_move("e2e4")
    hugo.move("e7e5")
    gina.said_move(2)
    hugo.close()
    gina.see("#presence", "Your opponent's connection is lost")
    gina.see("#presence", "You may claim the game now")
    gina.press("Claim a win")
    gina.see(".status", "White won by abandonment")
    gina.see("#table-note", "You won")


def test_two_pages_challenge_each_other_talk_and_play(visit):
    ines, jack = visit("/play"), visit("/play")
    ines.come_in("Ines")
    jack.come_in("Jack")
    ines.press("Leave")
    ines.come_in("Ines")
    ines.choose("chess", "black")
    ines.page.get_by_label("Challenge by name").fill("Jack")
    ines.press("Challenge")
    ines.see("#own", "challenge to Jack")
    jack.see("#challenges", re.compile("Ines.*Chess.*plays Black"))
    jack.page.get_by_role("button", name="Decline: Ines").click()
    ines.see("#lobby-note", "Jack declined your challenge")
    jack.see("#players", "Ines")
    jack.page.get_by_role("button", name="Challenge Ines").click()
    ines.page.get_by_role("button", name="Accept: Jack").click()
    for visitor in (ines, jack):
        visitor.begun()
    ines.page.get_by_label("Say to your opponent").fill("good luck <b>Jack</b>")
    ines.press("Say")
    jack.see("#chat", "Ines good luck <b>Jack</b>")
    jack.page.get_by_label("Say to your opponent").fill("have fun")
    jack.press("Say")
    ines.see("#chat", "Jack have fun")
    white, black = (ines, jack) if ines.status == "Your move" else (jack, ines)
    assert white.my_turn()
    white.click_move("g1f3")
    assert black.my_turn()
    black.click_move("g8f6")
    assert white.my_turn()
    white.press("Give 15 s")
    black.see("#table-note", "gave 15 s more")


def test_an_offer_that_is_pressed_while_another_comes_is_accepted(opponent, visit):
    tom, uma, vic = visit("/play"), opponent("Uma"), opponent("Vic")
    tom.come_in("Tom")
    uma.say("seek color black")
    play = tom.page.get_by_role("button", name=re.compile("^Play: Uma"))
    play.wait_for()
    with tom.pressing(play):
        vic.say("seek color black")
        tom.see("#seeks", "Vic")
    tom.begun()
    uma.hear("lobby game", " start white Tom black Uma")


def test_an_account_plays_rated_games_by_its_token(server, opponent, visit):
    token = server.run("player", "add", "Kim").strip()
    guest = visit("/play")
    guest.come_in("Kim")
    expect(guest.page.locator("#me")).to_have_text("Kim_(guest)")
    assert not guest.page.get_by_label("Rated").is_visible()
    kim = visit("/play")
    kim.page.get_by_label("Your name").fill("Kim")
    kim.page.get_by_text("I have an account here").click()
    kim.page.get_by_label("Token").fill("ulci_mistyped")
    kim.press("Enter")
    kim.see("#enter-fault", "your token is not valid")
    kim.page.get_by_label("Token").fill(token)
    kim.come_in("Kim")
    expect(kim.page.locator("#me")).to_have_text("Kim")
    assert token not in kim.page.evaluate("JSON.stringify({ ...sessionStorage, ...localStorage })")
    lars = opponent("Lars")
    kim.page.get_by_label("Rated").check()
    kim.press("Play anybody")
    kim.see("#own", "rated")
    number = lars.hear("lobby seek", "player Kim ").split()[2]
    lars.say(f"accept {number}")
    kim.begun()
    kim.see("#table-facts", "rated")
    assert kim.get(f"/api/games/{kim.game}")["rated"]
    kim.page.reload()
    kim.begun()
    kim.resign()
    lars.hear("lobby game", " over ")


def test_a_player_whose_name_another_one_has_is_named_alike_beside_the_board_and_in_the_chat(
    opponent, visit
):
    opponent("Nora")
    nora = visit("/play")
    nora.come_in("Nora")
    expect(nora.page.locator("#me")).to_have_text("Nora-2")
    otto = opponent("Otto the Great")
    otto.say("challenge Nora-2 color black")
    nora.page.get_by_role("button", name="Accept: Otto_the_Great").click()
    nora.begun()
    expect(nora.page.locator(".player-name")).to_have_text(["Otto the Great", "Nora-2 (you)"])
    nora.page.get_by_label("Say to your opponent").fill("hello")
    nora.press("Say")
    nora.see("#chat", "Nora-2 hello")
    nora.page.locator(".player-bar").get_by_role("link", name="Nora-2").wait_for()


def test_an_opponent_is_ignored_and_heard_again(opponent, visit):
    gina = visit("/play")
    gina.come_in("Gina")
    hugo = opponent("Hugo")
    gina.play_against(hugo)
    hugo.say("say good luck")
    gina.see("#chat", "good luck")
    gina.press("Ignore the opponent")
    gina.see("#act-ignore", "Hear the opponent again")
    hugo.say("say you play badly")
    hugo.hear("lobby error ignored")
    gina.press("Hear the opponent again")
    gina.see("#act-ignore", "Ignore the opponent")
    hugo.say("say sorry")
    gina.see("#chat", "sorry")
    gina.until("!document.querySelector('#chat').textContent.includes('badly')")


def test_whoever_speaks_or_challenges_in_the_lobby_is_ignored_and_heard_again(opponent, visit):
    rosa = visit("/play")
    rosa.come_in("Rosa")
    rosa.see("#lobby")
    quentin = opponent("Quentin")
    quentin.say("tell Rosa play me")
    rosa.see("#lobby-note", "Quentin tells you: play me")
    rosa.press("Ignore")
    rosa.see("#lobby-note", "You hear nothing more from Quentin")
    quentin.say("tell Rosa now")
    quentin.hear("lobby error ignored")
    rosa.press("Hear again")
    rosa.see("#lobby-note", "You hear Quentin again")
    quentin.say("challenge Rosa time 60+1")
    rosa.see("#challenges", "Quentin")
    rosa.page.locator("#challenges").get_by_text("Ignore").click()
    rosa.see("#lobby-note", "You hear nothing more from Quentin")
    rosa.until("!document.querySelector('#challenges').textContent.includes('Quentin')")
