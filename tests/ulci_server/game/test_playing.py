"""While it is played: turns, illegal moves, words, and lines lost and found."""

import math

import pytest

from tests.support.driver import ADA, BOB, B, Driver, W, told
from tests.support.toy import ToyPosition
from ulci.protocol.messages import (
    Blame,
    Clock,
    Go,
    Info,
    Lobby,
    Position,
    Report,
    Stop,
)
from ulci.rules.outcome import Outcome, Reason, Side
from ulci_server.game import (
    AbortSaid,
    Alarm,
    Announce,
    Answered,
    Away,
    Back,
    ClockStarted,
    Dismiss,
    DrawSaid,
    Effect,
    Event,
    GameFinished,
    Left,
    MovePlayed,
    Note,
    Patience,
    Ready,
    Reported,
    Resigned,
    Seat,
    ServerFailed,
    Settle,
    Show,
    Stalled,
    StartClock,
    Tell,
)

CY = Seat("Cy", "human")


def lobby(text: str) -> Lobby:
    return Lobby(tuple(text.split()))


def playing(control: str = "300+3", **options: object) -> Driver:
    """White's clock runs since second 0."""
    driver = Driver(control, **options)  # type: ignore[arg-type]
    driver.play()
    return driver


def finished(effects: list[Effect]) -> GameFinished | None:
    """How the game ended, if it did."""
    facts = [effect.fact for effect in effects if isinstance(effect, Note)]
    ends = [fact for fact in facts if isinstance(fact, GameFinished)]
    return ends[0] if ends else None


def ended(winner: Side | None, reason: Reason, detail: str = "") -> GameFinished:
    return GameFinished(42, Outcome(winner, reason), detail)


# Turns


def test_the_turn_comes_from_the_rules_and_not_from_the_parity() -> None:
    driver = playing()
    assert driver.move("again", 1.0)[2:] == [
        Tell(W, Position(None, ("again",))),
        Tell(W, Go(302_000, 300_000, 3_000, 3_000)),
        Show(B, (Position(None, ("again",)), Clock(302_000, 300_000, 3_000, 3_000))),
        StartClock(W),
    ]
    assert driver.game.mover is W
    assert driver.game.deadline == 303.0


def test_black_begins_where_the_start_position_says_so() -> None:
    driver = playing(position=ToyPosition(start="upside down", turn=B))
    assert driver.game.mover is B
    assert driver.game.searching is B
    assert driver.game.deadline == 300.0


def test_plies_are_counted_from_one() -> None:
    driver = playing()
    effects = [*driver.move("a", 1.0), *driver.move("again", 3.0), *driver.move("b", 6.0)]
    assert [effect.fact for effect in effects if isinstance(effect, Note)] == [
        MovePlayed(42, 1, W, "a", 1_000, 302_000),
        MovePlayed(42, 2, B, "again", 2_000, 301_000),
        MovePlayed(42, 3, B, "b", 3_000, 301_000),
    ]
    assert driver.game.moves == ("a", "again", "b")


def test_no_clock_runs_between_a_move_and_the_go_that_follows_it() -> None:
    driver = playing()
    driver.game.handle(driver.judge("a", 1.0))
    assert driver.game.deadline == math.inf
    assert driver.happen(Alarm(1_000.0)) == []
    assert driver.happen(ClockStarted(B, 1_000.0)) == []
    assert driver.game.deadline == 1_300.0


@pytest.mark.parametrize("event", [ClockStarted(B, 2.0), ClockStarted(W, 2.0)])
def test_a_clock_starts_once_and_for_the_mover_only(event: ClockStarted) -> None:
    driver = playing()
    driver.happen(event)
    assert driver.game.deadline == 300.0


def test_a_move_that_nobody_asked_for_is_not_played() -> None:
    driver = playing()
    unasked = driver.judge("a", 1.0)
    driver.happen(unasked)
    assert driver.happen(unasked) == []
    assert driver.game.searching is B


