"""How long did games pause whose owner was killed, frozen or cut off?"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from ulci_server.storage import Database

from .invariants import Chronicle, Trouble
from .invariants.chronicle import Story
from .invariants.flags import BREAKING

SETTLED = 2.0
"""Seconds after a mishap in which others are still busy with it."""


def pauses(
    database: Database, chronicle: Chronicle, troubles: Sequence[Trouble], ahead: float
) -> dict[str, list[float]]:
    """Seconds from a mishap of a game's owner until its next move is stored, by what befell it, and
    whether anything befell another server meanwhile. `ahead`: s by which the database's clock is
    ahead of that of the troubles.

    Games whose lines broke meanwhile are left out, and of frozen owners those with a line to it: a
    player there cannot be asked.
    """
    found: dict[str, list[float]] = {}
    for story in chronicle.stories.values():
        if story.record is not None:
            for trouble, until in _interrupted(database, story, troubles, ahead):
                if not _disturbed(chronicle, story, trouble, until):
                    alone = "overlapping" if _overlaps(trouble, until, troubles) else "alone"
                    kept = found.setdefault(f"{trouble.kind}, {alone}", [])
                    kept.append(until - trouble.since)
    return dict(sorted(found.items()))


def _interrupted(
    database: Database, story: Story, troubles: Sequence[Trouble], ahead: float
) -> Iterator[tuple[Trouble, float]]:
    """What cost the game an owner, and when it had gone on."""
    moves = [move.at.timestamp() - ahead for move in database.games.moves(story.game)]
    for before, after in pairwise(database.ownership.epochs(story.game)):
        since, until = before.at.timestamp() - ahead, after.at.timestamp() - ahead
        of_owner = [
            trouble
            for trouble in troubles
            if trouble.server == before.node and since <= trouble.since <= until
        ]
        moved = next((at for at in moves if at > until), None)
        if of_owner and moved is not None:
            yield of_owner[-1], moved


def _disturbed(chronicle: Chronicle, story: Story, trouble: Trouble, until: float) -> bool:
    for name in story.names:
        for wire in chronicle.by_owner[name]:
            if wire.opened > until or wire.closed < trouble.since:
                continue
            if trouble.kind == "freeze" and wire.server == trouble.server:
                return True
            if any(f.kind in BREAKING and f.since <= until for f in wire.faults):
                return True
    return False


def _overlaps(trouble: Trouble, until: float, troubles: Sequence[Trouble]) -> bool:
    return any(
        other is not trouble and other.since <= until and other.until + SETTLED >= trouble.since
        for other in troubles
    )
