"""What a person has around the board while playing: layout, sound, calls, material, settings,
drawings, and what a reload keeps."""

import json
import threading

import pytest

from tests.browser.conftest import DESKTOP, PHONE, pages_server
from tests.browser.opponent import Opponent
from tests.browser.pages import Visitor, expect, judged

pytestmark = [pytest.mark.system, pytest.mark.slow]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """One for all tests here, who therefore come in under different names."""
    with pages_server(tmp_path_factory.mktemp("server")) as running:
        yield running


def playing(visit, opponent, name: str, terms: str = "", **options) -> tuple[Visitor, Opponent]:
    """Somebody who has the white pieces, and the opponent."""
    visitor = visit("/play", **options)
    visitor.come_in(name)
    rival = opponent(f"{name}s_rival")
    visitor.play_against(rival, terms)
    assert visitor.my_turn()
    return visitor, rival


SHIFTS = """
window.shifts = [];
const FIXED = '.board-side, #table-acts';
new PerformanceObserver((list) => {
  for (const { value, sources } of list.getEntries()) {
    const moved = sources.map(({ node }) => node).filter((node) => node?.closest?.(FIXED));
    if (moved.length) window.shifts.push([value, moved.map((one) => one.id || one.className)]);
  }
}).observe({ type: 'layout-shift', buffered: true });
"""
"""Every movement of the board and of the buttons, as a share of the window."""


def shifts(visitor: Visitor) -> list[object]:
    return visitor.page.evaluate("window.shifts")


def test_draw_and_resign_are_seen_on_a_phone_without_scrolling(opponent, visit):
    ada, bob = playing(visit, opponent, "Ada", size=PHONE)
    bob.say("draw")
    ada.see("#offer", "offers a draw")
    for name in ("act-draw", "act-resign"):
        box = ada.page.locator(f"#{name}").bounding_box()
        assert box["y"] + box["height"] <= PHONE[1], name
        at = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        hit = ada.page.evaluate("([x, y]) => document.elementFromPoint(x, y).id", at)
        assert hit == name
    assert ada.page.locator("ulci-board").bounding_box()["y"] >= 0
    assert ada.widest() <= PHONE[0]


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_the_board_has_its_place_before_the_game_is_known(size, opponent, visit):
    tag = size[0]
    carl, dora = playing(visit, opponent, f"Carl{tag}", size=size)
    carl.click_move("e2e4")
    dora.hear("go ")
    place = carl.page.locator("ulci-board").bounding_box()
    carl.page.add_init_script(SHIFTS)
    waiting, known = [], threading.Event()
    carl.page.route(
        f"**/api/games/{carl.game}",
        lambda route: route.continue_() if known.is_set() else waiting.append(route),
    )
    carl.page.reload()
    carl.see("#table .board-blank")
    assert carl.page.locator(".board-blank").bounding_box()["y"] == place["y"]
    assert carl.page.locator("ulci-board").bounding_box() == place
    known.set()
    for route in waiting:
        route.continue_()
    carl.begun()
    carl.said_move(1)
    assert carl.page.locator("ulci-board").bounding_box() == place
    assert shifts(carl) == []
    watcher = visit(f"/games/{carl.game}", size)
    watcher.page.add_init_script(SHIFTS)
    watcher.page.reload()
    watcher.said_move(1)
    assert shifts(watcher) == []


def test_a_reload_after_the_game_leads_to_the_lobby(opponent, visit):
    emma, finn = playing(visit, opponent, "Emma")
    emma.page.reload()
    emma.begun()
    finn.say("resign")
    emma.see("#table-note", "You won")
    emma.press("To the lobby")
    emma.page.reload()
    emma.see("#lobby-title")


HEARD = """
window.tones = [];
const start = OscillatorNode.prototype.start;
OscillatorNode.prototype.start = function (...when) {
  window.tones.push(Math.round(this.frequency.value));
  return start.apply(this, when);
};
"""
MOVE, CAPTURE, CHECK, LOW, END = 240, 170, 700, 880, 262