def test_a_move_read_before_its_clock_was_started_cost_no_time() -> None:
    driver = playing()
    driver.game.handle(driver.judge("a", 1.0))
    assert driver.game.handle(driver.judge("b", 1.5))[0] == Note(
        MovePlayed(42, 2, B, "b", 0, 303_000)
    )


def test_what_was_never_a_clock_is_recorded_with_the_time_spent_alone() -> None:
    driver = playing("depth=8")
    effects = driver.move("a", 2.0)
    assert effects[0] == Note(MovePlayed(42, 1, W, "a", 2_000, None))
    assert told(effects, B) == [Position(None, ("a",)), Go(depth=8)]
    assert told(effects, W) == [Position(None, ("a",)), Clock()]
    assert driver.game.deadline == math.inf


# Illegal moves


def test_an_engine_loses_by_an_illegal_move_with_the_evidence() -> None:
    driver = playing()
    driver.move("a", 1.0)
    effects = driver.move("castle!", 2.0)
    assert finished(effects) == ended(
        W, Reason.ILLEGAL_MOVE, "Black (Bob) played 'castle!' in a b: no such letter"
    )
    assert effects[-1] == Dismiss(None)
    assert Stop() not in told(effects, B)


def test_a_person_is_told_and_asked_again_the_clock_running_on() -> None:
    driver = playing()
    text = "illegal move 'castle!': no such letter"
    assert driver.happen(driver.judge("castle!", 10.0)) == [
        Note(Reported(42, 0, W, "server", text)),
        Tell(W, Report(Blame.CLIENT, text)),
        Tell(W, Position()),
        Tell(W, Go(290_000, 300_000, 3_000, 3_000)),
    ]
    assert driver.game.deadline == 300.0
    assert driver.game.searching is W
    assert driver.move("a", 20.0)[0] == Note(MovePlayed(42, 1, W, "a", 20_000, 283_000))


# Time


def test_a_flag_falls_by_itself_at_its_moment() -> None:
    driver = playing("60")
    assert driver.happen(Alarm(59.999)) == []
    effects = driver.happen(Alarm(60.0))
    assert finished(effects) == ended(B, Reason.TIME, "the flag of White (Ada) fell at ply 1")
    assert effects[2] == Tell(W, Stop())
    assert effects[-1] == Dismiss(W)


def test_an_alarm_for_a_deadline_that_has_moved_means_nothing() -> None:
    driver = playing("60")
    driver.move("a", 1.0)
    assert driver.happen(Alarm(60.0)) == []


def test_a_movetime_may_be_exceeded_by_the_patience_for_it() -> None:
    driver = playing("movetime=1000", patience=Patience(overshoot=0.25))
    assert driver.game.deadline == 1.25
    assert finished(driver.happen(Alarm(1.25))) is not None


# Resignation, draws, aborts


@pytest.mark.parametrize("side", [W, B])
def test_anybody_may_resign_whoever_is_to_move(side: Side) -> None:
    effects = playing().happen(Resigned(side, 1.0))
    assert finished(effects) is not None
    assert effects[-1] == Dismiss(W)


def test_who_resigns_while_the_record_is_awaited_leaves_the_asked_one_to_be_stopped() -> None:
    driver = playing()
    driver.game.handle(driver.judge("a", 1.0))  # its go stands behind the Settle
    effects = driver.happen(Resigned(W, 1.1))
    assert finished(effects) == ended(B, Reason.RESIGNATION, "White (Ada) resigned")
    assert effects[2] == Tell(B, Stop())
    assert effects[-1] == Dismiss(B)
    assert driver.happen(ClockStarted(B, 1.2)) == []
    assert driver.game.deadline == math.inf


def test_an_offer_is_announced_once_and_accepted_by_the_others() -> None:
    driver = playing()
    assert driver.happen(DrawSaid(B, 1.0)) == [Announce(lobby("game 42 offer draw from Bob"))]
    again = lobby("error draw-offered your offer stands until your opponent moves or accepts")
    assert driver.happen(DrawSaid(B, 2.0)) == [Tell(B, again)]
    assert finished(driver.happen(DrawSaid(W, 3.0))) == ended(
        None, Reason.AGREEMENT, "Black (Bob) offered a draw and White (Ada) accepted"
    )


