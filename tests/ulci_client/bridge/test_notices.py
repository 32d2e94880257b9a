"""What the lobby announces, and what a player answers."""

import io

import pytest

from ulci.protocol import Accept, Claim, Decline, Quit, Say, Seek, Terms
from ulci_client.bridge.games import Games
from ulci_client.bridge.notices import NO_TAKEBACKS, Notices
from ulci_client.bridge.relay import Relay
from ulci_client.bridge.seeking import Budget, Refusal, Seeking
from ulci_client.bridge.status import Level, Progress, View
from ulci_client.lobby import read_untrusted

WELCOME = "welcome name Fish account no resume s3cret"
START = "game 1 start white Fish black Ada game chess time 60+1 rated no"
TAKEBACK = "game 1 offer takeback 2 from Ada"


class Lobby:
    """A player that hears lines of a lobby, and what it answers."""

    def __init__(self, level: Level = Level.DETAIL, known: set[str] | None = None) -> None:
        self.screen = io.StringIO()
        self.progress = Progress()
        self.seeking = Seeking(Terms(), Budget())
        view = View(self.screen, live=False, level=level)
        self.games = Games(Relay(patience=10.0), self.seeking, view, self.progress)
        self.notices = Notices(self.games, self.seeking, view, set() if known is None else known)

    def says(self, line: str) -> list:
        notice = read_untrusted(line.split())
        assert notice is not None
        return self.notices.hear(notice, 0.0).server

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


def test_who_is_let_in_knows_its_name_and_what_proves_it(lobby):
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
    assert lobby.shown[-1] == "the game that was on when the line broke is over"
    assert not lobby.progress.playing


def test_a_seek_that_will_never_be_heard_is_the_end_of_it(lobby):
    with pytest.raises(Refusal, match="there is no game go"):
        lobby.says("error no-such-game there is no game go")


def test_who_leaves_waits_until_its_seek_is_gone(lobby):
    assert lobby.says("seeks 3") == []
    lobby.seeking.leave(0.0)
    assert lobby.says("seeks 0") == [Quit()]
    assert lobby.progress.doing == "done"


def test_who_asks_for_another_game_is_declined(lobby):
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
    assert lobby.shown[-1] == "Ada stays away: we claim a win"


def test_a_takeback_is_declined_once_in_a_game_also_where_the_line_broke_in_it(lobby):
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
    assert lobby.shown[-1] == "game 1 goes on: the server was away for 12 s; no clock paid for it"
