"""A game that is over is gone through, taken along and analysed, by touch alone and by the keyboard
alone."""

import json
import re
import sys
from pathlib import Path

import pytest

from tests.browser.conftest import CHESS, pages_server

pytestmark = [pytest.mark.system, pytest.mark.slow]

SCRIPTED = Path(__file__).parents[1] / "support" / "scripted_engine.py"
INFO = "depth 9 score cp 25 pv e7e5 g1f3"
ENGINE = f"""
[[engine]]
command = {json.dumps([sys.executable, str(SCRIPTED), "--info", INFO])}
name = "Sage"
"""
CLIPBOARD = {"permissions": ["clipboard-read", "clipboard-write"]}
PGN = "1. e4 e5 (1... c5 {the Sicilian} 2. Nf3) 2. Nf3 Nc6 *"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with pages_server(tmp_path_factory.mktemp("server"), ENGINE, CHESS) as running:
        yield running


def copied(hand) -> str:
    return hand.page.evaluate("navigator.clipboard.readText()")


def ready(hand) -> None:
    hand.visitor.until("document.querySelector('ulci-board').legal.size > 0")


def at(hand, move: str) -> None:
    """Wait until the position after this move is shown."""
    hand.visitor.see("[aria-current=true]", re.compile(f"{re.escape(move)}$"))


def test_a_game_is_gone_through_and_taken_along(come, finished):
    cat = come("/", **CLIPBOARD)
    cat.follow(re.compile(f", game {finished}:"))
    cat.visitor.see("[role=gridcell]")
    at(cat, "Nc6")
    cat.press("Back one ply (arrow left)")
    at(cat, "Nf3")
    cat.press("First position (Home)")
    cat.visitor.until("!document.querySelector('[aria-current=true]')")
    assert cat.page.evaluate("document.activeElement.title") == "First position (Home)"
    cat.press("On one ply (arrow right)")
    at(cat, "e4")
    cat.press("Last position (End)")
    at(cat, "Nc6")
    cat.press("1, Black, e5")
    at(cat, "e5")
    cat.press("Flip the board (F)")
    assert cat.page.locator("[role=gridcell]").first.get_attribute("data-square") == "h1"
    cat.press("Copy the link")
    cat.visitor.see("#shared", "The link is copied")
    assert copied(cat).endswith(f"/games/{finished}?ply=2")
    cat.press("Copy the FEN")
    cat.visitor.see("#shared", "The position is copied")
    assert copied(cat).startswith("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w")
    with cat.page.expect_download() as loading:
        cat.follow("PGN")
    text = re.sub(r"\{[^}]*\}|\d+\.+", "", Path(loading.value.path()).read_text())
    assert text.split()[-5:] == ["e4", "e5", "Nf3", "Nc6", "0-1"]
    cat.follow("Analyse")
    cat.visitor.see("h1", re.compile("Ada.*Bob"))
    at(cat, "e5")


def test_variations_are_played_on_and_judged_by_an_engine_and_by_other_games(come, finished):
    dog = come(f"/analysis?game={finished}&ply=1", **CLIPBOARD)
    at(dog, "1. e4")
    ready(dog)
    dog.move("c7c5")
    dog.visitor.see(".variation button[aria-current]", "1… c5")
    dog.press("Copy the PGN")
    dog.visitor.see("#shared", "The PGN is copied")
    assert copied(dog) == "1. e4 e5 (1... c5) 2. Nf3 Nc6 *\n"
    dog.press("Copy the FEN")
    dog.visitor.see("#shared", "The position is copied")
    assert copied(dog).startswith("rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w")
    dog.press("Delete from here")
    at(dog, "1. e4")
    dog.press("Ask the engine")
    dog.visitor.see("#opinion-line", "e5 Nf3")
    assert dog.page.evaluate("document.activeElement.id") == "ask-engine"
    dog.press("Add its line")
    dog.unfold("Played on this server")
    dog.visitor.see("#explored tr", "e5")
    dog.press("e5")
    at(dog, "e5")
    dog.fill("Type a move", "Nc3")
    dog.send("Play it")
    dog.visitor.see(".variation button[aria-current]", "2. Nc3")


def test_a_game_is_pasted(come):
    eve = come("/analysis")
    ready(eve)
    eve.unfold("Another game or position")
    eve.choose("Game", "Chess")
    eve.fill("PGN or FEN; empty for the usual start", PGN)
    eve.press("Show")
    eve.visitor.see(".variation .comment", "the Sicilian")
    eve.press("1… c5, Black")
    at(eve, "1… c5")
    ready(eve)
    assert eve.visitor.board()["c5"] == "black pawn"
