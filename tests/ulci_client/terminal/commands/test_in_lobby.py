"""How somebody to play with is found."""

import pytest

from tests.support.terminal import introduced, lobby, playing, sent, to_move, told, welcomed
from ulci.protocol.messages import (
    Accept,
    Admin,
    Challenge,
    ChooseColor,
    Decline,
    Draw,
    Games,
    Message,
    Position,
    Rematch,
    Say,
    Seeks,
    TellPlayer,
    Terms,
    Unwatch,
    Watch,
    Who,
)
from ulci_client.terminal.commands.complete import candidates
from ulci_client.terminal.commands.conditions import ConditionError, chosen, number
from ulci_client.terminal.commands.in_lobby import pass_on
from ulci_client.terminal.model.confirm import FENCES
from ulci_client.terminal.shell.client import Client

CHALLENGE = "challenge 18 player Bob kind human game chess time 60+0 color white rated no"


def answer(client: Client, text: str) -> list[str]:
    return told(client.typed(text, 0.0))


def test_accept_takes_the_only_thing_that_is_offered() -> None:
    client = to_move()
    assert answer(client, "accept") == ["error nothing was offered"]
    lobby(client, "game 42 offer draw from Bob")
    assert sent(client.typed("accept", 0.0)) == [Draw()]
    client = welcomed()
    lobby(client, CHALLENGE)
    assert sent(client.typed("accept", 0.0)) == [Accept(18)]
    assert sent(client.typed("decline", 0.0)) == [Decline(18)]
    assert client.state.challenges == {}


def test_a_seek_is_remembered_until_it_is_taken_back() -> None:
    client = welcomed()
    client.typed("seek 60+0", 0.0)
    assert client.state.wanted == Terms(time="60+0")
    client.typed("unseek", 0.0)
    assert client.state.wanted is None


def test_declining_a_challenge_removes_it_and_is_confirmed() -> None:
    client = welcomed()
    lobby(client, CHALLENGE)
    assert answer(client, "decline 18") == ["ok declined 18"]
    assert client.state.challenges == {}


def test_a_challenge_is_declined_with_a_reason() -> None:
    client = welcomed()
    lobby(client, CHALLENGE)
    assert sent(client.typed("decline 18 not at night", 0.0)) == [Decline(18, "not at night")]


def test_a_challenge_is_declined_in_a_game_too() -> None:
    client = to_move()
    lobby(client, CHALLENGE, "game 42 offer draw from Bob")
    assert sent(client.typed("decline", 0.0)) == [Decline(18)]
    assert answer(client, "decline") == ["error an offer is declined by making a move"]


@pytest.mark.parametrize("text", ["seek pink", "challenge Bob pink"])
def test_terms_that_say_nothing_are_not_sent(text: str) -> None:
    client = welcomed()
    effects = client.typed(text, 0.0)
    assert sent(effects) == []
    assert told(effects)[0].startswith("error pink is not a term of a game")
    assert client.state.wanted is None


@pytest.mark.parametrize(
    ("typed", "message", "line"),
    [
        ("seeks", Seeks(), "seeks 0"),
        ("who", Who(), "who 0"),
        ("games", Games(), "games 0"),
    ],
)
def test_a_list_is_shown_to_who_asked_for_it(typed: str, message: Message, line: str) -> None:
    client = welcomed()
    assert told(lobby(client, line)) == []
    assert sent(client.typed(typed, 0.0)) == [message]
    assert told(lobby(client, line))[1:] == ["none"]


def test_the_only_game_need_not_be_named() -> None:
    client = welcomed()
    lobby(client, "games 1", "game 7 playing white Bob black Cid game chess time 60+0 ply 12")
    assert sent(client.typed("watch", 0.0)) == [Watch(7)]


@pytest.mark.parametrize("typed", ["lobby", "unwatch", "unwatch 7"])
def test_a_game_of_others_is_left_by_telling_the_server(typed: str) -> None:
    client = welcomed()
    lobby(client, "watch 7 white Bob black Cid game chess time 300+3 rated yes ply 2")
    client.hear(Position(None, ("e2e4",)), 0.0)
    assert sent(client.typed(typed, 0.0)) == [Unwatch(7)]
    assert client.state.watching


