"""What directors decide, at a terminal or over the network: one function an act.

Each reads the tournament, decides, and stores the change. The tournament's own director may store
something at the same time: then the act is decided again. All are for a worker thread.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Literal, NamedTuple

from ulci_server.storage import (
    Database,
    EntrantRecord,
    PairingRecord,
    StoredTournament,
    TournamentChangedError,
    TournamentState,
)

from .making import Offered, no_engine
from .rows import rebuilt

TRIES = 5
"""How often an act is decided that others get ahead of."""

SHOWN = 40
"""Characters shown of an unknown name."""


class DirectingError(Exception):
    """It cannot be done; the text says why."""


class NoTournamentError(DirectingError):
    """There is no tournament of that name."""


class Change(NamedTuple):
    """What an act changes. text: what is done, for people."""

    text: str
    state: TournamentState | None = None
    allowed_round: int | None = None
    entrants: tuple[EntrantRecord, ...] = ()
    pairings: tuple[PairingRecord, ...] = ()


Act = Callable[[Database, StoredTournament], Change]
"""Decides; raises `DirectingError`."""


def perform(database: Database, name: str, act: Act, at: datetime) -> str:
    """Perform the act; returns its outcome, for people.

    Raises:
        DirectingError: it cannot be done.
        StorageError: the database does not answer, or the tournament is over (`RefusedError`).
    """
    for _ in range(TRIES):
        stored = stored_of(database, name)
        text, state, round_, entrants, pairings = act(database, stored)
        try:
            database.tournaments.change(
                stored.record.id,
                at,
                state=state,
                allowed_round=round_,
                entrants=entrants,
                pairings=pairings,
                since=stored,
            )
        except TournamentChangedError:
            continue
        return text
    raise DirectingError(f"{name} changes all the time; try again")


def stored_of(database: Database, name: str) -> StoredTournament:
    """The tournament of that name. Raises `NoTournamentError`."""
    record = database.tournaments.named(name.casefold())
    stored = None if record is None else database.tournaments.stored(record.id)
    if stored is None:
        raise NoTournamentError(f"there is no tournament {name[:SHOWN]!r}")
    return stored


StateAct = Literal["start", "pause", "stop"]

_STATES = {
    "start": (TournamentState.RUNNING, "is started"),
    "pause": (TournamentState.PAUSED, "is paused"),
    "stop": (TournamentState.STOPPED, "is stopped"),
}


def set_state(act: StateAct) -> Act:
    """Start it or go on with it, begin no more of its games, or end it for good."""

    def decide(_: Database, stored: StoredTournament) -> Change:
        state, done = _STATES[act]
        return Change(f"{stored.record.word} {done}", state)

    return decide


def next_round(_: Database, stored: StoredTournament) -> Change:
    """Let the next round begin, of a tournament whose rounds are begun by hand."""
    round_ = rebuilt(stored).last_round + 1
    return Change(f"round {round_} of {stored.record.word} may begin", allowed_round=round_)


Way = Literal["account", "engine", "remote"]


def enter(way: Way, name: str, boards: int, offered: Offered | None) -> Act:
    """Enter an account, an engine of the server, or who gives that name at its listener."""

    def decide(database: Database, stored: StoredTournament) -> Change:
        found = rebuilt(stored)
        if found.last_round and not found.takes_late:
            raise DirectingError(f"a {found.settings.format} that has begun takes nobody")
        if len(stored.entrants) >= (most := found.settings.most_entrants):
            raise DirectingError(f"a {found.settings.format} has {most} entrants at most")
        account = None
        if way == "account":
            player = database.accounts.find_player(name)
            if player is None:
                raise DirectingError(f"there is no account {name[:SHOWN]}")
            if found.settings.kind not in ("any", player.kind):
                raise DirectingError(f"{player.name} is of kind {player.kind}")
            account = player.id
        if way == "engine" and (why := no_engine(name, offered)):
            raise DirectingError(why)
        if any(row.name.casefold() == name.casefold() for row in stored.entrants):
            raise DirectingError(f"{name} is in it already")
        late = found.last_round and not found.pairs_here
        row = EntrantRecord(
            max((one.number for one in stored.entrants), default=0) + 1,
            name,
            account,
            engine=name if way == "engine" else "",
            remote=name if way == "remote" else "",
            boards=boards,
            joined=found.last_round + 1 if late else 1,
        )
        text = f"{name} is entrant {row.number} of {stored.record.word}"
        return Change(text, entrants=(row,))

    return decide


def remove(entrant: str, why: str) -> Act:
    """Take somebody out: it loses what it was still to play."""

    def decide(_: Database, stored: StoredTournament) -> Change:
        row = _entrant(stored, entrant)
        gone = row._replace(left=rebuilt(stored).last_round + 1, why=why)
        return Change(f"{row.name} is out of {stored.record.word}", entrants=(gone,))

    return decide


SCORES = ("1-0", "0-1", "1/2-1/2", "0-0")


def correct(pairing: int, score: str, why: str, by: str) -> Act:
    """Decide a pairing, or correct its result; its game stays in the record as it was."""

    def decide(_: Database, stored: StoredTournament) -> Change:
        row = next((row for row in stored.pairings if row.number == pairing), None)
        if row is None or row.black is None or row.void:
            raise DirectingError(f"{stored.record.word} has no pairing {pairing} that counts")
        corrected = row._replace(score=score, why=why or "corrected by a director", by=by)
        text = f"pairing {row.number} of {stored.record.word} counts as {score}"
        return Change(text, pairings=(corrected,))

    return decide


def pair(white: str, black: str, by: str) -> Act:
    """Pair two by hand, in the round that is being played."""

    def decide(_: Database, stored: StoredTournament) -> Change:
        one, other = _entrant(stored, white), _entrant(stored, black)
        if one.number == other.number:
            raise DirectingError("nobody plays against itself")
        number = max((row.number for row in stored.pairings), default=0) + 1
        round_ = max(rebuilt(stored).last_round, 1)
        row = PairingRecord(number, round_, one.number, other.number, number - 1, by=by)
        text = f"pairing {number}: {one.name} - {other.name}, round {round_}"
        return Change(text, pairings=(row,))

    return decide


def _entrant(stored: StoredTournament, name: str) -> EntrantRecord:
    for row in stored.entrants:
        if name.casefold() == row.name.casefold() or name == str(row.number):
            return row
    raise DirectingError(f"{stored.record.word} has no entrant {name[:SHOWN]}")
