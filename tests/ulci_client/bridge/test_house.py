"""How a player of a bot keeps house: lines of the lobby go in, what it says comes out."""

import io
import math
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.support.lobby import lobby_line
from ulci.protocol.messages import (
    Abort,
    Accept,
    Challenge,
    Decline,
    Option,
    OptionType,
    Say,
    Seek,
    Seeks,
    SetOption,
    TellPlayer,
    Terms,
    Unseek,
    Who,
)
from ulci_client.bot.engines import EngineLine
from ulci_client.bot.own_moves import OwnMoves
from ulci_client.bot.sections import Config
from ulci_client.bridge.console import Console, Level, Progress
from ulci_client.bridge.house import Bot, House
from ulci_client.bridge.house.game_search import TICK
from ulci_client.bridge.house.house import PAUSE
from ulci_client.bridge.lobby_handler import GameTracker, LobbyHandler
from ulci_client.bridge.relay import Relay
from ulci_client.bridge.seeking import CycleStage, GameBudget, SeekCycle, SeekRefused
from ulci_client.engine_settings import ClientEngineSettings

NOON = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)
OPTIONS = (Option("Skill", OptionType.SPIN, "20", 0, 20), Option("Hash", OptionType.SPIN, "16"))
NEVER = {"seek": {"when": "never"}}


class Players:
    """The players of a bot by these tables, and the time."""

    def __init__(self, *engines: tuple[str, ...], **tables: Any) -> None:
        self.now = NOON
        self.screen = io.StringIO()
        self.console = Console(self.screen, live=False, level=Level.NOTE)
        lines = [
            EngineLine(ClientEngineSettings((f"e{at}",)), g)
            for at, g in enumerate(engines or ((),))
        ]
        self.bot = Bot(
            Config.model_validate({**NEVER, **tables}),
            lines,
            OwnMoves([], None, lambda: 0.0, self.console.warn),
            lambda _: 0,
            lambda: self.now,
        )

    @property
    def shown(self) -> list[str]:
        return self.screen.getvalue().splitlines()


class Player:
    """One of them. `says`: what it answers to a line of the lobby."""

    def __init__(self, players: Players | None = None, name: str = "Fish", **tables: Any) -> None:
        self.players = players or Players(**tables)
        bot = self.players.bot
        number = len(bot.on_changed) + 1
        seek = bot.config.seek
        terms = Terms(seek.game, seek.time, against=seek.against)
        self.seeking = SeekCycle(terms, GameBudget(), waits=True)
        self.house = House(bot, number, self.seeking, self.players.console)
        self.wanted: list[int] = []
        self.house.listen(lambda: self.wanted.append(self.house.engine), lambda: None)
        self.relay = Relay(patience=10.0)
        self.relay.engine_back(0.0)
        self.games = GameTracker(
            self.relay, self.seeking, self.players.console, Progress(), house=self.house
        )
        self.lobby = LobbyHandler(self.games, self.seeking, self.players.console, set(), self.house)
        assert self.house.engine_up(0, OPTIONS) == []
        assert self.says(f"welcome name {name} account no resume s3cret") == []
        self.set: list[SetOption] = []

    def says(self, line: str, at: float = 0.0) -> list:
        outgoing = self.lobby.hear(lobby_line(line).line, at)
        self.set = [message for message in outgoing.engine if isinstance(message, SetOption)]
        return outgoing.server

    def alarm(self, at: float | None = None) -> list:
        """At that time, or when it is due."""
        due = self.house.due
        assert due < math.inf
        return self.house.alarm(due if at is None else at)

    def asked(self, number: int, player: str = "Ada", kind: str = "human", **terms: str) -> list:
        said = {"game": "chess", "time": "60+1", "rated": "no", **terms}
        words = " ".join(f"{key} {value}" for key, value in said.items())
        return self.says(f"challenge {number} player {player} kind {kind} {words}")

    def begins(self, number: int, opponent: str = "Ada", game: str = "chess") -> list:
        return self.says(
            f"game {number} start white {opponent} black Fish game {game} time 60+1 rated no"
        )

    def over(self, number: int, at: float = 0.0) -> list:
        return self.says(f"game {number} over result 1-0 reason time", at)


# Challenges


