"""Does every clock add up, as it was told and as it is stored, and did only thinking cost, and all
of it?"""

from collections.abc import Iterator, Sequence
from math import inf
from statistics import median, quantiles

from tests.faults.record import Fault, Wire
from ulci.rules import Side
from ulci_server.game import Spans

from .case import TOLERANCE, Case
from .chronicle import Story, Violation
from .flags import BREAKING
from .places import Event

USUAL = 0.005
"""s that half of all moves may cost more than player and line used, at most."""

RARE = 0.05
"""The same of all but every twentieth: on a busy machine some are read late."""

FEW = 40
"""Moves that are too few to say what is usual."""


def clocks_add_up(case: Case, story: Story) -> Iterator[Violation]:
    shown = case.clocks(story)
    for number, before in enumerate(story.states[:-1]):
        move = story.states[number + 1].move
        if move is None:
            continue
        had = shown[number][move.side] + before.given(move.side)
        left = had - (move.spent - move.lag - move.stall) + case.increment
        if left != move.left or move.left < 0:
            text = f"ply {move.ply}: {had} before, {move}"
            yield Violation("clock does not add up", story.game, story.names[move.side], text)


def clocks_told_are_those_stored(case: Case, story: Story) -> Iterator[Violation]:
    shown = case.clocks(story)
    for name in story.told:
        for event in story.events(name, "go"):
            place = story.places.of(event)
            if place is None:
                continue  # which is said of the moves already
            for side, key in zip(Side, ("wtime", "btime"), strict=True):
                said = int(event.words[event.words.index(key) + 1])
                least, most = _allowed(story, event, side, shown[place][side])
                if not least <= said <= most:
                    text = f"{' '.join(event.words)} at ply {event.ply}; stored is {most}"
                    yield Violation("clock told wrong", story.game, name, text)


def _allowed(story: Story, event: Event, side: Side, stored: int) -> tuple[float, int]:
    """Between what and what the side's clock may be told to stand."""
    place = story.places.of(event)
    most = stored + story.states[place].given(side)
    if event.ply % 2 != side:
        return stored, most
    # It may have thought already when it was asked again, but not longer than it could.
    begun = min((e.at for e in _beginning(story, place)), default=None)
    thought = inf if begun is None else event.at - begun + TOLERANCE
    return max(0.0, stored - 1000 * thought), most


def only_thinking_costs(case: Case, story: Story) -> Iterator[Violation]:
    for place, state in enumerate(story.states[1:]):
        move = state.move
        window = None if move is None else _window(case, story, story.names[move.side], place)
        if window is None:
            continue
        name, (since, until) = story.names[move.side], window
        explained = until - since - _downtime(case, story, name, place, since, until)
        extra = (move.spent - move.lag - move.stall) / 1000 - explained
        case.unexplained.append(extra)
        if extra > TOLERANCE:
            text = f"ply {move.ply} cost {1000 * extra:.0f} ms more than it took: {move}"
            text += f"; {_near(case, since, until + extra)}; {_tale(case, story, name, place)}"
            yield Violation("time charged for nothing", story.game, name, text)


def nothing_is_given_back_for_the_line(case: Case, story: Story) -> Iterator[Violation]:
    """The proxy is on this machine: its end of a line takes microseconds, whatever it does to what
    it passes on, and however long players think."""
    for move in story.moves:
        if move.lag:
            text = f"ply {move.ply}: {move}"
            yield Violation("time given for nothing", story.game, story.names[move.side], text)


def _window(case: Case, story: Story, name: str, place: int) -> tuple[float, float] | None:
    """From the first question to the last time that its answer was handed over."""
    asked = story.events(name, "go", place)
    answered = story.events(name, "answer", place)
    if not answered:
        return None
    begins = _beginning(story, place)
    if asked and begins and asked[0].wire.ready < begins[0].at:
        return case.earliest(asked[0].bound), answered[-1].bound
    # The question went to a line that was dead already, or to none, and shows us nothing.
    return min((e.at for e in (*begins, *asked)), default=0.0), answered[-1].bound


