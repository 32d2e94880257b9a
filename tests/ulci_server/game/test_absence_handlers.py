"""Lines lost and found while a game is played, and what becomes of who stays away."""

import pytest
from msgspec.structs import replace

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
    facts,
    finished,
    happened,
    lobby,
    playing,
    told,
)
from ulci.protocol.messages import (
    Clock,
    Draw,
    Go,
    Lobby,
    NewGame,
    Position,
    SetOption,
    Stop,
    Takeback,
)
from ulci.rules import Reason, Side
from ulci_server.game import (
    Away,
    Back,
    Commanded,
    Event,
    EventKind,
    Hindered,
    Kicked,
    Left,
    MovePlayed,
    TakebackRuled,
)
from ulci_server.game.events import (
    Alarm,
    Cast,
    Dismiss,
    Greet,
    Note,
    Paused,
    Show,
    StartClock,
    Tell,
)


def test_who_is_away_may_come_back_while_the_clock_runs_on() -> None:
    driver = both_moved(seats=(ADA, CY))
    assert driver.happen(Away(W, 10.0)) == [
        happened(3, 2, EventKind.AWAY, W),
        Tell(B, lobby("game 42 opponent away claim-in 60000")),
        Cast((lobby("game 42 white line-down"),)),
    ]
    assert driver.game.deadline == 70.0
    assert driver.game.searching is None
    effects = driver.happen(Back(W, 20.0))
    assert effects == [
        Greet(W),
        happened(4, 2, EventKind.BACK, W),
        Tell(W, lobby("game 42 start white Ada black Cy game toy time 300+3 rated no lag none")),
        Tell(W, Position(None, ("a", "b"))),
        Tell(W, Go(284_000, 302_000, 3_000, 3_000)),
        StartClock(W),
        Tell(B, lobby("game 42 opponent back")),
        Cast((lobby("game 42 white back"),)),
    ]
    driver.hand_over(effects, 20.0)
    assert driver.game.deadline == 304.0
    assert driver.game.searching is W


def test_who_comes_back_while_the_other_thinks_is_shown_the_board() -> None:
    driver = both_moved()
    driver.happen(Away(B, 10.0), Commanded(W, 11.0, Draw()))
    assert driver.happen(Back(B, 12.0)) == [
        Greet(B),
        happened(5, 2, EventKind.BACK, B),
        Tell(B, lobby("game 42 start white Ada black Bob game toy time 300+3 rated no lag none")),
        Tell(B, lobby("game 42 offer draw from Ada")),
        Show(B, (Position(None, ("a", "b")), Clock(292_000, 302_000, 3_000, 3_000))),
        Tell(W, lobby("game 42 opponent back")),
        Cast((lobby("game 42 black back"),)),
    ]


def test_a_new_line_in_place_of_one_that_still_seemed_to_stand_is_told_all_the_same() -> None:
    driver = both_moved()
    effects = driver.happen(Back(W, 4.0))
    assert told(effects, W)[-1] == Go(300_000, 302_000, 3_000, 3_000)
    assert told(effects, B) == []


def test_who_comes_back_while_its_go_waits_is_asked_behind_all_that_it_must_know() -> None:
    driver = playing()
    driver.happen(Commanded(W, 0.5, Draw()))
    pending = driver.answer("a", 1.0)  # which goes to the old line, or to none
    effects = driver.happen(Away(B, 1.1), Back(B, 1.2))
    assert [type(message) for message in told(effects, B)] == [Lobby, Lobby, Position, Go]
    assert driver.game.searching is None  # nobody may answer what is not asked yet
    driver.hand_over(pending + effects, 1.3)
    assert driver.game.searching is B


def test_who_does_not_come_back_loses() -> None:
    driver = both_moved()
    driver.happen(Away(B, 10.0))
    effects = driver.happen(Alarm(70.0))
    assert finished(effects) == ended(
        W, Reason.DISCONNECT, "Black (Bob) did not come back within 60 s"
    )
    assert effects[-1] == Dismiss(W)


def test_who_comes_back_on_a_bad_line_may_try_again_but_not_for_ever() -> None:
    driver = both_moved()
    driver.happen(Away(B, 10.0))
    again = Tell(W, lobby("game 42 opponent away claim-in 60000"))
    assert driver.happen(Away(B, 50.0)) == [again]  # it was not heard of in between
    assert driver.game.deadline == 110.0
    driver.happen(Away(B, 100.0), Away(B, 150.0))
    assert driver.game.deadline == 190.0
    assert driver.happen(Away(B, 185.0)) == []  # nothing new, and nothing told
    assert finished(driver.happen(Alarm(190.0))) is not None


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
        B, Reason.TIME, "the flag of White (Ada) fell at ply 3, after 9.000 s"
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
    assert driver.answer("c", 10.0) == []


