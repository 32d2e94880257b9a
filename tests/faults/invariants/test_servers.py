"""Lines that a server ended, and what a server that was frozen may still believe."""

from datetime import UTC, datetime, timedelta
from math import inf

import pytest

from tests.faults.record import THAWED, Fault, Line, Wire
from ulci_server.storage import Epoch

from .case import Trouble
from .clocks import CLOCKS
from .moves import MOVES
from .script import Script
from .servers import lines_lost, unheard

pytestmark = pytest.mark.faults


def lost(*troubles: Trouble, last: str = "position startpos", fault: str = "") -> list[str]:
    """Of a line to the server a that it ended at second 10."""
    wire = Wire(opened=1.0, closed=10.1, server="a", hung_up=10.0)
    wire.told = [Line(9.0, last)]
    wire.faults = [Fault(fault, 9.5, 10.0)] if fault else []
    return [violation.kind for violation in lines_lost([wire], troubles)]


def test_a_server_must_not_end_a_line_for_nothing():
    assert lost() == ["line lost"]
    assert lost(Trouble("kill", 9.0, 12.0, "b")) == ["line lost"]
    assert lost(Trouble("restart-redis", 9.0, 12.0)) == ["line lost"]


def test_a_server_may_end_lines_that_were_broken_or_replaced_or_when_it_ends():
    assert lost(fault="half-close") == []
    assert lost(last="info error you reconnected elsewhere; retry-after 5") == []
    for kind in ("kill", "term", "freeze", "cut-pg", "fenced"):
        assert lost(Trouble(kind, 7.0, 8.0, "a")) == []


def test_a_login_may_be_refused_when_the_database_was_away_for_as_long_as_it_waited():
    refused = "info servererror the account database does not answer; retry-after 10"
    assert lost(last=refused) == ["line lost"]
    assert lost(Trouble("restart-pg", 9.0, 10.5), last=refused) == ["line lost"]
    assert lost(Trouble("restart-pg", 1.0, 5.0), last=refused) == ["line lost"]
    assert lost(Trouble("restart-pg", 6.5, 9.8), last=refused) == []
    both = Trouble("restart-pg", 5.0, 8.0), Trouble("cut-pg", 8.0, 11.0, "b")
    assert lost(*both, last=refused) == []
    assert lost(*both) == ["line lost"]


@pytest.mark.parametrize(("server", "found"), [("a", []), ("b", ["time charged for nothing"])])
def test_a_move_whose_server_had_ended_begins_anew_with_the_next_question(server, found):
    script = Script()
    script.lines[0].server = server
    script.ask()
    script.troubles = [Trouble("kill", script.now, script.now + 1, "b")]
    script.hang_up(script.lines[0])
    script.wait(3)
    script.lines[0] = script.dial("ada")
    script.ask()
    script.wait(0.1)
    script.answer("e2e4")
    script.store("e2e4", 2500)
    assert script.found(*CLOCKS) == found


@pytest.mark.parametrize(("since", "found"), [(-2.5, []), (-0.5, ["protocol"])])
def test_who_calls_a_frozen_server_is_told_what_it_knew_before(since, found):
    script = Script()
    script.lines[0].server = "a"
    script.play("e2e4", "e7e5", took=1.0)
    script.ask()
    script.wait(1)
    frozen = script.now + since
    late = script.dial("bob")
    script.announce(late)
    late.meet("freeze", frozen, script.now)
    script.tell(late, "position startpos moves e2e4")
    assert script.found(*MOVES) == found


THEN = datetime(2026, 1, 1, tzinfo=UTC)
EPOCHS = [Epoch(1, 5, "a", THEN), Epoch(2, 6, "b", THEN + timedelta(seconds=10))]
BEGUN = THEN.timestamp()
"""In the troubles' clock: the database's is ahead by as much."""


@pytest.mark.parametrize(
    ("trouble", "found"),
    [
        (Trouble("kill", 5.0, 6.0, "a"), [(5.0, 10.0 + THAWED)]),
        (Trouble("freeze", 5.0, 6.0, "a"), [(5.0, 6.0 + THAWED)]),
        (Trouble("freeze", 5.0, 16.0, "a"), [(5.0, 10.0 + THAWED)]),
        (Trouble("cut-redis", 5.0, 6.0, "a"), [(5.0, 6.0 + THAWED)]),
        (Trouble("kill", 15.0, 16.0, "b"), [(15.0, inf)]),
        (Trouble("term", 5.0, 6.0, "a"), []),
        (Trouble("cut-pg", 5.0, 6.0, "a"), []),
        (Trouble("kill", 5.0, 6.0, "b"), []),
        (Trouble("kill", 15.0, 16.0, "a"), []),
    ],
)
def test_an_owner_is_not_heard_until_it_is_heard_again_or_the_next_one_is(trouble, found):
    assert [*unheard(EPOCHS, [trouble], BEGUN)] == found