def _beginning(story: Story, place: int) -> Sequence[Event]:
    """What was said and made the game enter that state: not earlier than the first of them."""
    state = story.states[place]
    if state.move is not None:
        return story.events(story.names[state.move.side], "answer", place - 1)
    what = "start" if state.step is None else "takeback"
    said = [e for name in story.names for e in story.events(name, what)]
    if state.step is not None:  # and who is not asked need not have been told of the last move
        said = [e for e in said if story.places.of(e) in (place - 1, place - 2)]
    return sorted(said, key=lambda e: e.at)


def _downtime(case: Case, story: Story, name: str, place: int, since: float, until: float) -> float:
    """s in which there was no server for it: of several, none after its own had ended, until it was
    asked by another."""
    down, counted = 0.0, since
    for trouble in case.ends:
        lost, ended = trouble.since, trouble.until
        if lost >= until:
            break
        if trouble.server:
            lines = case.chronicle.by_owner[name]
            wires = [w for w in lines if w.opened <= trouble.since]
            if not wires or wires[-1].server != trouble.server:
                continue
            if any(trouble.since < w.opened <= w.welcomed < since for w in lines):
                continue  # it was at another server when its turn began
            if trouble.kind == "term":  # it serves its lines until then
                lost = min(wires[-1].hung_up, trouble.until)
            if wires[-1].ready > trouble.since or any(
                f.kind in BREAKING and f.since < lost for f in wires[-1].faults
            ):
                continue  # its line was lost before, or the one before that
            asked = [e.at for e in story.events(name, "go", place) if e.at > trouble.since]
            broke = (
                max(wire.welcomed, fault.since)
                for wire in lines
                for fault in wire.faults
                if trouble.since < wire.welcomed and _breaks(fault, wire)
            )
            ended = min([*asked, *broke], default=until)  # then its own line keeps it
        begin, ended = max(counted, lost), min(until, ended)
        if ended > begin:
            slow = _slow(case.chronicle.by_owner[name], trouble.since, begin, ended)
            down, counted = down + ended - begin - slow, ended
    return down


def _breaks(fault: Fault, wire: Wire) -> bool:
    """Whether it broke the line of a player who was let in: one that was closed in one direction
    may still bring the welcome."""
    return fault.kind in BREAKING and (fault.since > wire.welcomed or fault.kind == "half-close")


def _slow(lines: Sequence[Wire], after: float, since: float, until: float) -> float:
    """s between these two for which its own line, at which a server had welcomed it after `after`,
    held something back."""
    slow = Spans(
        (max(fault.since, since), min(fault.until, until))
        for wire in lines
        for fault in wire.faults
        if after < wire.welcomed < fault.since and fault.kind not in BREAKING
    )
    return sum(end - begin for begin, end in slow)


def _tale(case: Case, story: Story, name: str, place: int) -> str:
    """What passed on the lines of one who was to move, in ms since the first question."""
    events = [e for what in ("go", "answer") for e in story.events(name, what, place)]
    begin = min(e.at for e in events)
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


def usual_and_rare(unexplained: Sequence[float]) -> tuple[float, float]:
    """What the middle one of all moves cost beyond its use, s, and what 95 of 100 stayed below."""
    some = [*unexplained] * (2 if len(unexplained) == 1 else 1)
    return median(some), quantiles(some, n=20, method="inclusive")[-1]


def charged(unexplained: Sequence[float]) -> str:
    """The same for people, in ms, and the most that a move cost."""
    usual, rare = usual_and_rare(unexplained)
    numbers = (("median", usual), ("95 %", rare), ("most", max(unexplained)))
    return ", ".join(f"{what} {1000 * extra:.0f} ms" for what, extra in numbers)


def moves_cost_what_they_took(case: Case) -> Iterator[Violation]:
    """All together: what no single move proves, as each may have been read late."""
    if len(case.unexplained) < FEW:
        return
    usual, rare = usual_and_rare(case.unexplained)
    if usual > USUAL or rare > RARE:
        text = f"half of all moves cost {1000 * usual:.0f} ms more than they took, or more; "
        text += f"every twentieth {1000 * rare:.0f} ms"
        yield Violation("time charged for nothing", 0, "", text)


CLOCKS = (
    clocks_add_up,
    clocks_told_are_those_stored,
    only_thinking_costs,
    nothing_is_given_back_for_the_line,
)
