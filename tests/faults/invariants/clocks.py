"""Does every clock add up, as it was told and as it is stored, and did only thinking cost?"""

from collections.abc import Iterator

from ulci.rules import Side

from .case import TOLERANCE, Case
from .chronicle import Story, Violation


def clocks_add_up(case: Case, story: Story) -> Iterator[Violation]:
    if story.amended:
        return
    for move in story.moves:
        before = case.left_before(story, move.ply)
        left = before - (move.spent - move.lag - move.stall) + case.increment
        if left != move.left or move.left < 0:
            text = f"ply {move.ply}: {before} before, {move}"
            yield Violation("clock does not add up", story.game, story.names[move.side], text)


def clocks_told_are_those_stored(case: Case, story: Story) -> Iterator[Violation]:
    if story.amended:
        return
    for name in story.told:
        for event in story.events(name, "go"):
            for side, key in zip(Side, ("wtime", "btime"), strict=True):
                said = int(event.words[event.words.index(key) + 1])
                stored, wrong = _compare(case, story, event.ply, side, said)
                if wrong:
                    text = f"{' '.join(event.words)} at ply {event.ply}; stored is {stored}"
                    yield Violation("clock told wrong", story.game, name, text)


def _compare(case: Case, story: Story, ply: int, side: Side, said: int) -> tuple[int, bool]:
    """What SQL says of a side's clock after so many plies, and whether that was told wrong."""
    if ply > len(story.moves):
        return 0, False  # which is said of the moves already
    if ply % 2 == side:  # it may have thought already when it was asked again
        stored = case.left_before(story, ply + 1)
        return stored, not 0 <= said <= stored
    stored = story.moves[ply - 1].left if ply else case.base
    return stored, said != stored


def only_thinking_costs(case: Case, story: Story) -> Iterator[Violation]:
    for move in story.moves:
        name = story.names[move.side]
        window = _window(case, story, name, move.ply)
        if window is None:
            continue
        since, until = window
        explained = until - since - _downtime(case, since, until)
        extra = (move.spent - move.lag - move.stall) / 1000 - explained
        case.unexplained.append(extra)
        if extra > TOLERANCE:
            text = f"ply {move.ply} cost {1000 * extra:.0f} ms more than it took: {move}"
            text += f"; {_near(case, since, until + extra)}; {_tale(case, story, name, move.ply)}"
            yield Violation("time charged for nothing", story.game, name, text)


def _window(case: Case, story: Story, name: str, ply: int) -> tuple[float, float] | None:
    """From the first question to the last time that its answer was handed over."""
    asked = story.events(name, "go", ply - 1)
    answered = story.events(name, "answer", ply - 1)
    if not answered:
        return None
    before = story.events(story.names[ply % 2], "answer", ply - 2) if ply > 1 else []
    begins = before or [e for events in story.told.values() for e in events if e.what == "start"]
    if asked and begins and asked[0].wire.ready < begins[0].at:
        return asked[0].bound, answered[-1].bound
    # The question went to a line that was dead already, or to none, and shows us nothing.
    return min((e.at for e in begins + asked), default=0.0), answered[-1].bound


def _downtime(case: Case, since: float, until: float) -> float:
    """s in which there was no server."""
    return sum(
        max(0.0, min(until, t.until) - max(since, t.since))
        for t in case.troubles
        if t.kind in ("kill", "restart", "clock")
    )


def _tale(case: Case, story: Story, name: str, ply: int) -> str:
    """What passed on the lines of one who was to move, in ms since the first question."""
    events = [e for e in story.told[name] if e.ply == ply - 1 and e.what in ("go", "answer")]
    begin = events[0].at
    lines = case.chronicle.by_owner[name]
    said = [(e.at, f"{e.what}@{lines.index(e.wire)}") for e in events]
    for number, wire in enumerate(lines):
        said += [(fault.since, f"{fault.kind}@{number}") for fault in wire.faults]
        said += [(wire.opened, f"opened@{number}"), (wire.closed, f"closed@{number}")]
    near = [(at, what) for at, what in sorted(said) if begin - 1 < at < events[-1].at + 5]
    return " ".join(f"{1000 * (at - begin):.0f}:{what}" for at, what in near)


def _near(case: Case, since: float, until: float) -> str:
    near = [t.kind for t in case.troubles if t.until >= since and t.since <= until]
    return f"meanwhile: {' '.join(near) or 'nothing'}"


CLOCKS = (clocks_add_up, clocks_told_are_those_stored, only_thinking_costs)
