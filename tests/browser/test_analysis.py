"""The analysis board: games and positions, played on in any direction."""

import os
import re
import sys
from pathlib import Path

import pytest

from tests.browser.conftest import DESKTOP, PHONE, pages_server
from tests.browser.pages import Visitor, expect, judged

pytestmark = [pytest.mark.system, pytest.mark.slow]

SCRIPTED = Path(__file__).parents[1] / "support" / "scripted_engine.py"

PGN = """[White "Ada"]
[Black "Bob"]
[Result "1-0"]

1. e4 e5 (1... c5 {the Sicilian} 2. Nf3) 2. Nf3! Nc6 1-0
"""


@pytest.fixture(scope="module")
def server(request, tmp_path_factory):
    """Its parameter, if it has one, is more of its configuration."""
    with pages_server(tmp_path_factory.mktemp("server"), getattr(request, "param", "")) as running:
        yield running


@pytest.fixture
def seen():
    """Keeps what a visitor sees, if that is wanted."""

    def keep(name, visitor, size, scheme) -> None:
        if folder := os.environ.get("ULCI_TEST_SCREENSHOTS"):
            shot = Path(folder) / f"{name}_{size[0]}_{scheme}.png"
            visitor.page.screenshot(path=shot, full_page=size == PHONE)

    return keep


def shows(visitor: Visitor, move: str) -> None:
    """Wait until the position is shown to which this move leads; empty: the first one."""
    marked = visitor.page.locator(".tree [aria-current]")
    expect(marked).to_have_text([move] if move else [])


def ready(visitor: Visitor) -> None:
    visitor.until("document.querySelector('ulci-board')?.legal.size > 0")


def paste(visitor, text: str, rules: str = "") -> None:
    visitor.page.locator("#paste-part summary").click()
    if rules:
        visitor.page.locator("#rules").select_option(rules)
    visitor.page.locator("#text").fill(text)
    visitor.press("Show")


def test_a_finished_game_is_analysed_from_the_ply_that_is_shown(opponent, visit):
    ada, bob = opponent("Ada"), opponent("Bob")
    number = ada.play(bob)
    ada.move("e2e4")
    bob.move("e7e5")
    ada.hear("go ")
    running = visit(f"/games/{number}")
    running.see("[role=gridcell]")
    assert not running.page.get_by_role("link", name="Analyse").is_visible()
    refused = visit(f"/analysis?game={number}")
    refused.see("#fault", "This game is still being played")
    ada.say("resign")
    running.see(".status", "Black won by resignation")
    running.page.keyboard.press("ArrowLeft")
    running.page.get_by_role("link", name="Analyse").click()
    running.see("h1", re.compile("Ada.*Bob"))
    ready(running)
    shows(running, "1. e4")
    running.page.keyboard.press("ArrowRight")
    shows(running, "e5")
    running.page.keyboard.press("Home")
    ready(running)
    running.click_move("d2d4")
    running.see(".variation button[aria-current]", "1. d4")
    running.page.locator("#tree").focus()  # on the board, arrows go from square to square
    running.page.keyboard.press("ArrowUp")
    shows(running, "1. e4")


def test_moves_are_made_by_mouse_by_squares_and_typed(visit):
    visitor = visit("/analysis")
    ready(visitor)
    visitor.square("e2").drag_to(visitor.square("e4"))
    visitor.see(".tree [aria-current]", "1. e4")
    ready(visitor)
    visitor.square("e7").focus()
    visitor.page.keyboard.press("Enter")
    visitor.square("e5").focus()
    visitor.page.keyboard.press("Enter")
    visitor.see(".tree [aria-current]", "e5")
    visitor.type_move("Nf3")
    visitor.see(".tree [aria-current]", "2. Nf3")
    visitor.type_move("Ke4")
    visitor.see("#typed-fault", re.compile("."))
    shows(visitor, "2. Nf3")
    visitor.page.keyboard.press("Escape")
    visitor.press("Delete from here")
    visitor.until("document.querySelectorAll('.tree button').length === 2")


def test_moves_are_made_by_touch(visit):
    visitor = visit("/analysis", PHONE, has_touch=True)
    ready(visitor)
    visitor.square("g1").tap()
    visitor.square("f3").tap()
    visitor.see(".tree [aria-current]", "1. Nf3")
    visitor.page.locator("#previous").tap()
    shows(visitor, "")


def test_a_pasted_game_keeps_comments_and_variations_and_is_copied_again(visit):
    visitor = visit("/analysis", permissions=["clipboard-read", "clipboard-write"])
    paste(visitor, PGN)
    visitor.see("h1", "Ada – Bob, 1-0")
    visitor.see(".variation .comment", "the Sicilian")
    visitor.page.locator(".variation button").last.click()
    shows(visitor, "2. Nf3")
    ready(visitor)
    visitor.board_shows(c5="black pawn")
    visitor.press("Copy the PGN")
    visitor.see("#shared", "The PGN is copied")
    copied = visitor.page.evaluate("navigator.clipboard.readText()")
    assert copied == "1. e4 e5 (1... c5 {the Sicilian} 2. Nf3) 2. Nf3! Nc6 *\n"
    paste_again = visit("/analysis")
    paste(paste_again, copied)
    paste_again.see(".variation .comment", "the Sicilian")
    visitor.press("Copy the FEN")
    visitor.see("#shared", "The position is copied")
    fen = visitor.page.evaluate("navigator.clipboard.readText()")
    assert fen.startswith("rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b")


