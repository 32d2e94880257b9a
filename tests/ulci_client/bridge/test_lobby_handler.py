"""What the lobby announces, and what a player answers."""

import io
from types import SimpleNamespace

import pytest

from ulci.protocol.lobby.lines import GameStart, read_untrusted
from ulci.protocol.messages import (
    Accept,
    Claim,
    Clock,
    Decline,
    Go,
    IsReady,
    Position,
    Quit,
    Say,
    Seek,
    Stop,
    Terms,
)
from ulci.rules import Side
from ulci_client.bridge.console import Console, Level, Progress
from ulci_client.bridge.lobby_handler import NO_TAKEBACKS, GameTracker, LobbyHandler
from ulci_client.bridge.relay import Outgoing, Relay
from ulci_client.bridge.seeking import CycleStage, GameBudget, SeekCycle, SeekRefused

WELCOME = "welcome name Fish account no resume s3cret"
START = "game 1 start white Fish black Ada game chess time 60+1 rated no"
TAKEBACK = "game 1 offer takeback 2 from Ada"


class Lobby:
    """A player that hears lines of a lobby, and what it answers."""

    def __init__(self, level: Level = Level.DETAIL, known: set[str] | None = None) -> None:
        self.screen = io.StringIO()
        self.progress = Progress()
        self.seeking = SeekCycle(Terms(), GameBudget())
        view = Console(self.screen, live=False, level=level)
        self.games = GameTracker(Relay(patience=10.0), self.seeking, view, self.progress)
        self.notices = LobbyHandler(
            self.games, self.seeking, view, set() if known is None else known
        )

    def says(self, line: str) -> list:
        return self.notices.hear(read_untrusted(line.split()), 0.0).server

    @property
    def shown(self) -> list[str]:
        return self.screen.getvalue().splitlines()


@pytest.fixture
def lobby() -> Lobby:
    """One that has let us in."""
    lobby = Lobby()
    assert lobby.notices.name == ""
    assert lobby.says(WELCOME) == [Seek(Terms())]
    return lobby


def test_the_welcome_brings_the_name_and_the_secret(lobby):
    assert lobby.notices.name == "Fish"
    assert lobby.notices.welcome.resume == "s3cret"
    assert lobby.shown == ["engine is known to the server as Fish"]
    assert lobby.progress.doing == "seeking a game"


def test_a_game_begins_and_ends_when_the_lobby_says_so(lobby):
    assert lobby.says(START) == []
    assert lobby.games.number == 1
    assert lobby.says("game 2 over result 0-1 reason time") == []
    assert lobby.says("game 1 over result 1-0 reason time") == [Seek(Terms())]
    assert lobby.games.number is None


def test_back_after_a_break_it_asks_whether_its_game_is_on_and_plays_on(lobby):
    lobby.says(START)
    lobby.seeking.line_lost()
    assert lobby.says(WELCOME) == [Accept(0)]
    assert lobby.says("error busy you are playing") == []
    assert lobby.games.number == 1


def test_back_too_late_it_takes_the_game_for_over(lobby):
    lobby.says(START)
    lobby.seeking.line_lost()
    lobby.says(WELCOME)
    assert lobby.says("error no-such-seek there is no seek 0") == [Seek(Terms())]
    assert lobby.shown[-1] == "the game that was interrupted is over"
    assert not lobby.progress.playing


def test_a_permanently_refused_seek_ends_the_bridge(lobby):
    with pytest.raises(SeekRefused, match="there is no game go"):
        lobby.says("error no-such-game there is no game go")


def test_leaving_waits_until_the_seek_is_withdrawn(lobby):
    assert lobby.says("seeks 3") == []
    lobby.seeking.leave(0.0)
    assert lobby.says("seeks 0") == [Quit()]
    assert lobby.progress.doing == "done"


def test_a_challenge_to_another_game_is_declined(lobby):
    assert lobby.says("challenge 7 player Ada kind human game chess") == [Decline(7)]


def test_a_note_is_shown_to_everybody_once_for_all_players_of_a_bridge():
    known: set[str] = set()
    lobbies = Lobby(Level.NOTE, known), Lobby(Level.NOTE, known)
    for lobby in lobbies:
        assert lobby.says("note same-name Fish-2 seeks it too") == []
    assert [lobby.shown for lobby in lobbies] == [
        ["the lobby says: Fish-2 seeks it too (same-name)"],
        [],
    ]


def test_a_win_is_claimed_when_it_may_be_and_only_in_the_game_that_is_on(lobby):
    assert lobby.says("game 1 opponent away claim-in 0") == []
    lobby.says(START)
    assert lobby.says("game 1 opponent away claim-in 30000") == []
    assert lobby.says("game 2 opponent away claim-in 0") == []
    assert lobby.says("game 1 opponent away claim-in 0") == [Claim("win")]
    assert lobby.shown[-1] == "Ada stays away: claiming a win"


def test_a_takeback_is_declined_once_in_a_game_also_where_the_connection_broke_in_it(lobby):
    lobby.says(START)
    assert lobby.says("game 1 offer takeback 2 from Fish") == []  # our own
    assert lobby.says(TAKEBACK) == [Say(NO_TAKEBACKS)]
    lobby.says(START)
    assert lobby.says(TAKEBACK) == []


