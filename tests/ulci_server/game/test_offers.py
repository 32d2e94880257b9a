"""What players agree on, claim and give each other while they play."""

from functools import partial

import pytest

from tests.support.driver import (
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
from ulci.protocol.messages import Claim, Clock, Draw, GiveTime, Go, Position, Stop, Takeback
from ulci.rules import Reason, Side
from ulci_server.game import (
    Answered,
    Away,
    Back,
    Commanded,
    Event,
    EventKind,
    Left,
    MovePlayed,
    TakebackRuled,
    TimeRuled,
)
from ulci_server.game.events import Alarm, Announce, Cast, Note, Settle, Show, StartClock, Tell

# Draws


def test_an_offer_is_announced_once_and_accepted_by_the_others() -> None:
    driver = playing()
    assert driver.happen(Commanded(B, 1.0, Draw())) == [
        happened(1, 0, EventKind.DRAW_OFFERED, B),
        Announce(lobby("game 42 offer draw from Bob")),
    ]
    again = lobby("error draw-offered your offer stands until your opponent moves or accepts")
    assert driver.happen(Commanded(B, 2.0, Draw())) == [Tell(B, again)]
    assert finished(driver.happen(Commanded(W, 3.0, Draw()))) == ended(
        None, Reason.AGREEMENT, "Black (Bob) offered a draw and White (Ada) accepted"
    )


def test_an_offer_outlives_the_move_of_who_made_it_and_the_others_move_declines_it() -> None:
    driver = playing()
    driver.happen(Commanded(W, 1.0, Draw()))
    assert not any(isinstance(effect, Announce) for effect in driver.move("a", 2.0))
    declined = driver.move("b", 3.0)
    assert declined[1:4] == [
        happened(4, 2, EventKind.DRAW_DECLINED, B),
        Settle(),
        Announce(lobby("game 42 decline draw from Bob")),
    ]
    offered = driver.happen(Commanded(B, 4.0, Draw()))
    assert offered[1:] == [Announce(lobby("game 42 offer draw from Bob"))]


def test_an_illegal_move_declines_nothing() -> None:
    driver = playing()
    driver.happen(Commanded(B, 1.0, Draw()))
    driver.move("castle!", 2.0)
    assert finished(driver.happen(Commanded(W, 3.0, Draw()))) is not None


def test_a_draw_that_the_rules_allow_is_claimed_by_the_same_word() -> None:
    driver = playing()
    driver.move("a", 1.0, claim=Reason.REPETITION)
    assert finished(driver.happen(Commanded(B, 2.0, Draw()))) == ended(
        None, Reason.REPETITION, "Black (Bob) claimed the draw"
    )


def test_a_claim_lasts_until_the_next_move() -> None:
    driver = playing(position=partial(ToyPosition, claimable=Reason.FIFTY_MOVES))
    driver.move("a", 1.0)
    offered = driver.happen(Commanded(W, 2.0, Draw()))
    assert offered[1:] == [Announce(lobby("game 42 offer draw from Ada"))]


def test_a_start_position_may_be_claimed_at_once() -> None:
    driver = playing(position=partial(ToyPosition, claimable=Reason.FIFTY_MOVES))
    assert finished(driver.happen(Commanded(B, 1.0, Draw()))) == ended(
        None, Reason.FIFTY_MOVES, "Black (Bob) claimed the draw"
    )


# Takebacks


def test_a_takeback_is_offered_up_to_ones_own_last_move_and_accepted_by_the_same_word() -> None:
    driver = both_moved()
    assert driver.happen(Commanded(W, 5.0, Takeback())) == [
        happened(3, 2, EventKind.TAKEBACK_OFFERED, W, 2),
        Announce(lobby("game 42 offer takeback 2 from Ada")),
    ]
    text = "by agreement of White (Ada) and Black (Bob)"
    effects = driver.happen(Commanded(B, 6.0, Takeback()))
    assert effects == [
        happened(4, 2, EventKind.TAKEN_BACK, W, 2, text),
        Tell(W, Stop()),
        Settle(),
        Announce(lobby("game 42 takeback 2 ply 0")),
        Tell(W, Position()),
        Tell(W, Go(299_000, 299_000, 3_000, 3_000)),
        Show(B, (Position(), Clock(299_000, 299_000, 3_000, 3_000))),
        Cast((Position(), Clock(299_000, 299_000, 3_000, 3_000))),
        StartClock(W),
    ]
    driver.hand_over(effects, 7.0)
    assert driver.game.moves == []
    assert driver.position.moves == []
    assert driver.game.deadline == 306.0


def test_who_moved_last_takes_back_one_ply_and_is_asked_instead_of_the_other() -> None:
    driver = both_moved()
    driver.happen(Commanded(B, 5.0, Takeback()))
    effects = driver.happen(Commanded(W, 6.0, Takeback()))
    assert told(effects, W)[0] == Stop()
    driver.hand_over(effects, 6.0)
    assert driver.game.searching is B
    assert driver.move("x", 7.0)[0] == Note(MovePlayed(42, 2, B, "x", 1_000, 301_000, seq=5))


def taken_back(driver: Driver, side: Side, at: float) -> None:
    """The side takes back its last move, with the opponent's consent, and is asked again."""
    driver.happen(Commanded(side, at, Takeback()))
    driver.hand_over(driver.happen(Commanded(side.other, at, Takeback())), at)


def test_nobody_gains_time_by_taking_back_the_same_move_again_and_again() -> None:
    driver = both_moved("60+10")
    for number in range(4):
        taken_back(driver, B, 10.0 + number)
        driver.hand_over(driver.move("b", 11.0 + number), 11.0 + number)
    left = driver.game.clocks(14.0).btime
    assert left == 60_000 - 5 * 1_000 + 10_000


def test_a_takeback_takes_the_next_session_back_with_the_move_that_began_it() -> None:
    driver = both_moved("1/20:40")
    assert driver.game.clocks(2.0).btime == 59_000
    taken_back(driver, B, 10.0)
    assert driver.game.clocks(10.0).btime == 19_000
    assert driver.game.clocks(10.0).wtime == 59_000


def test_the_answer_to_what_was_asked_before_is_not_taken_for_one_to_what_is_asked_now() -> None:
    driver = both_moved()
    driver.happen(Commanded(W, 5.0, Takeback()))
    effects = driver.happen(Commanded(B, 6.0, Takeback()))
    assert driver.game.searching is None  # the record and then the question come first
    assert driver.answer("c", 6.1) == []
    assert driver.position.moves == []
    driver.hand_over(effects, 7.0)
    assert driver.game.searching is W


def test_a_question_that_waits_for_the_record_is_stopped_and_starts_no_clock() -> None:
    driver = both_moved()
    asked = driver.answer("c", 3.0)
    driver.happen(TakebackRuled(3.1, 3, "Cy: a mistake"))
    driver.hand_over(asked, 4.0)
    assert driver.game.deadline == float("inf")
    driver.hand_over(asked, 5.0)
    assert driver.game.searching is W
    assert driver.game.mover is W


@pytest.mark.parametrize(
    ("plies", "why"),
    [
        (0, "error no-takeback so many moves were not made"),
        (3, "error no-takeback so many moves were not made"),
    ],
)
def test_only_moves_that_were_made_are_taken_back(plies: int, why: str) -> None:
    driver = both_moved()
    assert driver.happen(Commanded(W, 5.0, Takeback(plies))) == [Tell(W, lobby(why))]


def test_who_has_not_moved_has_nothing_to_take_back() -> None:
    driver = playing()
    driver.move("a", 1.0)
    why = lobby("error no-takeback there is no move of yours to take back")
    assert driver.happen(Commanded(B, 2.0, Takeback(1))) == [Tell(B, why)]


def test_the_same_offer_is_refused_and_another_one_takes_its_place() -> None:
    driver = both_moved()
    driver.happen(Commanded(W, 5.0, Takeback(2)))
    why = lobby("error takeback-offered your offer stands until your opponent answers")
    assert driver.happen(Commanded(W, 6.0, Takeback(2))) == [Tell(W, why)]
    driver.happen(Commanded(W, 7.0, Takeback(1)))
    assert Announce(lobby("game 42 takeback 1 ply 1")) in driver.happen(
        Commanded(B, 8.0, Takeback())
    )


@pytest.mark.parametrize("side", [W, B])
def test_an_offer_to_take_back_ends_with_any_move(side: Side) -> None:
    driver = both_moved()
    driver.happen(Commanded(side, 5.0, Takeback()))
    effects = driver.move("c", 6.0)
    assert effects[1:4] == [
        happened(5, 3, EventKind.TAKEBACK_DECLINED, W),
        Settle(),
        Announce(lobby("game 42 decline takeback from Ada")),
    ]
    assert not finished(effects)
    driver.happen(Commanded(side.other, 7.0, Takeback()))
    assert driver.game.moves == ["a", "b", "c"]


def test_a_takeback_ends_the_offer_of_a_draw_and_what_could_be_claimed() -> None:
    driver = both_moved()
    driver.move("c", 3.0, claim=Reason.REPETITION)
    driver.happen(TakebackRuled(4.0, 1, "Cy: a mistake"))
    offered = driver.happen(Commanded(B, 5.0, Draw()))
    assert Announce(lobby("game 42 offer draw from Bob")) in offered
    driver.happen(TakebackRuled(6.0, 1, "Cy: another"))
    assert finished(driver.happen(Commanded(W, 7.0, Draw()))) is None


def test_an_administrator_takes_back_what_there_is() -> None:
    driver = both_moved()
    effects = driver.happen(TakebackRuled(5.0, 9, "Cy: start again"))
    assert effects[0] == happened(3, 2, EventKind.TAKEN_BACK, None, 2, "Cy: start again")
    assert driver.happen(TakebackRuled(6.0, 1, "Cy: once more")) == []


def test_moves_of_a_side_that_moved_twice_go_back_to_it() -> None:
    driver = playing()
    driver.move("again", 1.0)
    driver.move("b", 2.0)
    driver.move("c", 3.0)
    driver.hand_over(driver.happen(TakebackRuled(4.0, 2, "Cy: so")), 4.0)
    assert driver.game.mover is W
    assert driver.game.moves == ["again"]


def test_what_is_said_while_an_arbiter_judges_is_heard_after_its_verdict() -> None:
    driver = both_moved()
    driver.happen(
        Answered(W, "c", 3.0), Commanded(B, 4.0, Takeback(1)), Commanded(B, 4.0, GiveTime(1_000))
    )
    effects = driver.judged("c", 5.0)
    lines = [effect.line for effect in effects if isinstance(effect, Announce)]
    assert lines == [
        lobby("game 42 offer takeback 1 from Bob"),
        lobby("game 42 givetime 1000 to white from Bob"),
    ]
    assert driver.game.moves == ["a", "b", "c"]


# Time


def test_a_gift_is_on_the_clock_at_once_and_everybody_sees_it() -> None:
    driver = both_moved()
    clocks = Clock(299_000, 317_000, 3_000, 3_000)
    assert driver.happen(Commanded(W, 5.0, GiveTime(15_000))) == [
        happened(3, 2, EventKind.TIME_GIVEN, B, 15_000, "Ada"),
        Settle(),
        Announce(lobby("game 42 givetime 15000 to black from Ada")),
        Show(W, (clocks,)),
        Show(B, (clocks,)),
        Cast((clocks,)),
    ]


def test_a_gift_to_who_thinks_puts_off_its_flag() -> None:
    driver = both_moved("60")
    driver.happen(Commanded(B, 5.0, GiveTime(15_000)))
    assert driver.game.deadline == 76.0
    assert driver.move("c", 70.0)[0] == Note(MovePlayed(42, 3, W, "c", 68_000, 6_000, seq=4))


@pytest.mark.parametrize("control", ["3days", "depth=8", "movetime=500000"])
def test_where_no_time_is_saved_none_is_given(control: str) -> None:
    driver = both_moved(control)
    why = lobby("error no-clock this game has no clock on which time could be given")
    assert driver.happen(Commanded(W, 5.0, GiveTime(15_000))) == [Tell(W, why)]
    assert driver.happen(TimeRuled(W, 5.0, 15_000, "Cy", "so")) == []


def test_no_clock_shows_more_than_an_engine_can_read() -> None:
    driver = both_moved()
    days = 24 * 86_400_000
    why = lobby("error too-much-time no clock shows more than 24 days")
    assert driver.happen(Commanded(W, 5.0, GiveTime(days))) == [Tell(W, why)]
    assert driver.happen(TimeRuled(B, 5.0, days, "Cy", "so")) == []
    assert driver.happen(Commanded(W, 5.0, GiveTime(days - 302_000))) != []


def test_an_administrator_gives_time_in_its_own_name() -> None:
    effects = both_moved().happen(TimeRuled(W, 5.0, 60_000, "Cy", "the line was down"))
    assert effects[0] == happened(3, 2, EventKind.TIME_GIVEN, W, 60_000, "Cy: the line was down")
    assert effects[2] == Announce(lobby("game 42 givetime 60000 to white from Cy"))


# Claims


NOTHING = lobby(
    "error no-claim there is nothing to claim: the opponent is here, or may still come back"
)


def waiting(*events: Event) -> Driver:
    """Di, who decides itself, is White and to move; Cy is gone since second 10."""
    driver = both_moved(seats=(DI, CY))
    driver.happen(Away(B, 10.0), *events)
    return driver


@pytest.mark.parametrize("what", ["win", "draw"])
def test_there_is_nothing_to_claim_of_who_is_here(what: str) -> None:
    claim = Commanded(W, 5.0, Claim(what))  # type: ignore[arg-type]
    assert both_moved().happen(claim) == [Tell(W, NOTHING)]


@pytest.mark.parametrize("what", ["win", "draw"])
def test_there_is_nothing_to_claim_of_who_may_still_come_back(what: str) -> None:
    claim = Commanded(W, 69.9, Claim(what))  # type: ignore[arg-type]
    assert waiting().happen(claim) == [Tell(W, NOTHING)]


def test_who_may_claim_is_told_once_and_the_game_waits_for_it() -> None:
    driver = waiting()
    assert driver.game.deadline == 70.0
    away = lobby("game 42 opponent away claim-in 0")
    assert driver.happen(Alarm(70.0)) == [Tell(W, away)]
    assert driver.game.deadline == 304.0
    assert driver.happen(Alarm(90.0)) == []


def test_a_win_may_be_claimed() -> None:
    assert finished(waiting(Alarm(70.0)).happen(Commanded(W, 80.0, Claim("win")))) == ended(
        W, Reason.DISCONNECT, "Black (Cy) did not come back within 60 s"
    )


def test_a_draw_may_be_claimed() -> None:
    assert finished(waiting(Alarm(70.0)).happen(Commanded(W, 80.0, Claim("draw")))) == ended(
        None,
        Reason.DISCONNECT,
        "Black (Cy) did not come back within 60 s, and White (Di) claimed a draw",
    )


def test_a_game_in_which_not_both_have_moved_is_claimed_away() -> None:
    driver = playing(seats=(DI, CY))
    driver.happen(Away(B, 10.0), Alarm(70.0))
    assert finished(driver.happen(Commanded(W, 80.0, Claim("win")))) == ended(
        None,
        Reason.ABORTED,
        "Black (Cy) did not come back within 60 s, before both had moved",
    )


def test_who_comes_back_before_the_claim_plays_on() -> None:
    driver = waiting(Alarm(70.0), Back(B, 90.0))
    assert driver.happen(Commanded(W, 91.0, Claim("win"))) == [Tell(W, NOTHING)]
    assert driver.game.outcome is None


def test_who_left_for_good_need_not_be_claimed_from() -> None:
    assert finished(waiting().happen(Left(B, 20.0, "quit"))) is not None


def test_the_draw_that_the_rules_allow_is_claimed_by_its_word_too() -> None:
    driver = playing()
    driver.move("a", 1.0, claim=Reason.REPETITION)
    assert driver.happen(Commanded(B, 2.0, Claim("win"))) == [Tell(B, NOTHING)]
    assert finished(driver.happen(Commanded(B, 3.0, Claim("draw")))) == ended(
        None, Reason.REPETITION, "Black (Bob) claimed the draw"
    )
