"""Which games does a new server go on with, and what had been thought when the old one ended?"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from ulci.rules.outcome import Side
from ulci_server.game import GameStarted, Happened, MovePlayed, Seat, What
from ulci_server.storage import Noted

# The side of these is that of the mover; whoever has not come back since then has a clock that
# stands, for a while.
_CUTS_OFF = frozenset({What.PAUSED, What.RESUMED})


@dataclass(frozen=True, slots=True)
class Downtime:
    """When the server that played them was last known to be alive, and when this one began.

    slowest: ms that it took at most from noting a move to asking for the next, as was known at
    `beaten`, its last heartbeat; None: it had none.
    """

    alive: datetime
    back: datetime
    slowest: int = 0
    beaten: datetime | None = None

    @property
    def ms(self) -> int:
        return max(0, round((self.back - self.alive).total_seconds() * 1000))


def newest_keys(seats: tuple[Seat, Seat], history: Sequence[Noted]) -> tuple[Seat, Seat]:
    """The seats, with the keys by which they can be taken now: who came back by a token has had a
    new secret since."""
    keys = [seat.key for seat in seats]
    for fact, _ in history:
        if isinstance(fact, Happened) and fact.what is What.BACK and fact.side is not None:
            keys[fact.side] = fact.text or keys[fact.side]
    white, black = (replace(seat, key=key) for seat, key in zip(seats, keys, strict=True))
    return white, black


def thinking(history: Sequence[Noted], down: Downtime) -> int:
    """ms that the side to move had thought when the server was last alive, beyond what the record
    says of earlier ends. Never too much: nobody knows when it was asked. If before the last
    heartbeat, then no later than the slowest commit after the move before it was noted; if after
    it, it is given back whole. Nor is it known of who had not come back since an earlier end
    whether its clock ran.
    """
    since: datetime | None = None
    mover: Side | None = None
    cut_off: set[Side] = set()
    for fact, at in history:
        if isinstance(fact, MovePlayed):
            mover = fact.side.other
            since = None if mover in cut_off else at
        elif isinstance(fact, Happened) and fact.what is What.AGAIN and mover is not None:
            mover = fact.side
            since = None if mover in cut_off else at
        elif isinstance(fact, Happened) and fact.what in _CUTS_OFF:
            since, mover, cut_off = None, fact.side, {*Side}
        elif isinstance(fact, Happened) and fact.what is What.TAKEN_BACK:
            since = mover = None
        elif isinstance(fact, Happened) and fact.what is What.BACK and fact.side in cut_off:
            cut_off.discard(fact.side)
            since = at if fact.side is mover else since
    if since is None:
        return 0
    until = down.alive if down.beaten is None else min(down.alive, down.beaten)
    return max(0, int((until - since).total_seconds() * 1000) - down.slowest)


def cannot_return(started: GameStarted) -> str:
    """Why such a game cannot go on: who has no secret cannot prove that the seat is theirs. Empty
    if it can."""
    lost = [seat.name for seat in started.seats if not seat.key and seat.account is None]
    return f"{' and '.join(lost)} cannot come back to this game" if lost else ""
