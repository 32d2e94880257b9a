"""What a person types to hear nothing more from somebody."""

import pytest

from tests.support.terminal import lobby, sent, told, welcomed
from ulci.protocol.messages import Ignore, Ignored, Message, Unignore
from ulci_client.terminal.commands.complete import candidates


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ignore Bob", Ignore("Bob")),
        ("/ignore Bob", Ignore("Bob")),
        ("unignore Bob", Unignore("Bob")),
        ("ignore", Ignored()),
    ],
)
def test_what_is_typed_is_sent(text: str, message: Message) -> None:
    assert sent(welcomed().typed(text, 0.0)) == [message]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("unignore", 'error "unignore": it needs a name; use: unignore NAME'),
        ("ignore Bob and Eve", 'error "ignore Bob and Eve": it needs a name; use: ignore NAME'),
    ],
)
def test_what_is_missing_is_said(text: str, why: str) -> None:
    effects = welcomed().typed(text, 0.0)
    assert (sent(effects), told(effects)) == ([], [why])


def test_the_answers_are_shown() -> None:
    client = welcomed()
    assert told(lobby(client, "ignore Bob")) == ["ok ignored Bob"]
    assert told(lobby(client, "unignore Bob")) == ["ok unignored Bob"]


def test_the_list_is_a_page_that_says_how_to_shorten_it() -> None:
    client = welcomed()
    client.typed("ignore", 0.0)
    assert told(lobby(client, "ignored 2", "ignore Bob", "ignore Eve")) == [
        "Whom you ignore",
        "Bob",
        "Eve",
        "unignore NAME: hear one of them again",
    ]
    client.typed("ignore", 0.0)
    assert told(lobby(client, "ignored 0")) == ["Whom you ignore", "none"]


def test_a_server_that_has_forgotten_us_is_told_again_quietly_and_no_other() -> None:
    client = welcomed()
    lobby(client, "ignore Bob", "ignore Eve", "ignore Dan", "unignore Dan")
    assert sent(lobby(client, "welcome name Ada account no resume s3cret")) == []
    effects = lobby(client, "welcome name Ada account no resume another")
    assert sent(effects) == [Ignore("Bob"), Ignore("Eve")]
    assert told(lobby(client, "ignore Bob", "ignore Eve")) == []


def test_names_are_completed() -> None:
    client = welcomed()
    lobby(client, "player Bob kind human state idle", "ignore Eve")
    assert [one.text for one in candidates(client.state, "ignore B")] == ["Bob"]
    assert [one.text for one in candidates(client.state, "unignore ")] == ["Eve"]


@pytest.mark.parametrize(
    "refusal",
    [
        "error ignored Bob ignores you",
        "error too-many-strangers Bob hears from too many strangers; retry-after 2",
    ],
)
def test_a_message_that_is_not_heard_is_not_confirmed(refusal: str) -> None:
    client = welcomed()
    client.typed("tell Bob hi", 0.0)
    answer = "error no-such-challenge nobody challenged you with 1000000000"
    [line] = told(lobby(client, refusal, answer))
    assert line.startswith("error Bob")