def test_what_is_fine_is_accepted_and_what_is_not_is_declined_with_a_line_in_the_log():
    player = Player(accept={"kinds": ["human"]})
    assert player.asked(7, "Deep", "engine") == [Decline(7, "I play only people")]
    assert player.asked(8) == [Accept(8)]
    assert player.asked(9, "Bob") == [Decline(9, "I play a game already; try again later")]
    assert player.players.shown[1:] == [
        "declined challenge 7 of Deep (engine, chess 60+1): I play only people [kinds]",
        "accepted challenge 8 of Ada (human, chess 60+1)",
        "declined challenge 9 of Bob (human, chess 60+1):"
        " I play a game already; try again later [concurrency]",
    ]


def test_after_its_game_it_is_free_again():
    player = Player()
    assert player.asked(7) == [Accept(7)]
    assert player.says("gone 7") == []
    assert player.begins(1) == []
    assert player.seeking.in_game
    assert player.asked(8, "Bob") == [Decline(8, "I play a game already; try again later")]
    assert player.over(1) == []
    assert player.asked(9, "Bob") == [Accept(9)]


def test_a_match_is_accepted_once_and_nobody_comes_between_its_games():
    player = Player()
    assert player.asked(7, color="later", games="2") == [Accept(7)]
    assert player.says("gone 7") == []
    assert player.says("match 7 game 1 of 2 player Ada chooser Ada within 180000") == []
    for game in (1, 2):
        assert player.begins(game) == []
        assert player.over(game) == []
        assert player.asked(8, "Bob") == [Decline(8, "I play a game already; try again later")]
    assert player.says("match 7 over played 2 reason complete") == []
    assert player.asked(9, "Bob") == [Accept(9)]
    assert player.players.bot.ledger.played(NOON) == ["ada", "ada"]
    assert "accepted challenge 7 of Ada (human, chess 60+1, 2 games)" in player.players.shown


def test_a_match_that_ends_early_leaves_it_free():
    player = Player()
    assert player.asked(7, games="3") == [Accept(7)]
    assert player.says("match 7 game 1 of 3 player Ada") == []
    assert player.begins(1) == []
    assert player.says("match 7 over played 1 reason ended") == []
    assert player.asked(8, "Bob") == [Decline(8, "I play a game already; try again later")]
    assert player.over(1) == []
    assert player.asked(9, "Bob", color="later", games="2") == [Accept(9)]
    assert player.says("match 9 game 1 of 2 player Bob chooser Bob within 180000") == []
    assert player.says("match 9 over played 0 reason late") == []
    assert player.asked(10, "Eve") == [Accept(10)]


def back_in_its_game(player: Player, *lines: str) -> None:
    """The line is lost and there again; what the server says behind its welcome."""
    player.seeking.line_lost()
    player.house.line_lost()
    assert player.says("welcome name Fish account no resume s3cret") == [Accept(0)]
    for line in (*lines, "error busy you are playing a game; finish it first"):
        assert player.says(line) == []
    assert player.begins(1) == []


def test_a_match_is_known_again_after_a_line_that_was_lost_in_it():
    player = Player(limits={"opponent_a_day": 2, "kept_for_people": 1})
    assert player.asked(7, games="2") == [Accept(7)]
    assert player.says("match 7 game 1 of 2 player Ada") == []
    assert player.begins(1) == []
    back_in_its_game(player, "match 7 game 1 of 2 player Ada")
    assert player.over(1) == []
    full = "I play a game already; try again later"
    assert player.asked(8, "Eve") == [Decline(8, full)]  # between the games, too
    assert player.says("match 7 game 2 of 2 player Ada") == []
    assert player.begins(2) == []
    assert player.players.bot.ledger.running()[0].kind == "human"
    assert player.over(2) == []
    assert player.says("match 7 over played 2 reason complete") == []
    assert player.asked(9, "Eve") == [Accept(9)]


def test_a_match_that_the_server_does_not_tell_of_again_is_over():
    player = Player()
    assert player.asked(7, games="2") == [Accept(7)]
    assert player.says("match 7 game 1 of 2 player Ada") == []
    assert player.begins(1) == []
    back_in_its_game(player)
    assert player.asked(8, "Eve")[0].text == "I play a game already; try again later"
    assert player.over(1) == []
    assert player.asked(9, "Eve") == [Accept(9)]


