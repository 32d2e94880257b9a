"""What a game's conduct forbids its players, and what it counts against them."""

from collections.abc import Callable

import pytest

from tests.support.driver import (
    ADA,
    CY,
    DI,
    B,
    Driver,
    W,
    both_moved,
    ended,
    facts,
    finished,
    happened,
    lobby,
    playing,
    told,
)
from ulci.protocol.messages import (
    Abort,
    Claim,
    GiveTime,
    Go,
    NewGame,
    Position,
    Resign,
    SetOption,
    Takeback,
)
from ulci.rules import Reason, Side
from ulci_server.game import (
    Away,
    Back,
    Commanded,
    Conduct,
    ConductError,
    Event,
    EventKind,
    Happened,
    Hindered,
    Left,
    MovePlayed,
    Phase,
    Ready,
    TakebackRuled,
    Timeouts,
    TimeRuled,
)
from ulci_server.game.events import Alarm, Cast, Greet, Paused, StartClock, Tell

STRICT = Conduct(
    abort=False,
    takeback=False,
    givetime=False,
    rematch=False,
    claims=False,
    forfeit=True,
    absent_clock=True,
    disconnections=3,
)
NOTATION = "no-abort,no-takeback,no-givetime,no-rematch,no-claims,forfeit,absent-clock"


@pytest.mark.parametrize(
    ("conduct", "text"),
    [
        (Conduct(), ""),
        (Conduct(claims=True), "claims"),
        (STRICT, f"{NOTATION},disconnections=3"),
        (Conduct(berserk=True, disconnections=3), "berserk,disconnections=3"),
        (Conduct(margins=(50, 0)), "white-margin=50"),
        (Conduct(margins=(50, 100)), "white-margin=50,black-margin=100"),
    ],
)
def test_a_conduct_is_written_and_read_as_words(conduct: Conduct, text: str) -> None:
    assert str(conduct) == text
    assert Conduct.parse(text) == conduct


@pytest.mark.parametrize(
    "word",
    [
        "abort",
        "no-",
        "no-forfeit",
        "disconnections=0",
        "disconnections=101",
        "abort,",
        "white-margin=0",
        "black-margin=86400001",
        "margin=5",
    ],
)
def test_an_unknown_word_is_named(word: str) -> None:
    with pytest.raises(ConductError, match="there is no conduct"):
        Conduct.parse(word)


# What players may not do


def forbidden(why: str) -> Tell:
    return Tell(W, lobby(f"error forbidden {why}"))


FORBIDDEN = [
    ("no-abort", Commanded(W, 1.0, Abort()), "this game cannot be aborted: play or resign"),
    ("no-takeback", Commanded(W, 1.0, Takeback()), "no moves are taken back in this game"),
    ("no-givetime", Commanded(W, 1.0, GiveTime(5_000)), "no time is given in this game"),
]


@pytest.mark.parametrize("begun", [Driver, playing], ids=["preparing", "in progress"])
@pytest.mark.parametrize(("conduct", "event", "why"), FORBIDDEN)
def test_what_is_forbidden_is_answered_by_an_error(
    begun: Callable[..., Driver], conduct: str, event: Event, why: str
) -> None:
    assert begun(conduct=conduct).happen(event) == [forbidden(why)]


@pytest.mark.parametrize("begun", [Driver, playing], ids=["preparing", "in progress"])
@pytest.mark.parametrize(("_", "event", "why"), FORBIDDEN)
def test_the_usual_conduct_forbids_none_of_it(
    begun: Callable[..., Driver], _: str, event: Event, why: str
) -> None:
    assert forbidden(why) not in begun().happen(event)


def test_administrators_are_not_bound() -> None:
    driver = both_moved(conduct="no-takeback,no-givetime")
    kinds = [
        fact.what
        for fact in facts(
            driver.happen(
                TakebackRuled(3.0, 1, "a slip"), TimeRuled(W, 3.0, 5_000, "Root", "our fault")
            )
        )
        if isinstance(fact, Happened)
    ]
    assert kinds == [EventKind.TAKEN_BACK, EventKind.TIME_GIVEN]


