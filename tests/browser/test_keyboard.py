"""What only a keyboard does, and where its focus is seen on every page."""

import pytest

from tests.browser.by_keyboard import Keys
from tests.browser.conftest import DESKTOP, PHONE, pages_server

pytestmark = [pytest.mark.system, pytest.mark.slow]

MORE = '[clients]\nsign_up = "open"\n[tournaments]\ndirectors = ["Ada"]\n'
PGN = "1. e4 e5 (1... c5 2. Nf3) 2. Nf3 Nc6 *"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """One for all tests here, who therefore come in under different names."""
    with pages_server(tmp_path_factory.mktemp("server"), MORE) as running:
        yield running


@pytest.fixture
def keys(visit):
    return lambda path="/play", size=DESKTOP: Keys(visit(path, size))


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_on_every_page_the_focus_goes_all_the_way_round_is_seen_and_named(
    size, keys, opponent, finished
):
    cat, dog = keys(size=size), opponent(f"Dog{size[0]}")

    def look(hand, most: int) -> None:
        stops = hand.round()
        nameless = [stop for stop in stops if stop.role != "none" and not stop.name]
        assert not nameless
        assert 2 < len(stops) <= most

    cat.visitor.see("#enter-button:enabled")
    look(cat, 20)
    cat.visitor.come_in(f"Cat{size[0]}")
    cat.visitor.see("#players", dog.name)
    look(cat, 40)
    cat.visitor.play_against(dog)
    cat.move("e2e4")
    dog.hear("position ", " e2e4")  # an offer that came before the move would be declined by it
    dog.say("draw")
    cat.visitor.see("#offer button")
    look(cat, 40)
    cat.press("Settings")
    cat.page.get_by_role("dialog").wait_for()
    look(cat, 12)
    watcher = keys("/", size)
    for path, ready in (
        ("/", "#finished a"),
        (f"/games/{finished}", "[role=gridcell]"),
        (f"/analysis?game={finished}", "#tree button"),
        ("/players", "h1"),
        ("/players/Ada", "#games a"),
        ("/tournaments", "h1"),
        ("/account", "#out"),
        ("/direct", "button"),
    ):
        watcher.page.goto(path)
        watcher.visitor.see(ready)
        look(watcher, 60)


def test_the_skip_link_leads_past_the_head_of_the_page(keys):
    cat = keys("/account")
    cat.visitor.see("#out")
    cat.follow("Skip to the content")
    cat.page.keyboard.press("Tab")
    assert cat.page.evaluate("document.activeElement.closest('main') !== null")


def test_keys_lead_through_moves_and_variations_and_turn_the_board(keys, finished):
    eve = keys(f"/games/{finished}")
    eve.visitor.see("[role=gridcell]")
    press = eve.page.keyboard.press

    def at(text: str) -> None:
        eve.visitor.until(
            f"(document.querySelector('[aria-current=true]')?.textContent ?? '') === '{text}'"
        )

    for key, text in (
        ("ArrowLeft", "Nf3"), ("Home", ""), ("ArrowRight", "e4"), ("End", "Nc6"),
    ):  # fmt: skip
        press(key)
        at(text)
    press("f")
    eve.visitor.until("document.querySelector('[role=gridcell]').dataset.square === 'h1'")
    eve.page.goto("/analysis")
    eve.unfold("Another game or position")
    eve.fill("PGN or FEN; empty for the usual start", PGN)
    eve.press("Show")
    eve.visitor.see(".variation button")
    for key, text in (
        ("ArrowRight", "1. e4"), ("ArrowRight", "e5"), ("ArrowDown", "1… c5"),
        ("ArrowRight", "2. Nf3"), ("ArrowLeft", "1… c5"), ("ArrowUp", "e5"), ("End", "Nc6"),
    ):  # fmt: skip
        press(key)
        at(text)


def test_whoever_stands_on_a_player_of_the_lobby_stays_there(keys, opponent):
    fay, gus = keys(), opponent("Gus")
    fay.visitor.come_in("Fay")
    fay.to("Gus", "link")
    gus.say("seek color black")
    fay.visitor.see("#players", "looks for a game")  # the list was drawn anew
    assert fay.focused().called("Gus")
