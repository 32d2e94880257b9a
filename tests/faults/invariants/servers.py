"""Did every game have one owner at a time, and did servers end only lines that they had to end?"""

from collections.abc import Iterable, Iterator, Sequence

from tests.faults.record import Wire
from ulci_server.storage import Database

from .case import Trouble
from .chronicle import Story, Violation
from .flags import BREAKING, ENDS_LINES

SENDS_ON = ("you reconnected elsewhere", "this server cannot reach")
"""The last words of a server on a line that its client had given up, or that it can do nothing
for."""

SENDS_AWAY = ENDS_LINES | {"cut-pg", "cut-redis", "fenced"}
"""What befalls a server so that it ends lines, as it can do nothing for anybody."""

SETTLED = 4.0
"""Seconds after a mishap of a server in which a line may end by it."""


def owners(database: Database, story: Story) -> Iterator[Violation]:
    """One owner an epoch, and epochs rise by one."""
    epochs = database.ownership.epochs(story.game)
    if [one.epoch for one in epochs] != [*range(1, len(epochs) + 1)]:
        yield Violation("owners", story.game, "", f"{epochs}")


def lines_lost(wires: Iterable[Wire], troubles: Sequence[Trouble]) -> Iterator[Violation]:
    """Lines that a server ended to which nothing was done that ends lines."""
    for wire in wires:
        at = wire.hung_up
        if at > wire.closed or any(fault.kind in BREAKING for fault in wire.faults):
            continue
        if any(line.text == "quit" for line in wire.heard[-1:]):
            continue
        last = " | ".join(line.text for line in wire.told[-4:])
        excused = any(
            trouble.kind in SENDS_AWAY
            and trouble.server == wire.server
            and trouble.since <= at <= trouble.until + SETTLED
            for trouble in troubles
        )
        if not excused and not any(words in last for words in SENDS_ON):
            text = f"{wire.server} ended it at {at:.3f} after {last}"
            yield Violation("line lost", 0, wire.owner, text)
