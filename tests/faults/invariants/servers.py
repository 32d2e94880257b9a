"""Did every game have one owner at a time, and did servers end only lines that they had to end?"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from math import inf

from tests.faults.record import THAWED, Wire
from ulci_server.storage import Database, Epoch

from .case import Trouble
from .chronicle import Story, Violation
from .flags import BREAKING, ENDS_LINES
from .places import Unheard

SENDS_ON = ("you reconnected elsewhere", "this server cannot reach")
"""The last words of a server on a line that its client had given up, or that it can do nothing
for."""

REFUSES = "the account database does not answer"
"""The last words of a server to a client whose login has found no database for `LOOKED` s."""

LOOKED, AWAY = 4.0, 3.0
"""Seconds for which a login waits for the database, and for how many of them at least that was
away: a server notices both its end and its return later."""

SENDS_AWAY = ENDS_LINES | {"cut-pg", "cut-redis", "fenced"}
"""What befalls a server so that it ends lines, as it can do nothing for anybody."""

SILENT = frozenset({"kill", "freeze", "cut-redis"})
"""What befalls a server so that others do not hear it, and do not know that."""

SETTLED = 4.0
"""Seconds after a mishap of a server in which a line may end by it."""


def owners(database: Database, story: Story) -> Iterator[Violation]:
    """One owner an epoch, and epochs rise by one."""
    epochs = database.ownership.epochs(story.game)
    if [one.epoch for one in epochs] != [*range(1, len(epochs) + 1)]:
        yield Violation("owners", story.game, "", f"{epochs}")


def unheard(
    epochs: Sequence[Epoch], troubles: Sequence[Trouble], ahead: float
) -> Iterator[Unheard]:
    """When owners of a game were not heard at other servers. ahead: s by which the database's clock
    is ahead of that of the troubles."""
    for owner, following in zip_longest(epochs, epochs[1:]):
        begun = owner.at.timestamp() - ahead
        ended = inf if following is None else following.at.timestamp() - ahead
        for trouble in troubles:
            if trouble.server == owner.node and trouble.kind in SILENT:
                until = ended if trouble.kind == "kill" else min(ended, trouble.until)
                if begun <= trouble.since <= ended:
                    yield Unheard(trouble.since, until + THAWED)


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
        excused |= REFUSES in last and _away(troubles, at) >= AWAY
        if not excused and not any(words in last for words in SENDS_ON):
            text = f"{wire.server} ended it at {at:.3f} after {last}"
            yield Violation("line lost", 0, wire.owner, text)


def _away(troubles: Iterable[Trouble], at: float) -> float:
    """For how many of the last `LOOKED` s until `at` a server had no database."""
    away = (t for t in troubles if t.kind in ("cut-pg", "restart-pg"))
    return sum(max(0.0, min(t.until, at) - max(t.since, at - LOOKED)) for t in away)
