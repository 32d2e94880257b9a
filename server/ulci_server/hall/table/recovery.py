"""Games that a restarted server resumes, and the thinking time at which they were interrupted."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from msgspec.structs import replace

from ulci.rules import Side
from ulci_server.game import EventKind, GameStarted, Happened, MovePlayed, Seat
from ulci_server.storage import Noted, RunInfo, Unfinished

PLAUSIBLE = timedelta(hours=12)
"""The longest downtime measured by the clocks alone: a night. After a longer one players hardly
care how long it was, and a clock that is set wrong is a more likely reason than that."""

MILLISECOND = timedelta(milliseconds=1)


class UnplayableError(Exception):
    """A stored game cannot go on; the text says why."""


@dataclass(frozen=True, slots=True)
class Downtime:
    """When the earlier server was last known to be alive, if ever, and when this one began.

    The two moments are of two clocks, which may disagree by days. heard_ago: how long ago (s) this
    server last heard the earlier one, by its own monotonic clock; None: it never did.

    beaten: its last heartbeat; None: it had none. slowest: the longest time from noting a move to
    asking for the next, ms, as known at the last heartbeat. heard: until when the earlier server,
    and those where White and Black were, could hear each other, if it knows other servers.
    """

    alive: datetime | None
    back: datetime
    slowest: int = 0
    beaten: datetime | None = None
    heard: tuple[datetime, datetime] | None = None
    heard_ago: float | None = None

    @property
    def ms(self) -> int | None:
        """How long nobody served the games; None: unknown, or the clocks cannot both be right."""
        if self.heard_ago is not None:
            return round(self.heard_ago * 1000)
        if self.alive is None:
            return None
        passed = self.back - self.alive
        return round(passed / MILLISECOND) if timedelta(0) <= passed <= PLAUSIBLE else None


def downtime(unfinished: Unfinished, before: RunInfo | None, back: datetime) -> Downtime:
    """As the record alone tells it. before: the run that went on with the game until then; None:
    unknown. back: when the next one goes on with it."""
    known = [at for _, at in unfinished.history[-1:]]
    if before is None:
        return Downtime(max(known, default=None), back)
    known.append(before.last_alive)
    # All of them later: the machine's clock was set back.
    alive = max((at for at in known if at <= back), default=min(known))
    return Downtime(alive, back, before.slowest, before.last_alive)


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
    interruptions have stored, and without what is known to be given back.

    Never too much, as the moment of the ``go`` is not stored. Before the last heartbeat it came no
    later than the slowest commit after the previous move; a turn that began after it is given back
    whole. 0 as well if nobody knows when that was, and for a side that had not returned since an
    earlier interruption, whose clock may have stood.
    """
    turn = _Turn()
    for fact, at in history:
        if isinstance(fact, MovePlayed):
            turn.begin(fact.side.other, at)
        elif isinstance(fact, Happened):
            turn.hear(fact, at)
    if turn.since is None or turn.mover is None or down.alive is None:
        return 0
    until = down.alive if down.beaten is None else min(down.alive, down.beaten)
    if down.heard is not None:
        until = min(until, down.heard[turn.mover])
    asked = int((until - turn.since).total_seconds() * 1000) - down.slowest
    return max(0, asked - (turn.given_back - turn.given_before))


@dataclass(slots=True)
class _Turn:
    """What is known of the turn of the side to move. since: when its clock was started last; None:
    it stands, or nobody knows. given_back: ms of the turn that it does not pay for, of which those
    in `given_before` came before `since`. cut_off: whose clocks stand, as servers sent them
    away."""

    mover: Side | None = None
    since: datetime | None = None
    given_back: int = 0
    given_before: int = 0
    cut_off: set[Side] = field(default_factory=set)

    def begin(self, mover: Side | None, at: datetime) -> None:
        self.mover = mover
        self.since = None if mover in self.cut_off else at
        self.given_back = self.given_before = 0

    def hear(self, fact: Happened, at: datetime) -> None:
        match fact.what:
            case EventKind.AGAIN if self.mover is not None:
                self.begin(fact.side, at)
            case EventKind.PAUSED | EventKind.RESUMED:  # their side is the mover
                self.cut_off = {*Side}  # a side that has not returned since then
                self.begin(fact.side, at)
            case EventKind.TAKEN_BACK:
                self.since = self.mover = None
            case EventKind.AWAY if fact.text and fact.side is not None:
                self.cut_off.add(fact.side)
                self.since = None if fact.side is self.mover else self.since
            case EventKind.AWAY if fact.side is self.mover:
                self.given_back = fact.amount
            case EventKind.BACK if fact.side is not None:
                self._back(fact.side, fact.amount, at)

    def _back(self, side: Side, given_back: int, at: datetime) -> None:
        if side is self.mover:
            self.given_back = given_back
            if side in self.cut_off:
                self.since, self.given_before = at, given_back
        self.cut_off.discard(side)


def cannot_return(started: GameStarted) -> str:
    """Why the game cannot be resumed; empty if it can. A player without a secret or an account
    cannot prove that the seat is theirs."""
    lost = [seat.name for seat in started.seats if not seat.key and seat.account is None]
    return f"{' and '.join(lost)} cannot return to this game" if lost else ""
