"""What is said to others, and to the server."""

import pytest

from tests.support.terminal import introduced, lobby, sent, told, welcomed
from ulci.protocol import Admin, Decline, Message, Say, TellPlayer, Who
from ulci_client.terminal.complete import candidates
from ulci_client.terminal.confirm import FENCES

NOBODY = 'error no-such-player there is no "Nobody" here'
NO_NOBODY = 'error there is no "Nobody" here'
TOO_FAST = "error too-fast these are more words than you may say; retry-after 1"
SLOWER = "error these are more words than you may say; try again in 1 s"


def fence(number: int) -> str:
    """The answer to so many fences."""
    return f"error no-such-challenge nobody challenged you with {FENCES + number}"


@pytest.mark.parametrize(
    ("text", "message", "answer"),
    [
        ("admin", Admin(("help",)), []),
        ("admin kick  Bob rude", Admin(("kick", "Bob", "rude")), []),
    ],
)
def test_what_is_said_is_sent(text: str, message: Message, answer: list[str]) -> None:
    effects = welcomed().typed(text, 0.0)
    assert sent(effects) == [message]
    assert told(effects) == answer


@pytest.mark.parametrize(
    ("text", "message", "answer"),
    [
        ("tell Bob good luck", TellPlayer("Bob", "good luck"), "ok told Bob"),
        ("say good  luck", Say("good  luck"), "ok said"),
    ],
)
def test_it_is_told_that_somebody_heard_it_once_that_is_known(
    text: str, message: Message, answer: str
) -> None:
    model = welcomed()
    effects = model.typed(text, 0.0)
    assert (sent(effects), told(effects)) == ([message, Decline(FENCES)], [])
    assert told(lobby(model, fence(0))) == [answer]


def test_who_is_not_here_was_not_told() -> None:
    model = welcomed()
    model.typed("tell Nobody hi", 0.0)
    model.typed("tell Bob hi", 0.0)
    assert told(lobby(model, NOBODY, fence(0), fence(1))) == [NO_NOBODY, "ok told Bob"]


def test_after_a_refused_fence_nobody_who_is_not_here_is_said_to_be_told() -> None:
    model = welcomed()
    model.typed("tell Ann hi", 0.0)
    assert told(lobby(model, TOO_FAST, TOO_FAST)) == [SLOWER, SLOWER]
    for number in (1, 2):
        model.typed("tell Nobody hi", 1.0)
        assert told(lobby(model, NOBODY, fence(number))) == [NO_NOBODY]
    model.typed("tell Bob hi", 2.0)
    assert told(lobby(model, fence(3))) == ["ok told Bob"]


def test_who_is_here_is_said_to_be_told_also_where_the_fence_before_was_refused() -> None:
    model = welcomed()
    for name in ("Nobody", "Bob"):
        model.typed(f"tell {name} hi", 0.0)
    assert told(lobby(model, NOBODY, TOO_FAST, fence(1))) == [NO_NOBODY, SLOWER, "ok told Bob"]


def test_a_word_that_was_refused_itself_was_not_heard_although_its_fence_was() -> None:
    model = welcomed()
    model.typed("tell Bob hi", 0.0)
    assert told(lobby(model, TOO_FAST, fence(0))) == [SLOWER]


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("challenge Nobody", "error no-such-player there is no Nobody here"),
        ("seek", TOO_FAST),
    ],
)
def test_what_is_refused_of_another_word_is_no_refusal_of_what_is_said_behind_it(
    text: str, refusal: str
) -> None:
    model = welcomed()
    model.typed(text, 0.0)
    effects = model.typed("tell Bob hi", 0.0)
    assert sent(effects) == [Decline(FENCES), TellPlayer("Bob", "hi"), Decline(FENCES + 1)]
    assert told(lobby(model, refusal, fence(0), fence(1)))[1:] == ["ok told Bob"]


def test_between_two_words_one_fence_is_enough() -> None:
    model = welcomed()
    model.typed("tell Bob hi", 0.0)
    effects = model.typed("say hi", 0.0)
    assert sent(effects) == [Say("hi"), Decline(FENCES + 1)]
    assert sent(model.typed("who", 0.0)) == [Who()]


def test_what_was_not_confirmed_before_the_line_was_lost_is_not_confirmed_by_the_next() -> None:
    model = welcomed()
    model.typed("tell Bob hi", 0.0)
    model.lost("cut", 1.0, 1.0)
    assert told(lobby(model, fence(0))) == []


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
