"""Time controls as engine testers write them, and how a report shows them.

    60+0.6    40/1:30+0.5    0.2+0.01s    inf      moves/minutes:seconds+increment
    60hg    600/5x30    60d2    3days              what this server has beside that

Seconds may have three decimals. Without a clock a move has a fixed time, nodes or a depth.
"""

import re

from ulci_server.game import Control, Hourglass, Limit, Staged
from ulci_server.game.scanner import spell_seconds

from .values import MatchError, control_of

_NUMBER = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)"
_TESTERS = re.compile(
    rf"(?:(?P<moves>[0-9]+|inf|infinite)/)?"
    rf"(?:(?P<minutes>{_NUMBER}):)?(?P<seconds>{_NUMBER})s?(?:\+(?P<increment>{_NUMBER})s?)?"
)
_OURS = re.compile(r"(?P<hourglass>[0-9.]+)hg|[0-9./]*[a-z][0-9.a-z]*")

UNLIMITED = ("inf", "infinite")

LONGEST = 100
"""Characters that are read: enough for every time control."""


def read_clock(text: str) -> Control | None:
    """A clock; None for no clock at all.

    Raises:
        MatchError: it is none.
    """
    if text in UNLIMITED:
        return None
    if len(text) > LONGEST:
        raise MatchError(f'Invalid time control: "{text[:LONGEST]}…" is too long')
    if found := _TESTERS.fullmatch(text):
        return _testers(text, **found.groupdict())
    if found := _OURS.fullmatch(text):
        sand = found["hourglass"]
        return control_of(text if sand is None else f"{sand}h", text)
    raise MatchError(f'Invalid time control: "{text}"; expected moves/minutes:seconds+increment')


def read_move_time(text: str) -> int | None:
    """ms for a move, of a text in seconds; None for zero, which is no limit."""
    if not re.fullmatch(rf"{_NUMBER}s?", text[:LONGEST]):
        raise MatchError(f'Invalid time for a move: "{text[:LONGEST]}"')
    ms = _milliseconds(text.removesuffix("s"))
    if ms:
        control_of(f"movetime={ms}", text)
    return ms or None


def limit_of(move_time: int | None, depth: int | None, nodes: int | None) -> Control | None:
    """What is there without a clock: the first of these, as a report shows it; None if there is
    none."""
    if move_time is not None:
        return Limit("movetime", move_time)
    if depth is not None:
        return Limit("depth", depth)
    return None if nodes is None else Limit("nodes", nodes)


def label(control: Control) -> str:
    """As a report shows it."""
    match control:
        case Limit("movetime", amount):
            return f"{spell_seconds(amount)}/move"
        case Limit("depth", amount):
            return f"{amount} plies"
        case Limit("nodes", amount):
            return f"{amount} nodes"
        case Staged((stage,)):
            return str(stage)
        case Hourglass(base):
            return f"{spell_seconds(base)}hg"
        case _:
            return str(control)


def _testers(
    text: str, moves: str | None, minutes: str | None, seconds: str, increment: str | None
) -> Control | None:
    base = _milliseconds(minutes or "0") * 60 + _milliseconds(seconds)
    more = _milliseconds(increment or "0")
    if not base + more:
        return None
    # A clock of the increment alone begins with one.
    notation = f"{spell_seconds(base or more)}+{spell_seconds(more)}"
    of = "" if moves is None or moves in UNLIMITED else f"{moves}/"
    return control_of(of + notation, text)


def _milliseconds(seconds: str) -> int:
    """Finer decimals are cut off."""
    whole, _, fraction = seconds.partition(".")
    return int(whole or "0") * 1000 + int(fraction[:3].ljust(3, "0"))
