"""By how much measured times exceed those that engines say."""

from tests.support.facts import analysed, played
from ulci_server.cli.match.latency import Latency, latency


def test_it_is_what_the_clock_paid_beyond_what_the_engine_said() -> None:
    move = played(1, 1, "e2e4", spent=107, lag=4, stall=3, info=analysed(time=90))
    assert latency(move) == 10


def test_an_engine_may_say_more_than_it_took() -> None:
    assert latency(played(1, 1, "e2e4", spent=99, info=analysed(time=100))) == -1


def test_without_a_time_it_is_not_known() -> None:
    assert latency(played(1, 1, "e2e4")) is None
    assert latency(played(1, 1, "e2e4", info=analysed(time=None))) is None


def test_of_many_moves_there_is_an_average_and_a_maximum() -> None:
    of_all = Latency()
    for late in (-3, -1, -2):
        of_all.add(late)
    assert (of_all.moves, of_all.average, of_all.most) == (3, -2.0, -1)