def test_one_game_is_left_for_the_next() -> None:
    client = welcomed()
    lobby(client, "watch 7 white Bob black Cid game chess time 300+3 rated yes ply 2")
    client.hear(Position(None, ("e2e4",)), 0.0)
    assert sent(client.typed("watch 8", 0.0)) == [Unwatch(7), Watch(8)]
    assert told(client.typed("watch 7", 0.0)) == ["error you are already watching game 7"]


def test_what_is_not_watched_cannot_be_left() -> None:
    assert told(playing().typed("unwatch 9", 0.0)) == [
        "error you are not watching game 9; games lists them"
    ]


def test_back_in_the_lobby_the_lists_are_fetched() -> None:
    client = playing(shows_lists=True)
    lobby(client, "game 42 over result 1-0 reason resignation")
    assert sent(client.typed("lobby", 0.0)) == [Who(), Seeks()]
    assert client.state.game is None
    assert sent(welcomed().typed("lobby", 0.0)) == []


NOBODY = 'error no-such-player there is no "Nobody" here'
NO_NOBODY = 'error there is no "Nobody" here'
TOO_FAST = "error too-fast too many commands; retry-after 1"
SLOWER = "error too many commands; try again in 1 s"


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
def test_a_message_is_confirmed_once_the_server_has_processed_it(
    text: str, message: Message, answer: str
) -> None:
    client = welcomed()
    effects = client.typed(text, 0.0)
    assert (sent(effects), told(effects)) == ([message, Decline(FENCES)], [])
    assert told(lobby(client, fence(0))) == [answer]


def test_a_tell_to_an_absent_player_is_not_confirmed() -> None:
    client = welcomed()
    client.typed("tell Nobody hi", 0.0)
    client.typed("tell Bob hi", 0.0)
    assert told(lobby(client, NOBODY, fence(0), fence(1))) == [NO_NOBODY, "ok told Bob"]


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("no-such-player", "there is no Bob here"),
        ("not-heard", "Bob does not read messages"),
        ("not-allowed", "this connection takes admin commands only"),
        ("ignored", "Bob ignores you"),
        ("too-many-strangers", "Bob hears from too many strangers; retry-after 2"),
    ],
)
@pytest.mark.parametrize("typed", ["tell Bob hi", "say hi"])
def test_for_whatever_reason_a_message_is_refused_it_is_not_confirmed(
    typed: str, code: str, text: str
) -> None:
    client = welcomed()
    client.typed(typed, 0.0)
    [line] = told(lobby(client, f"error {code} {text}", fence(0)))
    assert line.startswith("error ")


def test_after_a_refused_fence_a_tell_to_an_absent_player_is_not_confirmed() -> None:
    client = welcomed()
    client.typed("tell Ann hi", 0.0)
    assert told(lobby(client, TOO_FAST, TOO_FAST)) == [SLOWER, SLOWER]
    for count in (1, 2):
        client.typed("tell Nobody hi", 1.0)
        assert told(lobby(client, NOBODY, fence(count))) == [NO_NOBODY]
    client.typed("tell Bob hi", 2.0)
    assert told(lobby(client, fence(3))) == ["ok told Bob"]


def test_a_tell_is_confirmed_even_if_the_fence_before_it_was_refused() -> None:
    client = welcomed()
    for name in ("Nobody", "Bob"):
        client.typed(f"tell {name} hi", 0.0)
    assert told(lobby(client, NOBODY, TOO_FAST, fence(1))) == [NO_NOBODY, SLOWER, "ok told Bob"]


def test_a_refused_message_is_not_confirmed_by_its_answered_fence() -> None:
    client = welcomed()
    client.typed("tell Bob hi", 0.0)
    assert told(lobby(client, TOO_FAST, fence(0))) == [SLOWER]


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("challenge Nobody", "error no-such-player there is no Nobody here"),
        ("seek", TOO_FAST),
    ],
)
def test_the_refusal_of_an_earlier_message_does_not_refuse_the_next(
    text: str, refusal: str
) -> None:
    client = welcomed()
    client.typed(text, 0.0)
    effects = client.typed("tell Bob hi", 0.0)
    assert sent(effects) == [Decline(FENCES), TellPlayer("Bob", "hi"), Decline(FENCES + 1)]
    assert told(lobby(client, refusal, fence(0), fence(1)))[1:] == ["ok told Bob"]


