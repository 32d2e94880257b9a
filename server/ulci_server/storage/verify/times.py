"""Checks the clocks: whether the moves fit into the time that passed.

The record's clock never goes back while a server runs, and no side thinks longer than from the last
fact to its move. From one run of the server to the next any time may have passed, or the machine's
clock been set: nothing is checked there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from ulci.rules import Evidence, Reason, Side
from ulci_server.game import EventKind, Fact, Happened, MovePlayed
from ulci_server.storage.errors import DisagreementError
from ulci_server.storage.records import GameRecord, Noted

from .evidence import FLAG
from .ledger import Ledger
from .progress import Progress
from .reference import Judgement

SLACK = 250
"""ms by which the record's clock and the players' may differ: both are read one after the other,
and each is rounded."""

_ON_TIME = frozenset({Evidence.FLAG, Evidence.FLAG_INSUFFICIENT})
_THOUGHT = frozenset({EventKind.PAUSED, EventKind.RESUMED})


def check_times(
    game: GameRecord, history: Sequence[Noted], judged: Judgement, progress: Progress
) -> None:
    """Raises `DisagreementError` if a fact is earlier than the one before it, or if more time was
    spent than passed. Games whose end is not in their history are not checked: their server's clock
    could be set while it ran."""
    if progress.finished is None and not game.running:
        return
    turn, before = _Turn(game.started_at), game.started_at
    for fact, at in history:
        if at < before:
            if not _may_be_of_another_run(fact, judged, progress):
                raise DisagreementError(
                    f"{_named(fact)}: its time is before that of what was before"
                )
        elif (wrong := _too_long(fact, turn.passed(at))) is not None:
            raise DisagreementError(f"{_named(fact)}: {wrong}")
        turn.take(fact, at)
        before = at


@dataclass(slots=True)
class _Turn:
    """Since when the side to move may have been thinking, beyond the ms that it had `thought`."""

    since: datetime
    thought: int = 0

    def passed(self, at: datetime) -> int:
        """Maximum ms that the side to move can have thought until `at`."""
        return self.thought + max(0, round((at - self.since) / timedelta(milliseconds=1)))

    def take(self, fact: Fact, at: datetime) -> None:
        if isinstance(fact, Happened) and fact.what in _THOUGHT:
            self.since, self.thought = at, fact.amount
        elif isinstance(fact, MovePlayed) or _takes_back(fact):
            self.since, self.thought = at, 0


def _takes_back(fact: Fact) -> bool:
    return isinstance(fact, Happened) and fact.what is EventKind.TAKEN_BACK


def _may_be_of_another_run(fact: Fact, judged: Judgement, progress: Progress) -> bool:
    """Whether the fact may be the first of another run: a resumption; or an end without one, by the
    last move or because the game cannot be resumed."""
    if not isinstance(fact, Happened):
        return False
    if fact is progress.finished:
        return judged.outcome() is not None or fact.text.startswith(Reason.SERVER)
    return fact.what is EventKind.RESUMED


def _too_long(fact: Fact, passed: int) -> str | None:
    """The fault if the fact's thinking time is more than the `passed` ms."""
    if isinstance(fact, MovePlayed):
        thought = fact.spent
    elif isinstance(fact, Happened) and fact.what in _THOUGHT:
        thought = fact.amount
    else:
        return None
    if thought <= passed + SLACK:
        return None
    return f"{thought} ms are said to be spent, and {passed} ms had passed"


def check_flag(
    game: GameRecord,
    history: Sequence[Noted],
    judged: Judgement,
    ledger: Ledger,
    progress: Progress,
) -> None:
    """Raises `DisagreementError` if a flag fell although its side had time left."""
    assert game.outcome is not None
    decided = game.outcome.reason.evidence in _ON_TIME or game.detail.startswith(FLAG)
    if progress.finished is None or not decided:
        return
    turn = _Turn(game.started_at)
    for fact, at in history[:-1]:
        turn.take(fact, at)
    winner = game.outcome.winner
    loser = judged.turn if winner is None else winner.other
    had, passed = ledger.allowed(loser), turn.passed(history[-1].at)
    if had is not None and passed + SLACK < had:
        raise DisagreementError(
            f"the flag of {loser.word} is said to have fallen: it had {had} ms, and {passed} ms"
            " had passed"
        )


_QUOTA, _GAIN = 1000, 100
"""ms that a side may be given back for the network at first and at most, and what a move adds."""

_FULL: Mapping[str, int] = {"none": 0, "quota": _QUOTA, "equalised": _QUOTA}
"""The quota of each rule."""


def check_lag(game: GameRecord, history: Sequence[Noted]) -> None:
    """Raises `DisagreementError` if more was given back for the network than the rule allows."""
    full = _FULL.get(game.lag)
    if full is None:
        raise DisagreementError(f"there is no rule for time lost in the network named {game.lag}")
    left = dict.fromkeys(Side, full)
    for fact, _ in history:
        if isinstance(fact, MovePlayed):
            if fact.lag > left[fact.side]:
                raise DisagreementError(
                    f"{_named(fact)}: {fact.lag} ms were given back for the network,"
                    f" and the game's rule ({game.lag}) allows {left[fact.side]} ms"
                )
            left[fact.side] = min(full, left[fact.side] - fact.lag + _GAIN)


def _named(fact: Fact) -> str:
    if isinstance(fact, MovePlayed):
        return f"ply {fact.ply}, {fact.move}"
    assert isinstance(fact, Happened)
    return f"step {fact.seq}, {fact.what}"
