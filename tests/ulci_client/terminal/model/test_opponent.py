"""Is there still somebody at the other end?"""

import math

import pytest

from tests.support.terminal import lobby, playing, text, to_move, told, welcomed
from ulci.protocol.messages import Position
from ulci.rules import Side
from ulci_client.terminal.model.state import News
from ulci_client.terminal.shell.client import Client
from ulci_client.terminal.view.panel import player_row
from ulci_client.terminal.view.status_line import status
from ulci_client.terminal.view.theme import ASCII


def shown(client: Client, now: float = 0.0) -> str:
    return status(client.state, now)[0]


def people_read(client: Client, line: str) -> str:
    (news,) = lobby(client, line)
    assert isinstance(news, News)
    return news.text


def test_the_countdown_to_the_claim_is_shown_and_then_how_to_claim() -> None:
    client = playing("e2e4")
    assert people_read(client, "game 42 opponent away claim-in 30000") == (
        "Bob is disconnected and has 30 s to come back; then claim win, or claim draw."
    )
    assert shown(client, 10.0) == "Bob is away and has 20 s to come back."
    assert client.next_change(10.0) == 11.0
    assert shown(client, 30.0) == "Bob stays away: claim win, or claim draw, or wait."
    assert client.next_change(30.0) == math.inf


def test_a_claim_may_be_said_to_be_due() -> None:
    client = to_move()
    assert people_read(client, "game 42 opponent away claim-in 0") == (
        "Bob has been away for too long: claim win, or claim draw."
    )
    assert shown(client).startswith("Bob stays away: claim win")
    assert people_read(client, "game 42 opponent back") == "Bob is back."
    assert shown(client) == "Your move."


def test_with_days_on_the_clock_only_the_deadline_counts() -> None:
    line = "game 42 opponent away"
    assert people_read(playing("e2e4"), line) == "Bob is disconnected; the clock runs on."


@pytest.mark.parametrize(
    ("what", "sentence", "beside"),
    [
        ("hung", "Bob does not respond; the clock runs on.", "Bob hung"),
        ("line-down", "Bob is disconnected; the clock runs on.", "Bob line down"),
        ("gone", "Bob is gone.", "Bob gone"),
    ],
)
def test_the_opponents_trouble_is_told_and_shown(what: str, sentence: str, beside: str) -> None:
    client = playing("e2e4")
    assert people_read(client, f"game 42 opponent {what}") == sentence
    assert shown(client) == sentence
    assert client.state.game is not None
    row = player_row(client.state.game, Side.BLACK, ASCII, 40, 0.0)
    assert beside in text([row])
    assert told(lobby(client, "game 42 opponent thinking")) == ["opponent thinking"]
    assert shown(client) == "Waiting for Bob to move."


def test_an_opponent_who_thinks_all_the_time_is_no_news() -> None:
    assert lobby(playing("e2e4"), "game 42 opponent thinking") == []


def test_of_two_who_are_watched_it_is_the_one_to_move() -> None:
    client = welcomed()
    lobby(client, "watch 7 white Bob black Cid game chess time 300+3 rated yes ply 1")
    client.hear(Position(None, ("e2e4",)), 0.0)
    assert people_read(client, "game 7 opponent hung") == "Cid does not respond; the clock runs on."
    assert people_read(client, "game 7 opponent away claim-in 5000") == (
        "Cid is disconnected and has 5 s to come back."
    )


def test_a_downtime_of_unknown_length_is_shown_without_one() -> None:
    assert people_read(to_move(), "game 42 resumed") == (
        "The server was down; no clock was charged."
    )


def test_a_downtime_is_shown_with_its_length() -> None:
    assert people_read(to_move(), "game 42 resumed downtime 12300") == (
        "The server was down for 12.3 s; no clock was charged."
    )


def test_trouble_ends_with_a_move_or_a_disconnection() -> None:
    client = playing("e2e4")
    game = client.state.game
    assert game is not None
    lobby(client, "game 42 opponent hung")
    client.hear(Position(None, ("e2e4", "e7e5")), 1.0)
    assert game.trouble == ""
    lobby(client, "game 42 opponent hung", "game 42 opponent away claim-in 9000")
    client.lost("cut", 2.0, 1.0)
    assert (game.trouble, game.away) == ("", None)
