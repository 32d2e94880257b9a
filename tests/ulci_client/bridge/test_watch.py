"""Is an engine that thinks on a running clock still alive?"""

import math

import pytest

from ulci_client.bridge.watch import EARLY, RESCUE, SILENCE, Verdict, Watch


@pytest.fixture
def watch() -> Watch:
    """Of an engine of which nothing is known."""
    return Watch(10.0)


def answering() -> Watch:
    """Of one that answered in a search."""
    watch = Watch(10.0)
    watch.began(0.0, 60.0)
    watch.answered(EARLY)
    watch.ended()
    return watch


def test_nothing_is_due_before_a_search_and_after_it(watch: Watch):
    assert Watch(10.0).due == math.inf
    watch.began(5.0, 60.0)
    assert watch.due == 35.0
    watch.ended()
    assert watch.due == math.inf


def test_in_a_hurry_nobody_is_asked(watch: Watch):
    watch.began(0.0, 3.0)
    assert watch.due == math.inf


def test_who_is_silent_for_long_though_it_answers_hangs():
    watch = answering()
    watch.began(10.0, 100.0)
    assert watch.due == 10.0 + SILENCE
    assert watch.alarm(20.0) is Verdict.PROBE
    assert watch.alarm(watch.due) is Verdict.HUNG
    assert watch.silence(30.0) == 10.0


def test_who_answers_is_asked_again_after_every_silence():
    watch = answering()
    watch.began(10.0, 100.0)
    assert watch.alarm(20.0) is Verdict.PROBE
    watch.answered(20.5)
    assert watch.due == 20.5 + SILENCE
    watch.heard(30.0)
    assert watch.alarm(30.5) is Verdict.WAIT
    assert watch.due == 30.5 + SILENCE


def test_that_it_answers_is_learnt_from_what_the_server_asked(watch: Watch):
    watch.began(10.0, 100.0)
    watch.answered(12.0)
    watch.ended()
    watch.began(20.0, 100.0)
    assert watch.due == 20.0 + SILENCE


def test_what_was_asked_before_the_search_proves_nothing(watch: Watch):
    watch.began(10.0, 100.0)
    watch.answered(10.1)
    assert watch.due == 60.0
    watch.ended()
    watch.began(20.0, 100.0)
    assert watch.due == 70.0


def test_who_speaks_now_and_then_is_left_alone_until_the_end(watch: Watch):
    watch.began(0.0, 16.0)
    for due in (8.0, 12.0):
        assert watch.due == due
        watch.heard(due - 1)
        assert watch.alarm(due) is Verdict.WAIT
    assert watch.due == math.inf  # no time is left for another engine


def test_who_answers_a_probe_is_asked_again_later(watch: Watch):
    watch.began(0.0, 60.0)
    assert watch.alarm(30.0) is Verdict.PROBE
    watch.heard(31.0)
    assert watch.due == 45.5
    assert watch.alarm(45.5) is Verdict.PROBE


def test_who_talked_and_does_not_answer_hangs_as_soon_as_patience_is_over(watch: Watch):
    watch.began(0.0, 60.0)
    watch.heard(0.1)
    watch.ended()
    watch.began(100.0, 60.0)
    assert watch.alarm(130.0) is Verdict.PROBE
    assert watch.due == 140.0
    assert watch.alarm(140.0) is Verdict.HUNG
    assert watch.silence(140.0) == 10.0


def test_patience_ends_while_a_fresh_engine_could_still_move(watch: Watch):
    watch.heard(0.0)
    watch.began(0.0, 10.0)
    assert watch.alarm(5.0) is Verdict.PROBE
    assert watch.due == 10.0 - RESCUE