def test_moves_captures_checks_and_the_end_are_heard_until_sound_is_off(opponent, visit):
    gina = visit("/play")
    gina.page.add_init_script(HEARD)
    gina.page.reload()
    gina.come_in("Gina")
    hugo = opponent("Hugo")
    gina.play_against(hugo, "start 4k3/8/8/3p4/4P3/8/8/4KR2 w - - 0 1")
    assert gina.my_turn()
    gina.click_move("e1e2")
    gina.until(f"window.tones.includes({MOVE}) && !window.tones.includes({CAPTURE})")
    hugo.move("d5e4")
    gina.until(f"window.tones.includes({CAPTURE}) && !window.tones.includes({CHECK})")
    assert gina.my_turn()
    gina.click_move("f1f8")
    gina.until(f"window.tones.includes({CHECK})")
    sound = gina.page.get_by_role("button", name="Sound")
    expect(sound).to_have_attribute("aria-pressed", "true")
    sound.click()
    expect(sound).to_have_attribute("aria-pressed", "false")
    gina.page.evaluate("window.tones.length = 0")
    hugo.move("e8f8")
    gina.said_move(4)
    assert gina.page.evaluate("window.tones") == []
    gina.page.reload()
    gina.begun()
    expect(sound).to_have_attribute("aria-pressed", "false")  # it is remembered
    sound.click()
    gina.see("#act-resign")
    assert gina.my_turn()
    gina.resign()
    gina.until(f"window.tones.includes({END}) && !window.tones.includes({CAPTURE})")


def test_little_time_is_heard(opponent, visit):
    ines = visit("/play")
    ines.page.add_init_script(HEARD)
    ines.page.clock.install()
    ines.page.reload()
    ines.come_in("Ines")
    jack = opponent("Jack")
    ines.play_against(jack, "time 62+0")
    assert ines.my_turn()
    ines.page.clock.fast_forward(4000)
    ines.until(f"window.tones.includes({LOW})")


CALLS = """
window.calls = [];
window.asked = 0;
window.Notification = class extends EventTarget {
  static permission = 'default';
  static async requestPermission() {
    window.asked += 1;
    return (Notification.permission = window.answer ?? 'granted');
  }
  constructor(title, { body }) { super(); window.calls.push(`${title}: ${body}`); }
  close() {}
};
window.look = (state) => {
  Object.defineProperty(document, 'visibilityState', { value: state, configurable: true });
  document.dispatchEvent(new Event('visibilitychange'));
};
"""


def test_who_looks_elsewhere_is_called_by_the_title_and_only_if_asked_for_by_a_notification(
    opponent, visit
):
    kim = visit("/play")
    kim.page.add_init_script(CALLS)
    kim.page.reload()
    kim.come_in("Kim")
    lars = opponent("Lars")
    kim.play_against(lars)
    assert kim.my_turn()
    kim.click_move("e2e4")
    lars.hear("go ")
    kim.page.evaluate("look('hidden')")
    lars.say("bestmove e7e5")
    kim.until("document.title === '● Your move'")
    assert kim.page.evaluate("[window.asked, window.calls.length]") == [0, 0]
    kim.until("document.title !== '● Your move'")  # it blinks
    kim.until("document.title === '● Your move'")
    kim.page.evaluate("look('visible')")
    kim.until("document.title === 'Your move: Lars'")
    kim.press("Settings")
    box = kim.page.get_by_role("checkbox", name="Notify me")
    kim.page.evaluate("window.answer = 'denied'")
    box.click()
    kim.see("dialog .warning", "Your browser shows no notifications")
    expect(box).not_to_be_checked()
    kim.page.evaluate("window.answer = 'granted'")
    box.click()
    expect(box).to_be_checked()
    expect(kim.page.locator("dialog .warning")).to_be_hidden()
    kim.press("Close")
    assert kim.my_turn()
    kim.click_move("g1f3")
    lars.hear("position ", " g1f3")
    lars.hear("go ")
    kim.page.evaluate("look('hidden')")
    lars.say("bestmove b8c6")
    kim.until("window.calls.includes('Your move: Lars')")


AS_ON_A_PHONE = """
window.Notification = class {
  static permission = 'granted';
  static requestPermission = async () => 'granted';
  constructor() { throw new TypeError('Illegal constructor'); }
};
window.notes = [];
ServiceWorkerRegistration.prototype.showNotification = async function (title, { body, tag }) {
  if (this.active?.state !== 'activated') throw new TypeError('no active worker');
  window.notes.push({ title, body, tag, scope: this.scope });
};
ServiceWorkerRegistration.prototype.getNotifications = async ({ tag }) => window.notes
  .filter((one) => one.tag === tag)
  .map((one) => ({
    close() { window.notes = window.notes.filter((other) => other !== one); },
  }));
window.told = () => window.notes.map(({ title, body }) => `${title}: ${body}`).join();
"""
"""The browser of these tests allows no notifications: they are noted here. The worker is real."""