def test_an_offer_outlives_the_move_of_who_made_it_and_the_others_move_declines_it() -> None:
    driver = playing()
    driver.happen(DrawSaid(W, 1.0))
    assert not any(isinstance(effect, Announce) for effect in driver.move("a", 2.0))
    declined = driver.move("b", 3.0)
    assert declined[1:3] == [Settle(), Announce(lobby("game 42 decline draw from Bob"))]
    assert driver.happen(DrawSaid(B, 4.0)) == [Announce(lobby("game 42 offer draw from Bob"))]


def test_an_illegal_move_declines_nothing() -> None:
    driver = playing()
    driver.happen(DrawSaid(B, 1.0))
    driver.move("castle!", 2.0)
    assert finished(driver.happen(DrawSaid(W, 3.0))) is not None


def test_a_draw_that_the_rules_allow_is_claimed_by_the_same_word() -> None:
    driver = playing()
    driver.move("a", 1.0, claim=Reason.REPETITION)
    assert finished(driver.happen(DrawSaid(B, 2.0))) == ended(
        None, Reason.REPETITION, "Black (Bob) claimed the draw"
    )


def test_a_claim_lasts_until_the_next_move() -> None:
    driver = playing(position=ToyPosition(claimable=Reason.FIFTY_MOVES))
    driver.move("a", 1.0)
    assert driver.happen(DrawSaid(W, 2.0)) == [Announce(lobby("game 42 offer draw from Ada"))]


def test_a_start_position_may_be_claimed_at_once() -> None:
    driver = playing(position=ToyPosition(claimable=Reason.FIFTY_MOVES))
    assert finished(driver.happen(DrawSaid(B, 1.0))) == ended(
        None, Reason.FIFTY_MOVES, "Black (Bob) claimed the draw"
    )


def test_a_game_may_be_aborted_until_both_have_moved() -> None:
    driver = playing()
    driver.move("a", 1.0)
    assert finished(driver.happen(AbortSaid(W, 2.0))) == ended(
        None, Reason.ABORTED, "White (Ada) aborted it"
    )


def test_a_game_in_which_both_have_moved_is_not_aborted() -> None:
    driver = playing()
    driver.move("a", 1.0)
    driver.move("b", 2.0)
    refusal = lobby("error abort-too-late both sides have moved: resign, or offer a draw")
    assert driver.happen(AbortSaid(B, 3.0)) == [Tell(B, refusal)]
    assert driver.game.outcome is None


def test_two_moves_of_one_side_are_not_moves_of_both() -> None:
    driver = playing()
    driver.move("again", 1.0)
    driver.move("again", 2.0)
    assert finished(driver.happen(AbortSaid(B, 3.0))) is not None


@pytest.mark.parametrize(
    ("event", "end"),
    [
        (
            Stalled(W, 1.0, "no readyok"),
            ended(B, Reason.STALL, "White (Ada) stalled: no readyok"),
        ),
        (ServerFailed(1.0, "shutting down"), ended(None, Reason.SERVER, "shutting down")),
    ],
)
def test_what_else_ends_a_game(event: Event, end: GameFinished) -> None:
    assert finished(playing().happen(event)) == end


def test_a_game_that_is_over_stays_so() -> None:
    driver = playing()
    driver.happen(Resigned(W, 1.0))
    outcome = driver.game.outcome
    events = [
        Resigned(B, 2.0),
        DrawSaid(W, 2.0),
        AbortSaid(W, 2.0),
        Away(W, 2.0),
        Back(W, 2.0),
        Left(W, 2.0),
        Stalled(B, 2.0, "silent"),
        ServerFailed(2.0, "late"),
        ClockStarted(W, 2.0),
        Ready(W, 2.0),
        Alarm(9_999.0),
        driver.judge("mate", 2.0),
    ]
    assert driver.happen(*events) == []
    assert driver.game.outcome is outcome
    assert driver.game.searching is None


# Lines lost and found


