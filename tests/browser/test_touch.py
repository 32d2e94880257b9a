"""What only a finger does, and what it taps on every page."""

import re

import pytest

from tests.browser.by_touch import HANDY, LEAST, Finger
from tests.browser.conftest import TOUCH, pages_server

pytestmark = [pytest.mark.system, pytest.mark.slow]

MORE = '[clients]\nsign_up = "open"\n[tournaments]\ndirectors = ["Ada"]\n'
WIDE = "k15/16/16/16/16/16/P14P/K15 w - - 0 1"
"""As wide as a board of Liberty Chess is that has a name."""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """One for all tests here, who therefore come in under different names."""
    with pages_server(tmp_path_factory.mktemp("server"), MORE) as running:
        yield running


@pytest.fixture
def finger(visit):
    return lambda path="/play": Finger(visit(path, **TOUCH))


@pytest.fixture
def playing(finger, opponent):
    """Somebody who plays the white pieces, and the opponent."""

    def begin(name: str, terms: str = ""):
        hand, rival = finger(), opponent(f"{name}s_rival")
        hand.visitor.come_in(name)
        hand.visitor.play_against(rival, terms)
        assert hand.visitor.my_turn()
        return hand, rival

    return begin


def test_a_piece_is_dragged_and_so_is_a_premove_while_the_page_stays_where_it_is(playing):
    ada, bob = playing("Ada")
    scrolled = ada.page.evaluate("scrollY")
    ada.drag("g1", "g5")
    ada.visitor.until("!document.querySelector('.dragged')")
    assert ada.visitor.board()["g1"] == "white knight"
    ada.drag("e2", "e4")
    bob.hear("position ", " e2e4")
    assert ada.page.evaluate("scrollY") == scrolled
    ada.drag("g1", "f3")
    ada.visitor.see("#premove", "Premove: g1f3")
    bob.say("bestmove e7e5")
    bob.hear("position ", " e7e5 g1f3")
    ada.visitor.said_move(3)
    assert ada.visitor.board()["f3"] == "white knight"


def test_a_tap_counts_right_after_a_quick_drag(playing):
    kim, lou = playing("Kim")
    kim.drag("g1", "c6")  # which is no move
    kim.move("e2e4")
    lou.hear("position ", " e2e4")
    kim.drag("e4", "c6")  # a premove, beside which a tap takes it back
    kim.visitor.see("#premove", "Premove: e4c6")
    kim.put_back("h3")
    kim.page.locator("#premove").wait_for(state="hidden")


def test_a_finger_draws_no_arrow_and_no_circle_and_the_help_says_so(playing):
    cat, dan = playing("Cat")
    for square in ("e5", "g1"):  # an empty one, and a piece
        cat.hold(square)
        cat.drag(square, "c6")
    cat.move("e2e4")
    dan.hear("position ", " e2e4")
    assert cat.page.locator(".shapes > *").count() == 0
    cat.unfold("Help")
    cat.visitor.see("#help", re.compile("arrows and circles.*a finger and the keyboard draw none"))


def test_what_is_tapped_in_haste_is_large(playing):
    eve, fox = playing("Eve")
    fox.say("draw")
    eve.visitor.see("#offer button")
    for name in ("Accept the draw", "Offer a draw", "Resign", "Give 15 s"):
        box = eve.page.get_by_role("button", name=name, exact=True).bounding_box()
        assert min(box["width"], box["height"]) >= HANDY, name
    assert eve.visitor.square("e4").bounding_box()["width"] >= HANDY


def test_squares_of_a_wide_board_are_large_enough_too(playing):
    gil, _ = playing("Gil", f"game liberty start {WIDE}")
    assert gil.visitor.square("a2").bounding_box()["width"] >= LEAST
    assert gil.visitor.widest() <= TOUCH["size"][0]
    gil.move("p2p3")
    gil.visitor.said_move(1)


SMALL = """
axe.run({ runOnly: ["target-size"] }).then(({ violations }) =>
  violations.flatMap(({ nodes }) => nodes.map(({ html, any }) => `${html} ${any[0]?.message}`)))
"""
"""What axe-core finds too small or too near to another."""


def test_all_that_is_tapped_is_large_enough_or_apart(playing, finger, opponent, axe):
    faults = {}

    def look(name: str, hand) -> None:
        hand.page.evaluate(axe)
        if found := hand.page.evaluate(SMALL):
            faults[name] = found

    hal, ida = playing("Hal")
    hal.move("e2e4")
    ida.move("e7e5")
    ida.say("draw", "say hello")
    hal.visitor.see("#offer button")
    look("table", hal)
    hal.press("Settings")
    look("settings", hal)
    hal.answer("Close")
    ida.say("resign")
    hal.visitor.see("#table-note", "You won")
    look("over", hal)
    number = hal.visitor.game
    hal.press("To the lobby")
    ida.say("seek color black", "challenge Hal time 60+1")
    hal.visitor.see("#challenges button")
    hal.visitor.see("#seeks button")
    look("lobby", hal)
    jon = finger("/account")
    jon.visitor.see("#out")
    look("account", jon)
    jon.fill("New name", "Jon")
    jon.fill("New password", "correct horse")
    jon.send("Make the account")
    jon.visitor.see("#in")
    look("signed in", jon)
    for path, ready in (
        ("/", "#finished a"),
        (f"/games/{number}", "[role=gridcell]"),
        (f"/analysis?game={number}", "#tree button"),
        ("/players", "h1"),
        ("/players/Hal", "#games a"),
        ("/tournaments", "h1"),
        ("/direct", "button"),
        ("/play", "#enter"),
    ):
        jon.page.goto(path)
        jon.visitor.see(ready)
        look(path, jon)
    assert not faults, "\n".join(f"{name}: {one}" for name, all_ in faults.items() for one in all_)
