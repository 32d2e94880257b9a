import pytest

from tests.support.terminal import lobby, playing, sent, to_move, told, welcomed
from ulci.protocol import Accept, Hello, Seek, Seeks, Terms, Who
from ulci_client.terminal.model import Model
from ulci_client.terminal.state import Guest, Kind, News, Page

BOBS_SEEK = "seek 17 player Bob kind engine game chess time 300+3 color random rated yes"


def test_the_welcome_tells_our_name_here() -> None:
    model = welcomed()
    [news] = lobby(model, "welcome name Ada-2 account no resume x")
    assert news == News(Kind.WELCOME, "You are Ada-2 here: Ada is somebody else.", "welcome Ada-2")
    assert (model.state.me, model.state.secret) == ("Ada-2", "x")


@pytest.mark.parametrize("name", ["Ada-2", "ada", "Ada-Lee"])
def test_whose_name_comes_with_the_token_is_nobody_else(name: str) -> None:
    [news] = lobby(welcomed(), f"welcome name {name} account yes resume x")
    assert news.text == f"You are {name} here, by your token."


def test_terms_from_the_command_line_are_sought_at_once() -> None:
    model = welcomed(wanted=Terms(time="60+0"))
    effects = lobby(model, "welcome name Ada account no resume x")
    assert sent(effects) == [Seek(Terms(time="60+0"))]


def test_who_looks_at_the_lobby_asks_what_is_there() -> None:
    model = welcomed(curious=True)
    assert sent(lobby(model, "welcome name Ada account no resume x")) == [Who(), Seeks()]


def test_a_hopeless_seek_is_not_tried_again() -> None:
    model = welcomed(wanted=Terms(game="go"))
    assert told(lobby(model, "error no-such-game there is no game go")) == [
        "error there is no game go"
    ]
    assert model.state.wanted is None


def test_other_errors_leave_the_seek_standing() -> None:
    model = welcomed(wanted=Terms(game="chess"))
    assert told(lobby(model, "error busy Bob is playing")) == ["error Bob is playing"]
    assert told(lobby(model, "error odd")) == ["error odd"]
    assert model.state.wanted == Terms(game="chess")


def test_a_note_is_shown_in_its_own_words() -> None:
    heard = lobby(welcomed(), "note plays-elsewhere your other connection is Ada")
    assert heard == [
        News(
            Kind.SERVER,
            "Your other connection is Ada.",
            "server your other connection is Ada",
        )
    ]


def back_after_a_lost_line() -> Model:
    """Ada has been welcomed on a new line, and has asked whether her game is still on."""
    model = to_move("e2e4", "e7e5")
    model.lost("closed", 1.0, 1.0)
    model.connected(2.0)
    model.hear(Hello(), 2.0)
    assert sent(lobby(model, "welcome name Ada account no resume x")) == [Accept(0)]
    return model


def test_a_game_that_ended_while_the_line_was_lost_is_over() -> None:
    model = back_after_a_lost_line()
    [ended] = told(lobby(model, "error no-such-seek there is no seek 0"))
    assert ended.startswith("result * unheard The game ended while the line was lost")
    assert not model.state.playing
    assert told(lobby(model, "error odd again")) == ["error again"]


def test_a_game_that_is_still_on_goes_on() -> None:
    model = back_after_a_lost_line()
    assert told(lobby(model, "error busy you are playing a game; finish it first")) == []
    assert model.state.playing
    lobby(model, "game 42 start white Ada black Bob")
    assert model.state.game is not None
    assert not model.state.game.unsure


def test_a_line_that_is_lost_again_has_answered_nothing() -> None:
    model = back_after_a_lost_line()
    model.lost("closed", 3.0, 1.0)
    assert not model.state.returning


def test_what_was_open_on_an_earlier_line_is_forgotten() -> None:
    model = welcomed()
    lobby(model, BOBS_SEEK, "challenging 19 player Bob")
    lobby(model, "welcome name Ada account no resume x")
    assert (model.state.seeks, model.state.challenging) == ({}, {})


def test_seeks_come_and_go() -> None:
    model = welcomed()
    assert told(lobby(model, BOBS_SEEK)) == ["seek 17 Bob engine chess 300+3, rated random"]
    assert model.state.seeks[17].player == "Bob"
    assert told(lobby(model, "gone 17")) == ["gone 17"]
    assert model.state.seeks == {}
    assert told(lobby(model, "gone 17")) == []