def test_who_may_not_abort_loses_by_resigning_before_the_first_move() -> None:
    assert finished(Driver(conduct="no-abort").happen(Commanded(W, 1.0, Resign()))) == ended(
        B, Reason.RESIGNATION, "White (Ada) resigned"
    )


# What counts before both have moved


def test_who_is_not_ready_forfeits() -> None:
    driver = Driver(conduct="forfeit", timeouts=Timeouts(ready=5.0))
    driver.happen(Ready(W, 1.0))
    effects = driver.happen(Alarm(5.0))
    assert effects[0] == happened(1, 0, EventKind.LEFT, B, text="not ready within 5 s")
    assert finished(effects) == ended(W, Reason.DISCONNECT, "Black (Bob) not ready within 5 s")


def test_when_neither_is_ready_nobody_wins() -> None:
    driver = Driver(conduct="forfeit", timeouts=Timeouts(ready=5.0))
    assert finished(driver.happen(Alarm(5.0))) == ended(
        None, Reason.ABORTED, "White (Ada) and Black (Bob) not ready within 5 s"
    )


def test_nobody_forfeits_while_the_server_stands_still() -> None:
    driver = Driver(conduct="forfeit", timeouts=Timeouts(ready=5.0))
    driver.happen(Ready(W, 1.0), Away(B, 2.0))
    assert driver.happen(Hindered(6.0, 3.0)) == []
    assert driver.game.deadline == 8.0
    assert finished(driver.happen(Alarm(7.9), Back(B, 8.0), Ready(B, 8.0))) is None
    assert driver.game.phase is Phase.PLAYING


def test_a_side_forfeits_that_was_late_before_the_server_stood_still() -> None:
    driver = Driver(conduct="forfeit", timeouts=Timeouts(ready=5.0))
    driver.happen(Ready(W, 1.0), Away(B, 2.0))
    assert finished(driver.happen(Hindered(9.0, 3.0))) is not None


def test_who_leaves_before_the_game_begins_forfeits() -> None:
    effects = Driver(conduct="forfeit").happen(Left(W, 1.0, "quit"))
    assert effects[0] == happened(1, 0, EventKind.LEFT, W, text="quit")
    assert finished(effects) == ended(B, Reason.DISCONNECT, "White (Ada) left: quit")


def test_the_first_flag_loses() -> None:
    driver = playing("10", conduct="forfeit")
    assert finished(driver.happen(Alarm(10.0))) == ended(
        B, Reason.TIME, "the flag of White (Ada) fell at ply 1, after 10.000 s"
    )


def test_who_leaves_before_both_have_moved_loses() -> None:
    driver = playing(conduct="forfeit")
    assert finished(driver.happen(Left(W, 1.0, "quit"))) == ended(
        B, Reason.DISCONNECT, "White (Ada) left: quit"
    )


@pytest.mark.parametrize(("what", "winner"), [("win", W), ("draw", None)])
def test_the_absence_of_who_has_not_moved_is_claimed_like_any_other(
    what: str, winner: Side | None
) -> None:
    driver = playing(seats=(DI, CY), conduct="forfeit")
    driver.happen(Away(B, 10.0), Alarm(70.0))
    over = finished(driver.happen(Commanded(W, 80.0, Claim(what))))  # type: ignore[arg-type]
    assert over is not None
    assert (over.outcome.winner, over.outcome.reason) == (winner, Reason.DISCONNECT)


# The margin of a clock


def test_who_answers_within_the_margin_has_not_lost_on_time() -> None:
    driver = playing("10+2", conduct="white-margin=500")
    assert driver.game.deadline == 10.5
    (played,) = facts(driver.move("a", 10.4))
    assert isinstance(played, MovePlayed)
    assert (played.spent, played.left) == (10_400, 2_001)
    assert driver.game.deadline == 20.4


def test_who_does_not_loses_after_it() -> None:
    driver = playing("10+2", conduct="forfeit,white-margin=500")
    assert finished(driver.happen(Alarm(10.5))) == ended(
        B, Reason.TIME, "the flag of White (Ada) fell at ply 1, after 10.500 s"
    )


# The clock of who has not come

