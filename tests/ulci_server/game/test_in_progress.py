"""While it is played: turns, illegal moves, words, and lines lost and found."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.driver import (
    ADA,
    BOB,
    CY,
    DI,
    B,
    Driver,
    W,
    both_moved,
    ended,
    finished,
    happened,
    lobby,
    playing,
    told,
)
from tests.support.toy import ToyPosition
from ulci.protocol.messages import (
    Abort,
    Blame,
    Clock,
    Draw,
    Go,
    Info,
    Position,
    Report,
    Resign,
    Stop,
    Takeback,
)
from ulci.rules import Legal, Outcome, Reason, Side
from ulci.rules import Position as Rules
from ulci_server.game import (
    Answered,
    Away,
    Back,
    Commanded,
    Event,
    EventKind,
    Game,
    GameFinished,
    GameStarted,
    Happened,
    Hindered,
    LagRule,
    Left,
    MovePlayed,
    Ready,
    Reported,
    Ruled,
    TakebackRuled,
    Timeouts,
)
from ulci_server.game.adjudication import Adjudication, Proved
from ulci_server.game.events import (
    Alarm,
    Announce,
    Cast,
    Dismiss,
    Effect,
    Judged,
    Note,
    Paused,
    ServerFailed,
    Settle,
    Show,
    StartClock,
    Tell,
    Turn,
)
from ulci_server.game.in_progress import MOST_ILLEGAL

# Turns


def test_the_turn_comes_from_the_rules_and_not_from_the_parity() -> None:
    driver = playing()
    effects = driver.move("again", 1.0)
    assert effects[1] == happened(
        2, 1, EventKind.AGAIN, W
    )  # or else nobody would know after a crash
    assert effects[3:] == [
        Tell(W, Position(None, ("again",))),
        Tell(W, Go(302_000, 300_000, 3_000, 3_000)),
        Show(B, (Position(None, ("again",)), Clock(302_000, 300_000, 3_000, 3_000))),
        Cast((Position(None, ("again",)), Clock(302_000, 300_000, 3_000, 3_000))),
        StartClock(W),
    ]
    assert driver.game.mover is W
    assert driver.game.deadline == 303.0


def test_black_begins_where_the_start_position_says_so() -> None:
    driver = playing(position=partial(ToyPosition, start="upside down", turn=B))
    assert driver.game.mover is B
    assert driver.game.searching is B
    assert driver.game.deadline == 300.0


def test_plies_are_counted_from_one() -> None:
    driver = playing()
    effects = [*driver.move("a", 1.0), *driver.move("again", 3.0), *driver.move("b", 6.0)]
    assert [effect.fact for effect in effects if isinstance(effect, Note)] == [
        MovePlayed(42, 1, W, "a", 1_000, 302_000, seq=1),
        MovePlayed(42, 2, B, "again", 2_000, 301_000, seq=2),
        Happened(42, 3, 2, EventKind.AGAIN, B),
        MovePlayed(42, 3, B, "b", 3_000, 301_000, seq=4),
    ]
    assert driver.game.moves == ["a", "again", "b"]


def test_no_clock_runs_between_a_move_and_the_go_that_follows_it() -> None:
    driver = playing()
    driver.answer("a", 1.0)
    assert driver.game.deadline == math.inf
    assert driver.happen(Alarm(1_000.0)) == []
    driver.game.handed_over(1_000.0)
    assert driver.game.deadline == 1_300.0


def test_a_clock_starts_once() -> None:
    driver = playing()
    driver.game.handed_over(2.0)
    assert driver.game.deadline == 300.0


def test_a_move_that_nobody_asked_for_is_not_played() -> None:
    driver = playing()
    answered = Answered(W, "a", 1.0)
    asked = driver.game.move(answered)
    assert isinstance(asked, Turn)
    assert driver.game.move(answered) == []
    assert driver.game.move(Answered(B, "b", 1.0)) == []  # its go is not handed over
    driver.game.handed_over(1.0)
    assert driver.game.move(answered) == []
    assert driver.game.searching is B
    assert driver.game.moves == driver.position.moves == ["a"]


def test_a_move_read_before_its_clock_was_started_cost_no_time() -> None:
    driver = playing()
    driver.hand_over(driver.answer("a", 1.0), 2.0)
    assert driver.answer("b", 1.5)[0] == Note(
        MovePlayed(42, 2, B, "b", 0, 303_000, seq=2, held=1_000)
    )


def test_what_was_never_a_clock_is_recorded_with_the_time_spent_alone() -> None:
    driver = playing("depth=8")
    effects = driver.move("a", 2.0)
    assert effects[0] == Note(MovePlayed(42, 1, W, "a", 2_000, None, seq=1))
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
    assert driver.answer("castle!", 10.0) == [
        Note(Reported(42, 0, W, "server", text)),
        Tell(W, Report(Blame.CLIENT, text)),
        Tell(W, Position()),
        Tell(W, Go(290_000, 300_000, 3_000, 3_000)),
        StartClock(W),
    ]
    driver.game.handed_over(11.0)
    assert driver.game.deadline == 300.0
    assert driver.game.searching is W
    assert driver.move("a", 20.0)[0] == Note(MovePlayed(42, 1, W, "a", 20_000, 283_000, seq=1))


def test_a_person_may_err_without_end_but_the_record_has_one() -> None:
    driver = playing()
    effects = [driver.move("castle!", 1 + number / 100) for number in range(2 * MOST_ILLEGAL)]
    assert sum(isinstance(effect, Note) for each in effects for effect in each) == MOST_ILLEGAL
    assert all(any(isinstance(said, Go) for said in told(each, W)) for each in effects)
    assert driver.move("a", 20.0)[0] == Note(MovePlayed(42, 1, W, "a", 20_000, 283_000, seq=1))


# Time


def test_a_flag_falls_by_itself_at_its_moment() -> None:
    driver = both_moved("60")
    assert driver.happen(Alarm(60.999)) == []
    effects = driver.happen(Alarm(61.0))
    assert finished(effects) == ended(
        B, Reason.TIME, "the flag of White (Ada) fell at ply 3, after 59.000 s"
    )
    assert effects[2] == Tell(W, Stop())
    assert effects[-1] == Dismiss(W)


def test_an_alarm_for_a_deadline_that_has_moved_means_nothing() -> None:
    driver = playing("60")
    driver.move("a", 1.0)
    assert driver.happen(Alarm(60.0)) == []


def test_a_movetime_may_be_exceeded_by_the_patience_for_it() -> None:
    driver = playing("movetime=1000", timeouts=Timeouts(overshoot=0.25))
    assert driver.game.deadline == 1.25
    assert finished(driver.happen(Alarm(1.25))) is not None


def test_a_move_that_came_in_time_counts_however_late_it_is_read() -> None:
    driver = playing("60")
    effects = driver.move("a", 75.0, late=15.5)
    assert effects[0] == Note(MovePlayed(42, 1, W, "a", 75_000, 500, seq=1, stall=15_500))
    assert driver.game.outcome is None


def test_a_move_that_came_after_the_flag_does_not_count_by_having_been_read_late() -> None:
    driver = both_moved("60")
    effects = driver.move("c", 76.0, late=14.9)
    assert finished(effects) == ended(
        B, Reason.TIME, "the flag of White (Ada) fell at ply 3, after 59.000 s"
    )


def test_an_answer_for_an_arbiter_may_be_read_late_too() -> None:
    driver = playing("60")
    driver.happen(Answered(W, "a", 75.0, late=15.5))
    effects = driver.judged("a", 80.0)
    assert effects[0] == Note(MovePlayed(42, 1, W, "a", 75_000, 500, seq=1, stall=15_500))


@pytest.mark.parametrize("elsewhere", [True, False])
def test_an_illegal_move_that_was_read_late_costs_a_person_no_more_than_its_thought(
    elsewhere: bool,
) -> None:
    driver = playing("60")
    if elsewhere:
        driver.happen(Answered(W, "castle!", 75.0, late=30.0))
        effects = driver.judged("castle!", 75.0)
        driver.hand_over(effects, 75.0)
    else:
        effects = driver.move("castle!", 75.0, late=30.0)
    assert Go(15_000, 60_000) in told(effects, W)
    assert driver.game.deadline == 90.0


def test_what_the_network_took_is_given_back_as_the_offer_said() -> None:
    driver = playing("60", lag=LagRule.QUOTA)
    effects = driver.answer("a", 1.0)
    driver.game.handed_over(1.0, (None, 0.25))
    assert driver.game.deadline == 61.25
    assert driver.move("b", 3.0)[0] == Note(
        MovePlayed(42, 2, B, "b", 2_000, 58_250, seq=2, lag=250)
    )
    assert effects


# The server's end


def test_a_game_that_is_paused_is_not_over_and_says_what_was_thought() -> None:
    driver = playing()
    assert driver.happen(Paused(7.5)) == [
        happened(1, 0, EventKind.PAUSED, W, 7_500),
        Settle(),
        Announce(lobby("game 42 paused")),
        Dismiss(None),
    ]
    assert driver.game.outcome is None
    assert driver.game.searching is None
    assert driver.game.deadline == math.inf
    assert driver.answer("a", 8.0) == []
    assert driver.happen(Commanded(B, 9.0, Resign()), Alarm(9_999.0)) == []
    assert driver.position.moves == []


def test_an_administrator_need_not_wait_for_an_arbiter_elsewhere() -> None:
    driver = playing()
    driver.happen(Answered(W, "a", 7.5))
    effects = driver.happen(Ruled(8.0, Outcome(None, Reason.ABORTED), "Boss aborted it: stuck"))
    assert finished(effects) is not None
    assert driver.judged("a", 9.0) == []


def test_a_pause_while_an_arbiter_judges_waits_for_nobody() -> None:
    driver = playing()
    driver.happen(Answered(W, "a", 7.5), Commanded(B, 8.0, Resign()))
    effects = driver.happen(Paused(99.0))
    assert effects[0] == happened(1, 0, EventKind.PAUSED, W, 7_500)
    assert driver.judged("a", 99.5) == []


@pytest.mark.parametrize(
    "event",
    [
        Commanded(B, 70.0, Draw()),
        Commanded(W, 70.0, Draw()),
        Away(B, 70.0),
        Hindered(70.0, 0.0),
        Paused(70.0),
    ],
)
def test_a_flag_that_is_held_falls_by_no_event_but_the_alarm(event: Event) -> None:
    driver = both_moved("60")
    driver.game.handle(event)
    assert driver.game.outcome == Outcome(B, Reason.TIME)
    driver = both_moved("60")
    driver.game.handle(event, flag_held=True)
    assert driver.game.outcome is None
    if not isinstance(event, Paused):
        driver.game.handle(Alarm(70.0))
        assert driver.game.outcome == Outcome(B, Reason.TIME)


def test_an_absence_that_is_over_ends_the_game_though_the_flag_is_held() -> None:
    driver = both_moved("60", timeouts=Timeouts(away=10))
    driver.happen(Away(B, 55.0))
    driver.game.handle(Commanded(W, 70.0, Draw()), flag_held=True)
    assert driver.game.outcome == Outcome(W, Reason.DISCONNECT)


def test_a_pause_after_the_flag_fell_ends_the_game_once() -> None:
    driver = playing("60")
    effects = driver.happen(Paused(60.5))
    assert finished(effects) is not None
    assert [effect for effect in effects if isinstance(effect, Dismiss)] == [Dismiss(W)]


# Resignations and aborts


@pytest.mark.parametrize("side", [W, B])
def test_anybody_may_resign_whoever_is_to_move(side: Side) -> None:
    effects = playing().happen(Commanded(side, 1.0, Resign()))
    assert finished(effects) is not None
    assert effects[-1] == Dismiss(W)


def test_who_resigns_while_the_record_is_awaited_leaves_the_asked_one_to_be_stopped() -> None:
    driver = playing()
    driver.answer("a", 1.0)  # its go stands behind the Settle
    effects = driver.happen(Commanded(W, 1.1, Resign()))
    assert finished(effects) == ended(B, Reason.RESIGNATION, "White (Ada) resigned")
    assert effects[2] == Tell(B, Stop())
    assert effects[-1] == Dismiss(B)
    driver.game.handed_over(1.2)
    assert driver.game.deadline == math.inf


def test_a_game_may_be_aborted_until_both_have_moved() -> None:
    driver = playing()
    driver.move("a", 1.0)
    assert finished(driver.happen(Commanded(W, 2.0, Abort()))) == ended(
        None, Reason.ABORTED, "White (Ada) aborted it"
    )


def test_a_game_in_which_both_have_moved_is_not_aborted() -> None:
    driver = playing()
    driver.move("a", 1.0)
    driver.move("b", 2.0)
    refusal = lobby("error abort-too-late both sides have moved: resign, or offer a draw")
    assert driver.happen(Commanded(B, 3.0, Abort())) == [Tell(B, refusal)]
    assert driver.game.outcome is None


def test_two_moves_of_one_side_are_not_moves_of_both() -> None:
    driver = playing()
    driver.move("again", 1.0)
    driver.move("again", 2.0)
    assert finished(driver.happen(Commanded(B, 3.0, Abort()))) is not None


@pytest.mark.parametrize(
    ("event", "end"),
    [
        (
            Ruled(1.0, Outcome(B, Reason.ADJUDICATION), "Cy: engine assistance"),
            ended(B, Reason.ADJUDICATION, "Cy: engine assistance"),
        ),
        (ServerFailed(1.0, "shutting down"), ended(None, Reason.SERVER, "shutting down")),
    ],
)
def test_what_else_ends_a_game(event: Event, end: GameFinished) -> None:
    assert finished(playing().happen(event)) == end


def test_a_game_that_is_over_stays_so() -> None:
    driver = playing()
    driver.happen(Commanded(W, 1.0, Resign()))
    outcome = driver.game.outcome
    events = [
        Commanded(B, 2.0, Resign()),
        Commanded(W, 2.0, Draw()),
        Commanded(W, 2.0, Abort()),
        Away(W, 2.0),
        Back(W, 2.0),
        Left(W, 2.0),
        ServerFailed(2.0, "late"),
        Judged(2.0, Legal("a")),
        Ready(W, 2.0),
        Alarm(9_999.0),
        Answered(W, "mate", 2.0),
    ]
    assert driver.happen(*events) == []
    assert driver.answer("mate", 2.0) == []
    driver.game.handed_over(2.0)
    assert driver.game.deadline == math.inf
    assert driver.position.moves == []
    assert driver.game.outcome is outcome
    assert driver.game.searching is None


# An arbiter elsewhere


def test_while_an_arbiter_elsewhere_judges_the_clock_stands_and_events_wait() -> None:
    driver = playing("60", seats=(CY, BOB))
    assert driver.happen(Answered(W, "a", 10.0)) == []
    assert driver.game.deadline == math.inf
    assert driver.game.searching is None
    assert driver.happen(Alarm(61.0), Commanded(B, 62.0, Draw())) == []
    assert driver.game.move(Answered(W, "b", 62.0)) == []
    effects = driver.judged("a", 63.0)
    assert effects[0] == Note(MovePlayed(42, 1, W, "a", 10_000, 50_000, seq=1))
    assert effects[-1] == Announce(lobby("game 42 offer draw from Bob"))


def test_a_person_judged_elsewhere_is_asked_again_with_the_time_of_its_answer() -> None:
    driver = playing("60")
    driver.happen(Answered(W, "castle!", 10.0))
    effects = driver.judged("castle!", 24.0)
    assert effects[2:] == [Tell(W, Position()), Tell(W, Go(50_000, 60_000)), StartClock(W)]
    driver.hand_over(effects, 25.0)
    assert driver.game.deadline == 75.0


def test_what_waited_for_a_verdict_that_ends_the_game_is_forgotten() -> None:
    driver = playing()
    driver.happen(Answered(W, "mate", 1.0), *[Commanded(B, 2.0, Draw())] * 5_000)
    effects = driver.judged("mate", 3.0)
    assert finished(effects) == ended(W, Reason.CHECKMATE)
    assert not any(isinstance(effect, Announce) for effect in effects[:-2])


def test_what_waited_is_taken_up_in_its_order_and_no_further_than_the_end() -> None:
    driver = playing()
    driver.happen(
        Answered(W, "a", 1.0),
        Commanded(B, 2.0, Draw()),
        Commanded(B, 3.0, Resign()),
        Commanded(W, 4.0, Draw()),
    )
    effects = driver.judged("a", 5.0)
    assert Announce(lobby("game 42 offer draw from Bob")) in effects
    assert finished(effects) == ended(W, Reason.RESIGNATION, "Black (Bob) resigned")


def test_an_answer_that_nobody_asked_for_is_not_judged() -> None:
    driver = playing()
    assert driver.happen(Answered(B, "a", 1.0)) == []
    assert driver.happen(Judged(1.5, Legal("a"))) == []  # of what was not judged
    assert driver.game.moves == []
    assert driver.game.searching is W
    assert driver.game.deadline == 300.0


def test_the_last_analysis_goes_into_the_record_with_its_move() -> None:
    info = Info(depth=12, nodes=99)
    assert playing().move("a", 1.0, info=info)[0] == Note(
        MovePlayed(42, 1, W, "a", 1_000, 302_000, info, seq=1)
    )


# One value


def turned(driver: Driver, move: str, at: float, **what: Any) -> Turn | list[Effect]:
    """What the game makes of the mover's answer, not unfolded."""
    return driver.game.move(Answered(driver.position.turn, move, at, **what))


