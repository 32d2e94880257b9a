"""Is there still somebody at the other end?"""

import math

import pytest

from tests.support.terminal import lobby, playing, text, to_move, told, welcomed
from ulci.protocol import Position
from ulci.rules import Side
from ulci_client.terminal.look import ASCII
from ulci_client.terminal.model import Model
from ulci_client.terminal.panel import player_row
from ulci_client.terminal.state import News
from ulci_client.terminal.status import status


def shown(model: Model, now: float = 0.0) -> str:
    return status(model.state, now)[0]


def people_read(model: Model, line: str) -> str:
    (news,) = lobby(model, line)
    assert isinstance(news, News)
    return news.text


def test_the_countdown_to_the_claim_is_shown_and_then_how_to_claim() -> None:
    model = playing("e2e4")
    assert people_read(model, "game 42 opponent away claim-in 30000") == (
        "Bob has lost the line and has 30 s to come back; then claim win, or claim draw."
    )
    assert shown(model, 10.0) == "Bob is away and has 20 s to come back."
    assert model.next_change(10.0) == 11.0
    assert shown(model, 30.0) == "Bob stays away: claim win, or claim draw, or wait."
    assert model.next_change(30.0) == math.inf


def test_a_claim_may_be_said_to_be_due() -> None:
    model = to_move()
    assert people_read(model, "game 42 opponent away claim-in 0") == (
        "Bob has been away for too long: claim win, or claim draw."
    )
    assert shown(model).startswith("Bob stays away: claim win")
    assert people_read(model, "game 42 opponent back") == "Bob is back."
    assert shown(model) == "Your move."


def test_on_days_only_the_clock_counts() -> None:
    line = "game 42 opponent away"
    assert people_read(playing("e2e4"), line) == "Bob has lost the line; the clock runs on."


@pytest.mark.parametrize(
    ("what", "sentence", "beside"),
    [
        ("hung", "Bob does not answer; the clock runs on.", "Bob hung"),
        ("line-down", "Bob's line is down; the clock runs on.", "Bob line down"),
        ("gone", "Bob is gone.", "Bob gone"),
    ],
)
def test_what_keeps_the_opponent_is_told_and_shown(what: str, sentence: str, beside: str) -> None:
    model = playing("e2e4")
    assert people_read(model, f"game 42 opponent {what}") == sentence
    assert shown(model) == sentence
    assert model.state.game is not None
    row = player_row(model.state.game, Side.BLACK, ASCII, 40, 0.0)
    assert beside in text([row])
    assert told(lobby(model, "game 42 opponent thinking")) == ["opponent thinking"]
    assert shown(model) == "Waiting for Bob to move."


def test_an_opponent_who_thinks_all_the_time_is_no_news() -> None:
    assert lobby(playing("e2e4"), "game 42 opponent thinking") == []


def test_of_two_who_are_watched_it_is_the_one_to_move() -> None:
    model = welcomed()
    lobby(model, "watch 7 white Bob black Cid game chess time 300+3 rated yes ply 1")
    model.hear(Position(None, ("e2e4",)), 0.0)
    assert people_read(model, "game 7 opponent hung") == "Cid does not answer; the clock runs on."
    assert people_read(model, "game 7 opponent away claim-in 5000") == (
        "Cid has lost the line and has 5 s to come back."
    )


def test_a_server_that_was_away_says_for_how_long() -> None:
    assert people_read(to_move(), "game 42 resumed downtime 12300") == (
        "The server was away for 12 s; nobody's clock paid for it."
    )


def test_a_trouble_is_over_with_a_move_and_unknown_without_a_line() -> None:
    model = playing("e2e4")
    game = model.state.game
    assert game is not None
    lobby(model, "game 42 opponent hung")
    model.hear(Position(None, ("e2e4", "e7e5")), 1.0)
    assert game.trouble == ""
    lobby(model, "game 42 opponent hung", "game 42 opponent away claim-in 9000")
    model.lost("cut", 2.0, 1.0)
    assert (game.trouble, game.away) == ("", None)
