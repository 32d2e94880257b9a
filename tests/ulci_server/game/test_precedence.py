"""Where two things happen at once: the list of the protocol, in its order."""

from functools import partial

import pytest

from tests.support.driver import ADA, BOB, B, Driver, W, ended, finished, told
from tests.support.toy import ToyPosition
from ulci.protocol.messages import Abort, Draw, Info, Position, Resign, Stop
from ulci.rules import Outcome, Reason
from ulci_server.game import (
    Answered,
    Away,
    Back,
    Commanded,
    Event,
    GameFinished,
    Left,
    MovePlayed,
    Seat,
    TakebackRuled,
)
from ulci_server.game.events import Alarm, Dismiss, Note, ServerFailed

ENGINES = (Seat("Abacus", "engine"), BOB)


def playing(control: str = "10") -> Driver:
    """Two engines that have moved; White's clock runs since second 0, its flag falls at 10."""
    driver = beginning(control)
    driver.move("x", 0.0)
    driver.move("y", 0.0)
    return driver


def beginning(control: str = "10", seats: tuple[Seat, Seat] = ENGINES) -> Driver:
    """The same before anybody has moved."""
    driver = Driver(control, seats=seats)
    driver.play()
    return driver


def outcome(driver: Driver) -> Outcome:
    assert driver.game.outcome is not None
    return driver.game.outcome


# 1. A move that arrived before the flag fell counts, however late it is judged.


@pytest.mark.parametrize("at", [9.999, 10.0])
def test_a_move_at_the_last_moment_counts(at: float) -> None:
    driver = playing()
    effects = driver.move("a", at)
    assert isinstance(effects[0], Note)
    assert isinstance(effects[0].fact, MovePlayed)
    assert driver.game.outcome is None


@pytest.mark.parametrize(
    "later", [Alarm(60.0), Commanded(B, 60.0, Resign()), Commanded(B, 60.0, Draw())]
)
def test_a_move_in_time_counts_however_long_its_arbiter_thinks(later: Event) -> None:
    driver = playing()
    driver.happen(Answered(W, "a", 9.9), later)
    effects = driver.judged("a", 60.5)
    assert effects[0] == Note(MovePlayed(42, 3, W, "a", 9_900, 100, seq=3))
    assert driver.game.outcome in (None, Outcome(W, Reason.RESIGNATION))


def test_a_move_after_the_flag_fell_does_not_count_even_if_no_alarm_came() -> None:
    driver = playing()
    effects = driver.move("mate", 10.001)
    assert outcome(driver) == Outcome(B, Reason.TIME)
    assert Stop() not in told(effects, W)  # it has answered already
    assert effects[-1] == Dismiss(None)
    assert driver.position.moves == ["x", "y"]
    assert driver.game.moves == ["x", "y"]
    assert driver.game.mover is W
    assert Position(None, ("x", "y")) in told(effects, B)


def test_an_answer_after_the_flag_fell_is_not_judged_any_more() -> None:
    driver = playing()
    driver.happen(Answered(W, "a", 10.001))
    assert outcome(driver) == Outcome(B, Reason.TIME)
    assert driver.judged("a", 10.5) == []


def test_who_comes_back_after_its_flag_fell_has_nothing_to_stop() -> None:
    driver = playing()
    effects = driver.happen(Back(W, 10.5))
    assert outcome(driver) == Outcome(B, Reason.TIME)
    assert Stop() not in told(effects, W)
    assert effects[-1] == Dismiss(None)


# 2. A move that ends the game by the rules beats everything that arrived after it.

AFTERWARDS = [
    Commanded(W, 2.0, Resign()),
    Commanded(B, 2.0, Draw()),
    Commanded(B, 2.0, Abort()),
    Left(W, 2.0),
    Away(W, 2.0),
    Alarm(99.0),
]


@pytest.mark.parametrize("later", AFTERWARDS, ids=lambda event: type(event).__name__)
def test_the_last_move_beats_what_came_after_it(later: Event) -> None:
    driver = playing()
    driver.move("mate", 1.0)
    assert driver.happen(later) == []
    assert outcome(driver) == Outcome(W, Reason.CHECKMATE)


@pytest.mark.parametrize("later", AFTERWARDS, ids=lambda event: type(event).__name__)
def test_the_last_move_beats_what_came_while_it_was_judged(later: Event) -> None:
    driver = playing()
    driver.happen(Answered(W, "mate", 1.0), later)
    driver.judged("mate", 100.0)
    assert outcome(driver) == Outcome(W, Reason.CHECKMATE)


# 3. The flag beats illegal-move when the illegal move came after the deadline.


def test_an_illegal_move_after_the_flag_is_a_flag() -> None:
    driver = playing()
    driver.move("castle!", 10.001)
    assert outcome(driver) == Outcome(B, Reason.TIME)


def test_an_illegal_move_before_the_flag_is_an_illegal_move() -> None:
    driver = playing()
    driver.move("castle!", 10.0)
    assert outcome(driver) == Outcome(B, Reason.ILLEGAL_MOVE)


@pytest.mark.parametrize(
    "later",
    [
        Commanded(B, 10.5, Resign()),
        Commanded(B, 10.5, Draw()),
        Commanded(W, 10.5, Abort()),
        Left(B, 10.5),
    ],
    ids=lambda event: type(event).__name__,
)
def test_the_flag_beats_whatever_came_after_it(later: Event) -> None:
    driver = playing()
    driver.happen(later)
    assert outcome(driver) == Outcome(B, Reason.TIME)


