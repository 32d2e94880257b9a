"""Where two things happen at once: the list of the protocol, in its order."""

import pytest

from tests.support.driver import BOB, B, Driver, W, told
from ulci.protocol.messages import Position, Stop
from ulci.rules.outcome import Outcome, Reason
from ulci_server.game import (
    AbortSaid,
    Alarm,
    Answered,
    Away,
    Back,
    Dismiss,
    DrawSaid,
    Event,
    GameFinished,
    Left,
    MovePlayed,
    Note,
    Resigned,
    Seat,
    ServerFailed,
    Stalled,
)

ENGINES = (Seat("Abacus", "engine"), BOB)


def playing(control: str = "10") -> Driver:
    """Two engines; White's clock runs since second 0 and its flag falls at second 10."""
    driver = Driver(control, seats=ENGINES)
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


@pytest.mark.parametrize("later", [Alarm(60.0), Resigned(B, 60.0), DrawSaid(B, 60.0)])
def test_a_move_in_time_counts_however_long_its_arbiter_thinks(later: Event) -> None:
    driver = playing()
    driver.happen(Answered(W, 9.9), later)
    effects = driver.happen(driver.judge("a", 9.9))
    assert effects[0] == Note(MovePlayed(42, 1, W, "a", 9_900, 100, seq=1))
    assert driver.game.outcome in (None, Outcome(W, Reason.RESIGNATION))


def test_a_move_after_the_flag_fell_does_not_count_even_if_no_alarm_came() -> None:
    driver = playing()
    effects = driver.move("mate", 10.001)
    assert outcome(driver) == Outcome(B, Reason.TIME)
    assert Stop() not in told(effects, W)  # it has answered already
    assert effects[-1] == Dismiss(None)
    # The position has made it; the game has not.
    assert driver.position.moves == ["mate"]
    assert driver.game.moves == ()
    assert driver.game.mover is W
    assert Position() in told(effects, B)


def test_an_answer_after_the_flag_fell_is_not_judged_any_more() -> None:
    driver = playing()
    driver.happen(Answered(W, 10.001))
    assert outcome(driver) == Outcome(B, Reason.TIME)
    assert driver.happen(driver.judge("a", 10.001)) == []


def test_who_comes_back_after_its_flag_fell_has_nothing_to_stop() -> None:
    driver = playing()
    effects = driver.happen(Back(W, 10.5))
    assert outcome(driver) == Outcome(B, Reason.TIME)
    assert Stop() not in told(effects, W)
    assert effects[-1] == Dismiss(None)


# 2. A move that ends the game by the rules beats everything that arrived after it.

AFTERWARDS = [
    Resigned(W, 2.0),
    DrawSaid(B, 2.0),
    AbortSaid(B, 2.0),
    Left(W, 2.0),
    Stalled(W, 2.0, "silent"),
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
    driver.happen(Answered(W, 1.0), later, driver.judge("mate", 1.0))
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
    [Resigned(B, 10.5), DrawSaid(B, 10.5), AbortSaid(W, 10.5), Left(B, 10.5), Stalled(B, 10.5, "")],
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


def test_at_the_start_the_position_itself_says_who_can_win() -> None:
    driver = Driver()
    driver.position.winners = (True, False)
    driver.play()
    driver.happen(Alarm(300.0))
    assert outcome(driver) == Outcome(None, Reason.TIME_INSUFFICIENT)


# 5. Both gone: whose clock runs out first loses; if neither's runs, aborted.


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
        )
    )


# 6. The server's own fault is never a player's loss.


def test_the_servers_failure_leaves_the_result_open() -> None:
    driver = playing()
    driver.happen(ServerFailed(9.0, "disk full"))
    assert outcome(driver) == Outcome(None, Reason.SERVER)
    assert outcome(driver).score == "*"


def test_an_arbiter_that_fails_ends_the_game_without_waiting_for_its_verdict() -> None:
    driver = playing()
    driver.happen(Answered(W, 1.0), Resigned(B, 2.0), ServerFailed(60.0, "the referee crashed"))
    assert outcome(driver) == Outcome(None, Reason.SERVER)


def test_the_time_that_the_record_takes_is_nobodys() -> None:
    driver = playing()
    effects = driver.happen(driver.judge("a", 1.0))
    driver.hand_over(effects, 50.0)  # the disk was slow
    assert driver.move("b", 51.0)[0] == Note(
        MovePlayed(42, 2, B, "b", 1_000, 9_000, seq=2, held=49_000)
    )
