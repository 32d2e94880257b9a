"""Before the first move: readiness, and everything that can come in its way."""

import math
from functools import partial

import pytest

from tests.support.driver import ADA, BOB, B, Driver, W, ended, happened, lobby, told
from tests.support.toy import ToyPosition
from ulci.protocol.messages import (
    Abort,
    Claim,
    Draw,
    GiveTime,
    Info,
    IsReady,
    NewGame,
    Position,
    Resign,
    SetOption,
    Takeback,
)
from ulci.rules import Outcome, Reason
from ulci_server.game import (
    Answered,
    Away,
    Back,
    Commanded,
    Event,
    EventKind,
    GameFinished,
    GameStarted,
    Left,
    Phase,
    Ready,
    Ruled,
    TakebackRuled,
    Timeouts,
    TimeRuled,
)
from ulci_server.game.events import (
    Alarm,
    Announce,
    Cast,
    Dismiss,
    Greet,
    Note,
    Paused,
    ServerFailed,
    Settle,
    Tell,
)


def finish(driver: Driver, *events: Event) -> GameFinished:
    """How these events end the game."""
    [finished] = [
        effect.fact
        for effect in driver.happen(*events)
        if isinstance(effect, Note) and isinstance(effect.fact, GameFinished)
    ]
    assert driver.game.deadline == math.inf
    return finished


def aborted(detail: str) -> GameFinished:
    return ended(None, Reason.ABORTED, detail)


def test_who_is_not_ready_in_time_aborts_the_game_and_nobody_is_shown_a_board() -> None:
    driver = Driver(timeouts=Timeouts(ready=5.0))
    driver.happen(Ready(W, 1.0))
    why = "Black (Bob) not ready within 5 s"
    result, explained = Info(string="result * reason aborted"), Info(string=why)
    assert driver.happen(Alarm(5.0)) == [
        Note(aborted(why)),
        Settle(),
        Tell(W, result),
        Tell(W, explained),
        Tell(B, result),
        Tell(B, explained),
        Cast((result, explained)),
        Announce(lobby("game 42 over result * reason aborted")),
        Dismiss(None),
    ]


def test_both_are_named_if_neither_was_ready() -> None:
    assert finish(Driver(), Alarm(30.0)) == aborted(
        "White (Ada) and Black (Bob) not ready within 30 s"
    )


def test_an_alarm_before_its_time_means_nothing() -> None:
    driver = Driver()
    assert driver.happen(Alarm(29.9)) == []
    assert driver.game.deadline == 30.0


def test_who_is_ready_after_the_deadline_is_too_late_even_before_the_alarm() -> None:
    driver = Driver()
    driver.happen(Ready(W, 1.0))
    assert finish(driver, Ready(B, 30.5)) == aborted("Black (Bob) not ready within 30 s")


def test_to_be_ready_twice_is_to_be_ready() -> None:
    driver = Driver()
    assert driver.happen(Ready(W, 1.0), Ready(W, 2.0)) == []
    assert driver.game.phase is Phase.PREPARING


@pytest.mark.parametrize(
    ("event", "detail"),
    [
        (Commanded(W, 1.0, Resign()), "White (Ada) resigned before the game began"),
        (Commanded(B, 1.0, Abort()), "Black (Bob) aborted it before the game began"),
        (Left(B, 1.0, "quit"), "Black (Bob) left (quit) before the game began"),
    ],
)
def test_nobody_loses_a_game_that_has_not_begun(event: Event, detail: str) -> None:
    assert finish(Driver(), event) == aborted(detail)


def test_the_servers_failure_is_its_own() -> None:
    assert finish(Driver(), ServerFailed(1.0, "shutting down")) == GameFinished(
        42, Outcome(None, Reason.SERVER), "shutting down"
    )


def test_a_draw_is_too_early() -> None:
    driver = Driver()
    too_early = lobby("error draw-too-early the game has not begun")
    assert driver.happen(Commanded(W, 1.0, Draw())) == [Tell(W, too_early)]


