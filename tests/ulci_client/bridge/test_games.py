"""A player's games, from the first word of one to its end."""

import io
from types import SimpleNamespace

import pytest

from ulci.protocol import Clock, Go, IsReady, Position, Quit, Seek, Stop, Terms
from ulci.rules import Side
from ulci_client.bridge.games import Games
from ulci_client.bridge.relay import Post, Relay
from ulci_client.bridge.seeking import Budget, Seeking
from ulci_client.bridge.status import Level, Progress, View
from ulci_client.lobby import GameStarted

GO = Go(60_000, 50_000)
FISH_ADA = GameStarted(1, "Fish", "Ada", "chess", "60+1")


@pytest.fixture
def it() -> SimpleNamespace:
    """The games of a player in the lobby that looks for two, and all who are told of them."""
    screen = io.StringIO()
    relay, seeking = Relay(patience=10.0), Seeking(Terms(), Budget(2))
    view, progress = View(screen, live=False, level=Level.NOTE), Progress()
    relay.engine_back(0.0)
    seeking.welcomed()
    games = Games(relay, seeking, view, progress)
    return SimpleNamespace(
        games=games,
        relay=relay,
        seeking=seeking,
        progress=progress,
        tally=view.tally,
        shown=lambda: screen.getvalue().splitlines(),
    )


def test_what_the_player_does_is_shown_in_words(it):
    it.games.show()
    assert it.progress.doing == "seeking a game"
    it.games.begin()
    assert it.progress.doing == "against"


def test_a_game_begins_once_however_often_it_is_told(it):
    it.games.begin()
    it.games.started(FISH_ADA, "fish")
    it.games.started(FISH_ADA, "fish")
    assert it.tally.games == 1
    assert it.shown() == ["game 1 begins: Fish - Ada (chess 60+1)"]


@pytest.mark.parametrize(
    ("name", "side", "opponent"),
    [("fish", Side.WHITE, "Ada"), ("Ada", Side.BLACK, "Fish"), ("Eve", None, "")],
)
def test_its_side_is_known_by_its_name(it, name, side, opponent):
    it.games.started(FISH_ADA, name)
    assert (it.progress.side, it.relay.side, it.progress.opponent) == (side, side, opponent)


def test_where_names_tell_nothing_its_side_is_known_by_who_is_asked(it):
    it.games.started(GameStarted(1, "Fish", "Fish"), "Fish")
    assert it.relay.side is None
    it.games.moved(Position(None, ("e2e4",)))
    it.games.asked(GO, 1.0)
    assert (it.relay.side, it.progress.side, it.progress.plies) == (Side.BLACK, Side.BLACK, 1)


def test_a_go_is_a_game_where_no_lobby_announces_one(it):
    it.games.moved(Position())
    it.games.asked(GO, 1.0)
    assert (it.tally.games, it.progress.playing, it.games.number) == (1, True, None)


def test_the_clocks_are_those_that_were_told_and_who_is_to_move_has_his_running(it):
    it.games.started(FISH_ADA, "Fish")
    it.games.moved(Position())
    it.games.asked(GO, 5.0)
    told = it.progress
    assert (told.clocks, told.ticking, told.at) == ((60_000, 50_000), Side.WHITE, 5.0)
    it.games.clocks(Clock(59_000, 50_000), 6.0)  # the engine does not think
    assert (told.clocks, told.ticking, told.at) == ((59_000, 50_000), Side.BLACK, 6.0)
    it.relay.server_said(GO, 7.0)
    it.games.clocks(Clock(75_000, 50_000), 8.0)  # time was given while it does
    assert (told.clocks, told.ticking) == ((75_000, 50_000), Side.WHITE)


def test_a_game_that_is_over_is_counted_shown_and_followed_by_the_next(it):
    it.games.started(FISH_ADA, "Fish")
    assert it.games.number == 1
    assert it.games.over("1-0", "checkmate", 9.0) == Post(server=[Seek(Terms())])
    assert it.shown()[-1] == "game 1 is over: 1-0 (checkmate); won 1, drawn 0, lost 0"
    assert (it.games.number, it.relay.side, it.progress.playing) == (None, None, False)
    assert it.progress.doing == "seeking a game"


def test_the_last_game_is_followed_by_a_goodbye(it):
    for said in ([Seek(Terms())], [Quit()]):
        it.games.begin()
        assert it.games.over("1/2-1/2", "", 9.0).server == said
    assert it.shown()[-1] == "the game is over: 1/2-1/2; won 0, drawn 2, lost 0"


def test_an_end_that_is_told_twice_is_counted_once(it):
    it.games.begin()
    it.games.over("0-1", "", 9.0)
    assert it.games.over("0-1", "", 9.0) == Post()
    assert it.tally.undecided == 1


def test_a_search_that_no_line_awaits_ends_with_its_game(it):
    it.games.started(FISH_ADA, "Fish")
    it.relay.server_said(GO, 1.0)
    it.relay.line_lost(2.0)
    assert it.games.end(3.0).engine == [Stop()]
    assert it.relay.server_said(IsReady(), 4.0) == Post()  # it waits for the engine to stop