def test_a_bot_that_is_started_again_in_a_match_plays_it_on():
    player = Player(accept={"refuse": ["Ada"]})
    assert player.says("match 7 game 2 of 3 player Ada") == []
    assert player.begins(2) == []  # it was agreed to: not a stranger's
    assert player.asked(8, "Eve")[0].text == "I play a game already; try again later"
    assert player.over(2) == []
    assert not player.house.waits
    assert player.says("match 7 over played 2 reason ended") == []
    assert player.house.waits


def test_back_between_two_games_of_a_match_it_waits_for_the_next():
    player = Player()
    assert player.asked(7, games="2") == [Accept(7)]
    assert player.says("match 7 game 1 of 2 player Ada") == []
    assert player.begins(1) == []
    player.seeking.line_lost()
    player.house.line_lost()
    assert player.says("welcome name Fish account no resume s3cret") == [Accept(0)]
    assert player.says("match 7 game 2 of 2 player Ada") == []
    assert player.over(1) == []
    assert player.says("error busy you are playing a game; finish it first") == []
    assert not player.house.waits
    assert player.asked(8, "Eve")[0].text == "I play a game already; try again later"
    assert player.begins(2) == []
    assert player.players.bot.ledger.played(NOON) == ["ada", "ada"]


def test_no_game_of_a_match_begins_in_quiet_hours():
    player = Player(limits={"quiet_hours": ["13:00-14:00"]})
    assert player.asked(7, games="3") == [Accept(7)]
    assert player.says("match 7 game 1 of 3 player Ada") == []
    assert player.begins(1) == []
    player.players.now += timedelta(hours=1, minutes=5)
    assert player.over(1) == [Say("I rest until 14:00 (it is 13:05 here)"), Unseek(7)]
    assert player.says("match 7 over played 1 reason ended") == []
    player.players.now += timedelta(hours=1)
    assert player.asked(8, "Bob") == [Accept(8)]


def test_of_a_match_no_more_games_are_agreed_on_than_the_file_allows():
    player = Player(accept={"match": 2})
    assert player.asked(7, games="3") == [Decline(7, "I agree on 2 games at once, not on 3")]


@pytest.mark.parametrize(
    "code", ["no-such-seek", "cannot-play", "busy", "closed", "moving", "too-fast"]
)
def test_a_challenge_that_is_withdrawn_at_once_leaves_it_free(code):
    player = Player()
    assert player.asked(7) == [Accept(7)]
    assert player.says(f"error {code} there is no seek 7") == []
    assert player.asked(8, "Bob") == [Accept(8)]
    assert "no game with Ada: there is no seek 7" in player.players.shown


def test_other_errors_change_nothing():
    player = Player()
    assert player.asked(7) == [Accept(7)]
    assert player.says("error no-such-challenge nobody challenged you with 5") == []
    assert player.says("error not-heard no opponent can read that") == []
    assert player.alarm() == []
    assert player.asked(8, "Bob")[0].id == 8
    assert player.begins(1) == []


@pytest.mark.parametrize(
    "refusal",
    [
        "no-such-challenge nobody challenged you with 5",
        "no-such-seek there is no seek 5",
        "no-such-player there is no Bob here",
        "not-heard Bob does not read messages",
        "ignored Bob ignores you",
        "too-many-strangers Bob hears from too many strangers; retry-after 2",
    ],
)
def test_who_does_not_hear_its_greeting_does_not_end_its_seek(refusal):
    player = Player(seek={"game": "chess", "time": "60+1", "when": "always"})
    assert player.alarm() == [Seek(Terms("chess", "60+1"))]
    assert player.says(f"error {refusal}") == []
    assert player.seeking.stage is CycleStage.SEEKING
    with pytest.raises(SeekRefused):
        player.says("error no-such-game there is no game chess")


def test_a_flood_is_declined_as_fast_as_it_may_and_no_faster():
    player = Player(accept={"challenges": False})
    player.alarm(0.0)
    said = [message for number in range(150) for message in player.asked(number, f"P{number}")]
    assert len(said) == 60
    due = player.house.due
    assert 0.0 < due < 1.0
    assert [message.id for message in player.alarm(due)] == [60]
    player.says("gone 61")
    assert [message.id for message in player.alarm(due + 1.0)] == [62, 63, 64]