START = "game 42 start white Ada black Cy game toy time 300+3 rated no lag none"


def without_black(cut_off_at: float | None = None, **options: object) -> Driver:
    """Black went before it was ready, and the game begins without it at second 5."""
    options = {"seats": (ADA, CY), "timeouts": Timeouts(ready=5.0), **options}
    driver = Driver(conduct="absent-clock", **options)  # type: ignore[arg-type]
    driver.happen(Ready(W, 1.0), Away(B, 2.0, cut_off_at))
    return driver


def test_the_game_begins_without_who_is_not_ready_in_time() -> None:
    driver = without_black()
    effects = driver.happen(Alarm(5.0))
    driver.hand_over(effects, 5.0)
    assert effects[:3] == [
        happened(1, 0, EventKind.AWAY, B),
        Tell(W, lobby("game 42 opponent away claim-in 60000")),
        Cast((lobby("game 42 black line-down"),)),
    ]
    assert Tell(W, Go(300_000, 300_000, 3_000, 3_000)) in effects
    assert driver.game.phase is Phase.PLAYING
    assert {*driver.game.absent} == {B}
    driver.move("a", 7.0)
    assert driver.game.mover is B
    assert driver.game.thought(9.0) == 2.0


def test_who_comes_late_is_prepared_and_asked_with_the_time_that_is_left() -> None:
    driver = without_black()
    driver.hand_over(driver.happen(Alarm(5.0)), 5.0)
    driver.move("a", 7.0)
    option = SetOption("Hash", "16")
    effects = driver.happen(Back(B, 17.0, (option,)))
    assert effects[:2] == [Greet(B), happened(3, 1, EventKind.BACK, B)]
    assert told(effects, B) == [
        option,
        NewGame(),
        lobby(f"{START} conduct absent-clock"),
        Position(None, ("a",)),
        Go(301_000, 290_000, 3_000, 3_000),
    ]
    assert StartClock(B) in effects
    again = driver.happen(Away(B, 18.0), Back(B, 19.0, (option,)))
    assert NewGame() not in told(again, B)


@pytest.mark.parametrize("cut_off_at", [None, 2.0])
def test_who_comes_only_after_a_restart_is_prepared_then(cut_off_at: float | None) -> None:
    before = without_black(cut_off_at=cut_off_at)
    begun = before.happen(Alarm(5.0))
    before.hand_over(begun, 5.0)
    known = facts(begun) + facts(before.move("a", 7.0))
    after = Driver(conduct="absent-clock", seats=(ADA, CY), known=known)
    option = SetOption("Hash", "16")
    assert told(after.happen(Back(B, 1.0, (option,))), B)[:2] == [option, NewGame()]
    assert NewGame() not in told(after.happen(Back(W, 1.0, (option,))), W)


def test_who_never_came_while_the_server_prepared_the_game_is_prepared_by_the_next_one() -> None:
    before = Driver(seats=(ADA, CY))
    known = facts(before.happen(Ready(W, 1.0), Away(B, 2.0), Paused(3.0)))
    after = Driver(seats=(ADA, CY), known=known)
    after.hand_over(after.happen(Back(W, 1.0)), 1.0)
    after.move("a", 2.0)
    option = SetOption("Hash", "16")
    assert told(after.happen(Back(B, 3.0, (option,))), B)[:2] == [option, NewGame()]


def test_who_is_here_and_not_ready_is_asked_all_the_same() -> None:
    driver = Driver(conduct="absent-clock", timeouts=Timeouts(ready=5.0))
    driver.hand_over(driver.happen(Ready(B, 1.0), Alarm(5.0)), 5.0)
    assert driver.game.searching is W
    assert not driver.game.absent
    assert driver.game.running_since == 5.0


def test_what_comes_after_the_time_to_get_ready_meets_the_game_in_progress() -> None:
    driver = without_black()
    effects = driver.happen(Back(B, 6.0))
    assert [type(effect) for effect in effects].count(Greet) == 1
    assert driver.game.phase is Phase.PLAYING
    assert not driver.game.absent
    assert Position(None) in told(effects, B)