def test_who_is_back_on_a_new_line_is_prepared_anew_and_must_be_ready_again() -> None:
    option = SetOption("UCI_Chess960", "true")
    driver = Driver(setup=((option,), ()))
    driver.happen(Ready(W, 1.0))
    assert driver.happen(Away(W, 2.0), Ready(B, 3.0)) == []
    assert driver.game.phase is Phase.PREPARING
    assert driver.happen(Back(W, 4.0)) == [
        Greet(W),
        Tell(W, lobby("game 42 start white Ada black Bob game toy time 300+3 rated no lag none")),
        Tell(W, option),
        Tell(W, NewGame()),
        Tell(W, IsReady()),
    ]
    assert driver.happen(Ready(W, 5.0))
    assert driver.game.phase is Phase.PLAYING


def test_a_new_secret_is_recorded_lest_its_player_cannot_return_to_the_next_server() -> None:
    driver = Driver()
    driver.happen(Away(W, 1.0))
    known = happened(1, 0, EventKind.BACK, W, text="5ec2e7")
    assert known in driver.happen(Back(W, 2.0, key="5ec2e7"))
    assert known not in driver.happen(Back(W, 3.0, key="5ec2e7"))


def test_a_readyok_of_a_line_that_is_lost_does_not_count() -> None:
    driver = Driver()
    assert driver.happen(Ready(B, 1.0), Away(W, 2.0), Ready(W, 2.0)) == []
    assert driver.game.phase is Phase.PREPARING
    assert driver.game.deadline == 30.0


def test_what_belongs_to_play_means_nothing_yet() -> None:
    driver = Driver()
    driver.game.handed_over(1.0)
    assert driver.game.deadline == 30.0
    assert driver.answer("a", 1.0) == []
    assert driver.happen(Answered(W, "a", 1.0)) == []
    assert driver.judged("a", 1.0) == []
    assert driver.game.moves == []
    assert driver.game.searching is None


def test_a_start_position_that_is_the_end_is_the_end() -> None:
    stalemate = Outcome(None, Reason.STALEMATE)
    driver = Driver(position=partial(ToyPosition, start="dead", over=stalemate))
    result = Info(string="result 1/2-1/2 reason stalemate")
    assert driver.opening[:1] == [Note(GameStarted(42, "toy", "dead", "300+3", (ADA, BOB)))]
    assert driver.opening[2:4] == [Note(GameFinished(42, stalemate)), Settle()]
    assert told(driver.opening, W) == told(driver.opening, B) == [Position("dead"), result]
    assert driver.opening[-1] == Dismiss(None)
    assert driver.game.phase is Phase.OVER
    assert driver.happen(Ready(W, 1.0), Ready(B, 1.0), Alarm(99.0)) == []


@pytest.mark.parametrize(
    "event",
    [
        Commanded(W, 1.0, Claim("win")),
        Commanded(W, 1.0, Claim("draw")),
        Commanded(W, 1.0, Takeback()),
        Commanded(W, 1.0, GiveTime(9)),
    ],
)
def test_what_is_said_of_a_game_is_too_early(event: Event) -> None:
    assert Driver().happen(event) == [Tell(W, lobby("error too-early the game has not begun"))]


def test_there_is_nothing_to_take_back_and_no_clock_to_give_time_on_yet() -> None:
    driver = Driver()
    assert driver.happen(TakebackRuled(1.0, 1, "Cy: so"), TimeRuled(W, 1.0, 9, "Cy", "so")) == []


def test_a_game_may_be_ruled_on_before_it_began() -> None:
    driver = Driver()
    effects = driver.happen(Ruled(1.0, Outcome(None, Reason.ABORTED), "Cy: a wrong pairing"))
    assert effects[0] == happened(1, 0, EventKind.RULED, text="Cy: a wrong pairing")
    assert effects[1] == Note(aborted("Cy: a wrong pairing"))


def test_a_server_that_ends_leaves_a_game_that_is_being_prepared_as_it_is() -> None:
    driver = Driver()
    driver.happen(Ready(W, 1.0))
    assert driver.happen(Paused(2.0)) == [
        happened(1, 0, EventKind.PAUSED),
        Settle(),
        Announce(lobby("game 42 paused")),
        Dismiss(None),
    ]
    assert driver.game.outcome is None
    assert driver.game.deadline == math.inf
    assert driver.happen(Ready(B, 3.0), Alarm(99.0)) == []


def test_a_pause_after_the_time_to_get_ready_ends_nothing_twice() -> None:
    driver = Driver()
    effects = driver.happen(Paused(31.0))
    assert [effect for effect in effects if isinstance(effect, Dismiss)] == [Dismiss(None)]
    assert effects[0] == Note(aborted("White (Ada) and Black (Bob) not ready within 30 s"))