# 4. Time against a player who cannot win is a draw, where the rules can tell.


@pytest.mark.parametrize(
    ("can_win", "expected"),
    [
        ((False, True), Outcome(None, Reason.TIME_INSUFFICIENT)),
        ((True, False), Outcome(W, Reason.TIME)),
    ],
)
def test_a_flag_against_who_cannot_win_is_a_draw(
    can_win: tuple[bool, bool], expected: Outcome
) -> None:
    driver = playing()
    driver.move("a", 1.0, can_win=can_win)
    driver.happen(Alarm(11.0))
    assert outcome(driver) == expected


def test_after_a_takeback_the_position_itself_says_who_can_win() -> None:
    driver = playing()
    driver.position.winners = (True, False)
    driver.hand_over(driver.happen(TakebackRuled(0.0, 2, "a slip")), 0.0)
    driver.happen(Alarm(300.0))
    assert outcome(driver) == Outcome(None, Reason.TIME_INSUFFICIENT)


# 5. Until both have moved nobody loses, by time no more than by leaving.

SEATS = [ENGINES, (ADA, BOB)]


@pytest.mark.parametrize("seats", SEATS, ids=["engines", "a person"])
def test_a_flag_that_falls_before_its_side_has_moved_aborts_the_game(
    seats: tuple[Seat, Seat],
) -> None:
    driver = beginning(seats=seats)
    effects = driver.happen(Alarm(10.0))
    detail = (
        f"the flag of White ({seats[0].name}) fell at ply 1, after 10.000 s, and it had made no"
        " move"
    )
    assert finished(effects) == ended(None, Reason.ABORTED, detail)
    assert driver.game.ending is not None
    assert driver.game.ending.fault == {W}
    assert Info(string=detail) in told(effects, B)


def test_so_does_the_flag_of_who_has_not_answered_the_first_move() -> None:
    driver = beginning()
    driver.move("a", 1.0)
    driver.happen(Alarm(11.0))
    assert outcome(driver) == Outcome(None, Reason.ABORTED)
    assert driver.game.ending is not None
    assert driver.game.ending.fault == {B}


def test_a_first_move_that_came_after_the_flag_is_none() -> None:
    driver = beginning()
    driver.move("mate", 10.001)
    assert outcome(driver) == Outcome(None, Reason.ABORTED)


def test_who_has_moved_and_took_it_back_has_moved() -> None:
    driver = playing()
    driver.hand_over(driver.happen(TakebackRuled(0.0, 2, "a slip")), 0.0)
    driver.happen(Alarm(10.0))
    assert outcome(driver) == Outcome(B, Reason.TIME)


def test_who_could_not_be_beaten_and_never_moved_has_aborted_too() -> None:
    driver = Driver("10", position=partial(ToyPosition, winners=(True, False)))
    driver.play()
    driver.happen(Alarm(10.0))
    assert outcome(driver) == Outcome(None, Reason.ABORTED)


# 6. Both gone: whose clock runs out first loses; if neither's runs, aborted.


def test_when_both_are_gone_before_both_have_moved_the_clock_aborts_the_game() -> None:
    driver = beginning("300")
    driver.move("a", 1.0)
    driver.happen(Away(W, 3.0), Away(B, 4.0))
    assert driver.game.deadline == 301.0
    driver.happen(Alarm(301.0))
    assert outcome(driver) == Outcome(None, Reason.ABORTED)


@pytest.mark.parametrize("gone", [(Away(W, 3.0), Away(B, 4.0)), (Away(B, 3.0), Left(W, 4.0))])
def test_when_both_are_gone_whose_clock_runs_out_loses(gone: tuple[Event, ...]) -> None:
    driver = playing("300")
    driver.move("a", 1.0)
    driver.move("b", 2.0)
    driver.happen(*gone)
    assert driver.game.deadline == 301.0
    driver.happen(Alarm(301.0))
    assert outcome(driver) == Outcome(B, Reason.TIME)


def test_when_both_are_gone_and_no_clock_runs_the_game_is_aborted() -> None:
    driver = playing("depth=8")
    driver.move("a", 1.0)
    driver.move("b", 2.0)
    driver.happen(Away(W, 3.0), Away(B, 4.0))
    assert driver.game.deadline == 64.0
    effects = driver.happen(Alarm(64.0))
    assert effects[0] == Note(
        GameFinished(
            42,
            Outcome(None, Reason.ABORTED),
            "both players were gone and there was no clock to decide",
            frozenset((W, B)),
        )
    )


# 7. The server's own fault is never a player's loss.


def test_the_servers_failure_leaves_the_result_open() -> None:
    driver = playing()
    driver.happen(ServerFailed(9.0, "disk full"))
    assert outcome(driver) == Outcome(None, Reason.SERVER)
    assert outcome(driver).score == "*"


def test_an_arbiter_that_fails_ends_the_game_without_waiting_for_its_verdict() -> None:
    driver = playing()
    driver.happen(
        Answered(W, "a", 1.0),
        Commanded(B, 2.0, Resign()),
        ServerFailed(60.0, "the referee crashed"),
    )
    assert outcome(driver) == Outcome(None, Reason.SERVER)


def test_the_time_that_the_record_takes_is_nobodys() -> None:
    driver = playing()
    effects = driver.answer("a", 1.0)
    driver.hand_over(effects, 50.0)  # the disk was slow
    assert driver.move("b", 51.0)[0] == Note(
        MovePlayed(42, 4, B, "b", 1_000, 9_000, seq=4, held=49_000)
    )