def both_moved(control: str = "300+3", **options: object) -> Driver:
    """White is to move since second 2, as the third ply."""
    driver = playing(control, **options)
    driver.move("a", 1.0)
    driver.move("b", 2.0)
    return driver


def test_who_is_away_may_come_back_while_the_clock_runs_on() -> None:
    driver = both_moved(seats=(ADA, CY))
    assert driver.happen(Away(W, 10.0)) == [Tell(B, lobby("game 42 opponent away claim-in 60000"))]
    assert driver.game.deadline == 70.0
    assert driver.game.searching is None
    effects = driver.happen(Back(W, 20.0))
    assert effects == [
        Tell(W, lobby("game 42 start white Ada black Cy game toy time 300+3 rated no")),
        Tell(W, Position(None, ("a", "b"))),
        Tell(W, Go(284_000, 302_000, 3_000, 3_000)),
        Tell(B, lobby("game 42 opponent back")),
    ]
    assert driver.game.deadline == 304.0
    assert driver.game.searching is W


def test_who_comes_back_while_the_other_thinks_is_shown_the_board() -> None:
    driver = both_moved()
    driver.happen(Away(B, 10.0), DrawSaid(W, 11.0))
    assert driver.happen(Back(B, 12.0)) == [
        Tell(B, lobby("game 42 start white Ada black Bob game toy time 300+3 rated no")),
        Tell(B, lobby("game 42 offer draw from Ada")),
        Show(B, (Position(None, ("a", "b")), Clock(292_000, 302_000, 3_000, 3_000))),
        Tell(W, lobby("game 42 opponent back")),
    ]


def test_a_new_line_in_place_of_one_that_still_seemed_to_stand_is_told_all_the_same() -> None:
    driver = both_moved()
    effects = driver.happen(Back(W, 4.0))
    assert told(effects, W)[-1] == Go(300_000, 302_000, 3_000, 3_000)
    assert told(effects, B) == []


def test_who_comes_back_while_its_go_waits_for_the_record_is_asked_only_once() -> None:
    driver = playing()
    pending = driver.game.handle(driver.judge("a", 1.0))
    effects = driver.happen(Away(B, 1.1), Back(B, 1.2))
    assert [type(message) for message in told(pending + effects, B)].count(Go) == 1
    assert driver.game.searching is B


def test_who_does_not_come_back_loses() -> None:
    driver = both_moved()
    driver.happen(Away(B, 10.0))
    assert driver.happen(Away(B, 50.0)) == []  # the grace is not begun anew
    effects = driver.happen(Alarm(70.0))
    assert finished(effects) == ended(
        W, Reason.DISCONNECT, "Black (Bob) did not come back within 60 s"
    )
    assert effects[-1] == Dismiss(W)


def test_who_is_away_when_the_game_ends_owes_no_answer() -> None:
    driver = both_moved()
    driver.happen(Away(W, 10.0))
    effects = driver.happen(Alarm(70.0))
    assert Stop() not in told(effects, W)
    assert effects[-1] == Dismiss(None)


def test_who_leaves_loses_at_once() -> None:
    assert finished(both_moved().happen(Left(W, 10.0, "quit"))) == ended(
        B, Reason.DISCONNECT, "White (Ada) left: quit"
    )


@pytest.mark.parametrize("events", [(Left(W, 3.0, "quit"),), (Away(W, 3.0), Left(W, 4.0, "quit"))])
def test_before_both_have_moved_nobody_loses_by_leaving(events: tuple[Event, ...]) -> None:
    driver = playing()
    driver.move("a", 1.0)
    assert finished(driver.happen(*events)) == ended(
        None, Reason.ABORTED, "White (Ada) left: quit, before both had moved"
    )


def test_a_flag_falls_for_who_is_away_too() -> None:
    driver = both_moved("10")
    driver.happen(Away(W, 3.0))
    assert driver.game.deadline == 11.0
    assert finished(driver.happen(Alarm(11.0))) == ended(
        B, Reason.TIME, "the flag of White (Ada) fell at ply 3"
    )


