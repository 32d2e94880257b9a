"""Every page on a dark phone and on a light desktop: nothing is cut off, and axe-core finds no
serious fault.

`ULCI_TEST_AXE` is the path of axe.min.js, which `npm pack axe-core` brings. `ULCI_TEST_SCREENSHOTS`
is a folder for what was seen."""

import os
import re
from pathlib import Path

import pytest

from tests.browser.conftest import DESKTOP, NIM, PHONE, pages_server
from tests.browser.pages import Visitor, judged

pytestmark = [pytest.mark.system, pytest.mark.slow]

SCREENSHOTS = "ULCI_TEST_SCREENSHOTS"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """One for all sizes, who therefore come in under different names."""
    with pages_server(tmp_path_factory.mktemp("server"), NIM) as running:
        yield running


@pytest.mark.parametrize(
    ("size", "scheme"), [(PHONE, "dark"), (DESKTOP, "light")], ids=["phone", "desktop"]
)
def test_every_page_fits_and_has_no_serious_fault(opponent, visit, axe, size, scheme):
    faults, tag = {}, f"{size[0]}{scheme}"

    def look(name: str, visitor: Visitor) -> None:
        visitor.until("!document.getAnimations().length")  # a piece slides to its square
        if folder := os.environ.get(SCREENSHOTS):
            shot = Path(folder) / f"{name}_{size[0]}_{scheme}.png"
            visitor.page.screenshot(path=shot, full_page=size == PHONE)
        assert visitor.widest() <= size[0], name
        if found := judged(visitor, axe):
            faults[name] = found

    def come(name: str) -> Visitor:
        visitor = visit("/play", size, color_scheme=scheme)
        if not name:
            return visitor
        visitor.come_in(f"{name}{tag}")
        return visitor

    cat, dog, fox, owl = (opponent(f"{name}{tag}") for name in ("Cat", "Dog", "Fox", "Owl"))
    finished = cat.play(dog, "game tictactoe")
    for square, answer in (("b2", "a1"), ("a3", "c1"), ("b3", "b1")):
        cat.hear("go ")
        cat.say("info depth 3 score cp 90", f"bestmove {square}")
        dog.move(answer)
    fox.say("seek color black")
    owl.say("seek game liberty color black")
    ada = come("")
    look("enter", ada)
    ada.come_in(f"Ada{tag}")
    ada.see("#seeks li", f"Owl{tag}")
    cat.hear("lobby game", " over ")
    cat.say(f"challenge Ada{tag} game tictactoe")
    ada.see("#challenges", "Cat")
    look("lobby", ada)
    ada.page.get_by_role("button", name=f"Play: Fox{tag}").click()
    ada.begun()
    assert ada.my_turn()
    ada.click_move("e2e4")
    fox.move("e7e5")
    ada.said_move(2)
    assert ada.my_turn()
    ada.square("d1").click()
    fox.say("draw", "say good luck")
    ada.see("#offer button")
    ada.see("#chat", "good luck")
    look("table", ada)
    bea = come("Bea")
    bea.page.get_by_role("button", name=f"Play: Owl{tag}").click()
    bea.begun()
    assert bea.my_turn()
    look("liberty", bea)
    cleo = come("Cleo")
    cleo.play_against(cat, "game crazyhouse start 7k/P7/8/8/8/8/8/4K3[QNNp] w - - 0 1")
    assert cleo.my_turn()
    cleo.page.get_by_role("button", name="white knight").click()
    look("pockets", cleo)
    cleo.click_move("a7a8")
    cleo.see("dialog")
    look("promotion", cleo)
    dora = come("Dora")
    dora.play_against(dog, "game nim")
    dora.type_move("a2")
    dora.said_move(1)
    look("refereed", dora)
    watcher = visit("/", size, color_scheme=scheme)
    watcher.see("#boards [data-square]")
    watcher.see("#finished a")
    look("list", watcher)
    for name, path in (
        ("finished", f"/games/{finished}"),
        ("watch", f"/games/{ada.game}"),
        ("embed", f"/embed/{ada.game}"),
    ):
        watcher.page.goto(path)
        watcher.see("[role=gridcell]")
        look(name, watcher)
    watcher.page.goto("/games/4711")
    watcher.see("#fault")
    look("missing", watcher)
    assert not faults, "\n".join(f"{name}: {one}" for name, all_ in faults.items() for one in all_)


def test_the_longest_names_and_words_make_no_page_of_a_phone_wider(opponent, visit):
    rival = opponent("M" * 64)
    visitor = visit("/play", PHONE)
    visitor.come_in("W" * 64)
    visitor.see("#players")
    assert visitor.widest() <= PHONE[0]
    name = visitor.page.locator("#me").inner_text()  # which the lobby shows from its beginning
    rival.say(f"challenge {name} color black")
    visitor.page.get_by_role("button", name=re.compile("Accept: M+")).click()
    visitor.begun()
    rival.say(f"say {'Q' * 200}")
    visitor.see("#chat", "Q" * 200)
    assert visitor.widest() <= PHONE[0]
    visitor.resign()
    visitor.see(".status", "Black won by resignation")
    assert visitor.widest() <= PHONE[0]
    visitor.page.goto(f"/games/{visitor.game}")
    visitor.see(".status", "Black won by resignation")
    assert visitor.widest() <= PHONE[0]