def test_ten_thousand_challenges_of_one_who_takes_them_back_leave_nothing_behind():
    player = Player(accept={"refuse": ["Rude"]})
    player.alarm(0.0)
    said, at = [], 0.0
    for number in range(10_000):
        at = number / 1000
        said += player.says(f"challenge {number} player Rude kind human game chess time 60+1", at)
        said += player.says(f"gone {number}", at)
    assert len(said) < 60 + 3 * at + 1
    assert len(player.players.shown) == 1 + 10
    assert not player.asked(10_000, "Rude")  # his wait their turn
    assert player.asked(10_001, "Ada") == [Accept(10_001)]
    assert player.says("gone 10000", at) == []
    assert player.alarm(at + 60.0) == []
    left_out = "more challenges of Rude were declined within that minute"
    assert player.players.shown[-1] == f"{10_001 - 10} {left_out}"


def test_players_of_one_bot_know_of_each_other():
    players = Players(concurrency=2, limits={"kept_for_people": 1})
    one, other = Player(players), Player(players, "Fish-2")
    assert one.asked(7, "Deep", "engine") == [Accept(7)]
    assert other.asked(8, "Deeper", "engine") == [
        Decline(8, "the rest of my games is kept for people; try again later")
    ]
    assert one.asked(9) == [Decline(9, "I am playing; challenge Fish-2")]
    assert other.asked(10, "Ada") == [Accept(10)]
    one.house.line_lost()
    assert other.asked(11, "Eve") == [Decline(11, "I am playing; try again later")]


def test_games_are_counted_by_the_day():
    player = Player(limits={"opponent_a_day": 1})
    player.asked(7)
    player.begins(1)
    player.over(1)
    why = "we have played a game within a day; come back tomorrow"
    assert player.asked(8, "ada-2") == [Decline(8, why)]
    player.players.now += timedelta(days=1)
    assert player.asked(9, "ada-2") == [Accept(9)]


def test_it_takes_no_challenge_while_it_leaves():
    player = Player()
    assert player.seeking.leave(0.0) == [Unseek(), Seeks()]
    assert player.asked(7) == [Decline(7, "I am leaving and begin no new game")]


# Engines


def test_another_engine_is_started_before_its_game_is_accepted():
    player = Player(Players(("chess",), ("mnk",), seek={"when": "never"}))
    assert player.asked(7, game="mnk") == []
    assert player.wanted == [1]
    assert not player.house.waits
    player.house.engine_down()
    assert player.house.engine_up(1, ()) == [Accept(7)]
    assert player.asked(8, "Eve", game="go")[0].text == "I play chess and mnk, not go"


def test_what_is_withdrawn_while_the_engine_starts_is_not_accepted():
    player = Player(Players(("chess",), ("mnk",)))
    assert player.asked(7, game="mnk") == []
    assert player.says("gone 7") == []
    assert player.house.engine_up(1, ()) == []
    assert player.house.waits
    assert "no game with Ada: it was withdrawn" in player.players.shown


def test_options_hold_for_the_games_that_they_are_for():
    weak = {"set": {"skill": 3, "Unknown": 1}, "opponents": ["Ada"]}
    player = Player(options=[weak])
    assert "the engine has no option 'Unknown', which [[options]] sets" in player.players.shown
    player.asked(7)
    player.begins(1)
    assert player.set == [SetOption("Skill", "3")]
    player.over(1)
    player.asked(8)
    player.begins(2)
    assert player.set == []  # still
    player.over(2)
    player.asked(9, "Bob")
    player.begins(3, "Bob")
    assert player.set == [SetOption("Skill", "20")]


def test_an_option_goes_back_to_the_value_that_the_engine_has_for_all_games():
    players = Players(options=[{"set": {"Skill": 20}, "opponents": ["Ada"]}])
    players.bot.engines = [EngineLine(ClientEngineSettings(("engine",), options=("skill = 9",)))]
    player = Player(players)
    player.asked(7)
    player.begins(1)
    assert player.set == [SetOption("Skill", "20")]
    player.over(1)
    player.asked(8, "Bob")
    player.begins(2, "Bob")
    assert player.set == [SetOption("Skill", "9")]


