import pytest

from tests.support.terminal import lobby, playing, sent, to_move, told, welcomed
from ulci.protocol.lobby.lines import ListedPlayer
from ulci.protocol.messages import Accept, Hello, Seek, Seeks, Terms, Who
from ulci_client.terminal.model.state import News, NewsKind, Page
from ulci_client.terminal.shell.client import Client

BOBS_SEEK = "seek 17 player Bob kind engine game chess time 300+3 color random rated yes"


def test_the_welcome_tells_our_name_here() -> None:
    client = welcomed()
    [news] = lobby(client, "welcome name Ada-2 account no resume x")
    assert news == News(NewsKind.WELCOME, "You are Ada-2 here: Ada is taken.", "welcome Ada-2")
    assert (client.state.me, client.state.secret) == ("Ada-2", "x")


@pytest.mark.parametrize("name", ["Ada-2", "ada", "Ada-Lee"])
def test_whose_name_comes_with_the_token_is_nobody_else(name: str) -> None:
    [news] = lobby(welcomed(), f"welcome name {name} account yes resume x")
    assert news.text == f"You are {name} here, by your token."


def test_levels_are_listed_and_told_with_a_seek() -> None:
    client = welcomed()
    client.typed("who", 0.0)
    lobby(client, "who 1")
    assert "House engine waiting levels 1 to 8" in "\n".join(
        told(lobby(client, "player House kind engine state waiting levels 8"))
    )
    line = "seek 17 player Bob kind human game chess time 300+3 color random rated no level 3"
    assert "chess 300+3, engine of level 3" in told(lobby(client, line))[0]


def test_ratings_are_listed_and_a_range_is_told_with_a_seek() -> None:
    client = welcomed()
    client.typed("who", 0.0)
    lobby(client, "who 1")
    assert "Bob 1812? human idle" in "\n".join(
        told(lobby(client, "player Bob kind human state idle rating 1812?"))
    )
    assert (
        "rated, rating 1500-1800"
        in told(lobby(client, f"{BOBS_SEEK} rating 1812 range 1500-1800"))[0]
    )


def test_terms_from_the_command_line_are_sought_at_once() -> None:
    client = welcomed(wanted=Terms(time="60+0"))
    effects = lobby(client, "welcome name Ada account no resume x")
    assert sent(effects) == [Seek(Terms(time="60+0"))]


def test_the_lobbys_lists_are_requested_for_the_screen() -> None:
    client = welcomed(shows_lists=True)
    assert sent(lobby(client, "welcome name Ada account no resume x")) == [Who(), Seeks()]


@pytest.mark.parametrize(
    "refusal",
    [
        "no-such-game there is no game go",
        "bad-time no time control",
        "bad-start no position",
        "too-large 70 squares",
        "cannot-play Ada does not offer the option UCI_Chess960",
        "too-many-seeks you have 5",
        "too-many-games a match has at most 100 games",
    ],
)
def test_a_permanently_refused_seek_is_not_repeated(refusal: str) -> None:
    client = welcomed(wanted=Terms(game="go"))
    assert told(lobby(client, f"error {refusal}")) == [f"error {refusal.partition(' ')[2]}"]
    assert client.state.wanted is None


def test_other_errors_leave_the_seek_standing() -> None:
    client = welcomed(wanted=Terms(game="chess"))
    assert told(lobby(client, "error busy Bob is playing")) == ["error Bob is playing"]
    assert told(lobby(client, "error odd")) == ["error odd"]
    assert client.state.wanted == Terms(game="chess")


def test_a_note_is_shown_in_its_own_words() -> None:
    heard = lobby(welcomed(), "note plays-elsewhere your other connection is Ada")
    assert heard == [
        News(
            NewsKind.SERVER,
            "Your other connection is Ada.",
            "server your other connection is Ada",
        )
    ]


