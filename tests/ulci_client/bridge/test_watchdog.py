"""What an engine owes, and until when."""

import math

import pytest

from ulci.engines.process import NEW_GAME
from ulci.protocol.messages import IsReady
from ulci_client.bridge.watchdog import EARLY, RESCUE, SILENCE, Deadlines, Verdict, Watchdog
from ulci_client.engine_settings import MORE_PING


def test_without_questions_nothing_is_due():
    assert Deadlines(10.0).due == math.inf
    assert Deadlines(10.0).overdue(100.0) == []


def test_an_engine_that_waits_must_answer_isready_in_time():
    deadlines = Deadlines(10.0)
    deadlines.ready_asked(5.0, idle=True)
    deadlines.ready_asked(6.0, idle=True)
    assert deadlines.due == 15.0
    assert deadlines.ready_said()
    assert deadlines.overdue(15.0) == "no answer to `isready` within 10 s; " + MORE_PING
    assert deadlines.ready_said()
    assert deadlines.due == math.inf


def test_after_a_new_game_an_engine_may_take_longer_to_be_ready():
    deadlines = Deadlines(15.0)
    deadlines.ready_asked(5.0, idle=True, new_game=True)
    assert deadlines.due == 5.0 + NEW_GAME * 15.0
    assert deadlines.overdue(5.0 + 18.0) == []
    assert "within 60 s; --ping-timeout SECONDS" in deadlines.overdue(65.0)


def test_an_engine_that_thinks_may_answer_isready_when_it_likes():
    deadlines = Deadlines(10.0)
    deadlines.ready_asked(5.0, idle=False)
    assert deadlines.due == math.inf
    assert deadlines.ready_said()


def test_readyok_is_for_the_server_as_often_as_it_asked():
    deadlines = Deadlines(10.0)
    assert not deadlines.ready_said()
    deadlines.ready_asked(0.0, idle=True)
    assert deadlines.ready_said()
    assert not deadlines.ready_said()


def test_readyok_for_a_lost_connection_comes_first_and_is_dropped():
    deadlines = Deadlines(10.0)
    deadlines.ready_asked(0.0, idle=True)
    deadlines.line_lost()
    deadlines.ready_asked(1.0, idle=True)
    assert not deadlines.ready_said()
    assert deadlines.ready_said()


def test_stop_must_be_answered_in_time():
    deadlines = Deadlines(10.0)
    deadlines.stop_said(2.0)
    assert deadlines.due == 12.0
    assert deadlines.overdue(12.0) == "no answer to `stop` within 10 s; " + MORE_PING
    deadlines.search_ended()
    assert deadlines.due == math.inf


def test_a_silent_engine_is_probed_and_its_answer_not_passed_on():
    deadlines = Deadlines(10.0)
    deadlines.clock_began(0.0, 60.0)
    assert deadlines.due == 30.0
    assert deadlines.overdue(30.0) == [IsReady()]
    deadlines.heard(31.0)
    assert not deadlines.ready_said()
    assert deadlines.due == 45.5


def test_an_engine_that_writes_on_a_running_clock_is_not_probed():
    deadlines = Deadlines(10.0)
    deadlines.clock_began(0.0, 60.0)
    deadlines.heard(29.0)
    assert deadlines.overdue(30.0) == []
    assert deadlines.due == 45.0


def test_an_engine_that_wrote_before_and_ignores_a_probe_hangs():
    deadlines = Deadlines(10.0)
    deadlines.clock_began(0.0, 60.0)
    deadlines.heard(1.0)
    deadlines.overdue(30.0)
    assert (
        deadlines.overdue(40.0)
        == "it hangs in its search: no output and no answer to `isready` for 10 s"
    )


def test_without_a_running_clock_silence_is_allowed_but_stop_must_be_answered():
    deadlines = Deadlines(10.0)
    deadlines.clock_began(0.0, 60.0)
    deadlines.clock_ended()
    assert deadlines.due == math.inf
    deadlines.stop_said(1.0)
    deadlines.clock_ended()
    assert deadlines.due == 11.0