# Greetings


def test_people_are_greeted_by_name_and_nobody_else_hears_it():
    greeting = {"begin": "Hello {opponent}, I am {bot}.", "end": "{result} in {game} {time}."}
    player = Player(greeting=greeting)
    player.asked(7)
    assert player.begins(1) == [TellPlayer("Ada", "Hello Ada, I am Fish.")]
    assert player.begins(1) == []  # back after a break
    assert player.over(1) == [TellPlayer("Ada", "1-0 in chess 60+1.")]
    player.asked(8, "Deep", "engine")
    assert player.begins(2, "Deep") == []
    assert player.over(2) == []


# When nobody comes


def test_it_seeks_at_once_when_it_always_seeks_and_again_after_each_game():
    player = Player(seek={"game": "chess", "time": "60+1"})
    assert player.alarm() == [Seek(Terms("chess", "60+1"))]
    assert player.alarm() == []
    assert player.asked(7) == [Accept(7)]  # whoever comes first
    player.begins(1)
    player.over(1, at=100.0)
    assert player.alarm() == [Seek(Terms("chess", "60+1"))]


def test_a_seek_that_is_gone_already_is_withdrawn_in_vain_and_no_harm_is_done():
    player = Player(seek={})
    assert player.alarm() == [Seek(Terms())]
    assert player.says("error no-such-seek you have no seek") == []
    with pytest.raises(SeekRefused):
        player.says("error no-such-game there is no game chess")


def test_it_seeks_when_idle_only_after_a_while():
    player = Player(seek={"when": "idle", "after": 25.0})
    said = {}
    while (due := player.house.due) <= 25.0:
        said[due] = player.alarm()
    assert said == {0.0: [], TICK: [], 2 * TICK: [], 25.0: [Seek(Terms())]}


def test_it_withdraws_its_seek_in_quiet_hours_and_seeks_again_after_them():
    player = Player(seek={}, limits={"quiet_hours": ["13:00-14:00"]})
    assert player.alarm() == [Seek(Terms())]
    player.players.now = NOON.replace(hour=13)
    assert player.alarm() == [Unseek()]
    assert player.seeking.stage is CycleStage.WAITING
    assert player.alarm() == []
    assert player.asked(7)[0].text == "I rest until 14:00 (it is 13:00 here)"
    player.players.now = NOON.replace(hour=14)
    assert player.alarm() == [Seek(Terms())]


def test_when_only_people_are_left_to_come_it_seeks_people():
    players = Players(concurrency=2, limits={"kept_for_people": 1}, seek={})
    one, other = Player(players), Player(players, "Fish-2")
    assert one.alarm() == other.alarm() == [Seek(Terms())]
    assert one.asked(7, "Deep", "engine") == [Accept(7)]
    assert other.house.due == 0.0  # at once
    assert other.alarm() == [Unseek()]
    assert other.alarm() == [Seek(Terms(against="human"))]


def test_who_takes_its_seek_and_may_not_is_played_where_no_game_is_aborted():
    player = Player(seek={}, accept={"refuse": ["Rude"]})
    assert player.alarm() == [Seek(Terms())]
    start = "game 1 start white Rude black Fish game chess time 60+1 rated no conduct no-abort"
    assert player.says(start) == []


def test_who_takes_its_seek_and_may_not_is_told_why_and_left():
    player = Player(seek={}, accept={"refuse": ["Rude"]}, greeting={"end": "Bye."})
    assert player.alarm() == [Seek(Terms())]
    assert player.begins(1, "Rude-2") == [Say("I do not play you"), Abort()]
    assert player.over(1, at=1.0) == []
    assert player.house.due == 1.0 + PAUSE
    assert player.alarm() == [Seek(Terms())]
    assert player.begins(2, "Ada") == []