def test_an_ordinary_move_is_one_value() -> None:
    driver = playing(lag=LagRule.QUOTA)
    info = Info(depth=9)
    clocks = Clock(300_500, 300_000, 3_000, 3_000)
    assert turned(driver, "a", 3.0, info=info, late=0.5) == Turn(
        MovePlayed(42, 1, W, "a", 3_000, 300_500, info, seq=1, stall=500),
        B,
        Position(None, ("a",)),
        Go(300_500, 300_000, 3_000, 3_000),
        clocks,
        (B,),
    )


def test_a_question_after_no_move_is_a_value_without_one() -> None:
    driver = both_moved()
    asked = driver.game.handle(TakebackRuled(5.0, 1, "a slip"))[-1]
    clocks = Clock(302_000, 299_000, 3_000, 3_000)
    go = Go(302_000, 299_000, 3_000, 3_000)
    assert asked == Turn(None, B, Position(None, ("a",)), go, clocks)


def draw_declined() -> Driver:
    driver = both_moved()
    driver.happen(Commanded(B, 3.0, Draw()))
    return driver


def takeback_declined() -> Driver:
    driver = both_moved()
    driver.happen(Commanded(W, 3.0, Takeback()))
    return driver


def absence_overdue() -> Driver:
    """Who decides what becomes of its opponent's absence has not been told that it may."""
    driver = both_moved(seats=(DI, BOB))
    driver.happen(Away(B, 3.0))
    assert driver.game.deadline == 63.0
    return driver