def back_after_a_lost_line() -> Client:
    """Ada has been welcomed on a new line, and has asked whether her game is still on."""
    client = to_move("e2e4", "e7e5")
    client.lost("closed", 1.0, 1.0)
    client.connected(2.0)
    client.hear(Hello(), 2.0)
    assert sent(lobby(client, "welcome name Ada account no resume x")) == [Accept(0)]
    return client


def test_a_game_that_ended_while_the_connection_was_lost_is_over() -> None:
    client = back_after_a_lost_line()
    [ended] = told(lobby(client, "error no-such-seek there is no seek 0"))
    assert ended.startswith("result * unheard The game ended while you were disconnected")
    assert not client.state.playing
    assert told(lobby(client, "error odd again")) == ["error again"]


def test_a_game_that_is_still_on_goes_on() -> None:
    client = back_after_a_lost_line()
    assert told(lobby(client, "error busy you are playing a game; finish it first")) == []
    assert client.state.playing
    lobby(client, "game 42 start white Ada black Bob")
    assert client.state.game is not None
    assert not client.state.game.unsure


def test_a_question_that_a_moving_lobby_did_not_hear_ends_no_game() -> None:
    client = back_after_a_lost_line()
    assert told(lobby(client, "error moving try again in a second")) == []
    assert client.state.playing


def test_a_second_disconnection_leaves_the_question_open() -> None:
    client = back_after_a_lost_line()
    client.lost("closed", 3.0, 1.0)
    assert not client.state.returning


def test_what_was_open_on_an_earlier_connection_is_forgotten() -> None:
    client = welcomed()
    lobby(client, BOBS_SEEK, "challenging 19 player Bob")
    lobby(client, "welcome name Ada account no resume x")
    assert (client.state.seeks, client.state.challenging) == ({}, {})


def test_seeks_come_and_go() -> None:
    client = welcomed()
    assert told(lobby(client, BOBS_SEEK)) == ["seek 17 Bob engine chess 300+3, rated random"]
    assert client.state.seeks[17].player == "Bob"
    assert told(lobby(client, "gone 17")) == ["gone 17"]
    assert client.state.seeks == {}
    assert told(lobby(client, "gone 17")) == []


def test_a_seek_shows_its_start_position() -> None:
    client = welcomed()
    lobby(client, f"{BOBS_SEEK} start 4k3/8/8/8/8/8/8/4K2R_w_K_-_0_1")
    assert client.state.seeks[17].start == "4k3/8/8/8/8/8/8/4K2R w K - 0 1"


def test_our_own_seek_is_told_as_ours() -> None:
    client = welcomed()
    [news] = lobby(client, "seek 3 player Ada kind human game chess time 60+0 color white rated no")
    assert getattr(news, "text", "") == "Your seek 3 is open: chess 60+0."
    [gone] = lobby(client, "gone 3")
    assert getattr(gone, "text", "") == "Your seek 3 is closed."


def test_others_seeks_do_not_disturb_a_game() -> None:
    client = playing()
    assert told(lobby(client, BOBS_SEEK, "gone 17")) == []


def test_a_challenge_says_what_it_is_and_what_to_answer() -> None:
    client = welcomed()
    line = "challenge 18 player Bob kind human game chess time 60+0 color white rated no"
    [news] = lobby(client, line)
    assert getattr(news, "text", "") == (
        "Bob challenges you to chess 60+0, you as Black: accept 18, or decline 18"
    )
    assert told([news]) == ["challenge 18 Bob human chess 60+0"]
    assert told(lobby(client, "gone 18")) == ["gone 18"]
    assert client.state.challenges == {}


def test_a_challenge_after_a_game_is_a_rematch() -> None:
    client = playing("e2e4")
    lobby(client, "game 42 over result 1-0 reason resignation")
    line = "challenge 18 player Bob kind human game chess time 60+0 color white rated no"
    [news] = lobby(client, line)
    assert getattr(news, "text", "") == "Bob wants a rematch: rematch, or decline 18"