def test_the_first_to_come_back_waits_for_the_rest_of_the_others_grace() -> None:
    driver = both_moved()
    driver.happen(Away(W, 10.0), Away(B, 20.0), Back(W, 30.0))
    assert driver.game.deadline == 80.0


def test_in_correspondence_only_the_clock_counts_who_is_away() -> None:
    driver = both_moved("3days")
    assert driver.happen(Away(W, 10.0))[1] == Tell(B, lobby("game 42 opponent away"))
    assert driver.game.deadline == 2.0 + 3 * 86_400
    assert finished(driver.happen(Left(W, 11.0, "quit"))) is not None


# The server of one player was away


def test_the_clock_stands_of_who_was_cut_off_by_the_end_of_its_server() -> None:
    driver = both_moved()  # White thinks since second 2
    effects = driver.happen(Away(W, 10.0, 8.0))
    assert effects[0] == happened(3, 2, EventKind.AWAY, W, 6_000, "its server ended")
    assert driver.game.deadline == 70.0
    effects = driver.happen(Back(W, 30.0))
    assert Go(296_000, 302_000, 3_000, 3_000) in told(effects, W)
    driver.hand_over(effects, 30.0)
    [note] = [one for one in driver.move("c", 31.0) if isinstance(one, Note)]
    assert note == Note(MovePlayed(42, 3, W, "c", 7_000, 298_000, seq=5, held=22_000))


def test_it_stands_as_well_if_its_turn_comes_meanwhile() -> None:
    driver = both_moved()
    driver.happen(Away(B, 10.0, 8.0))
    driver.move("c", 11.0)
    assert driver.game.clocks(50.0).btime == 302_000
    assert driver.game.deadline == 70.0


def test_what_it_had_thought_is_known_to_the_next_server() -> None:
    old = playing()
    known = facts(old.opening) + facts(old.move("a", 1.0)) + facts(old.move("b", 2.0))
    known += facts(old.happen(Away(W, 10.0, 8.0)))
    driver = Driver(known=known, at=1_000.0)
    assert driver.game.clocks(1_030.0).wtime == 296_000


# The server itself was away


def resumed(control: str = "300+3", moves: str = "ab", **options: object) -> Driver:
    """Of the moves each took a second; the mover had thought for 5 s when the server ended, and
    another goes on at second 1000."""
    old = playing(control, **options)
    known = facts(old.opening)
    for at, move in enumerate(moves, 1):
        known += facts(old.move(move, float(at)))
    known += facts(old.happen(Paused(len(moves) + 5.0)))
    return Driver(control, known=known, at=1_000.0, downtime=12_300, **options)  # type: ignore[arg-type]


def test_nobody_is_there_yet_and_the_record_says_for_how_long_the_server_was_not() -> None:
    driver = resumed()
    text = "the server was away for 12.300 s"
    assert driver.opening == [
        happened(4, 2, EventKind.RESUMED, W, 5_000, text),
        Cast((Position(None, ("a", "b")), Clock(297_000, 302_000, 3_000, 3_000))),
    ]
    assert driver.game.searching is None
    assert driver.game.deadline == 1_060.0


def test_a_downtime_that_nobody_knows_is_told_as_unknown() -> None:
    known = facts(playing().opening)
    driver = Driver(known=known, at=1_000.0, downtime=None)
    [noted] = facts(driver.opening)
    assert noted.text == "the server was away for an unknown time"
    assert lobby("game 42 resumed") in told(driver.happen(Back(W, 1_001.0)), W)


def test_the_next_server_too_records_each_change_of_a_secret_and_nothing_else() -> None:
    seats = replace(ADA, key="old"), BOB
    driver = playing(seats=seats)
    known = [*facts(driver.opening), *facts(driver.move("a", 1.0))]
    known += facts(driver.happen(Back(W, 2.0, key="new")))
    assert happened(2, 1, EventKind.BACK, W, text="new").fact in known
    driver = Driver(seats=seats, known=known)
    assert happened(4, 1, EventKind.BACK, W) in driver.happen(Back(W, 1.0, key="new"))
    assert happened(5, 1, EventKind.BACK, W, text="old") in driver.happen(Back(W, 2.0, key="old"))


