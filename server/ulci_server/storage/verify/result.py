"""Checks the result: whether a game can end so in that position. One row for each reason."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ulci.rules import Outcome, Reason
from ulci.rules.refereed import RefereedPosition
from ulci_server.game import EventKind, Happened, MovePlayed, Rebuilt
from ulci_server.storage.errors import DisagreementError
from ulci_server.storage.records import GameRecord


@dataclass(frozen=True, slots=True)
class _Ended:
    """The recorded end, and the rebuilt game."""

    outcome: Outcome
    rebuilt: Rebuilt
    events: Sequence[Happened]

    @property
    def by_rules(self) -> Outcome | None:
        """The outcome by the rules in the last position."""
        over = self.rebuilt.over
        return self.rebuilt.move_list.position.outcome() if over is None else over.outcome

    @property
    def refereed(self) -> bool:
        """Whether its rules are unknown here."""
        return isinstance(self.rebuilt.move_list.position, RefereedPosition)


def check_result(
    game: GameRecord, steps: Sequence[MovePlayed | Happened], rebuilt: Rebuilt
) -> None:
    """Raises `DisagreementError` if the result contradicts the game before it."""
    assert game.outcome is not None
    events = [step for step in steps if isinstance(step, Happened)]
    ended = _Ended(game.outcome, rebuilt, events)
    where = f"the result {game.result} ({game.outcome.reason.value}) after ply {_ply(rebuilt)}"
    by_rules = ended.by_rules
    if by_rules is not None and by_rules != game.outcome:
        text = f"the rules ended it by {by_rules.score} ({by_rules.reason.value})"
        raise DisagreementError(f"{where}: {text}")
    if (wrong := _ROWS[game.outcome.reason](ended)) is not None:
        raise DisagreementError(f"{where}: {wrong}")


def _ply(rebuilt: Rebuilt) -> int:
    return len(rebuilt.move_list.moves)


def _by_rules(ended: _Ended) -> str | None:
    if ended.refereed or ended.by_rules == ended.outcome:
        return None
    return "the rules do not end the game there"


def _by_rules_or_claim(ended: _Ended) -> str | None:
    if ended.refereed or ended.outcome in (ended.by_rules, Outcome(None, _claim(ended))):
        return None
    return "the rules neither end the game there nor let the draw be claimed"


def _claim(ended: _Ended) -> Reason:
    return ended.rebuilt.move_list.position.claim() or Reason.ABORTED


def _lost(ended: _Ended) -> str | None:
    return None if ended.outcome.winner is not None else "somebody must have lost"


def _lost_by_mover(ended: _Ended) -> str | None:
    turn = ended.rebuilt.move_list.turn
    if ended.refereed or ended.outcome.winner is turn.other:
        return _lost(ended)
    return f"it was {turn.word}'s turn, and who lost so had to be"


def _on_time(ended: _Ended) -> str | None:
    turn = ended.rebuilt.move_list.turn
    if not ended.rebuilt.clock.has_flag(turn):
        return f"the clock of {turn.word} had no flag"
    if not ended.rebuilt.move_list.position.can_win(turn.other):
        return f"{turn.other.word} could not win any more: it is a draw"
    return _lost_by_mover(ended)


def _time_and_no_winner(ended: _Ended) -> str | None:
    turn = ended.rebuilt.move_list.turn
    if not ended.rebuilt.clock.has_flag(turn):
        return f"the clock of {turn.word} had no flag"
    if ended.outcome.winner is None and not ended.rebuilt.move_list.position.can_win(turn.other):
        return None
    return f"{turn.other.word} could win: it is no draw"


def _agreed(ended: _Ended) -> str | None:
    if ended.outcome.winner is not None:
        return "what was agreed on is a draw"
    if ended.events and ended.rebuilt.offer is None:
        return "nobody had a draw on offer"
    return None


def _adjudicated(ended: _Ended) -> str | None:
    if any(event.what is EventKind.RULED for event in ended.events):
        return None
    return "who decided it is not in the record"


def _nobody_won(ended: _Ended) -> str | None:
    return "nobody can have won" if ended.outcome.winner is not None else None


def _anything(_: _Ended) -> str | None:
    return None


_ROWS: Mapping[Reason, Callable[[_Ended], str | None]] = {
    Reason.CHECKMATE: _by_rules,
    Reason.STALEMATE: _by_rules,
    Reason.ELIMINATION: _by_rules,
    Reason.MATERIAL: _by_rules,
    Reason.REPETITION: _by_rules_or_claim,
    Reason.FIFTY_MOVES: _by_rules_or_claim,
    Reason.GAME_RULE: _by_rules,
    Reason.RESIGNATION: _lost,
    Reason.AGREEMENT: _agreed,
    Reason.TIME: _on_time,
    Reason.TIME_INSUFFICIENT: _time_and_no_winner,
    Reason.ILLEGAL_MOVE: _lost_by_mover,
    Reason.DISCONNECT: _anything,
    Reason.ADJUDICATION: _adjudicated,
    Reason.ABORTED: _nobody_won,
    Reason.SERVER: _nobody_won,
}
