"""Time ran out: was it asked, did it not answer, and whose fault was that?"""

from collections.abc import Iterator

from tests.faults.record import Wire
from ulci.rules import Side

from .case import TOLERANCE, Case
from .chronicle import Story, Violation
from .places import Event

BREAKING = {"cut", "reset", "reset-here", "reset-there", "half-close", "black-hole"}
"""What is done to a line that does not go on after it."""

ENDS_LINES = frozenset({"kill", "term", "freeze"})
"""What befalls one of several servers so that lines to it end."""


def flagged(case: Case, story: Story) -> Iterator[Violation]:
    """Why somebody lost on time, or drew."""
    place = len(story.states) - 1
    state = story.states[place]
    side = Side(len(state.moves) % 2)
    name = story.names[side]
    had = (case.clocks(story)[place][side] + state.given(side)) / 1000
    asked = story.events(name, "go", place)
    answers = story.events(name, "answer", place)
    yield from _never_asked(case, story, name, had)
    if not asked:
        return  # no line took the question
    fell = case.earliest(asked[0].bound) + had
    if answers and answers[0].at < fell - TOLERANCE:
        late = answers[0].at - asked[0].at
        text = f"answered after {1000 * late:.0f} of {1000 * had:.0f} ms"
        if not _line_lost(case, name, answers[0]):
            yield Violation("time, but it had answered", story.game, name, text)
    elif good := [e for e in asked if e.at < fell - case.answer and _good(case, name, e)]:
        text = f"nothing was wrong with its line for {case.answer} s after {good[0].words}"
        yield Violation("time, on a good line", story.game, name, text)


def _never_asked(case: Case, story: Story, name: str, had: float) -> Iterator[Violation]:
    """Whoever was there and to move, on a line that was good, must have been asked on it."""
    if story.ended is None:
        return  # nobody was there, and when it fell is not known
    place = len(story.states) - 1
    # The clock ran for all that it had, so what it was asked about had come about by then.
    moved = story.ended - had
    for wire in _seats(case, story, name):
        since = max(wire.ready, moved)
        until = since + case.asks
        if until > story.ended or not _untouched(case, name, wire, since, until):
            continue
        if not any(e.wire is wire and e.at <= until for e in story.events(name, "go", place)):
            text = f"for {story.ended - since:.1f} s it was there and ready; its line was told "
            said = [line.text[-40:] for line in wire.told if line.at <= story.ended]
            text += f"{said[-4:]}"
            yield Violation("time, and never asked", story.game, name, text)
            return


def _seats(case: Case, story: Story, name: str) -> Iterator[Wire]:
    """Its lines that had its seat in that game: they were told that it begins or goes on."""
    starts = {event.wire for event in story.events(name, "start")}
    secrets = {_secret(wire) for wire in starts}
    for wire in case.chronicle.by_owner[name]:
        if wire in starts or _secret(wire) in secrets - {""}:
            yield wire


def _secret(wire: Wire) -> str:
    """Of ``lobby welcome name p7 account none resume SECRET``; empty if it was not welcome."""
    for line in wire.told:
        if line.text.startswith("lobby welcome "):
            return line.text.rpartition(" resume ")[2]
    return ""


def _untouched(case: Case, name: str, wire: Wire, since: float, until: float) -> bool:
    """Whether the line lived all that time, the only one of its owner, and the server as well."""
    broken = any(f.kind in BREAKING and f.since <= until for f in wire.faults)
    newer = any(since < other.opened <= until for other in case.chronicle.by_owner[name])
    harm = [*case.troubles, *case.harmed.get(name, ())]
    troubles = [t for t in harm if t.until + case.asks >= since and t.since <= until]
    return not (broken or newer or troubles) and wire.opened <= since and wire.closed > until


def _good(case: Case, name: str, event: Event) -> bool:
    """Whether nothing was done to it, to its line, nor to the server, for so long after it."""
    until = event.at + case.answer
    faults = [f for f in event.wire.faults if f.until >= event.at and f.since <= until]
    broken = [f for f in event.wire.faults if f.kind in BREAKING and f.since <= until]
    harm = case.harm(name, event.wire.server)
    troubles = [t for t in harm if t.until >= event.at and t.since <= until]
    return not (faults or broken or troubles) and event.wire.closed > until


def _line_lost(case: Case, name: str, event: Event) -> bool:
    """Whether the line broke in the moments after something was handed over to the system, or its
    server was not there to read it."""
    soon = event.at + TOLERANCE
    broken = [f for f in event.wire.faults if f.kind in BREAKING and f.since <= soon]
    gone = [
        t
        for t in case.harm(name, event.wire.server)
        if t.server and t.kind in ENDS_LINES and t.since <= soon and t.until >= event.at
    ]
    return event.wire.closed < soon or bool(broken or gone)
