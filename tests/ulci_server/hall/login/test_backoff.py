"""Backoff after failed attempts."""

from ulci_server.hall.login.backoff import Attempts


def test_a_few_mistakes_are_free_and_every_further_one_doubles_the_wait() -> None:
    attempts: Attempts[str] = Attempts(free=3, first=1, longest=5)
    waits = []
    for _ in range(7):
        attempts.failed("Ada", 10)
        waits.append(attempts.retry_after("Ada", 10))
    assert waits == [0, 0, 1, 2, 4, 5, 5]
    assert attempts.retry_after("Ada", 14) == 1
    assert attempts.retry_after("Ada", 15) == 0
    assert attempts.retry_after("Bob", 10) == 0


def test_ten_thousand_mistakes_are_no_overflow() -> None:
    attempts: Attempts[str] = Attempts()
    for _ in range(10_000):
        attempts.failed("Ada", 0)
    assert attempts.retry_after("Ada", 0) == attempts.longest


def test_mistakes_are_forgotten_after_a_while_or_a_success() -> None:
    attempts: Attempts[str] = Attempts(free=1, first=60, forget=100)
    attempts.failed("Ada", 0)
    attempts.failed("Bob", 0)
    attempts.succeeded("Bob")
    attempts.succeeded("Cyd")
    assert attempts.retry_after("Bob", 0) == 0
    assert attempts.retry_after("Ada", 0) == 60
    assert attempts.retry_after("Ada", 101) == 0
    assert len(attempts) == 0


def test_a_million_names_stay_within_the_limit_of_keys() -> None:
    attempts: Attempts[int] = Attempts(free=1, keys=100)
    for name in range(1000):
        attempts.failed(name, 0)
    assert len(attempts) == 100
    assert attempts.retry_after(999, 0) > 0
    assert attempts.retry_after(0, 0) == 0


def test_mistakes_of_strangers_are_forgotten_while_others_make_theirs() -> None:
    attempts: Attempts[int] = Attempts(free=1, forget=100)
    for stranger in range(1000):
        attempts.failed(stranger, 0)
    for _ in range(500):
        attempts.failed(-1, 100)
    assert len(attempts) == 1001
    for _ in range(500):
        attempts.failed(-1, 101)
    assert len(attempts) == 1
    assert attempts.retry_after(-1, 101) > 0
