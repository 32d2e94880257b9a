"""Is an engine that thinks on a running clock still alive?"""

import math

from ulci_client.bridge.watch import RESCUE, Verdict, Watch


def test_nothing_is_due_before_a_search_and_after_it():
    watch = Watch(10.0)
    assert watch.due == math.inf
    watch.began(5.0, 60.0)
    assert watch.due == 35.0
    watch.ended()
    assert watch.due == math.inf


def test_who_speaks_now_and_then_is_left_alone_until_the_end():
    watch = Watch(10.0)
    watch.began(0.0, 16.0)
    for due in (8.0, 12.0):
        assert watch.due == due
        watch.heard(due - 1)
        assert watch.alarm(due) is Verdict.WAIT
    assert watch.due == math.inf  # no time is left for another engine


def test_who_answers_a_probe_is_asked_again_later():
    watch = Watch(10.0)
    watch.began(0.0, 60.0)
    assert watch.alarm(30.0) is Verdict.PROBE
    watch.heard(31.0)
    assert watch.due == 45.5
    assert watch.alarm(45.5) is Verdict.PROBE


def test_who_talked_and_does_not_answer_hangs_as_soon_as_patience_is_over():
    watch = Watch(10.0)
    watch.began(0.0, 60.0)
    watch.heard(0.1)
    watch.ended()
    watch.began(100.0, 60.0)
    assert watch.alarm(130.0) is Verdict.PROBE
    assert watch.due == 140.0
    assert watch.alarm(140.0) is Verdict.HUNG
    assert watch.silence(140.0) == 10.0


def test_patience_ends_while_a_fresh_engine_could_still_move():
    watch = Watch(10.0)
    watch.heard(0.0)
    watch.began(0.0, 10.0)
    assert watch.alarm(5.0) is Verdict.PROBE
    assert watch.due == 10.0 - RESCUE