def test_a_phone_shows_its_notifications_by_a_service_worker(opponent, visit):
    pia = visit("/play", PHONE)
    pia.page.add_init_script(CALLS + AS_ON_A_PHONE)
    pia.page.evaluate("localStorage.setItem('ulci.settings', '{\"notify\": true}')")
    pia.page.reload()
    pia.come_in("Pia")
    olaf = opponent("Olaf")
    pia.play_against(olaf)
    assert pia.my_turn()
    pia.click_move("e2e4")
    olaf.hear("go ")
    pia.page.evaluate("look('hidden')")
    olaf.say("bestmove e7e5")
    pia.until("told() === 'Your move: Olaf'")
    pia.page.evaluate("look('visible')")
    pia.until("!told()")
    pia.page.evaluate("look('hidden')")
    olaf.say("resign")
    pia.until("told() === 'Game over: Olaf'")


def test_what_was_taken_is_shown_with_who_is_ahead(opponent, visit):
    mia, ned = playing(visit, opponent, "Mia")
    assert not mia.page.locator(".taken").count()
    mia.click_move("e2e4")
    ned.move("d7d5")
    mia.said_move(2)
    assert mia.my_turn()
    mia.click_move("e4d5")
    mia.page.get_by_role("img", name="has taken 1 pawn; 1 ahead").wait_for()
    ned.move("d8d5")
    mia.page.get_by_role("img", name="has taken 1 pawn", exact=True).first.wait_for()
    expect(mia.page.locator(".taken")).to_have_count(2)
    mia.page.get_by_role("button", name="First position").click()
    expect(mia.page.locator(".taken")).to_have_count(0)  # in the position that is shown
    olga, _ = playing(
        visit, opponent, "Olga", "game crazyhouse start 4k3/8/8/3p4/4P3/8/8/4K3[] w - - 0 1"
    )
    olga.click_move("e4d5")
    olga.said_move(1)
    assert not olga.page.locator(".taken").count()  # it is in the pocket


def test_pawns_that_were_promoted_were_not_taken(opponent, visit):
    pia, _ = playing(visit, opponent, "Pia", "start 7k/P7/8/8/8/8/8/K7 w - - 0 1")
    pia.click_move("a7a8q")
    pia.page.get_by_role("img", name="9 ahead", exact=True).wait_for()


def open_settings(visitor: Visitor):
    visitor.press("Settings")
    return visitor.page.get_by_role("dialog", name="Settings")


def test_a_move_is_confirmed_or_taken_back_where_that_is_set(opponent, visit):
    rosa, sam = playing(visit, opponent, "Rosa")
    dialog = open_settings(rosa)
    dialog.get_by_label("Confirm each move").check()
    rosa.press("Close")
    rosa.click_move("e2e4")
    rosa.see("#confirm", "Play e2e4?")
    rosa.board_shows(e4="white pawn")
    rosa.page.locator("#act-unconfirm").click()
    rosa.board_shows(e2="white pawn")
    assert rosa.my_turn()
    rosa.square("d2").focus()
    press = rosa.page.keyboard.press
    for key in ("Enter", "ArrowUp", "ArrowUp", "Enter"):
        press(key)
    rosa.see("#confirm", "Play d2d4?")
    press("Escape")
    assert rosa.my_turn()
    for key in ("ArrowDown", "ArrowDown", "Enter", "ArrowUp", "ArrowUp", "Enter", "Enter"):
        press(key)
    assert sam.hear("position startpos moves") == "position startpos moves d2d4"
    rosa.focused("dataset.square", "d4")


def test_a_pawn_becomes_a_queen_without_a_question_where_that_is_set(opponent, visit):
    tina, ugo = playing(visit, opponent, "Tina", "start 7k/P7/8/8/8/8/8/K7 w - - 0 1")
    open_settings(tina).get_by_label("Always promote to a queen").check()
    tina.press("Close")
    tina.click_move("a7a8")
    ugo.hear("position ", " a7a8q")


def test_colors_pieces_and_size_of_the_board_are_chosen_and_kept(opponent, visit, axe):
    vera, walt = playing(visit, opponent, "Vera")
    ground = "getComputedStyle(document.querySelector('[data-square=a1]')).backgroundColor"
    grounds = {vera.page.evaluate(ground)}
    width = vera.page.locator("ulci-board").bounding_box()["width"]
    dialog = open_settings(vera)
    assert judged(vera, axe) == []
    for theme in ("Wood", "Green", "Black and white"):
        dialog.get_by_label("Colors of the board").select_option(theme)
        grounds.add(vera.page.evaluate(ground))
    assert len(grounds) == 4
    dialog.get_by_label("Pieces").select_option("Letters")
    dialog.get_by_label("Size of the board").select_option("Small")
    vera.page.keyboard.press("Escape")
    dialog.wait_for(state="detached")
    vera.focused("id", "settings-button")
    vera.page.reload()
    vera.begun()
    assert vera.my_turn()
    vera.becomes(lambda: vera.page.evaluate(ground) in grounds, True)
    vera.until("document.documentElement.dataset.theme === 'plain'")
    expect(vera.square("g1").locator("text")).to_have_text("N")
    vera.board_shows(g1="white knight")
    assert vera.page.locator("ulci-board").bounding_box()["width"] < width
    # Another tab of the browser has the same.
    second = Visitor(vera.page.context.new_page())
    second.page.goto(f"/games/{vera.game}")
    second.see("[data-square=g1] text", "N")
    open_settings(vera).get_by_label("Pieces").select_option("Figures")
    second.page.locator("[data-square=g1] use").wait_for(state="attached")
    expect(second.page.locator("[data-square=g1] text")).to_have_count(0)
    vera.press("Close")
    vera.click_move("e2e4")
    walt.hear("go ")
    assert not second.faults


