"""A player of an arena's game gives up half of its time before its first move."""

import pytest

from tests.support.driver import B, Driver, W, facts, finished, happened, lobby, playing, told
from ulci.protocol.messages import Berserk, Clock, Go
from ulci.rules import Reason, Side
from ulci_server.game import (
    Commanded,
    ContradictionError,
    EventKind,
    Happened,
    MovePlayed,
    TakebackRuled,
)
from ulci_server.game.events import Alarm, Announce, Cast, Settle, Show, Tell


def begun(control: str = "300+3", **options: object) -> Driver:
    return playing(control, conduct="berserk", **options)  # type: ignore[arg-type]


def error(side: Side, text: str) -> Tell:
    return Tell(side, lobby(f"error {text}"))


def say(driver: Driver, side: Side, at: float) -> list[object]:
    return [*driver.happen(Commanded(side, at, Berserk()))]


def test_half_of_what_is_left_goes_and_the_increment_and_everybody_sees_it() -> None:
    clocks = Clock(145_000, 300_000, None, 3_000)
    assert say(begun(), W, 10.0) == [
        happened(1, 0, EventKind.BERSERK, W, 145_000),
        Settle(),
        Announce(lobby("game 42 berserk white from Ada")),
        Show(W, (clocks,)),
        Show(B, (clocks,)),
        Cast((clocks,)),
    ]


def test_the_flag_falls_by_half_the_time_and_no_move_adds_any() -> None:
    driver = begun()
    say(driver, W, 10.0)
    assert driver.game.deadline == 155.0
    (played,) = facts(driver.move("a", 20.0))
    assert isinstance(played, MovePlayed)
    assert (played.spent, played.left) == (20_000, 135_000)
    assert driver.game.deadline == 320.0, "the opponent has all of its time"


def test_who_waits_for_the_first_move_of_the_opponent_may_say_it_and_so_may_both() -> None:
    driver = begun()
    say(driver, B, 1.0)
    say(driver, W, 2.0)
    effects = driver.move("a", 4.0)
    assert told(effects, B)[-1] == Go(147_000, 150_000)


def test_a_delay_goes_and_later_sessions_have_half_their_time() -> None:
    driver = begun("2/60d10:30d10")
    say(driver, W, 0.0)
    for at, (white, black) in enumerate((("a", "b"), ("c", "d")), 1):
        (played,) = (one for one in facts(driver.move(white, 10.0 * at)) if hasattr(one, "left"))
        driver.move(black, 10.0 * at)
    assert played.left == 35_000 - 20_000 + 15_000


def test_an_odd_millisecond_stays() -> None:
    (fact, *_) = facts([*begun("0.005").happen(Commanded(B, 0.0, Berserk()))])
    assert isinstance(fact, Happened)
    assert fact.amount == 2


def test_it_is_for_games_whose_conduct_allows_it() -> None:
    why = "forbidden berserk is for games of an arena"
    assert say(playing(), W, 1.0) == [error(W, why)]


def test_it_is_not_said_before_the_game_begins() -> None:
    assert say(Driver(conduct="berserk"), W, 1.0) == [error(W, "too-early the game has not begun")]


def test_it_is_not_said_twice() -> None:
    driver = begun()
    say(driver, W, 1.0)
    assert say(driver, W, 2.0) == [error(W, "berserk-said you play with half of your time already")]


def test_it_is_not_said_after_the_own_first_move_even_if_that_is_taken_back() -> None:
    driver = begun()
    driver.move("a", 1.0)
    late = [error(W, "berserk-too-late berserk is said before your first move")]
    assert say(driver, W, 2.0) == late
    driver.hand_over(driver.happen(TakebackRuled(3.0, 1, "a slip")), 3.0)
    assert say(driver, W, 4.0) == late
    assert say(driver, B, 4.0) != []


@pytest.mark.parametrize("control", ["3days", "depth=8", "movetime=1000", "60h", "60/3x10"])
def test_only_a_bank_of_time_is_halved(control: str) -> None:
    why = "no-clock your clock in this game cannot be halved"
    assert say(begun(control), B, 0.0) == [error(B, why)]


def test_a_clock_with_a_margin_is_halved_and_keeps_the_margin() -> None:
    driver = playing("10+2", conduct="berserk,white-margin=500")
    say(driver, W, 0.0)
    assert driver.game.deadline == 5.5


def test_moves_that_are_taken_back_leave_half_the_time() -> None:
    driver = begun()
    say(driver, W, 0.0)
    driver.move("a", 10.0)
    driver.move("b", 11.0)
    driver.hand_over(driver.happen(TakebackRuled(12.0, 2, "a slip")), 12.0)
    assert driver.game.deadline == 12.0 + 140.0


def test_the_next_server_knows_it() -> None:
    driver = begun()
    known = facts([*driver.happen(Commanded(W, 10.0, Berserk()))])
    after = Driver(conduct="berserk", known=known)
    assert say(after, W, 1.0) == [error(W, "berserk-said you play with half of your time already")]
    assert say(after, B, 1.0) != []


@pytest.mark.parametrize(
    ("control", "side", "ply"), [("3days", W, 0), ("300+3", None, 0), ("300+3", W, 1)]
)
def test_a_record_in_which_it_cannot_be_is_found(control: str, side: Side | None, ply: int) -> None:
    moves = [MovePlayed(42, 1, W, "a", 1000, 302_000, seq=1)][:ply]
    fact = Happened(42, ply + 1, ply, EventKind.BERSERK, side, 1_000)
    with pytest.raises(ContradictionError):
        Driver(control, conduct="berserk", known=[*moves, fact])


def test_a_flag_that_falls_with_half_the_time_loses() -> None:
    driver = playing("10", conduct="berserk,forfeit")
    say(driver, W, 0.0)
    over = finished(driver.happen(Alarm(5.0)))
    assert over is not None
    assert (over.outcome.winner, over.outcome.reason) == (B, Reason.TIME)