def test_the_movers_clock_stands_until_it_is_back() -> None:
    driver = resumed()
    effects = driver.happen(Back(W, 1_030.0))
    assert effects == [
        Greet(W),
        happened(5, 2, EventKind.BACK, W),
        Tell(W, lobby("game 42 start white Ada black Bob game toy time 300+3 rated no lag none")),
        Tell(W, lobby("game 42 resumed downtime 12300")),
        Tell(W, lobby("game 42 opponent away claim-in 30000")),
        Tell(W, Position(None, ("a", "b"))),
        Tell(W, Go(297_000, 302_000, 3_000, 3_000)),
        StartClock(W),
        Tell(B, lobby("game 42 opponent back")),
        Cast((lobby("game 42 white back"),)),
    ]
    driver.hand_over(effects, 1_030.0)
    driver.happen(Back(B, 1_031.0))
    assert driver.game.deadline == 1_327.0
    assert driver.move("c", 1_031.0)[0] == Note(MovePlayed(42, 3, W, "c", 6_000, 299_000, seq=7))


def test_it_stands_no_longer_than_the_movers_grace() -> None:
    driver = resumed("30")
    driver.happen(Back(B, 1_001.0))
    assert driver.game.deadline == 1_010.0
    driver = resumed("30")
    assert driver.happen(Alarm(1_010.0)) == []  # both are gone: now the clock decides
    assert driver.game.deadline == 1_010.0 + 24.0
    assert finished(driver.happen(Alarm(1_034.0))) == ended(
        B, Reason.TIME, "the flag of White (Ada) fell at ply 3, after 29.000 s"
    )


def test_who_comes_back_after_its_grace_finds_its_clock_running() -> None:
    driver = resumed(seats=(DI, CY))
    effects = driver.happen(Back(W, 1_070.0))
    assert Go(287_000, 302_000, 3_000, 3_000) in told(effects, W)
    driver.hand_over(effects, 1_070.0)
    driver.happen(Back(B, 1_070.0))
    assert driver.game.deadline == 1_357.0


def test_the_other_may_be_back_first_and_wins_if_the_mover_never_is() -> None:
    driver = resumed()
    effects = driver.happen(Back(B, 1_010.0))
    assert told(effects, B)[1:] == [
        lobby("game 42 resumed downtime 12300"),
        lobby("game 42 opponent away claim-in 50000"),
        Position(None, ("a", "b")),
        Clock(297_000, 302_000, 3_000, 3_000),
    ]
    assert driver.game.deadline == 1_060.0
    assert finished(driver.happen(Alarm(1_060.0))) == ended(
        B, Reason.DISCONNECT, "White (Ada) did not come back within 60 s"
    )


def test_who_decides_itself_is_told_and_the_movers_clock_runs() -> None:
    driver = resumed(seats=(CY, DI))
    driver.happen(Back(B, 1_010.0))
    away = Tell(B, lobby("game 42 opponent away claim-in 0"))
    assert driver.happen(Alarm(1_060.0)) == [away]
    assert driver.game.deadline == 1_060.0 + 297.0


def test_a_move_does_not_start_the_clock_of_who_has_had_no_time_to_come_back() -> None:
    driver = resumed(seats=(DI, CY))
    driver.hand_over(driver.happen(Back(W, 1_010.0)), 1_010.0)
    driver.move("c", 1_012.0)
    assert driver.game.mover is B
    assert driver.game.clocks(1_040.0).btime == 302_000
    driver.hand_over(driver.happen(Back(B, 1_040.0)), 1_040.0)
    assert driver.game.deadline == 1_342.0


def test_who_has_had_its_time_to_come_back_pays_from_when_it_is_asked_and_not_before() -> None:
    driver = resumed(seats=(DI, CY))
    driver.hand_over(driver.happen(Back(W, 1_010.0)), 1_010.0)
    driver.happen(Alarm(1_060.0))
    driver.move("c", 1_100.0)
    assert driver.game.deadline == 1_100.0 + 302.0


def test_the_clock_starts_when_the_last_of_two_questions_was_handed_over() -> None:
    driver = resumed()
    driver.hand_over(driver.happen(Back(W, 1_010.0)), 1_010.0)
    pending = driver.answer("c", 1_012.0)
    effects = driver.happen(Back(B, 1_013.0))
    assert lobby("game 42 resumed downtime 12300") in told(effects, B)
    driver.hand_over(pending + effects, 1_014.0)
    assert driver.game.deadline == 1_316.0


def test_moves_taken_back_start_no_clock_of_who_is_not_back() -> None:
    driver = resumed()
    effects = driver.happen(TakebackRuled(1_005.0, 1, "Cy: so"))
    assert Stop() not in told(effects, W)
    driver.hand_over(effects, 1_005.0)
    assert driver.game.mover is B
    assert driver.game.clocks(1_050.0).btime == 299_000


def test_who_has_days_for_a_move_has_no_more_of_them_for_the_servers_end() -> None:
    driver = resumed("3days")
    assert driver.game.deadline == 1_000.0
    driver.happen(Alarm(1_000.0))
    assert driver.game.deadline == 1_000.0 - 5.0 + 3 * 86_400