def test_settings_that_make_no_sense_are_not_taken(visit):
    visitor = visit("/play")
    for stored in ('{"theme": "<b>", "sound": 7}', "null", "[", '"x"'):
        visitor.page.evaluate("stored => localStorage.setItem('ulci.settings', stored)", stored)
        visitor.page.reload()
        visitor.see("#enter")
        visitor.until("document.documentElement.dataset.theme === 'slate'")


def test_arrows_and_circles_are_drawn_by_the_right_button_and_cleared_by_the_left(opponent, visit):
    xena, _ = playing(visit, opponent, "Xena")
    mouse, shapes = xena.page.mouse, xena.page.locator(".shapes > *")

    def middle(square: str) -> tuple[float, float]:
        box = xena.square(square).bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def draw(start: str, end: str) -> None:
        mouse.move(*middle(start))
        mouse.down(button="right")
        mouse.move(*middle(end), steps=3)
        mouse.up(button="right")

    draw("g1", "f3")
    draw("e4", "e4")
    expect(xena.page.locator(".shapes > polygon")).to_have_count(1)
    ring = xena.page.locator(".shapes > circle").bounding_box()
    assert abs(ring["x"] + ring["width"] / 2 - middle("e4")[0]) < 2
    assert abs(ring["y"] + ring["height"] / 2 - middle("e4")[1]) < 2
    xena.page.keyboard.press("f")  # they turn with the board
    ring = xena.page.locator(".shapes > circle").bounding_box()
    assert abs(ring["x"] + ring["width"] / 2 - middle("e4")[0]) < 2
    draw("e4", "e4")
    expect(shapes).to_have_count(1)
    assert not xena.page.locator(".selected").count()
    xena.square("h5").click()
    expect(shapes).to_have_count(0)
    xena.page.keyboard.press("f")
    xena.click_move("e2e4")
    xena.said_move(1)


def test_what_was_said_is_there_after_a_reload_and_not_in_the_next_game(opponent, visit):
    yuri, zoe = playing(visit, opponent, "Yuri")
    zoe.say("say good luck <b>you</b>")
    yuri.see("#chat", "good luck <b>you</b>")
    yuri.page.get_by_label("Say to your opponent").fill("thanks")
    yuri.press("Say")
    yuri.page.reload()
    yuri.begun()
    said = yuri.page.locator("#chat li")
    expect(said).to_have_text(["Yuris_rival good luck <b>you</b>", "Yuri thanks"])
    yuri.resign()
    zoe.hear("lobby game", " over ")
    yuri.press("To the lobby")
    yuri.play_against(zoe)
    expect(said).to_have_count(0)


def test_two_games_are_played_in_two_tabs_of_one_browser(opponent, visit):
    first, bob = playing(visit, opponent, "Abel")
    second = Visitor(first.page.context.new_page())
    second.page.goto("/play")
    second.come_in("Cain")
    eve = opponent("Eve")
    second.play_against(eve)
    assert second.my_turn()
    assert first.game != second.game
    for visitor, rival, moves in ((first, bob, ("e2e4", "g1f3")), (second, eve, ("d2d4", "c2c4"))):
        visitor.click_move(moves[0])
        rival.hear("position ", f" {moves[0]}")
        rival.hear("go ")
        visitor.click_move(moves[1])
        visitor.see("#premove", f"Premove: {moves[1]}")
    eve.say("bestmove d7d5")
    bob.say("bestmove e7e5")
    bob.hear("position ", " e2e4 e7e5 g1f3")
    eve.hear("position ", " d2d4 d7d5 c2c4")
    for visitor in (first, second):
        visitor.said_move(3)
        visitor.page.reload()
        visitor.begun()
        visitor.said_move(3)
    assert (
        json.loads(first.page.evaluate("sessionStorage.getItem('ulci.table')"))["id"] == first.game
    )
    assert first.game != second.game
    assert not second.faults