def test_what_cannot_be_read_is_said(visit):
    visitor = visit("/analysis")
    paste(visitor, "1. e4 e5 2. Ke4 Nf6")
    visitor.see("#paste-fault", "ply 3, 'Ke4', is no legal move")
    expect(visitor.page.locator(".tree button")).to_have_count(2)
    visitor.page.locator("#text").fill("8/8 w")
    visitor.press("Show")
    visitor.see("#paste-fault", re.compile("FEN|kings|ranks"))


@pytest.mark.parametrize(
    ("rules", "text", "move", "san"),
    [
        ("crazyhouse", "7k/8/8/8/8/8/8/4K3[QNNp] w - - 0 1", "Q@h1", "1. Q@h1+"),
        ("liberty", "", "Nf3", "1. Nf3"),
        ("tictactoe", "", "b2", "1. b2"),
    ],
)
def test_other_games_are_analysed_too(visit, rules, text, move, san):
    visitor = visit("/analysis")
    paste(visitor, text, rules)
    visitor.see("#facts", re.compile("Crazyhouse|Liberty|Tic"))
    ready(visitor)
    visitor.type_move(move)
    visitor.see(".tree [aria-current]", san)


def test_a_promotion_is_asked_for_and_mate_ends_the_line(visit):
    visitor = visit("/analysis?fen=6k1/P4ppp/8/8/8/8/8/4K3%20w%20-%20-%200%201")
    ready(visitor)
    visitor.click_move("a7a8q")
    visitor.see(".tree [aria-current]", "1. a8=Q#")
    visitor.see("#status", "White won by checkmate")


def test_what_was_played_here_is_told_and_played_on(opponent, visit):
    for first in ("e2e4", "e2e4", "d2d4"):
        ada, bob = opponent("Ada"), opponent("Bob")
        ada.play(bob, "game antichess")  # which nobody else plays on this server
        ada.move(first)
        bob.hear("go ")
        bob.say("resign")
        ada.hear("lobby game", " over ")
        for player in (ada, bob):
            player.close()
    visitor = visit("/analysis?rules=antichess")
    visitor.page.locator("#explorer-part summary").click()
    visitor.see("#explored tr", "e4")
    rows = visitor.page.locator("#explored tr")
    for row, games in enumerate(("2", "1")):
        expect(rows.nth(row).locator("td").first).to_have_text(games)
    visitor.page.locator("#explored button").last.click()
    visitor.see(".tree [aria-current]", "1. d4")
    visitor.see("#explored-note", "No game of this server went on from here")


def test_games_that_are_still_being_read_are_asked_for_again(visit):
    visitor = visit("/analysis?rules=horde")  # which nobody plays on this server
    asked = []

    def answer(route):
        asked.append(route)
        if len(asked) > 1:
            route.continue_()
            return
        found = route.fetch()
        route.fulfill(response=found, json=found.json() | {"whole": False})

    visitor.page.route("**/api/analysis/explorer", answer)
    visitor.page.locator("#explorer-part summary").click()
    visitor.see("#explored-note", "No game of this server went on from here")
    assert len(asked) > 1


ENGINE = f"""
[[engine]]
command = ["{sys.executable}", "{SCRIPTED}", "--info", "depth 9 score cp 25 pv e2e4 e7e5"]
name = "Sage"
"""


@pytest.mark.parametrize("server", [ENGINE], indirect=True, ids=[""])
@pytest.mark.parametrize(
    ("size", "scheme"), [(PHONE, "light"), (DESKTOP, "dark")], ids=["phone", "desktop"]
)
def test_the_engine_is_asked_and_its_line_kept(visit, axe, size, scheme, seen):
    visitor = visit("/analysis", size, color_scheme=scheme)
    ready(visitor)
    visitor.press("Ask the engine")
    visitor.see("#opinion-score", "+0.25")
    visitor.see("#opinion-engine", "Sage · depth 9")
    visitor.see("#opinion-line", "e4 e5")
    visitor.press("Add its line")
    visitor.until("document.querySelectorAll('.tree button').length === 2")
    visitor.page.locator("#explorer-part summary").click()
    visitor.see("#explored-note")
    seen("opinion", visitor, size, scheme)
    assert not judged(visitor, axe)
    visitor.page.keyboard.press("Home")
    visitor.page.locator("#next").click()
    visitor.see("#ask-engine", "Ask the engine")
    expect(visitor.page.locator("#opinion")).to_be_hidden()


@pytest.mark.parametrize(
    ("size", "scheme"), [(PHONE, "dark"), (DESKTOP, "light")], ids=["phone", "desktop"]
)
def test_the_page_fits_and_has_no_serious_fault(visit, axe, size, scheme, seen):
    visitor = visit("/analysis", size, color_scheme=scheme)
    paste(visitor, PGN)
    visitor.see(".variation .comment")
    visitor.page.locator(".variation button").first.click()
    ready(visitor)
    seen("analysis", visitor, size, scheme)
    assert visitor.widest() <= size[0]
    assert not judged(visitor, axe)
