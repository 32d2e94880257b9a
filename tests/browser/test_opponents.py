"""An opponent in one click: the computer, a friend by a link, anybody; and back to a game."""

import json
import os
import re
import sys
from pathlib import Path

import pytest
import segno

from tests.browser.conftest import CHESS, DESKTOP, PHONE, pages_server
from tests.browser.pages import Visitor, expect, in_both_schemes, judged
from tests.browser.test_looks import SCREENSHOTS

pytestmark = [pytest.mark.system, pytest.mark.slow]

ENGINE = f"""
[[engine]]
name = "House"
command = {json.dumps([sys.executable, "-m", "ulci_client.house_engine"])}
"""
DAYS = """
[[pool]]
name = "days"
time = "3days"
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("server")
    with pages_server(folder, ENGINE, CHESS + DAYS, options=("--public", *ANYWHERE)) as running:
        yield running


ANYWHERE = ("--listen", "tcp://*:0", "--listen", "ws://*:0")


def invite(visitor: Visitor) -> str:
    """The link's end, which is the same under each name of the server."""
    visitor.press("Invite a friend")
    visitor.see("#invitation-part")
    field = visitor.page.get_by_role("textbox", name="Link")
    origin = visitor.page.evaluate("location.origin")
    expect(field).to_have_value(re.compile(f"^{re.escape(origin)}/play"))
    link = field.input_value()
    return link[link.index("/play") :]


def begun(*visitors: Visitor) -> None:
    for visitor in visitors:
        visitor.begun()


def test_two_browsers_play_by_a_link_under_different_names_and_the_third_is_too_late(visit):
    ada = visit("/play", host="games.test")
    ada.come_in("Ada")
    ada.choose("chess", "white", "5m+3s")
    link = invite(ada)
    ada.see("#invitation-text", "Chess · 5+3 · you play White")
    ada.see(".qr")
    bob, cat = (visit(link, host=host) for host in ("chess.test", "127.0.0.1"))
    bob.see("#invited", "You are invited to a game")
    bob.come_in_to_play("Bob")
    begun(ada, bob)
    cat.page.get_by_label("Your name").fill("Cat")
    cat.press("Enter")
    cat.see("#lobby-note", "Somebody else has taken this invitation already.")
    cat.until("!location.href.includes('join')")
    assert ada.my_turn()
    ada.click_move("e2e4")
    bob.said_move(1)
    assert bob.my_turn()
    bob.click_move("e7e5")
    ada.said_move(2)
    game = cat.get(f"/api/games/{ada.game}")
    assert (game["white"]["name"], game["black"]["name"]) == ("Ada", "Bob")
    assert game["control"] == "300+3"
    ada.resign()
    bob.see("#table-note", "You won")


def test_an_invitation_holds_while_its_maker_reloads_and_while_it_is_away(visit):
    dan = visit("/play")
    dan.come_in("Dan")
    link = invite(dan)
    dan.page.reload()
    dan.see("#invitation-part")
    field = dan.page.get_by_role("textbox", name="Link")
    expect(field).to_have_value(re.compile(f"{re.escape(link)}$"))
    dan.page.goto("about:blank")
    eve = visit(link)
    eve.becomes(lambda: bool(eve.is_here("Dan")), False)
    eve.page.get_by_label("Your name").fill("Eve")
    eve.press("Enter")
    eve.see("#lobby-note", "Your friend is not here at the moment.")
    dan.page.goto("/play")
    begun(dan, eve)
    dan.resign()
    eve.see("#table-note", "You won")
    dan.press("To the lobby")
    dan.see("#lobby-title")
    assert not dan.page.locator("#invitation-part").is_visible()


def test_an_invitation_that_is_withdrawn_says_so(visit):
    fay = visit("/play")
    fay.come_in("Fay")
    link = invite(fay)
    fay.press("Withdraw the invitation")
    fay.page.locator("#invitation-part").wait_for(state="hidden")
    gus = visit(link)
    gus.page.get_by_label("Your name").fill("Gus")
    gus.press("Enter")
    gus.see("#lobby-note", "This invitation was withdrawn")


