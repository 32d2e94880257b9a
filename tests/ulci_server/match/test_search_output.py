"""The lines of an engine's search are kept until they are taken, and those of no other search."""

import pytest

from ulci.rules import Side
from ulci_server.match import SearchOutput, Seat
from ulci_server.match import search_output as module


def test_the_lines_since_it_was_asked_are_taken_once() -> None:
    output = SearchOutput({})
    output("heard", b"info string at rest\n")
    output("said", b"position startpos\n")
    output("said", b"go wtime 100\n")
    output("heard", b"info depth 1\ninfo depth 2\n")
    output("heard", "bestmove e2e4\n")
    assert output.take() == b"info depth 1\ninfo depth 2\nbestmove e2e4\n"
    assert output.take() == b""


def test_position_and_go_may_be_said_at_once() -> None:
    output = SearchOutput({})
    output("heard", b"info string before\n")
    output("said", "position startpos moves e2e4\ngo wtime 100")
    output("heard", b"info depth 1\n")
    output("said", b"isready\n")
    assert output.take() == b"info depth 1\n"


def test_it_is_found_by_its_seat_while_it_plays() -> None:
    outputs: dict[Seat, SearchOutput] = {}
    one, other = SearchOutput(outputs), SearchOutput(outputs)
    one("game", "white", 7)
    other("game", "black", 7)
    assert outputs == {(7, Side.WHITE): one, (7, Side.BLACK): other}
    one("over", game=7)
    other("closed", "it crashed")
    assert outputs == {}


def test_a_process_that_takes_the_seat_of_another_keeps_it_when_that_is_gone() -> None:
    outputs: dict[Seat, SearchOutput] = {}
    one, other = SearchOutput(outputs), SearchOutput(outputs)
    one("game", "white", 7)
    other("game", "white", 7)
    one("closed", "it crashed")
    assert outputs == {(7, Side.WHITE): other}


def test_of_a_flood_the_last_lines_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 20)
    output = SearchOutput({})
    for number in range(100):
        output("heard", f"info depth {number}\n".encode())
    assert output.take() == b"info depth 99\n"
    output("heard", b"".join(b"info depth %d\n" % number for number in range(100)))
    assert output.take() == b"info depth 99\n"
    output("heard", b"x" * 7 + b"\n")
    output("heard", b"info depth 12345678\n")  # as much as is kept
    assert output.take() == b"info depth 12345678\n"
    output("heard", b"x" * 7)
    output("heard", b"info depth 12345678\n")  # the end of a line
    assert output.take() == b""
