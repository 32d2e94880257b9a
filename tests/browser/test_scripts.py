"""What the page's scripts say of the server is true, and the scripts are plain."""

import re
from importlib.resources import files

import pytest

from ulci.protocol.lobby import lines
from ulci.rules import GAMES
from ulci.rules.liberty.pieces import KINDS

STATIC = files("ulci_server.web") / "static"
FILES = sorted(entry.name for entry in STATIC.iterdir())


def text(name: str) -> str:
    return (STATIC / name).read_text()


def test_the_page_hears_only_lines_that_the_server_says():
    """What it does not name, it has no use for."""
    heard = {
        name
        for script in FILES
        if script.endswith(".js")
        for name in re.findall(r'(?:case|\bline ===) "([A-Z][a-z]\w+)"', text(script))
    }
    assert {"Welcome", "OpenSeek", "GameOver"} <= heard
    assert heard <= {row.kind.__name__ for row in lines.ROWS}


def test_every_piece_of_liberty_chess_has_its_picture():
    drawn = set(re.findall(r'<symbol id="([^"]+)"', text("pieces.svg")))
    assert drawn >= {kind.letter for kind in KINDS} | {"stone-x", "stone-o"}


def test_the_page_offers_every_option_that_a_game_needs():
    offered = set(re.findall(r'"(\w+) type \w+', text("seat.js")))
    # People in the lobby play any variant that they ask for.
    needed = {name for rules in GAMES.values() for name in rules.needs(None).options}
    assert offered == needed - {"UCI_Variant"}


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith((".html", ".part"))])
def test_a_page_has_nothing_inline_and_loads_nothing_from_elsewhere(name):
    page = text(name)
    assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", page)
    assert not re.search(r"<script(?![^>]*\ssrc=)", page)
    assert not re.search(r"(src|href)=\"(https?:)?//", page)


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith(".js")])
def test_a_script_makes_no_html_of_text_and_loads_nothing_from_elsewhere(name):
    script = text(name)
    for word in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "http://",
        "https://",
    ):
        assert word not in script.replace('"http://www.w3.org/2000/svg"', ""), word