def test_ones_own_link_and_one_that_is_not_whole_are_told_from_others(visit):
    hal = visit("/play")
    hal.come_in("Hal")
    link = invite(hal)
    hal.page.evaluate("hash => { location.hash = hash }", link.partition("#")[2])
    hal.see("#lobby-note", "This is your own invitation")
    hal.see("#invitation-part")
    ida = visit("/play#join=cut")
    ida.see("#enter-fault", "This link is not whole")
    assert not ida.page.locator("#invited").is_visible()


def test_a_friend_at_a_terminal_joins_by_the_token_of_a_link(visit, opponent):
    jon = visit("/play")
    jon.come_in("Jon")
    link = invite(jon)
    kay = opponent("Kay")
    kay.say(f"join {link.partition('=')[2]}")
    jon.begun()
    jon.see("#table-board", "Kay")
    jon.resign()


def test_the_computer_is_played_at_a_chosen_level_by_the_keyboard_alone(visit):
    lea = visit("/play")
    press, page = lea.page.keyboard.press, lea.page

    def tab_to(selector: str) -> None:
        for _ in range(80):
            if page.evaluate("s => document.activeElement?.closest(s) !== null", selector):
                return
            press("Tab")
        raise AssertionError(f"no Tab leads to {selector}")

    tab_to("#name")
    page.keyboard.type("Lea")
    lea.see("#enter-button:enabled")
    press("Enter")
    lea.see("#level-part")
    lea.see("#players", "levels 1 to 8")
    tab_to("[name=clock]")
    press("ArrowRight")
    expect(page.locator("[name=clock]:checked")).to_have_value("600+5")
    tab_to("[name=color]")
    press("ArrowRight")
    for _ in range(80):
        if page.evaluate("document.activeElement.name === 'level'"):
            break
        press("Shift+Tab")
    press("ArrowDown")
    press("ArrowDown")
    press("Shift+Tab")
    lea.focused("value", "computer")
    press("Enter")
    lea.begun()
    lea.see("#table-board", "House level 2")
    assert lea.my_turn()
    lea.type_move("e4")
    lea.said_move(2)
    assert lea.get(f"/api/games/{lea.game}")["control"] == "600+5"
    lea.resign()


def test_times_are_buttons_or_minutes_and_seconds(visit, opponent):
    mia, ned = visit("/play"), opponent("Ned")
    mia.come_in("Mia")
    shown = ["1+0", "3+2", "5+3", "10+5", "15+10", "30+20", "3 days", "Other"]
    expect(mia.page.locator("#time-choices .choice")).to_have_text(shown)
    for label, wire in (("3 days for every move", "3days"), ("1 minute and 0 seconds", "60")):
        mia.page.get_by_label(label).check()
        mia.press("Play anybody")
        assert f" time {wire} " in ned.hear("lobby seek", "player Mia")
    mia.page.get_by_label("another time").check()
    mia.page.get_by_label("Minutes", exact=True).fill("7.5")
    mia.page.get_by_label("Seconds a move", exact=True).fill("4")
    mia.press("Play anybody")
    assert " time 450+4 " in ned.hear("lobby seek", "player Mia")
    mia.page.get_by_label("Minutes", exact=True).fill("0")
    mia.page.get_by_label("Seconds a move", exact=True).fill("0")
    mia.press("Play anybody")
    mia.see("#lobby-note", "Give minutes and seconds as numbers")


