"""What an engine searches, and for whom."""

import math

import pytest

from ulci.protocol.messages import BestMove, Go, Position, Stop
from ulci.rules import Side
from ulci_client.bridge.search import SearchPhase, SearchState, ServerSearch
from ulci_client.bridge.watchdog import Deadlines

START = Position()
E4_E5 = Position(None, ("e2e4", "e7e5"))
E4_C5 = Position(None, ("e2e4", "c7c5"))
GO = Go(60_000, 60_000, 1_000, 1_000)
LATER = Go(58_000, 59_000, 1_000, 1_000)
E4 = BestMove("e2e4", "e7e5")


@pytest.fixture
def deadlines() -> Deadlines:
    return Deadlines(10.0)


@pytest.fixture
def thinking(deadlines) -> SearchState:
    """White's engine, which waits."""
    thinking = SearchState(deadlines)
    thinking.side = Side.WHITE
    thinking.engine_back(0.0)
    return thinking


@pytest.fixture
def pondering(thinking) -> SearchState:
    """It found e2e4 in 3 s, and ponders on e7e5."""
    thinking.begin(ServerSearch(START, GO, 0.0))
    asked = thinking.answered(E4)
    ponder = Go(58_000, 60_000, 1_000, 1_000, ponder=True)
    assert thinking.ponder(asked, E4, 3.0) == [E4_E5, ponder]
    assert thinking.phase is SearchPhase.PONDERING
    return thinking


def test_a_search_begins_with_its_position_and_ends_with_its_answer(thinking, deadlines):
    search = ServerSearch(START, GO, 5.0)
    assert thinking.begin(search) == [START, GO]
    assert (thinking.phase, deadlines.due) == (SearchPhase.THINKING, 35.0)  # half of its clock
    assert thinking.answered(E4) is search
    assert (thinking.phase, deadlines.due) == (SearchPhase.IDLE, math.inf)


def test_a_search_is_stopped_once(thinking, deadlines):
    thinking.begin(ServerSearch(START, GO, 0.0))
    assert thinking.stop(2.0) == [Stop()]
    assert thinking.stop(3.0) == []
    assert deadlines.due == 12.0


def test_what_was_expected_is_a_hit_and_the_server_awaits_the_answer(pondering):
    search = ServerSearch(E4_E5, LATER, 4.0)
    assert pondering.hit(search)
    assert pondering.phase is SearchPhase.THINKING
    assert pondering.answered(BestMove("g1f3")) is search


@pytest.mark.parametrize(
    "search",
    [ServerSearch(E4_C5, LATER, 4.0), ServerSearch(E4_E5, Go(58_000, 59_000, depth=3), 4.0)],
)
def test_any_other_move_abandons_the_ponder_search(pondering, search, deadlines):
    assert not pondering.hit(search)
    assert pondering.abandon(4.0) == [Stop()]
    assert (pondering.phase, deadlines.due) == (SearchPhase.STOPPING, 14.0)
    pondering.thrown_away()
    assert (pondering.phase, deadlines.due) == (SearchPhase.IDLE, math.inf)


@pytest.mark.parametrize("end", [lambda it: it.stop(1.0), lambda it: it.game_over(1.0)])
def test_nothing_is_pondered_after_a_search_that_was_stopped_or_counts_no_more(thinking, end):
    thinking.begin(ServerSearch(START, GO, 0.0))
    end(thinking)
    assert thinking.ponder(thinking.answered(E4), E4, 2.0) == []
    assert thinking.phase is SearchPhase.IDLE


def test_where_no_move_is_expected_nothing_is_pondered(thinking):
    thinking.begin(ServerSearch(START, GO, 0.0))
    answer = BestMove("e2e4")
    assert thinking.ponder(thinking.answered(answer), answer, 2.0) == []
    assert thinking.phase is SearchPhase.IDLE


def test_the_end_of_the_game_ends_the_pondering(pondering):
    assert pondering.game_over(4.0) == [Stop()]
    assert pondering.phase is SearchPhase.STOPPING


