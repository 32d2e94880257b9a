"""The pages of a server that plays no games itself: it is one of three that act as one."""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from tests.browser.opponent import Opponent
from tests.browser.pages import Visitor
from tests.browser.test_accounts import sign_up
from tests.browser.test_opponents import begun, invite
from tests.support.databases import postgres_url
from tests.support.redis_servers import redis_url
from tests.support.server_clusters import serving_together
from tests.support.servers import Server

__all__ = ["postgres_url", "redis_url"]

pytestmark = [pytest.mark.system, pytest.mark.slow]

MORE = """
[play]
delay = 0
[clients]
sign_up = "open"
"""


@pytest.fixture
def servers(tmp_path: Path, postgres_url: str, redis_url: str) -> Iterator[list[Server]]:
    with serving_together(tmp_path, postgres_url, redis_url, MORE) as together:
        yield together


@pytest.fixture
def server(servers: list[Server]) -> Server:
    """The one that visitors come to."""
    return servers[2]


@pytest.fixture
def come_in(servers: list[Server]) -> Iterator[Callable[[int, str], Opponent]]:
    """Lets somebody of that name come in at the server of that number. A move that a server did not
    store before it was fenced is asked for again."""
    with ExitStack() as stack:

        def come_in(number: int, name: str) -> Opponent:
            rival = Opponent(servers[number].port(), name, repeats=True)
            return stack.enter_context(closing(rival))

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
    visitor.board_shows(e4="white pawn", e5="black pawn")
    visitor.see(".clock.running")
    keep(visitor, "game")
    cat.move("g1f3")
    dog.hear("go ")
    servers[0].kill()
    visitor.see(".player-state", "away, the clock runs on")
    keep(visitor, "away")
    dog.say("bestmove b8c6")
    visitor.until("document.querySelectorAll('.moves button').length === 4")
    visitor.board_shows(c6="black knight")
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


def test_an_invitation_holds_though_the_server_of_the_lobby_dies(servers, visit):
    ada = visit("/play")
    ada.come_in("Ada")
    ada.choose("chess", "white", "10m+0s")
    link = invite(ada)
    servers[0].kill()
    bob = visit(link, port=servers[1].port("ws"))
    bob.come_in_to_play("Bob")
    begun(ada, bob)
    assert ada.my_turn()
    ada.click_move("e2e4")
    bob.said_move(1)
    bob.resign()
    ada.see("#table-note", "You won")


def test_an_invitation_and_its_taking_that_no_lobby_heard_are_asked_for_again(servers, visit):
    ada, bob = visit("/play"), visit("/play", port=servers[1].port("ws"))
    for visitor, name in ((ada, "Ada"), (bob, "Bob")):
        visitor.come_in(name)
    servers[0].kill()
    link = invite(ada)  # which is shown when it is kept
    bob.page.evaluate("hash => { location.hash = hash }", link.partition("#")[2])
    begun(ada, bob)


def at(server: Server, path: str) -> str:
    """The page of that server. The cookies of a host are those of all its ports."""
    return f"http://127.0.0.1:{server.port('ws')}{path}"


def test_who_signs_in_at_one_server_is_signed_in_at_all_until_it_signs_out_at_one(
    servers, come_in, visit
):
    dog = come_in(1, "Dog")
    ada = visit("/account", port=servers[0].port("ws"))
    sign_up(ada, "Ada")
    ada.page.goto(at(servers[1], "/account"))
    ada.see("#me", "Ada")
    ada.page.goto(at(servers[2], "/play"))
    ada.see("#signed-in", "You are signed in as")
    ada.press("Enter")
    ada.see("#lobby-title")
    ada.name = "Ada"
    ada.play_against(dog, "time 600")
    other = Visitor(ada.page.context.new_page())
    other.page.goto(at(servers[1], "/account"))
    other.see("#me", "Ada")
    other.press("Sign out")
    other.see("#in-title")
    for server in servers:
        other.page.goto(at(server, "/account"))
        other.see("#out")
    ada.click_move("e2e4")
    dog.hear("go ")
    dog.say("resign")
    ada.see(".status", "White won by resignation")