def test_it_challenges_who_is_idle_and_waits_for_the_answer():
    player = Player(
        seek={"when": "never", "game": "chess"},
        matchmaking={"after": 5.0, "every": 50.0, "answer": 20.0, "times": ["60+1"]},
        accept={"refuse": ["Rude"]},
    )
    assert player.alarm() == []
    assert player.house.due == 5.0
    assert player.alarm() == [Who()]
    player.says("who 5", 5.0)
    for line in ("Fish kind engine state idle", "Deep kind engine state playing",
                 "Rude kind engine state idle", "Ada kind human state idle"):  # fmt: skip
        assert player.says(f"player {line}", 5.0) == []
    asked = player.says("player Deeper kind engine state waiting", 5.0)
    assert asked == [Challenge("Deeper", Terms("chess", "60+1"))]
    player.says("challenging 9 player Deeper", 5.0)
    assert player.says("seek 3 player Bob kind human game chess", 6.0) == []
    # Not that one either: a game is about to begin.
    while not (said := player.alarm()):
        assert player.house.due <= 25.0
    assert said == [Unseek(9)]
    assert "Deeper does not answer our challenge" in player.players.shown
    # Nobody else is there, and the same one is not asked again so soon.
    assert list_again(player, "Deeper kind engine state idle") == []
    assert "nobody came: challenging Deeper" in player.players.shown


def list_again(player: Player, *present: str) -> list:
    """What it says once it has asked who is here, and has been told."""
    while (said := player.alarm()) != [Who()]:
        assert said == []
    at = player.house.due
    player.says(f"who {len(present)}", at)
    return [message for one in present for message in player.says(f"player {one}", at)]


def test_a_challenge_of_its_own_that_is_declined_is_told_and_over():
    player = Player(matchmaking={"after": 5.0})
    assert list_again(player, "Deep kind engine state idle") == [Challenge("Deep", Terms())]
    player.says("challenging 9 player Deep")
    assert player.says("declined 9 by Deep not today") == []
    assert "Deep declines our challenge: not today" in player.players.shown
    assert player.house.waits


def test_a_challenge_of_its_own_that_is_accepted_is_a_game_with_a_known_kind():
    player = Player(matchmaking={"after": 5.0}, greeting={"begin": "Hi.", "to": ["engine"]})
    assert list_again(player, "Deep kind engine state idle") == [Challenge("Deep", Terms())]
    player.says("challenging 9 player Deep")
    player.says("gone 9")
    assert player.begins(1, "Deep") == [TellPlayer("Deep", "Hi.")]


@pytest.mark.parametrize(
    "code",
    [
        *("no-such-player", "cannot-play", "busy", "closed", "moving", "too-fast"),
        *("too-many-challenges", "ignored", "too-many-strangers"),
    ],
)
def test_a_challenge_of_its_own_that_is_refused_is_over(code):
    player = Player(matchmaking={"after": 5.0})
    assert list_again(player, "Deep kind engine state idle") == [Challenge("Deep", Terms())]
    assert player.says(f"error {code} Deep cannot be asked") == []
    assert player.house.waits


def test_a_line_that_is_lost_ends_all_challenges():
    player = Player(matchmaking={"after": 5.0})
    assert player.asked(7) == [Accept(7)]
    player.seeking.line_lost()
    assert player.seeking.asked  # its game may have begun
    player.house.line_lost()
    assert player.house.due == math.inf
    assert player.says("welcome name Fish account no resume s3cret", 60.0) == []
    assert player.asked(8, "Bob") == [Accept(8)]


def test_a_challenge_of_its_own_ends_with_the_line():
    player = Player(matchmaking={"after": 5.0, "answer": 20.0})
    assert list_again(player, "Deep kind engine state idle") == [Challenge("Deep", Terms())]
    player.says("challenging 9 player Deep")
    player.house.line_lost()
    assert player.house.waits
    assert player.house.due == math.inf
    assert player.says("welcome name Fish account no resume s3cret", 60.0) == []
    assert player.alarm(60.0) == []  # there is nothing to withdraw
    assert "Deep does not answer our challenge" not in player.players.shown
    assert player.asked(10, "Bob") == [Accept(10)]


def test_a_list_that_was_asked_for_on_a_line_that_is_lost_is_not_waited_for():
    player = Player(matchmaking={"after": 5.0})
    assert player.alarm() == []
    assert player.alarm() == [Who()]
    player.house.line_lost()
    assert player.says("welcome name Fish account no resume s3cret", 60.0) == []
    player.says("who 1", 60.0)
    assert player.says("player Deep kind engine state idle", 60.0) == []
    assert list_again(player, "Deep kind engine state idle") == [Challenge("Deep", Terms())]
