"""Checks the evidence: whether the facts support the end of the game. One row for each `Evidence`.

Only for games whose end is among their events: the servers that left it out also recorded less of
the rest.
"""

from collections.abc import Callable, Collection, Mapping, Sequence

from ulci.rules import Evidence, Side
from ulci_server.game import EventKind, Happened
from ulci_server.storage.errors import DisagreementError
from ulci_server.storage.records import GameRecord, Noted
from ulci_server.storage.rows.events import said_at_the_end

from .ended import Ended
from .progress import Progress

FLAG = "the flag of "
"""So the evidence of an end by time begins."""


def check_evidence(game: GameRecord, ended: Ended) -> None:
    """Raises `DisagreementError` if the facts before the end do not support it."""
    if ended.progress.finished is None:
        return
    reason = ended.outcome.reason
    if game.fault and (wrong := _no_fault(game.fault, ended)) is not None:
        raise DisagreementError(f"the game was ended by {_words(game.fault)}: {wrong}")
    row = _ROWS.get(reason.evidence)
    if row is not None and (wrong := row(ended)) is not None:
        raise DisagreementError(f"the result {game.result} ({reason.value}): {wrong}")


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


def _lost(what: str) -> Callable[[Ended], str | None]:
    """The evidence must name the loser, followed by `what`."""
    return lambda ended: ended.says(f"{ended.who(ended.loser)} {what}")


def _flag(ended: Ended) -> str | None:
    ply = ended.progress.plies + 1
    return ended.says(f"{FLAG}{ended.who(ended.loser)} fell at ply {ply},")


def _agreed(ended: Ended) -> str | None:
    if ended.progress.offer is None:
        return "nobody had a draw on offer"
    return ended.says(f"{ended.who(ended.progress.offer)} offered a draw and ")


def _gone(ended: Ended) -> str | None:
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


def _ruled(ended: Ended) -> str | None:
    before = ended.before
    if not isinstance(before, Happened) or before.what is not EventKind.RULED:
        return "who decided it is not the last before it"
    if before.side is not ended.outcome.winner:
        won = "nobody" if before.side is None else before.side.word
        return f"it was ruled that {won} won"
    if before.text != ended.detail:
        return f"the ruling was {before.text!r}"
    return None


def _no_fault(fault: Collection[Side], ended: Ended) -> str | None:
    """Why these sides did not cause the abort: the evidence names them, or they were away."""
    if ended.outcome.reason.evidence is not Evidence.ABORT:
        return "it was not aborted"
    for side in fault:
        if ended.who(side) not in ended.detail and side not in ended.progress.away:
            return f"{side.word} was there, and the evidence is {ended.detail!r}"
    return None


def _words(sides: Collection[Side]) -> str:
    return " and ".join(side.word for side in sorted(sides))


def _aborted(ended: Ended) -> str | None:
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


_ROWS: Mapping[Evidence, Callable[[Ended], str | None]] = {
    Evidence.RESIGNATION: _lost("resigned"),
    Evidence.AGREEMENT: _agreed,
    Evidence.FLAG: _flag,
    Evidence.FLAG_INSUFFICIENT: _flag,
    Evidence.MOVE: _lost("played "),
    Evidence.ABSENCE: _gone,
    Evidence.RULING: _ruled,
    Evidence.ABORT: _aborted,
}