def test_a_lost_engine_has_no_deadlines_and_its_successor_gets_the_pending_isready():
    deadlines = Deadlines(10.0)
    deadlines.ready_asked(0.0, idle=True)
    deadlines.line_lost()
    deadlines.ready_asked(1.0, idle=True)
    deadlines.ready_asked(1.0, idle=True)
    deadlines.clock_began(1.0, 60.0)
    deadlines.stop_said(2.0)
    assert deadlines.engine_lost() == 2
    assert deadlines.due == math.inf
    assert not deadlines.ready_said()


@pytest.fixture
def watch() -> Watchdog:
    """Of an engine of which nothing is known."""
    return Watchdog(10.0)


def answering() -> Watchdog:
    """Of one that answered in a search."""
    watch = Watchdog(10.0)
    watch.began(0.0, 60.0)
    watch.answered(EARLY)
    watch.ended()
    return watch


def test_nothing_is_due_before_a_search_and_after_it(watch: Watchdog):
    assert Watchdog(10.0).due == math.inf
    watch.began(5.0, 60.0)
    assert watch.due == 35.0
    watch.ended()
    assert watch.due == math.inf


def test_with_little_time_no_probe_is_sent(watch: Watchdog):
    watch.began(0.0, 3.0)
    assert watch.due == math.inf


def test_an_engine_that_stops_answering_probes_hangs():
    watch = answering()
    watch.began(10.0, 100.0)
    assert watch.due == 10.0 + SILENCE
    assert watch.alarm(20.0) is Verdict.PROBE
    assert watch.alarm(watch.due) is Verdict.HUNG
    assert watch.silence(30.0) == 10.0


def test_an_engine_that_answers_probes_is_probed_after_every_silence():
    watch = answering()
    watch.began(10.0, 100.0)
    assert watch.alarm(20.0) is Verdict.PROBE
    watch.answered(20.5)
    assert watch.due == 20.5 + SILENCE
    watch.heard(30.0)
    assert watch.alarm(30.5) is Verdict.WAIT
    assert watch.due == 30.5 + SILENCE


def test_that_it_answers_is_learnt_from_what_the_server_asked(watch: Watchdog):
    watch.began(10.0, 100.0)
    watch.answered(12.0)
    watch.ended()
    watch.began(20.0, 100.0)
    assert watch.due == 20.0 + SILENCE


def test_what_was_asked_before_the_search_proves_nothing(watch: Watchdog):
    watch.began(10.0, 100.0)
    watch.answered(10.1)
    assert watch.due == 60.0
    watch.ended()
    watch.began(20.0, 100.0)
    assert watch.due == 70.0


def test_an_engine_with_occasional_output_is_not_probed_until_the_end(watch: Watchdog):
    watch.began(0.0, 16.0)
    for due in (8.0, 12.0):
        assert watch.due == due
        watch.heard(due - 1)
        assert watch.alarm(due) is Verdict.WAIT
    assert watch.due == math.inf  # no time is left for another engine


def test_an_engine_that_answers_a_probe_is_probed_again_later(watch: Watchdog):
    watch.began(0.0, 60.0)
    assert watch.alarm(30.0) is Verdict.PROBE
    watch.heard(31.0)
    assert watch.due == 45.5
    assert watch.alarm(45.5) is Verdict.PROBE


def test_an_engine_that_wrote_before_hangs_once_its_patience_is_over(watch: Watchdog):
    watch.began(0.0, 60.0)
    watch.heard(0.1)
    watch.ended()
    watch.began(100.0, 60.0)
    assert watch.alarm(130.0) is Verdict.PROBE
    assert watch.due == 140.0
    assert watch.alarm(140.0) is Verdict.HUNG
    assert watch.silence(140.0) == 10.0


def test_patience_ends_while_a_fresh_engine_could_still_move(watch: Watchdog):
    watch.heard(0.0)
    watch.began(0.0, 10.0)
    assert watch.alarm(5.0) is Verdict.PROBE
    assert watch.due == 10.0 - RESCUE