def test_a_pause_after_the_time_to_get_ready_is_recorded() -> None:
    kinds = [fact.what for fact in facts(without_black().happen(Paused(6.0)))]  # type: ignore[union-attr]
    assert kinds == [EventKind.AWAY, EventKind.PAUSED]


def test_who_does_not_come_within_its_grace_has_gone() -> None:
    driver = without_black()
    driver.hand_over(driver.happen(Alarm(5.0)), 5.0)
    driver.move("a", 7.0)
    assert driver.game.deadline == 65.0
    assert finished(driver.happen(Alarm(65.0))) == ended(
        None, Reason.ABORTED, "Black (Cy) did not come back within 60 s, before both had moved"
    )


# Disconnections


def drop(driver: Driver, side: Side, *times: float) -> None:
    for at in times:
        driver.hand_over(driver.happen(Away(side, at), Back(side, at + 1)), at + 1)


def test_the_disconnection_of_that_number_loses() -> None:
    driver = both_moved(conduct="disconnections=3")
    drop(driver, B, 2.5)
    drop(driver, W, 3.0, 5.0)
    effects = driver.happen(Away(W, 7.0))
    assert effects[0] == happened(9, 2, EventKind.AWAY, W)
    assert finished(effects) == ended(
        B, Reason.DISCONNECT, "White (Ada) lost the connection 3 times"
    )


def test_before_both_have_moved_it_aborts_the_game() -> None:
    driver = playing(conduct="disconnections=1")
    assert finished(driver.happen(Away(W, 7.0))) == ended(
        None, Reason.ABORTED, "White (Ada) lost the connection once, before both had moved"
    )


def test_what_a_server_brought_about_does_not_count() -> None:
    driver = both_moved(conduct="disconnections=1")
    assert finished(driver.happen(Away(W, 7.0, cut_off_at=6.0))) is None


def cut_off_before() -> Driver:
    """The server of White and Black sent them away while they got ready; Black is back."""
    driver = Driver(conduct="absent-clock,disconnections=2", timeouts=Timeouts(ready=5.0))
    driver.happen(Away(W, 2.0, cut_off_at=2.0), Away(B, 2.0, cut_off_at=2.0), Back(B, 3.0))
    return driver


def test_nor_does_what_it_brought_about_before_the_game_began() -> None:
    driver = cut_off_before()
    effects = driver.happen(Alarm(5.0))
    assert effects[0] == happened(1, 0, EventKind.AWAY, W, text="its server ended")
    driver.hand_over(effects, 5.0)
    assert driver.game.running_since is None
    assert finished(driver.happen(Back(W, 6.0), Away(W, 7.0))) is None
    assert finished(driver.happen(Back(W, 8.0), Away(W, 9.0))) is not None


def test_nor_does_it_after_a_restart() -> None:
    before = cut_off_before()
    after = Driver(conduct="absent-clock,disconnections=2", known=facts(before.happen(Alarm(5.0))))
    option = SetOption("Hash", "16")
    assert told(after.happen(Back(W, 1.0, (option,))), W)[:2] == [option, NewGame()]
    assert finished(after.happen(Away(W, 2.0))) is None


def test_who_loses_the_line_after_being_cut_off_while_getting_ready_has_lost_it() -> None:
    driver = cut_off_before()
    driver.happen(Back(W, 3.0), Away(W, 4.0))
    assert driver.happen(Alarm(5.0))[0] == happened(1, 0, EventKind.AWAY, W)


def test_the_disconnections_before_a_restart_count() -> None:
    before = both_moved(conduct="disconnections=2")
    known = [
        MovePlayed(42, 1, W, "a", 1000, 302_000, seq=1),
        MovePlayed(42, 2, B, "b", 1000, 302_000, seq=2),
        *facts(before.happen(Away(W, 3.0), Back(W, 4.0))),
        *facts(before.happen(Away(B, 5.0, cut_off_at=5.0), Back(B, 6.0))),
    ]
    after = Driver(conduct="disconnections=2", known=known)
    after.happen(Back(W, 1.0), Back(B, 1.0))
    assert finished(after.happen(Away(B, 2.0))) is None
    assert finished(after.happen(Away(W, 3.0))) is not None