@pytest.mark.parametrize(
    ("begun", "move"),
    [(draw_declined, "c"), (takeback_declined, "c"), (both_moved, "again"), (absence_overdue, "c")],
)
def test_a_move_with_which_more_is_noted_or_told_comes_step_by_step(
    begun: Callable[[], Driver], move: str
) -> None:
    driver = begun()
    after = turned(driver, move, 70.0)
    assert isinstance(after, list)
    kinds = [type(effect) for effect in after]
    noted = [effect.fact for effect in after if isinstance(effect, Note)]
    assert isinstance(noted[0], MovePlayed)
    assert len(after) > 3  # more than the move, the record, the question
    assert kinds.count(Settle) == 1
    assert kinds.index(Note) < kinds.index(Settle)
    assert Note not in kinds[kinds.index(Settle) :]
    asked = after[-1]
    assert isinstance(asked, Turn)
    assert asked.played is None
    assert asked.position.moves == ("a", "b", move)


@pytest.mark.parametrize(
    ("move", "options", "reason"),
    [
        ("mate", {}, Reason.CHECKMATE),
        ("a", {"most_plies": 1}, Reason.ADJUDICATION),
        ("castle!", {"seats": (BOB, ADA)}, Reason.ILLEGAL_MOVE),
    ],
)
def test_a_move_that_ends_the_game_is_no_turn(
    move: str, options: dict[str, Any], reason: Reason
) -> None:
    driver = playing(**options)
    after = turned(driver, move, 1.0)
    assert isinstance(after, list)
    assert not any(isinstance(effect, Turn) for effect in after)
    end = finished(after)
    assert end is not None
    assert end.outcome.reason is reason