# The line breaks


def test_a_search_outlives_the_line_and_is_resumed_by_the_same_question(thinking):
    thinking.begin(ServerSearch(START, GO, 0.0))
    assert thinking.line_lost(1.0) == []
    assert thinking.phase is SearchPhase.ADRIFT
    assert not thinking.resume(ServerSearch(E4_E5, LATER, 2.0))
    assert thinking.resume(ServerSearch(START, LATER, 2.0))
    assert thinking.phase is SearchPhase.THINKING
    assert thinking.kept() is None


def test_an_answer_found_while_disconnected_is_kept_and_given_once(thinking, deadlines):
    thinking.begin(ServerSearch(START, GO, 0.0))
    thinking.line_lost(1.0)
    thinking.keep(E4)
    assert (thinking.phase, deadlines.due) == (SearchPhase.ADRIFT, math.inf)
    assert thinking.resume(ServerSearch(START, LATER, 2.0))
    assert thinking.kept() == E4
    assert thinking.kept() is None


def test_an_engine_that_has_answered_need_not_be_stopped(thinking):
    thinking.begin(ServerSearch(START, GO, 0.0))
    thinking.line_lost(1.0)
    thinking.keep(E4)
    assert thinking.abandon(2.0) == []
    assert thinking.phase is SearchPhase.IDLE


def test_a_search_being_stopped_is_abandoned_on_disconnection(thinking):
    thinking.begin(ServerSearch(START, GO, 0.0))
    thinking.stop(1.0)
    assert thinking.line_lost(2.0) == []
    assert thinking.phase is SearchPhase.STOPPING


def test_pondering_ends_with_the_connection(pondering):
    assert pondering.line_lost(4.0) == [Stop()]
    assert pondering.phase is SearchPhase.STOPPING


def test_an_answer_may_have_got_lost_if_the_connection_broke_after_it(thinking):
    again = ServerSearch(START, LATER, 2.0)
    thinking.begin(ServerSearch(START, GO, 0.0))
    thinking.answered(E4)
    assert thinking.lost(again) is None
    thinking.begin(again)
    thinking.answered(E4)
    thinking.line_lost(3.0)
    assert thinking.lost(again) == E4
    assert thinking.lost(again) is None  # until the line breaks once more


@pytest.mark.parametrize(
    "forget", [lambda it: it.forget(), lambda it: it.game_over(2.0), lambda it: it.lost(OTHER)]
)
def test_an_answer_is_no_more_given_in_another_game_or_after_another_question(thinking, forget):
    thinking.begin(ServerSearch(START, GO, 0.0))
    thinking.answered(E4)
    thinking.line_lost(1.0)
    forget(thinking)
    assert thinking.lost(ServerSearch(START, LATER, 2.0)) is None


OTHER = ServerSearch(E4_E5, LATER, 2.0)


# The engine dies


def test_a_fresh_engine_gets_the_search_with_the_time_left(thinking):
    thinking.begin(ServerSearch(START, GO, 0.0))
    assert not thinking.engine_lost()
    assert thinking.phase is SearchPhase.DOWN
    assert thinking.engine_back(4.0) == [START, Go(56_000, 60_000, 1_000, 1_000)]
    assert thinking.phase is SearchPhase.THINKING


def test_a_lost_engine_reports_whether_it_was_told_to_stop(thinking):
    thinking.begin(ServerSearch(START, GO, 0.0))
    thinking.stop(1.0)
    assert thinking.engine_lost()


def test_an_abandoned_search_is_not_repeated(pondering):
    assert not pondering.engine_lost()
    assert pondering.engine_back(5.0) == []
    assert pondering.phase is SearchPhase.IDLE


def test_a_search_is_dropped_with_the_connection_while_the_engine_is_down(thinking):
    thinking.begin(ServerSearch(START, GO, 0.0))
    thinking.engine_lost()
    thinking.line_lost(1.0)
    assert thinking.engine_back(2.0) == []