def test_who_comes_back_after_the_grace_comes_too_late() -> None:
    driver = both_moved()
    driver.happen(Away(B, 10.0))
    assert finished(driver.happen(Back(B, 70.5))) == ended(
        W, Reason.DISCONNECT, "Black (Bob) did not come back within 60 s"
    )


def test_the_first_to_come_back_finds_the_others_grace_over() -> None:
    driver = both_moved()
    driver.happen(Away(W, 10.0), Away(B, 20.0))
    assert finished(driver.happen(Back(W, 100.0))) == ended(
        W, Reason.DISCONNECT, "Black (Bob) did not come back within 60 s"
    )


def test_the_answer_of_a_line_that_is_lost_is_not_played() -> None:
    driver = both_moved()
    driver.happen(Away(W, 10.0))
    assert driver.happen(driver.judge("c", 10.0)) == []


def test_the_first_to_come_back_waits_for_the_rest_of_the_others_grace() -> None:
    driver = both_moved()
    driver.happen(Away(W, 10.0), Away(B, 20.0), Back(W, 30.0))
    assert driver.game.deadline == 80.0


def test_in_correspondence_only_the_clock_counts_who_is_away() -> None:
    driver = both_moved("3days")
    assert driver.happen(Away(W, 10.0)) == [Tell(B, lobby("game 42 opponent away"))]
    assert driver.game.deadline == 2.0 + 3 * 86_400
    assert finished(driver.happen(Left(W, 11.0, "quit"))) is not None


# An arbiter elsewhere


def test_while_an_arbiter_elsewhere_judges_the_clock_stands_and_events_wait() -> None:
    driver = playing("60", seats=(CY, BOB))
    assert driver.happen(Answered(W, 10.0)) == []
    assert driver.game.deadline == math.inf
    assert driver.game.searching is None
    assert driver.happen(Alarm(61.0), DrawSaid(B, 62.0)) == []
    effects = driver.happen(driver.judge("a", 10.0))
    assert effects[0] == Note(MovePlayed(42, 1, W, "a", 10_000, 50_000))
    assert effects[-1] == Announce(lobby("game 42 offer draw from Bob"))


def test_a_person_judged_elsewhere_is_asked_again_with_the_time_of_its_answer() -> None:
    driver = playing("60")
    driver.happen(Answered(W, 10.0))
    effects = driver.happen(driver.judge("castle!", 10.0))
    assert effects[2:] == [Tell(W, Position()), Tell(W, Go(50_000, 60_000)), StartClock(W)]
    driver.hand_over(effects, 25.0)
    assert driver.game.deadline == 75.0


def test_what_waited_for_a_verdict_that_ends_the_game_is_forgotten() -> None:
    driver = playing()
    driver.happen(Answered(W, 1.0), *[DrawSaid(B, 2.0)] * 5_000)
    effects = driver.happen(driver.judge("mate", 1.0))
    assert finished(effects) == ended(W, Reason.CHECKMATE)
    assert not any(isinstance(effect, Announce) for effect in effects[:-2])


def test_what_waited_is_taken_up_in_its_order_and_no_further_than_the_end() -> None:
    driver = playing()
    driver.happen(Answered(W, 1.0), DrawSaid(B, 2.0), Resigned(B, 3.0), DrawSaid(W, 4.0))
    effects = driver.happen(driver.judge("a", 1.0))
    assert Announce(lobby("game 42 offer draw from Bob")) in effects
    assert finished(effects) == ended(W, Reason.RESIGNATION, "Black (Bob) resigned")


def test_an_answer_that_nobody_asked_for_is_not_judged() -> None:
    driver = playing()
    assert driver.happen(Answered(B, 1.0)) == []
    assert driver.game.searching is W
    assert driver.game.deadline == 300.0


def test_the_last_analysis_goes_into_the_record_with_its_move() -> None:
    info = Info(depth=12, nodes=99)
    assert playing().move("a", 1.0, info=info)[0] == Note(
        MovePlayed(42, 1, W, "a", 1_000, 302_000, info)
    )