def test_a_game_of_a_match_begins_once_and_goes_on_after_a_reconnection() -> None:
    line = "match 7 game 2 of 3 player Bob"
    [news] = lobby(welcomed(), line)
    assert getattr(news, "text", "") == "Game 2 of 3 against Bob begins."
    [news] = lobby(playing("e2e4"), line)
    assert getattr(news, "text", "") == "Game 2 of 3 against Bob goes on."


def test_our_own_challenge_is_followed_to_its_answer() -> None:
    client = welcomed()
    assert told(lobby(client, "challenging 5 player Bob")) == ["challenging 5 Bob"]
    assert told(lobby(client, "declined 5 by Bob")) == ["declined 5 Bob"]
    [news] = lobby(client, "declined 6 by Bob not by night")
    assert news == News(
        NewsKind.GONE, "Bob declines your challenge: not by night.", "declined 6 Bob not by night"
    )
    lobby(client, "challenging 6 player Bob")
    assert told(lobby(client, "gone 6")) == ["gone 6"]


def test_a_list_that_was_asked_for_is_shown_when_it_is_complete() -> None:
    client = welcomed()
    client.typed("seeks", 0.0)
    assert told(lobby(client, "seeks 1")) == []
    [page] = lobby(client, BOBS_SEEK)
    assert page == Page("Open seeks", ("17 Bob engine chess 300+3, rated random",))
    assert told(lobby(client, "seeks 0")) == []


def test_an_empty_list_says_so() -> None:
    client = welcomed()
    client.typed("games", 0.0)
    assert told(lobby(client, "games 0")) == ["Games being played", "none"]


def test_who_is_here() -> None:
    client = welcomed()
    client.typed("who", 0.0)
    lines = ["who 2", "player Ada kind human state idle", "player Bob kind engine state playing"]
    assert told(lobby(client, *lines)) == ["Who is here", "Ada human idle", "Bob engine playing"]
    assert client.state.players["Bob"] == ListedPlayer("Bob", "engine", "playing")


def test_the_lists_for_the_screen_are_no_news() -> None:
    client = welcomed(shows_lists=True)
    assert told(lobby(client, "seeks 1", BOBS_SEEK, "who 1", "player Ada kind human")) == []
    assert list(client.state.seeks) == [17]


def test_games_are_listed() -> None:
    client = welcomed()
    client.typed("games", 0.0)
    line = "game 7 playing white Bob black Cid game chess time 60+0 ply 12"
    assert told(lobby(client, "games 1", line)) == [
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


LISTS = {
    "seeks": ("seeks", BOBS_SEEK, 17),
    "players": ("who", "player Bob kind engine state idle", "Bob"),
    "games": ("games", "game 7 playing white Bob black Cid game chess time 60+0 ply 12", 7),
    "ignored": ("ignored", "ignore Bob", "Bob"),
}


@pytest.mark.parametrize("kept", LISTS)
def test_a_new_list_takes_the_place_of_what_was_known(kept: str) -> None:
    word, line, key = LISTS[kept]
    client = welcomed()
    known = getattr(client.state, kept)
    lobby(client, f"{word} 1", line)
    assert key in known
    lobby(client, f"{word} 0")
    assert not known


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("complete", "all games are played"),
        ("ended", "one of you ended it"),
        ("left", "one of you left"),
        ("late", "the color was not said in time"),
        ("closed", "the server begins no more games"),
        ("odd", "odd"),
    ],
)
def test_why_a_match_is_over_is_said_in_words(reason: str, words: str) -> None:
    [news] = lobby(welcomed(), f"match 1 over played 2 reason {reason}")
    assert news == News(
        NewsKind.GONE, f"The match is over after 2 games: {words}.", f"match 1 over 2 {reason}"
    )


def test_answers_to_an_administrator_are_shown() -> None:
    assert lobby(welcomed(), "admin up 30", "admin done") == [
        News(NewsKind.ADMIN, "admin: up 30", "admin up 30"),
        News(NewsKind.ADMIN, "admin: done", "admin done"),
    ]
