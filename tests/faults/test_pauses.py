"""For how long games paused whose owner was killed."""

from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from .invariants import Trouble
from .invariants.script import GAME, NAMES, Script
from .pauses import pauses
from .record import Fault

pytestmark = pytest.mark.faults


def moment(second: float) -> datetime:
    return datetime.fromtimestamp(second, UTC)


class Stored:
    """A game that a had from second 50 on and b from second 102 on, with a move at 99 and 103."""

    def __init__(self) -> None:
        self.games = self.ownership = self

    def epochs(self, _: int) -> list[SimpleNamespace]:
        return [SimpleNamespace(node=n, at=moment(at)) for n, at in (("a", 50.0), ("b", 102.0))]

    def moves(self, _: int) -> list[SimpleNamespace]:
        return [SimpleNamespace(at=moment(at)) for at in (99.0, 103.0)]


def measured(*others: Trouble, kind: str = "kill", fault: str = "", server: str = "") -> dict:
    script = Script()
    wire = script.lines[0]
    wire.server = server
    wire.faults = [Fault(fault, 102.0, 102.1)] if fault else []
    case = script.case()
    assert (GAME, NAMES) in case.chronicle.stories
    troubles = [Trouble(kind, 101.0, 104.0, "a"), *others]
    return pauses(Stored(), case.chronicle, troubles, ahead=0.0)


def test_a_pause_lasts_from_the_mishap_to_the_next_move():
    assert measured() == {"kill, alone": [2.0]}
    assert measured(Trouble("freeze", 102.5, 104.0, "b")) == {"kill, overlapping": [2.0]}
    assert measured(Trouble("freeze", 90.0, 95.0, "b")) == {"kill, alone": [2.0]}


def test_a_game_whose_lines_broke_or_lead_to_a_frozen_server_is_left_out():
    assert measured(fault="delay") == {"kill, alone": [2.0]}
    assert measured(fault="cut") == {}
    assert measured(kind="freeze", server="a") == {}
    assert measured(kind="freeze", server="b") == {"freeze, alone": [2.0]}
