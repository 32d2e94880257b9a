"""Checks the evidence: whether the facts support the end of the game. One row for each reason.

Only for games whose end is among their events: the servers that left it out also recorded less of
the rest.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ulci.rules import Outcome, Reason, Side
from ulci_server.game import EventKind, Happened, MovePlayed, Seat
from ulci_server.storage.errors import DisagreementError
from ulci_server.storage.read import said_at_the_end
from ulci_server.storage.records import GameRecord, Noted

from .ledger import Ledger
from .progress import Progress
from .reference import Judgement

FLAG = "the flag of "
"""So the evidence of an end by time begins."""


@dataclass(frozen=True, slots=True)
class _Ended:
    """The end recorded with the game, the last fact before it, and what is known of the game up to
    it."""

    outcome: Outcome
    detail: str
    before: MovePlayed | Happened | None
    seats: tuple[Seat, Seat]
    turn: Side
    ledger: Ledger
    progress: Progress

    @property
    def loser(self) -> Side:
        """The side that lost; in a draw, the side to move."""
        winner = self.outcome.winner
        return self.turn if winner is None else winner.other

    def who(self, side: Side) -> str:
        return f"{'White' if side is Side.WHITE else 'Black'} ({self.seats[side].name})"

    def says(self, start: str) -> str | None:
        """The fault if the evidence does not begin with `start`."""
        if self.detail.startswith(start):
            return None
        return f"the evidence is {self.detail!r} and not {start!r}"


def check_evidence(
    game: GameRecord,
    history: Sequence[Noted],
    judged: Judgement,
    ledger: Ledger,
    progress: Progress,
) -> None:
    """Raises `DisagreementError` if the facts before the end do not support it."""
    if progress.finished is None:
        return
    assert game.outcome is not None
    steps = [fact for fact, _ in history if isinstance(fact, MovePlayed | Happened)]
    before = steps[-2] if len(steps) > 1 else None
    ended = _Ended(game.outcome, game.detail, before, game.seats, judged.turn, ledger, progress)
    row = _ROWS.get(game.outcome.reason)
    if row is not None and (wrong := row(ended)) is not None:
        raise DisagreementError(f"the result {game.result} ({game.outcome.reason.value}): {wrong}")


def check_end(game: GameRecord, history: Sequence[Noted], progress: Progress) -> None:
    """Raises `DisagreementError` if the end recorded with the game differs from its last event."""
    if progress.finished is None:
        return
    assert game.outcome is not None
    finished, at = progress.finished, history[-1].at
    reason, detail = said_at_the_end(finished)
    said = _spelled(finished.side, reason, detail)
    kept = _spelled(game.outcome.winner, game.outcome.reason.value, game.detail)
    if said != kept:
        raise DisagreementError(f"the result is {kept}, and the last that happened is {said}")
    if at != game.finished_at:
        raise DisagreementError(f"it ended at {game.finished_at}, and the last happened at {at}")
    if finished.ply != progress.plies:
        plies = progress.plies
        raise DisagreementError(f"it ended after ply {plies}, and not after ply {finished.ply}")


def _spelled(winner: Side | None, reason: str, detail: str) -> str:
    won = "nobody won" if winner is None else f"{winner.word} won"
    return f"{won} ({reason}: {detail})" if detail else f"{won} ({reason})"


def _lost(what: str) -> Callable[[_Ended], str | None]:
    """The evidence must name the loser, followed by `what`."""
    return lambda ended: ended.says(f"{ended.who(ended.loser)} {what}")


def _flag(ended: _Ended) -> str | None:
    ply = ended.progress.plies + 1
    return ended.says(f"{FLAG}{ended.who(ended.loser)} fell at ply {ply},")


def _agreed(ended: _Ended) -> str | None:
    if ended.progress.offer is None:
        return "nobody had a draw on offer"
    return ended.says(f"{ended.who(ended.progress.offer)} offered a draw and ")


def _gone(ended: _Ended) -> str | None:
    """In a draw either side may have been absent; the one that claimed it is named last."""
    gone = ended.progress.away
    if ended.outcome.winner is not None:
        if ended.loser not in gone:
            return f"{ended.loser.word} was not away"
        return ended.says(f"{ended.who(ended.loser)} ")
    draws = (f"{ended.who(side)} ... and {ended.who(side.other)} claimed a draw" for side in gone)
    if any(_is_like(ended.detail, draw) for draw in draws):
        return None
    return "nobody was away whose opponent claimed a draw"


def _is_like(text: str, pattern: str) -> bool:
    start, end = pattern.split("...")
    return text.startswith(start) and text.endswith(end)


def _ruled(ended: _Ended) -> str | None:
    before = ended.before
    if not isinstance(before, Happened) or before.what is not EventKind.RULED:
        return "who decided it is not the last before it"
    if before.side is not ended.outcome.winner:
        won = "nobody" if before.side is None else before.side.word
        return f"it was ruled that {won} won"
    if before.text != ended.detail:
        return f"the ruling was {before.text!r}"
    return None


def _aborted(ended: _Ended) -> str | None:
    """Until both have moved, also by the flag of a side that has not; later by an administrator, or
    if both are absent and there is no clock to decide."""
    progress, turn = ended.progress, ended.turn
    if ended.detail.startswith(FLAG):
        return f"{turn.word} had moved" if turn in progress.have_moved else _flag(ended)
    if len(progress.have_moved) < len(Side):
        return None
    if len(progress.away) == len(Side) and not ended.ledger.has_flag(turn):
        return None
    return None if _ruled(ended) is None else "both had moved, and nobody ruled it"


_ROWS: Mapping[Reason, Callable[[_Ended], str | None]] = {
    Reason.RESIGNATION: _lost("resigned"),
    Reason.AGREEMENT: _agreed,
    Reason.TIME: _flag,
    Reason.TIME_INSUFFICIENT: _flag,
    Reason.ILLEGAL_MOVE: _lost("played "),
    Reason.DISCONNECT: _gone,
    Reason.ADJUDICATION: _ruled,
    Reason.ABORTED: _aborted,
}
