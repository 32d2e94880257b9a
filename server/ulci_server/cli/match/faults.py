"""Which engines crashed or overstepped their time: counted for the end of a match."""

import enum
import re

from ulci.rules import Outcome, Reason, Side

_FLAG = re.compile(r"the flag of (White|Black)\b")
"""Begins the evidence of a flag that fell."""


class Fault(enum.Enum):
    """The value is the word at the end of a match."""

    TIMEOUT = "Timeouts"
    CRASH = "Crashed"


_FAULTS = {Reason.TIME: Fault.TIMEOUT, Reason.DISCONNECT: Fault.CRASH}


def fault(outcome: Outcome, detail: str = "") -> tuple[Side, Fault] | None:
    """The side that crashed, stalled or overstepped the time, and which of these; None if neither
    side did. detail: the evidence in the record."""
    if outcome.reason is Reason.TIME_INSUFFICIENT:
        found = _FLAG.match(detail)
        return found and (Side[found[1].upper()], Fault.TIMEOUT)
    if outcome.winner is None or outcome.reason not in _FAULTS:
        return None
    return outcome.winner.other, _FAULTS[outcome.reason]
