"""What an engine owes, and until when."""

import math

from ulci.protocol import IsReady
from ulci_client.bridge.owed import Owed


def test_who_was_asked_nothing_owes_nothing():
    assert Owed(10.0).due == math.inf
    assert Owed(10.0).overdue(100.0) == []


def test_an_engine_that_waits_must_answer_isready_in_time():
    owed = Owed(10.0)
    owed.ready_asked(5.0, idle=True)
    owed.ready_asked(6.0, idle=True)
    assert owed.due == 15.0
    assert owed.ready_said()
    assert owed.overdue(15.0) == "no answer to `isready` within 10 s"
    assert owed.ready_said()
    assert owed.due == math.inf


def test_an_engine_that_thinks_may_answer_isready_when_it_likes():
    owed = Owed(10.0)
    owed.ready_asked(5.0, idle=False)
    assert owed.due == math.inf
    assert owed.ready_said()


def test_readyok_is_for_the_server_as_often_as_it_asked():
    owed = Owed(10.0)
    assert not owed.ready_said()
    owed.ready_asked(0.0, idle=True)
    assert owed.ready_said()
    assert not owed.ready_said()


def test_readyok_for_an_old_line_comes_first_and_is_for_nobody():
    owed = Owed(10.0)
    owed.ready_asked(0.0, idle=True)
    owed.line_lost()
    owed.ready_asked(1.0, idle=True)
    assert not owed.ready_said()
    assert owed.ready_said()


def test_stop_must_be_answered_in_time():
    owed = Owed(10.0)
    owed.stop_said(2.0)
    assert owed.due == 12.0
    assert owed.overdue(12.0) == "no answer to `stop` within 10 s"
    owed.search_ended()
    assert owed.due == math.inf


def test_who_is_silent_on_a_running_clock_is_asked_and_the_answer_is_for_us_alone():
    owed = Owed(10.0)
    owed.clock_began(0.0, 60.0)
    assert owed.due == 30.0
    assert owed.overdue(30.0) == [IsReady()]
    owed.heard(31.0)
    assert not owed.ready_said()
    assert owed.due == 45.5


def test_who_talks_on_a_running_clock_is_not_asked():
    owed = Owed(10.0)
    owed.clock_began(0.0, 60.0)
    owed.heard(29.0)
    assert owed.overdue(30.0) == []
    assert owed.due == 45.0


def test_who_talked_and_does_not_answer_hangs():
    owed = Owed(10.0)
    owed.clock_began(0.0, 60.0)
    owed.heard(1.0)
    owed.overdue(30.0)
    assert owed.overdue(40.0) == "it thinks no more: not a word, nor an answer to `isready` in 10 s"


def test_once_no_clock_runs_it_may_be_silent_but_not_where_it_was_told_to_stop():
    owed = Owed(10.0)
    owed.clock_began(0.0, 60.0)
    owed.clock_ended()
    assert owed.due == math.inf
    owed.stop_said(1.0)
    owed.clock_ended()
    assert owed.due == 11.0


def test_an_engine_that_is_gone_owes_nothing_and_its_heir_what_the_server_waits_for():
    owed = Owed(10.0)
    owed.ready_asked(0.0, idle=True)
    owed.line_lost()
    owed.ready_asked(1.0, idle=True)
    owed.ready_asked(1.0, idle=True)
    owed.clock_began(1.0, 60.0)
    owed.stop_said(2.0)
    assert owed.engine_lost() == 2
    assert owed.due == math.inf
    assert not owed.ready_said()