def test_each_page_leads_back_to_the_game_also_in_another_tab(visit, opponent):
    oda, ole = visit("/play"), opponent("Ole")
    oda.come_in("Oda")
    oda.play_against(ole)
    # A game in which both have moved is not aborted when a player leaves.
    assert oda.my_turn()
    oda.click_move("e2e4")
    ole.move("e7e5")
    oda.said_move(2)
    number = oda.game
    for path in ("/", f"/games/{number}", "/tournaments"):
        oda.page.goto(path)
        oda.see("a.back", "Back to your game")
    # Another tab has none of the first one's session.
    other = Visitor(oda.page.context.new_page())
    other.page.goto("/")
    other.page.get_by_role("link", name="Back to your game").click()
    other.begun()
    assert other.game == number
    assert other.my_turn()
    third = Visitor(oda.page.context.new_page())
    third.page.goto("/play")
    third.press("Back to your game")
    third.begun()
    third.resign()
    third.see("#act-leave")
    third.page.goto("/")
    third.see("#finished a")
    third.until("localStorage.getItem('ulci.game') === null")
    assert not third.page.locator("a.back").count()
    assert not [*other.faults, *third.faults]


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_finding_an_opponent_fits_and_has_no_serious_fault(visit, axe, size):
    def look(visitor: Visitor, name: str) -> None:
        for scheme in in_both_schemes(visitor):
            if folder := os.environ.get(SCREENSHOTS):
                shot = Path(folder) / f"{name}_{size[0]}_{scheme}.png"
                visitor.page.screenshot(path=shot, full_page=size == PHONE)
            assert visitor.widest() <= size[0], (name, scheme)
            assert judged(visitor, axe) == [], (name, scheme)

    pam = visit("/play", size, host="games.test")
    pam.come_in(f"Pam{size[0]}")
    pam.see("#players", "levels 1 to 8")
    look(pam, "ways")
    pam.page.get_by_label("another time").check()
    pam.page.locator("#more-games > summary").click()
    pam.page.locator("#more-terms > summary").click()
    look(pam, "terms")
    link = invite(pam)
    look(pam, "invitation")
    quin = visit(link, size)
    quin.see("#invited")
    look(quin, "invited")
    pam.press("Withdraw the invitation")
    quin.come_in(f"Quin{size[0]}")
    quin.see("#lobby-note", re.compile("withdrawn"))
    look(quin, "too_late")


LONGEST = (14, 26, 42, 62, 84, 106, 122, 152, 180, 213)
"""Bytes that fill versions 1 to 10. (segno pads shorter ones by a byte too much.)"""


def test_a_qr_code_is_what_another_program_makes_of_it(visit):
    page = visit("/play").page
    for length in LONGEST:
        text = f"http://192.168.1.5:25566/play#join={'aB3_' * 60}"[:length]
        script = """text => import("/static/qr.js").then(({ masked, qrRows }) =>
            [qrRows(text), ...[0, 1, 2, 3, 4, 5, 6, 7].map((mask) => masked(text, mask))])"""
        chosen, *masked = page.evaluate(script, text)
        settings = {"error": "m", "micro": False, "boost_error": False, "mode": "byte"}
        codes = [segno.make(text, mask=mask, **settings) for mask in range(8)]
        assert masked == [[[bool(cell) for cell in row] for row in code.matrix] for code in codes]
        assert chosen in masked


def test_a_text_that_does_not_fill_its_qr_code_is_padded_as_the_standard_says(visit):
    """ISO/IEC 18004, 7.4.10: 0100, the length, the text, 0000, then 236 and 17 in turns."""
    script = 'import("/static/qr.js").then(({ coded }) => coded(new TextEncoder().encode("h")))'
    code = visit("/play").page.evaluate(script)
    assert code["version"] == 1
    assert code["codewords"][:16] == [0x40, 0x16, 0x80, *[236, 17] * 6, 236]


def test_a_text_that_is_too_long_for_a_qr_code_is_refused(visit):
    script = """import("/static/qr.js").then(({ qrRows }) => {
        try { return qrRows("x".repeat(214)); } catch (error) { return error.message; } })"""
    assert visit("/play").page.evaluate(script) == "too long for a QR code"