def test_nor_is_what_a_person_is_asked_again_for() -> None:
    after = turned(playing(), "castle!", 1.0)
    assert isinstance(after, list)
    assert not any(isinstance(effect, Turn) for effect in after)


@given(st.lists(st.tuples(st.sampled_from(["a", "b", "again"]), st.floats(0, 30)), max_size=12))
def test_a_move_leads_to_the_same_whoever_judges_it(moves: list[tuple[str, float]]) -> None:
    here, elsewhere, at = playing("60+1"), playing("60+1"), 0.0
    for number, (move, thought) in enumerate(moves):
        at += thought
        if number % 3 == 2:
            offers = [Commanded(here.game.mover.other, at, Draw())]
            assert here.happen(*offers) == elsewhere.happen(*offers)
        mover = here.game.mover
        judged = here.answer(move, at)
        due = elsewhere.happen(Answered(mover, move, at))
        if here.game.outcome is not None:  # the flag fell before
            assert due == judged
            return
        assert due + elsewhere.judged(move, at + 0.1) == judged
        at += 0.2
        here.hand_over(judged, at)
        elsewhere.hand_over(judged, at)
        assert elsewhere.game.clocks(at) == here.game.clocks(at)
        assert elsewhere.game.deadline == here.game.deadline


# What is asked of the position when it is needed


