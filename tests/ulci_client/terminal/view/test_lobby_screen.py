from tests.support.terminal import introduced, lobby, text, welcomed
from ulci.rules import GAMES
from ulci_client.terminal.shell.client import Client
from ulci_client.terminal.view.lobby_screen import lobby_rows

LINES = (
    "who 3",
    "player Ada kind human state idle",
    "player Bob kind engine state waiting",
    "player Cid kind human state playing",
    "seek 17 player Bob kind engine game chess time 300+3 color random rated yes",
    "seek 18 player Ada kind human game chess960 time 60+0 color white rated no start 8/8_w",
)


def full() -> Client:
    client = welcomed(shows_lists=True)
    lobby(client, *LINES)
    return client


def test_who_is_here_what_is_open_and_what_to_type() -> None:
    assert (
        text(lobby_rows(full().state, 79, 18))
        == """\
Open seeks                                             Here (3)
N   player      kind   game     time    you            Ada human idle
17  Bob         engine chess    300+3   either rated   Bob engine waiting
18  Ada         human  chess960 60+0    black  FEN     Cid human playing







What to type
seek 5m+3s      seek a game (also: seek 10m white human)
accept N        accept an open seek or a challenge
challenge NAME  challenge a player
games, watch N  list games, and watch one
help            everything else
quit            leave"""
    )


def test_challenges_come_first() -> None:
    client = full()
    lobby(client, "challenge 19 player Cid kind human game chess time 60+0 color black rated no")
    rows = text(lobby_rows(client.state, 79, 18)).splitlines()
    assert rows[0].startswith("Challenges to you")
    assert rows[2].startswith("19  Cid         human  chess    60+0    white")
    assert rows[4].startswith("Open seeks")


def test_what_a_game_forbids_is_noted_beside_it() -> None:
    client = welcomed(shows_lists=True)
    seek = "seek 17 player Bob kind human game chess time 60+0 color random rated no"
    lobby(client, f"{seek} conduct no-abort,no-takeback")
    assert "either no aborting, no takebacks" in text(lobby_rows(client.state, 120, 18))


def test_nothing_open_invites_to_seek() -> None:
    rows = text(lobby_rows(welcomed().state, 79, 18))
    assert "none; type seek to open one" in rows


def test_a_narrow_window_stacks_the_lists() -> None:
    rows = text(lobby_rows(full().state, 40, 24)).splitlines()
    assert len(rows) == 24
    assert rows[2] == "17  Bob         engine chess    300+3  …"
    assert "Here (3)" in rows
    assert max(map(len, rows)) <= 40


def test_a_wide_window_shows_long_names_of_games_and_those_of_starts() -> None:
    client = welcomed()
    start = GAMES["liberty"].new("mini").start
    assert start is not None
    lobby(
        client,
        "seek 1 player Bob kind engine game kingofthehill time 60+0 color white rated no",
        "seek 2 player Bob kind engine game liberty time 60+0 color white rated no start "
        + "_".join(start.split()),
    )
    rows = text(lobby_rows(client.state, 110, 18)).splitlines()
    assert rows[2].startswith("1   Bob         engine kingofthehill 60+0    black")
    assert rows[3].startswith("2   Bob         engine liberty       60+0    black  mini")
    assert "liberty 60+0, mini" in client.state.news[-1].text


def test_a_low_window_leaves_the_hints_out() -> None:
    assert "What to type" not in text(lobby_rows(full().state, 79, 8))


def test_before_the_welcome_there_are_only_hints() -> None:
    assert text(lobby_rows(introduced().state, 79, 18)).startswith("What to type")
