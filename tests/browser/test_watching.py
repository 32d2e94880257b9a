"""Games of others: the list, a running game, a finished one."""

import json
import re

import pytest

from tests.browser.conftest import PHONE
from tests.browser.pages import Visitor

pytestmark = [pytest.mark.system, pytest.mark.slow]


def two_engines(engine, *options: str) -> None:
    """Two engines that play one game, not too fast to be watched."""
    engine("--color", "white", "--games", "1", *options, name="Cat")
    engine("--color", "black", "--games", "1", *options, name="Dog")


def moves_of(visitor: Visitor) -> int:
    return visitor.page.locator(".moves button").count()


def test_a_game_of_two_engines_is_watched_from_the_list_to_its_end(engine, visit):
    visitor = visit("/")
    visitor.see("#none-running", "No game is being played now")
    two_engines(engine, "--time", "8+0.05")
    visitor.see(".game-card", "Cat")
    visitor.page.locator(".game-card").click()
    visitor.see("h1", re.compile("Cat.*Dog"))
    visitor.see(".clock.running")
    visitor.until("document.querySelectorAll('.moves button').length > 4")
    before = moves_of(visitor)
    visitor.until(f"document.querySelectorAll('.moves button').length > {before}")
    visitor.see(".status", re.compile("won|Draw"))
    visitor.see("#why", "Why")
    number = visitor.page.url.rpartition("/")[2]
    game = visitor.get(f"/api/games/{number}")
    visitor.until(f"document.querySelectorAll('.moves button').length === {len(game['moves'])}")
    visitor.see("#times svg")


def test_a_finished_game_is_replayed_by_keys_and_found_by_its_player(engine, visit):
    two_engines(engine, "--game", "tictactoe", "--time", "60+1")
    visitor = visit("/", PHONE)
    visitor.see("#finished a", "Cat")
    visitor.page.get_by_label("Player").fill("Nobody")
    visitor.page.get_by_role("button", name="Show").click()
    visitor.see("#none-finished", "No finished game is like that")
    visitor.page.get_by_label("Player").fill("Cat")
    visitor.page.locator("#rules").select_option("tictactoe")
    visitor.page.get_by_role("button", name="Show").click()
    visitor.page.locator("#finished a").first.click()
    visitor.see("[role=gridcell]")
    press, end = visitor.page.keyboard.press, visitor.board()
    press("Home")
    assert visitor.board() == {}
    press("ArrowRight")
    assert list(visitor.board().values()) == ["X"]
    press("ArrowRight")
    assert sorted(visitor.board().values()) == ["O", "X"]
    press("ArrowLeft")
    assert list(visitor.board().values()) == ["X"]
    press("End")
    assert visitor.board() == end
    visitor.page.get_by_role("button", name="Back one move").click()
    assert len(visitor.board()) == len(end) - 1
    pgn = visitor.page.locator("#pgn").get_attribute("href")
    assert pgn.endswith(".pgn")
    game = json.loads(visitor.page.request.get(pgn.removesuffix(".pgn")).text())
    assert len(game["moves"]) == len(end)


def test_a_game_that_is_not_there_is_said_to_be_missing(visit):
    visitor = visit("/games/4711")
    visitor.see("#fault", "There is no game 4711")
