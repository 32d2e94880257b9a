"""The pages of a server that plays no games itself: it is one of three that act as one."""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from tests.browser.opponent import Opponent
from tests.browser.pages import Visitor
from tests.support.databases import postgres_url
from tests.support.redis_servers import redis_url
from tests.support.server_clusters import serving_together
from tests.support.servers import Server

__all__ = ["postgres_url", "redis_url"]

pytestmark = [pytest.mark.system, pytest.mark.slow]


@pytest.fixture
def servers(tmp_path: Path, postgres_url: str, redis_url: str) -> Iterator[list[Server]]:
    with serving_together(tmp_path, postgres_url, redis_url, "[play]\ndelay = 0\n") as together:
        yield together


@pytest.fixture
def server(servers: list[Server]) -> Server:
    """The one that visitors come to."""
    return servers[2]


@pytest.fixture
def come_in(servers: list[Server]) -> Iterator[Callable[[int, str], Opponent]]:
    """Lets somebody of that name come in at the server of that number."""
    with ExitStack() as stack:

        def come_in(number: int, name: str) -> Opponent:
            return stack.enter_context(closing(Opponent(servers[number].port(), name)))

        yield come_in


def keep(visitor: Visitor, name: str) -> None:
    """A picture of what is seen, if these are kept."""
    if folder := os.environ.get("ULCI_TEST_SCREENSHOTS"):
        visitor.page.screenshot(path=Path(folder, f"several-servers-{name}.png"), full_page=True)


def test_a_game_of_others_is_watched_though_its_server_dies(servers, come_in, visit):
    cat, dog = come_in(0, "Cat"), come_in(1, "Dog")
    visitor = visit("/")
    visitor.see("#none-running", "No game is being played now")
    cat.play(dog, "time 600")
    visitor.see(".game-card", re.compile("Cat.*Dog"))
    cat.move("e2e4")
    visitor.see(".game-card", "1 ply")
    keep(visitor, "list")
    visitor.page.locator(".game-card").click()
    visitor.see("h1", re.compile("Cat.*Dog"))
    dog.move("e7e5")
    visitor.until("document.querySelectorAll('.moves button').length === 2")
    assert {visitor.board()[square] for square in ("e4", "e5")} == {"white pawn", "black pawn"}
    visitor.see(".clock.running")
    keep(visitor, "game")
    cat.move("g1f3")
    dog.hear("go ")
    servers[0].kill()
    visitor.see(".player-state", "away, the clock runs on")
    keep(visitor, "away")
    dog.say("bestmove b8c6")
    visitor.until("document.querySelectorAll('.moves button').length === 4")
    assert visitor.board()["c6"] == "black knight"
    dog.say("resign")
    visitor.see(".status", "White won by resignation")


def test_who_plays_here_may_play_at_another_server(come_in, visit):
    dog = come_in(1, "Dog")
    visitor = visit("/play")
    visitor.come_in("Ada")
    visitor.play_against(dog, "time 600")
    for move, answer in (("e2e4", "e7e5"), ("g1f3", "b8c6")):
        assert visitor.my_turn()
        visitor.click_move(move)
        dog.hear("go ")
        dog.say(f"bestmove {answer}")
    assert visitor.my_turn()
    visitor.type_move("Bb5")
    dog.hear("go ")
    visitor.until("document.querySelectorAll('.moves button').length === 5")
    keep(visitor, "play")
    visitor.resign()
    visitor.see(".status", "Black won by resignation")
