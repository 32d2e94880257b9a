"""Games that a restarted server resumes, and the thinking time at which they were interrupted."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from msgspec.structs import replace

from ulci.rules.outcome import Side
from ulci_server.game import EventKind, GameStarted, Happened, MovePlayed, Seat
from ulci_server.storage import Noted

# Their side is the mover. A side that has not returned since then has a stopped clock, for a
# while.
_CUTS_OFF = frozenset({EventKind.PAUSED, EventKind.RESUMED})


@dataclass(frozen=True, slots=True)
class Downtime:
    """When the earlier server was last known to be alive, and when this one began.

    beaten: its last heartbeat; None: it had none. slowest: the longest time from noting a move to
    asking for the next, ms, as known at the last heartbeat. heard: until when the earlier server,
    and those where White and Black were, could hear each other, if it knows other servers.
    """

    alive: datetime
    back: datetime
    slowest: int = 0
    beaten: datetime | None = None
    heard: tuple[datetime, datetime] | None = None

    @property
    def ms(self) -> int:
        return max(0, round((self.back - self.alive).total_seconds() * 1000))


def newest_keys(seats: tuple[Seat, Seat], history: Sequence[Noted]) -> tuple[Seat, Seat]:
    """The seats with their newest keys: a player who returned by a token has got a new secret."""
    keys = [seat.key for seat in seats]
    for fact, _ in history:
        if isinstance(fact, Happened) and fact.what is EventKind.BACK and fact.side is not None:
            keys[fact.side] = fact.text or keys[fact.side]
    white, black = (replace(seat, key=key) for seat, key in zip(seats, keys, strict=True))
    return white, black


def thinking(history: Sequence[Noted], down: Downtime) -> int:
    """Thinking time, ms, of the side to move when the server was last alive, beyond what earlier
    interruptions have stored.

    Never too much, as the moment of the ``go`` is not stored. Before the last heartbeat it came no
    later than the slowest commit after the previous move; a turn that began after it is given back
    whole. 0 as well for a side that had not returned since an earlier interruption, whose clock may
    have stood.
    """
    since: datetime | None = None
    mover: Side | None = None
    cut_off: set[Side] = set()
    for fact, at in history:
        if isinstance(fact, MovePlayed):
            mover = fact.side.other
            since = None if mover in cut_off else at
        elif isinstance(fact, Happened) and fact.what is EventKind.AGAIN and mover is not None:
            mover = fact.side
            since = None if mover in cut_off else at
        elif isinstance(fact, Happened) and fact.what in _CUTS_OFF:
            since, mover, cut_off = None, fact.side, {*Side}
        elif isinstance(fact, Happened) and fact.what is EventKind.AWAY:
            if fact.text and fact.side is not None:
                cut_off.add(fact.side)
                since = None if fact.side is mover else since
        elif isinstance(fact, Happened) and fact.what is EventKind.TAKEN_BACK:
            since = mover = None
        elif isinstance(fact, Happened) and fact.what is EventKind.BACK and fact.side in cut_off:
            cut_off.discard(fact.side)
            since = at if fact.side is mover else since
    if since is None or mover is None:
        return 0
    until = down.alive if down.beaten is None else min(down.alive, down.beaten)
    if down.heard is not None:
        until = min(until, down.heard[mover])
    return max(0, int((until - since).total_seconds() * 1000) - down.slowest)


def cannot_return(started: GameStarted) -> str:
    """Why the game cannot be resumed; empty if it can. A player without a secret or an account
    cannot prove that the seat is theirs."""
    lost = [seat.name for seat in started.seats if not seat.key and seat.account is None]
    return f"{' and '.join(lost)} cannot return to this game" if lost else ""