def test_in_the_next_game_it_is_declined_again_though_it_has_the_same_number(lobby):
    for _ in range(2):
        lobby.says(START)
        assert lobby.says(TAKEBACK) == [Say(NO_TAKEBACKS)]
        lobby.says("game 1 over result 1-0 reason time")


def test_a_server_that_was_away_is_told_of(lobby):
    assert lobby.says("game 1 resumed downtime 12300") == []
    assert (
        lobby.shown[-1]
        == "game 1 continues: the server was down for 12.3 s, not charged to any clock"
    )


GO = Go(60_000, 50_000)
FISH_ADA = GameStart(1, "Fish", "Ada", "chess", "60+1")


@pytest.fixture
def it() -> SimpleNamespace:
    """The games of a player in the lobby that looks for two, and all who are told of them."""
    screen = io.StringIO()
    relay, seeking = Relay(patience=10.0), SeekCycle(Terms(), GameBudget(2))
    view, progress = Console(screen, live=False, level=Level.NOTE), Progress()
    relay.engine_back(0.0)
    seeking.welcomed()
    games = GameTracker(relay, seeking, view, progress)
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
    it.games.started(FISH_ADA, "fish", 0.0)
    it.games.started(FISH_ADA, "fish", 0.0)
    assert it.tally.games == 1
    assert it.shown() == ["game 1 begins: Fish - Ada (chess 60+1)"]


@pytest.mark.parametrize(
    ("name", "side", "opponent"),
    [("fish", Side.WHITE, "Ada"), ("Ada", Side.BLACK, "Fish"), ("Eve", None, "")],
)
def test_its_side_is_known_by_its_name(it, name, side, opponent):
    it.games.started(FISH_ADA, name, 0.0)
    assert (it.progress.side, it.relay.side, it.progress.opponent) == (side, side, opponent)


def test_where_names_tell_nothing_its_side_is_known_by_who_is_asked(it):
    it.games.started(GameStart(1, "Fish", "Fish"), "Fish", 0.0)
    assert it.relay.side is None
    it.games.moved(Position(None, ("e2e4",)))
    it.games.asked(GO, 1.0)
    assert (it.relay.side, it.progress.side, it.progress.plies) == (Side.BLACK, Side.BLACK, 1)


def test_a_go_is_a_game_where_no_lobby_announces_one(it):
    it.games.moved(Position())
    it.games.asked(GO, 1.0)
    assert (it.tally.games, it.progress.playing, it.games.number) == (1, True, None)


def test_the_clocks_are_those_that_were_told_and_who_is_to_move_has_his_running(it):
    it.games.started(FISH_ADA, "Fish", 0.0)
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
    it.games.started(FISH_ADA, "Fish", 0.0)
    assert it.games.number == 1
    assert it.games.over("1-0", "checkmate", 9.0) == Outgoing(server=[Seek(Terms())])
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
    assert it.games.over("0-1", "", 9.0) == Outgoing()
    assert it.tally.undecided == 1


def test_a_search_that_no_line_awaits_ends_with_its_game(it):
    it.games.started(FISH_ADA, "Fish", 0.0)
    it.relay.server_said(GO, 1.0)
    it.relay.line_lost(2.0)
    assert it.games.end(3.0).engine == [Stop()]
    assert it.relay.server_said(IsReady(), 4.0) == Outgoing()  # it waits for the engine to stop


# Matches

OURS = "seek 3 player Fish kind engine game chess time 60+1 color random rated no lag quota"
MATCH = "challenge 7 player Ada kind human game chess time 60+1 color later rated no lag quota"


def test_a_match_of_games_such_as_it_seeks_is_accepted_once(lobby):
    lobby.says(OURS)
    assert lobby.says(f"{MATCH} games 2") == [Accept(7)]
    for number in (1, 2):
        line = f"match 7 game {number} of 2 player Ada chooser Ada within 180000"
        assert lobby.says(line) == []
        lobby.says(START.replace("game 1", f"game {number}"))
        over = lobby.says(f"game {number} over result 1-0 reason resignation")
        assert (over[-1:] == [Seek(Terms())]) == (number == 2)
    assert lobby.says("match 7 over played 2 reason complete") == []


def test_a_match_asked_for_in_a_game_is_answered_when_the_next_is_sought(lobby):
    lobby.says(OURS)
    lobby.says("gone 3")
    lobby.says(START)
    assert lobby.says(MATCH) == []
    lobby.says("game 1 over result 1-0 reason resignation")
    assert lobby.says(OURS.replace("seek 3", "seek 9")) == [Accept(7)]


def test_other_games_than_it_seeks_are_declined(lobby):
    lobby.says(OURS)
    assert lobby.says(MATCH.replace("60+1", "1+0")) == [Decline(7)]


def test_a_match_that_ends_before_its_game_leaves_it_seeking(lobby):
    lobby.says(OURS)
    lobby.says(MATCH)
    lobby.says("match 7 game 1 of 1 player Ada chooser Ada within 180000")
    assert lobby.says("match 7 over played 0 reason late") == [Seek(Terms())]


def test_a_match_that_is_gone_before_it_is_accepted_does_not_end_the_bridge(lobby):
    lobby.says(OURS)
    assert lobby.says(MATCH) == [Accept(7)]
    assert lobby.says("error no-such-seek there is no seek 7") == []
    assert lobby.seeking.stage is CycleStage.SEEKING
