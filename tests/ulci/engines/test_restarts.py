"""When a program that keeps failing is started again."""

from ulci.engines.restarts import Restarts


def test_the_first_restart_comes_at_once_and_each_further_one_later_up_to_a_limit():
    restarts = Restarts((0.0, 1.0, 5.0))
    assert [restarts.failed() for _ in range(4)] == [0.0, 1.0, 5.0, 5.0]
    assert restarts.failures == 4


def test_after_it_has_worked_it_is_restarted_at_once_again():
    restarts = Restarts((0.0, 1.0))
    restarts.failed()
    restarts.worked()
    assert restarts.failed() == 0.0