def test_where_there_is_no_clock_the_graces_decide() -> None:
    driver = resumed("depth=8")
    assert finished(driver.happen(Alarm(1_060.0))) == ended(
        None, Reason.ABORTED, "both players were gone and there was no clock to decide"
    )


def test_offers_are_told_again() -> None:
    old = both_moved()
    known = [
        *facts(old.opening),
        MovePlayed(42, 1, W, "a", 1_000, 302_000, seq=1),
        MovePlayed(42, 2, B, "b", 1_000, 302_000, seq=2),
    ]
    known += facts(
        old.happen(Commanded(B, 3.0, Draw()), Commanded(B, 4.0, Takeback()), Paused(5.0))
    )
    driver = Driver(known=known, at=1_000.0)
    lines = told(driver.happen(Back(W, 1_001.0)), W)
    assert lobby("game 42 offer draw from Bob") in lines
    assert lobby("game 42 offer takeback 1 from Bob") in lines


@pytest.mark.parametrize("side", [W, B])
def test_who_has_never_been_told_is_prepared_if_no_move_was_made(side: Side) -> None:
    option = SetOption("UCI_Chess960", "true")
    driver = resumed(moves="")
    assert told(driver.happen(Back(side, 1_001.0, (option,))), side)[:2] == [option, NewGame()]
    driver = resumed()
    assert option not in told(driver.happen(Back(side, 1_001.0, (option,))), side)


def test_a_server_may_end_twice_and_nobody_pays_for_it() -> None:
    first = resumed()
    known = [
        MovePlayed(42, 1, W, "a", 1_000, 302_000, seq=1),
        MovePlayed(42, 2, B, "b", 1_000, 302_000, seq=2),
        happened(3, 2, EventKind.PAUSED, W, 5_000).fact,
        *facts(first.opening),
    ]
    second = Driver(known=[*known], at=9_000.0, downtime=500)
    [resumption] = facts(second.opening)
    assert (
        resumption
        == happened(5, 2, EventKind.RESUMED, W, 5_000, "the server was away for 0.500 s").fact
    )
    known += facts(first.happen(Back(W, 1_010.0)))
    third = Driver(known=[*known], at=9_000.0, downtime=500, thought=2_000)
    [resumption] = facts(third.opening)
    assert (
        resumption
        == happened(6, 2, EventKind.RESUMED, W, 7_000, "the server was away for 0.500 s").fact
    )
    third.hand_over(third.happen(Back(W, 9_001.0)), 9_001.0)
    assert third.move("c", 9_002.0)[0] == Note(MovePlayed(42, 3, W, "c", 8_000, 297_000, seq=8))


def test_a_game_that_its_last_move_had_ended_is_ended() -> None:
    driver = Driver(known=[MovePlayed(42, 1, W, "mate", 1_000, 302_000, seq=1)])
    assert finished(driver.opening) == ended(W, Reason.CHECKMATE)
    assert driver.happen(Back(W, 1.0)) == []


def test_a_second_new_line_is_asked_anew_and_only_then_the_clock_runs() -> None:
    driver = both_moved()
    first = driver.happen(Back(W, 4.0))
    second = driver.happen(Back(W, 5.0))
    assert isinstance(told(second, W)[-1], Go)
    driver.hand_over(first + second, 6.0)
    assert driver.game.searching is W
    assert driver.game.deadline == 304.0


def test_who_could_not_come_back_while_the_server_stood_still_pays_nothing_for_it() -> None:
    driver = both_moved("60")
    driver.happen(Away(W, 3.0))
    before = driver.game.deadline
    assert driver.happen(Hindered(before + 5.0, 7.0)) == []
    assert driver.game.deadline == before + 7.0
    assert driver.game.clocks(10.0).wtime == 58_000  # from second 2 on, without those 7
    driver.happen(Back(W, before + 6.0))
    assert driver.game.outcome is None


def test_who_was_there_had_the_time_to_think_while_the_server_stood_still() -> None:
    driver = both_moved("60")
    before = driver.game.deadline
    driver.happen(Hindered(10.0, 7.0))
    assert driver.game.deadline == before


def test_moves_that_are_taken_back_stop_also_who_is_away() -> None:
    driver = both_moved("60")
    driver.happen(Away(W, 3.0))
    effects = driver.happen(TakebackRuled(4.0, 1, "by an administrator"))
    assert Tell(W, Stop()) in effects  # the question may still be on its way to a line that is new


def test_it_is_noted_who_sent_a_player_away() -> None:
    effects = playing().happen(Kicked(W, 5.0, "Root: spam"))
    assert effects == [happened(1, 0, EventKind.KICKED, W, 0, "Root: spam")]