def test_a_seek_shows_its_start_position() -> None:
    model = welcomed()
    lobby(model, f"{BOBS_SEEK} start 4k3/8/8/8/8/8/8/4K2R_w_K_-_0_1")
    assert model.state.seeks[17].start == "4k3/8/8/8/8/8/8/4K2R w K - 0 1"


def test_our_own_seek_is_told_as_ours() -> None:
    model = welcomed()
    [news] = lobby(model, "seek 3 player Ada kind human game chess time 60+0 color white rated no")
    assert getattr(news, "text", "") == "Your seek 3 is open: chess 60+0."
    [gone] = lobby(model, "gone 3")
    assert getattr(gone, "text", "") == "Your seek 3 is closed."


def test_others_seeks_do_not_disturb_a_game() -> None:
    model = playing()
    assert told(lobby(model, BOBS_SEEK, "gone 17")) == []


def test_a_challenge_says_what_it_is_and_what_to_answer() -> None:
    model = welcomed()
    line = "challenge 18 player Bob kind human game chess time 60+0 color white rated no"
    [news] = lobby(model, line)
    assert getattr(news, "text", "") == (
        "Bob challenges you to chess 60+0, you as Black: accept 18, or decline 18"
    )
    assert told([news]) == ["challenge 18 Bob human chess 60+0"]
    assert told(lobby(model, "gone 18")) == ["gone 18"]
    assert model.state.challenges == {}


def test_a_challenge_after_a_game_is_a_rematch() -> None:
    model = playing("e2e4")
    lobby(model, "game 42 over result 1-0 reason resignation")
    line = "challenge 18 player Bob kind human game chess time 60+0 color white rated no"
    [news] = lobby(model, line)
    assert getattr(news, "text", "") == "Bob wants a rematch: rematch, or decline 18"


def test_our_own_challenge_is_followed_to_its_answer() -> None:
    model = welcomed()
    assert told(lobby(model, "challenging 5 player Bob")) == ["challenging 5 Bob"]
    assert told(lobby(model, "declined 5 by Bob")) == ["declined 5 Bob"]
    lobby(model, "challenging 6 player Bob")
    assert told(lobby(model, "gone 6")) == ["gone 6"]


def test_a_list_that_was_asked_for_is_shown_when_it_is_complete() -> None:
    model = welcomed()
    model.typed("seeks", 0.0)
    assert told(lobby(model, "seeks 1")) == []
    [page] = lobby(model, BOBS_SEEK)
    assert page == Page("Open seeks", ("17 Bob engine chess 300+3, rated random",))
    assert told(lobby(model, "seeks 0")) == []


def test_an_empty_list_says_so() -> None:
    model = welcomed()
    model.typed("games", 0.0)
    assert told(lobby(model, "games 0")) == ["Games being played", "none"]


def test_who_is_here() -> None:
    model = welcomed()
    model.typed("who", 0.0)
    lines = ["who 2", "player Ada kind human state idle", "player Bob kind engine state playing"]
    assert told(lobby(model, *lines)) == ["Who is here", "Ada human idle", "Bob engine playing"]
    assert model.state.guests["Bob"] == Guest("Bob", "engine", "playing")


def test_the_lists_for_the_screen_are_no_news() -> None:
    model = welcomed(curious=True)
    assert told(lobby(model, "seeks 1", BOBS_SEEK, "who 1", "player Ada kind human")) == []
    assert list(model.state.seeks) == [17]


def test_games_are_listed() -> None:
    model = welcomed()
    model.typed("games", 0.0)
    line = "game 7 playing white Bob black Cid game chess time 60+0 ply 12"
    assert told(lobby(model, "games 1", line)) == [
        "Games being played",
        "7 Bob - Cid chess 60+0 ply 12",
        "watch N shows game N, move by move",
    ]


def test_chat_is_shown() -> None:
    assert told(lobby(welcomed(), "say Bob good luck")) == ["say Bob good luck"]


@pytest.mark.parametrize(
    "line",
    ["", "novelty 3 of june", "seek", "seek x player Bob", "gone", "who many", "game 42", "say"],
)
def test_a_line_that_is_not_understood_is_shown_as_it_is(line: str) -> None:
    assert told(lobby(welcomed(), line)) == [f"lobby {line}"]
