"""Checks the result: whether a game can end so in that position. One row for each
`Evidence` that asks something of the position."""

from collections.abc import Callable, Mapping

from ulci.rules import Evidence, Outcome, Reason
from ulci.rules.text import listed
from ulci_server.game import EventKind
from ulci_server.storage.errors import DisagreementError
from ulci_server.storage.records import GameRecord

from .ended import Ended

_STALEMATE_WAS_DRAWN = (
    "; a stalemate is no draw in this game, but servers before this version recorded one"
)
_DREW_AFTER_FIFTY_MOVES = (
    "; this game knows no fifty moves, but servers before this version ended it after them"
)
_OLD_FAULTS: Mapping[tuple[str, Reason], str] = {
    ("antichess", Reason.STALEMATE): _STALEMATE_WAS_DRAWN,
    ("giveaway", Reason.STALEMATE): _STALEMATE_WAS_DRAWN,
    ("suicide", Reason.STALEMATE): _STALEMATE_WAS_DRAWN,
    ("crazyhouse", Reason.FIFTY_MOVES): _DREW_AFTER_FIFTY_MOVES,
}
"""Results that were recorded wrongly, by game and reason: nothing has happened to that record."""


def check_result(game: GameRecord, ended: Ended) -> None:
    """Raises `DisagreementError` if the result contradicts the game before it."""
    reason = ended.outcome.reason
    where = f"the result {game.result} ({reason.value}) after ply {ended.progress.plies}"
    old = _OLD_FAULTS.get((game.rules, reason), "")
    by_rules = ended.by_rules
    if by_rules is not None and by_rules != ended.outcome:
        text = f"the rules ended it by {by_rules.score} ({by_rules.reason.value})"
        raise DisagreementError(f"{where}: {text}{old}")
    row = _ROWS.get(reason.evidence, _score)
    if (wrong := row(ended) or _score(ended)) is not None:
        raise DisagreementError(f"{where}: {wrong}{old}")


def _score(ended: Ended) -> str | None:
    scores = ended.outcome.reason.scores
    if ended.outcome.score in scores:
        return None
    return f"that reason goes with {listed(scores, 'or')} only"


def _by_rules(ended: Ended) -> str | None:
    if ended.refereed or ended.by_rules == ended.outcome:
        return None
    return "the rules do not end the game there"


def _by_rules_or_claim(ended: Ended) -> str | None:
    if ended.refereed or ended.outcome in (ended.by_rules, Outcome(None, _claim(ended))):
        return None
    return "the rules neither end the game there nor let the draw be claimed"


def _claim(ended: Ended) -> Reason:
    return ended.judged.claim() or Reason.ABORTED


def _lost_by_mover(ended: Ended) -> str | None:
    turn = ended.judged.turn
    if ended.refereed or ended.outcome.winner is turn.other:
        return None
    return f"it was {turn.word}'s turn, and who lost so had to be"


def _flag(ended: Ended) -> str | None:
    turn = ended.judged.turn
    if not ended.ledger.has_flag(turn):
        return f"the clock of {turn.word} had no flag"
    if not ended.judged.can_win(turn.other):
        return f"{turn.other.word} could not win any more: it is a draw"
    return _lost_by_mover(ended)


def _flag_insufficient(ended: Ended) -> str | None:
    turn = ended.judged.turn
    if not ended.ledger.has_flag(turn):
        return f"the clock of {turn.word} had no flag"
    if not ended.judged.can_mate(turn.other):
        return None
    return f"{turn.other.word} could win: it is no draw"


def _agreed(ended: Ended) -> str | None:
    if ended.progress.events and ended.progress.offer is None:
        return "nobody had a draw on offer"
    return None


def _adjudicated(ended: Ended) -> str | None:
    if any(event.what is EventKind.RULED for event in ended.progress.events):
        return None
    return "who decided it is not in the record"


_ROWS: Mapping[Evidence, Callable[[Ended], str | None]] = {
    Evidence.RULES: _by_rules,
    Evidence.CLAIM: _by_rules_or_claim,
    Evidence.AGREEMENT: _agreed,
    Evidence.FLAG: _flag,
    Evidence.FLAG_INSUFFICIENT: _flag_insufficient,
    Evidence.MOVE: _lost_by_mover,
    Evidence.RULING: _adjudicated,
}
