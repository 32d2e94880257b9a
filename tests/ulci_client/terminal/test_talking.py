"""What is said to others, and to the server."""

import pytest

from tests.support.terminal import introduced, lobby, sent, told, welcomed
from ulci.protocol import Admin, Message, TellPlayer
from ulci_client.terminal.complete import candidates


@pytest.mark.parametrize(
    ("text", "message", "answer"),
    [
        ("tell Bob good luck", TellPlayer("Bob", "good luck"), ["ok told Bob"]),
        ("admin", Admin(("help",)), []),
        ("admin kick  Bob rude", Admin(("kick", "Bob", "rude")), []),
    ],
)
def test_what_is_said_is_sent(text: str, message: Message, answer: list[str]) -> None:
    effects = welcomed().typed(text, 0.0)
    assert sent(effects) == [message]
    assert told(effects) == answer


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("tell", "error tell whom what? write: tell Bob good luck"),
        ("tell Cid", "error tell them what? write: tell Cid good luck"),
    ],
)
def test_what_says_nothing_is_not_sent(text: str, why: str) -> None:
    effects = welcomed().typed(text, 0.0)
    assert (told(effects), sent(effects)) == ([why], [])


def test_a_server_without_a_lobby_knows_nobody_to_tell() -> None:
    assert told(introduced().typed("tell Bob hi", 0.0))[0].startswith("error this server has not")


def test_what_others_and_the_server_answer_is_shown() -> None:
    model = welcomed()
    assert told(lobby(model, "tell Bob good luck", "admin kick Bob: done")) == [
        "tell Bob good luck",
        "admin kick Bob: done",
    ]


def test_a_refusal_says_when_to_try_again() -> None:
    line = "error too-fast you say too much at once retry-after 3"
    assert told(lobby(welcomed(), line)) == ["error you say too much at once; try again in 3 s"]


def test_names_are_completed() -> None:
    model = welcomed()
    lobby(model, "player Bob kind human state idle")
    assert [one.text for one in candidates(model.state, "tell B")] == ["Bob"]
    assert candidates(model.state, "tell Bob g") == []
