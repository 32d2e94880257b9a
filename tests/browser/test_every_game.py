"""The page plays every game that a server offers by default, whether it seeks or accepts."""

import re

import pytest

from tests.browser.conftest import pages_server
from tests.browser.opponent import Opponent
from tests.browser.pages import Visitor
from ulci.rules import GAMES

pytestmark = [pytest.mark.system, pytest.mark.slow]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """One for all tests here, who therefore come in under different names. It has the pools that a
    server has without a configuration."""
    with pages_server(tmp_path_factory.mktemp("server"), pools="") as running:
        yield running


def play_on(visitor: Visitor, rival: Opponent) -> None:
    """Two moves of White, who sits at the page, and one of Black."""
    visitor.begun()
    for plies in (1, 3):
        assert visitor.my_turn()
        visitor.click_move(min(visitor.legal()))
        visitor.said_move(plies)
        rival.hear("go ")
        rival.say(f"bestmove {min(visitor.legal())}")
        visitor.said_move(plies + 1)


def test_the_page_offers_every_game(visit):
    visitor = visit("/play")
    visitor.come_in("Ada")
    visitor.page.locator("#more-games > summary").click()
    visitor.see("#more-games [name=game]")
    offered = visitor.page.locator("#seek-form [name=game]")
    values = "games => games.map(({ value }) => value)"
    visitor.becomes(lambda: sorted(offered.evaluate_all(values)), sorted(GAMES))


@pytest.mark.parametrize("game", GAMES)
def test_a_game_that_the_page_seeks_and_one_that_it_accepts_is_played(game, opponent, visit):
    visitor, bob = visit("/play"), opponent(f"Bob-{game}")
    visitor.come_in(f"Ada-{game}")
    visitor.seek(game, "white", "300+3")
    number = bob.hear("lobby seek", f"player Ada-{game} ").split()[2]
    bob.say(f"accept {number}")
    play_on(visitor, bob)
    first = visitor.game
    assert visitor.get(f"/api/games/{first}")["rules"] == game
    bob.say("resign")
    visitor.see("#table-note", "You won")
    bob.hear("lobby game", " over ")
    visitor.press("To the lobby")
    bob.say(f"seek game {game} time 300+3 color black")
    visitor.page.get_by_role("button", name=re.compile(f"^Play: Bob-{game} ")).click()
    play_on(visitor, bob)
    assert visitor.game != first
    assert visitor.get(f"/api/games/{visitor.game}")["rules"] == game


def test_in_chess960_the_king_castles_by_a_click_on_its_rook(opponent, visit):
    visitor, bob = visit("/play"), opponent("Bob")
    visitor.come_in("Ada")
    visitor.play_against(bob, "game chess960 start 4k3/8/8/8/8/8/8/1R3K1R w HB - 0 1")
    assert visitor.my_turn()
    visitor.click_move("f1h1")
    bob.hear("position ", " f1h1")
    visitor.said_move(1)
    pieces = {"e8": "black king", "b1": "white rook", "f1": "white rook", "g1": "white king"}
    visitor.becomes(visitor.board, pieces)
