"""How fast challenges are declined, and what the log gets of it."""

import math

import pytest

from ulci.protocol.messages import Decline
from ulci_client.bot.decline_queue import (
    BURST,
    LINES,
    MINUTE,
    MOST_WAITING,
    RATE,
    DeclineQueue,
    LineLimit,
)


def ids(declines: list[Decline]) -> list[int]:
    return [one.id for one in declines]


def test_a_few_are_declined_at_once() -> None:
    queue = DeclineQueue()
    assert queue.due == math.inf
    queue.put(Decline(1, "no"))
    assert queue.take(100.0) == [Decline(1, "no")]
    assert queue.due == math.inf


def test_a_flood_waits_and_what_is_withdrawn_needs_no_answer() -> None:
    queue = DeclineQueue()
    for number in range(BURST + 3):
        queue.put(Decline(number, "no"))
    assert len(queue.take(100.0)) == BURST
    queue.gone(BURST)
    assert queue.due == pytest.approx(100.0 + 1 / RATE, abs=0.01)
    assert ids(queue.take(queue.due)) == [BURST + 1]
    queue.clear()
    assert queue.due == math.inf


def test_those_who_flood_wait_behind_all_others() -> None:
    queue = DeclineQueue()
    queue.put(Decline(1, "no"), late=True)
    queue.put(Decline(2, "no"))
    queue.put(Decline(3, "no"), late=True)
    queue.gone(3)
    assert ids(queue.take(100.0)) == [2, 1]


def test_a_challenger_gets_some_lines_a_minute_and_then_one_for_the_rest() -> None:
    limit = LineLimit()
    shown = [limit.line("Rude", f"declined {number}", 0.0) for number in range(LINES + 5)]
    assert shown == [[f"declined {number}"] for number in range(LINES)] + [[]] * 5
    assert limit.floods("Rude")
    assert not limit.floods("Ada")
    assert limit.line("Ada", "declined hers", 1.0) == ["declined hers"]
    assert limit.flush(MINUTE) == ["5 more challenges of Rude were declined within that minute"]
    assert limit.line("Rude", "declined again", MINUTE + 1) == ["declined again"]


def test_challenges_without_end_fill_no_memory() -> None:
    queue = DeclineQueue()
    for number in range(3 * MOST_WAITING):
        queue.put(Decline(number, "no"), late=bool(number % 2))
    queued = 0
    at = 0.0
    while taken := queue.take(at):
        queued += len(taken)
        at += 1000.0
    assert queued == 2 * MOST_WAITING