def test_between_two_words_one_fence_is_enough() -> None:
    client = welcomed()
    client.typed("tell Bob hi", 0.0)
    effects = client.typed("say hi", 0.0)
    assert sent(effects) == [Say("hi"), Decline(FENCES + 1)]
    assert sent(client.typed("who", 0.0)) == [Who()]


def test_pending_confirmations_are_dropped_on_disconnection() -> None:
    client = welcomed()
    client.typed("tell Bob hi", 0.0)
    client.lost("cut", 1.0, 1.0)
    assert told(lobby(client, fence(0))) == []


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
    assert told(introduced().typed("tell Bob hi", 0.0))[0].startswith(
        "error this server has no lobby"
    )


def test_what_others_and_the_server_answer_is_shown() -> None:
    client = welcomed()
    assert told(lobby(client, "tell Bob good luck", "admin kick Bob: done")) == [
        "tell Bob good luck",
        "admin kick Bob: done",
    ]


def test_a_refusal_says_when_to_try_again() -> None:
    line = "error too-fast you say too much at once retry-after 3"
    assert told(lobby(welcomed(), line)) == ["error you say too much at once; try again in 3 s"]


def test_names_are_completed() -> None:
    client = welcomed()
    lobby(client, "player Bob kind human state idle")
    assert [one.text for one in candidates(client.state, "tell B")] == ["Bob"]
    assert candidates(client.state, "tell Bob g") == []


def test_a_typed_number_is_used_whatever_there_is():
    assert number("17", "accept 17") == 17
    assert chosen("17", {3: "Bob"}, "accept 17") == 17


@pytest.mark.parametrize("text", ["x", "-1", "1.5", "१७", "1" * 19])
def test_what_is_no_number_is_refused_with_an_example(text):
    with pytest.raises(
        ConditionError, match=f"{text} is not a number; write for example: accept 17"
    ):
        chosen(text, [], "accept 17")


@pytest.mark.parametrize(
    ("word", "rest", "message"),
    [
        ("rematch", "", Rematch()),
        ("watch", "42", Watch(42)),
        ("decline", "18 not at  night", Decline(18, "not at night")),
        ("challenge", "Bob games 2", Challenge("Bob", Terms(games=2))),
    ],
)
def test_any_word_of_the_lobby_can_be_passed_on_as_it_was_typed(
    word: str, rest: str, message: Message
) -> None:
    assert sent(pass_on(word)(welcomed().state, rest, 0.0)) == [message]


@pytest.mark.parametrize(
    ("word", "rest", "why"),
    [
        ("rematch", "now", '"rematch now": nothing may follow this word; use: rematch'),
        ("watch", "", '"watch": it takes one number, as the lobby announced it; use: watch ID'),
    ],
)
def test_what_the_server_would_not_understand_is_not_passed_on(
    word: str, rest: str, why: str
) -> None:
    with pytest.raises(ConditionError) as refused:
        [*pass_on(word)(welcomed().state, rest, 0.0)]
    assert str(refused.value) == why


def test_the_only_one_need_not_be_named():
    assert chosen("", {18: "Bob"}, "decline 18") == 18


@pytest.mark.parametrize("there", [[], [17, 18]])
def test_where_there_are_none_or_several_it_is_asked_which(there):
    with pytest.raises(ConditionError, match=r"^which\? write for example: accept 17$"):
        chosen("", there, "accept 17")
    with pytest.raises(ConditionError, match=r"^watch which game; write for example: watch 42$"):
        chosen("", there, "watch 42", "watch which game;")


def test_the_color_of_a_match_is_said_with_its_start() -> None:
    client = welcomed()
    assert sent(client.typed("color white", 0.0)) == [ChooseColor("white")]
    start = "8/8/4k3/8/8/3QK3/8/8 w - - 0 1"
    assert sent(client.typed(f"color black {start}", 0.0)) == [ChooseColor("black", start)]
    assert answer(client, "color pink") == [
        'error "color pink": it needs white or black, your own color; use: color white|black [F]'
    ]
    asked = sent(client.typed("challenge Bob later games 4", 0.0))
    assert asked == [Challenge("Bob", Terms(color="later", games=4))]


def test_a_match_is_told_in_words() -> None:
    client = welcomed()
    news = lobby(client, "match 1 game 2 of 4 player Bob chooser Bob within 180000")
    assert told(news) == ["match 1 game 2 of 4 Bob Bob"]
    assert told(lobby(client, "match 1 over played 2 reason left")) == ["match 1 over 2 left"]