class Asked(ToyPosition):
    """Counts what is asked of it."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def claim(self) -> Reason | None:
        self.asked.append("claim")
        return super().claim()

    def can_win(self, side: Side) -> bool:
        self.asked.append("can_win")
        return super().can_win(side)


def test_what_only_a_claim_or_a_flag_needs_is_not_asked_for_every_move() -> None:
    driver = playing("60", position=Asked)
    position = driver.position
    assert isinstance(position, Asked)
    for move, at in zip("abcd", range(4), strict=True):
        driver.move(move, float(at))
    assert position.asked == []
    driver.happen(Commanded(W, 5.0, Draw()))
    assert position.asked == ["claim"]
    driver.happen(Alarm(999.0))
    assert position.asked == ["claim", "can_win"]


def test_tablebases_are_asked_of_legal_moves_only() -> None:
    asked: list[str] = []

    def prove(position: Rules) -> Proved:
        asked.append(position.fen())
        return Proved(W)

    game = Game(
        GameStarted(42, "toy", None, "60", (CY, BOB)),
        ToyPosition(),
        adjudication=Adjudication(tablebases=True, people=True),
        prove=prove,
    )
    game.begin(0.0)
    for side in Side:
        game.handle(Ready(side, 0.0))
    game.handed_over(0.0)
    game.move(Answered(W, "castle!", 1.0))
    game.handed_over(1.0)
    assert asked == []
    end = finished(list(game.move(Answered(W, "a", 2.0))))
    assert asked == ["a b"]
    assert end is not None
    assert end.outcome == Outcome(W, Reason.ADJUDICATION)


@pytest.mark.parametrize(
    ("move", "said", "why"),
    [
        ("0000", "invalid position", "no such letter; its program said: invalid position"),
        ("(none)", "x" * 300, f"no such letter; its program said: {'x' * 199}…"),
        ("0000", "", "no such letter"),
        ("castle!", "invalid position", "no such letter"),
    ],
)
def test_of_who_makes_no_move_the_record_has_the_words_of_its_program(
    move: str, said: str, why: str
) -> None:
    driver = playing(seats=(BOB, ADA))
    end = finished(list(turned(driver, move, 1.0, said=said)))
    assert end == ended(B, Reason.ILLEGAL_MOVE, f"White (Bob) played '{move}' in - w: {why}")
    elsewhere = playing(seats=(BOB, ADA))
    elsewhere.happen(Answered(W, move, 1.0, said=said))
    assert finished(elsewhere.judged(move, 1.0)) == end
