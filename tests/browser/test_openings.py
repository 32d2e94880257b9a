"""A game that begins with moves of a book, at the page."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.conftest import CHESS, CONFIG
from tests.browser.pages import expect
from tests.support import server_with_book
from tests.support.servers import Server

pytestmark = [pytest.mark.system, pytest.mark.slow]


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv(server_with_book.BOOK, "e2e4 e7e5 g1f3")
    config = tmp_path / "server.toml"
    config.write_text(CONFIG + CHESS)
    program = (sys.executable, server_with_book.__file__, "serve")
    running = Server(tmp_path, "--config", str(config), program=program)
    running.start()
    yield running
    running.stop()


def test_moves_of_a_book_are_shown_as_such_and_are_nobodys(visit, opponent):
    ada = visit("/play")
    ada.come_in("Ada")
    bob = opponent("Bob")
    bob.say("challenge Ada color white")
    ada.page.get_by_role("button", name="Accept: Bob").click()
    ada.see("#table .status", "Your move")
    moves = ada.page.locator("#table .moves button")
    expect(moves).to_have_text(["e4", "e5", "Nf3"])
    expect(ada.page.locator("#table .moves button.book")).to_have_count(3)
    ada.page.get_by_role("button", name="1, White, e4, book").wait_for()
    ada.see("#act-abort")
    expect(ada.page.locator("#act-takeback")).to_be_hidden()
    ada.click_move("b8c6")
    bob.hear("go ")
    ada.page.locator("#act-takeback").wait_for()
    expect(ada.page.locator("#table .moves button.book")).to_have_count(3)
    bob.say("bestmove f1c4")
    ada.page.get_by_role("button", name="3, White, Bc4", exact=True).wait_for()
    expect(ada.page.locator("#act-abort")).to_be_hidden()

    watcher = visit("/games/1#2")
    watcher.page.get_by_role("button", name="1, Black, e5, book").click()
    watcher.see("#move", "e5: a move of a book")
    bob.say("resign")
    ada.see("#table-note", "You won")
