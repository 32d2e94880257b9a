"""Two conversations are compared, each connection for itself; the earliest difference is told."""

import pytest

from ulci_server.replay.replay_diff import Difference, first_difference
from ulci_server.replay.tape import TapeEvent


def said(*lines: str) -> list[TapeEvent]:
    """Of ``TIME WHO REST``."""
    events = [line.split(" ", 2) for line in lines]
    return [TapeEvent(float(at), who, ">", rest) for at, who, rest in events]


def compared(wanted: list[TapeEvent], got: list[TapeEvent]) -> Difference | None:
    each = {who: [event for event in got if event.who == who] for who in "123"}
    return first_difference(wanted, {who: events for who, events in each.items() if events})


def test_where_a_recording_was_cut_short_more_may_have_been_said() -> None:
    more = {"1": said("0 1 uci", "1 1 isready"), "2": said("1 2 uci")}
    assert first_difference(said("0 1 uci"), more, 1.0) is None
    assert first_difference(said("0 1 uci"), more, 1.5) == Difference(1.0, "1", None, "isready")
    assert first_difference(said("0 1 quit"), more, 0.0) == Difference(0.0, "1", "quit", "uci")


UCI = said("0 1 uci", "0 2 uci", "1 1 isready")


def test_the_order_between_connections_and_when_a_line_was_said_do_not_count() -> None:
    assert compared(UCI, said("0 2 uci", "5 1 uci", "5 1 isready")) is None


@pytest.mark.parametrize(
    ("got", "difference"),
    [
        (("0 1 uci", "0 2 uci", "1 1 quit"), Difference(1.0, "1", "isready", "quit")),
        (("0 1 uci", "0 2 uci"), Difference(1.0, "1", "isready", None)),
        (("0 1 uci", "1 1 isready"), Difference(0.0, "2", "uci", None)),
        (
            ("0 1 uci", "0 2 uci", "1 1 isready", "2 2 isready"),
            Difference(2.0, "2", None, "isready"),
        ),
        (
            ("0 1 uci", "0 2 uci", "0.5 3 uci", "1 1 quit"),
            Difference(0.5, "3", None, "uci"),
        ),
    ],
    ids=["another line", "a line less", "a silent connection", "a line more", "one nobody knows"],
)
def test_the_earliest_difference_is_found(got: tuple[str, ...], difference: Difference) -> None:
    assert compared(UCI, said(*got)) == difference


def test_a_difference_is_shown_line_under_line() -> None:
    assert str(Difference(1.5, "3", "isready", None)).splitlines() == [
        "connection 3 at 1.500000 s:",
        "  expected  isready",
        "  got       nothing",
    ]
