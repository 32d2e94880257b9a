"""Why a game ended, in the words that frameworks look for."""

import enum
import re
from collections.abc import Mapping

from ulci.rules import Outcome, Reason, Side

WON: Mapping[Reason, str] = {
    Reason.CHECKMATE: "{winner} mates",
    Reason.ELIMINATION: "{winner} wins as {loser} has nothing left to play with",
    Reason.GAME_RULE: "{winner} wins by the rules of the game",
    Reason.RESIGNATION: "{loser} resigns",
    Reason.TIME: "{loser} loses on time",
    Reason.ILLEGAL_MOVE: "{loser} makes an illegal move",
    Reason.DISCONNECT: "{loser} disconnects",
    Reason.ADJUDICATION: "{winner} wins by adjudication",
}

DRAWN: Mapping[Reason, str] = {
    Reason.STALEMATE: "Draw by stalemate",
    Reason.MATERIAL: "Draw by insufficient mating material",
    Reason.REPETITION: "Draw by 3-fold repetition",
    Reason.FIFTY_MOVES: "Draw by fifty moves rule",
    Reason.GAME_RULE: "Draw by the rules of the game",
    Reason.AGREEMENT: "Draw by agreement",
    Reason.TIME_INSUFFICIENT: "Draw on time, as the opponent cannot win",
    Reason.DISCONNECT: "Draw by abandonment",
    Reason.ADJUDICATION: "Draw by adjudication",
}

INTERRUPTED = "Game interrupted"
"""A game without a result."""

_SILENT = re.compile(r"not ready within|not answer")
"""In the evidence of a player who is connected and says nothing."""

_TABLEBASES = "the tablebases have"
"""In the evidence of an adjudication by tablebases."""

_FLAG = re.compile(r"the flag of (White|Black)\b")
"""Begins the evidence of a flag that fell."""


class Fault(enum.Enum):
    """What is counted of each engine, and the word for it at the end of a match."""

    TIMEOUT = "Timeouts"
    CRASH = "Crashed"


def reason(outcome: Outcome, detail: str = "", overrun: int | None = None) -> str:
    """``White mates``. detail: the evidence in the record; overrun: ms beyond the clock."""
    if outcome.score == "*":
        return INTERRUPTED
    winner = outcome.winner
    if winner is None:
        return DRAWN[outcome.reason] + _more(outcome.reason, detail, overrun)
    if outcome.reason is Reason.DISCONNECT and _SILENT.search(detail):
        return f"{_colour(winner.other)}'s connection stalls"
    said = WON[outcome.reason].format(winner=_colour(winner), loser=_colour(winner.other))
    return said + _more(outcome.reason, detail, overrun)


def fault(outcome: Outcome, detail: str = "") -> tuple[Side, Fault] | None:
    """Who crashed or stalled, or overstepped the time; None if nobody did."""
    if outcome.reason is Reason.TIME_INSUFFICIENT:
        found = _FLAG.match(detail)
        return found and (Side[found[1].upper()], Fault.TIMEOUT)
    if outcome.winner is None or outcome.reason not in _FAULTS:
        return None
    return outcome.winner.other, _FAULTS[outcome.reason]


_FAULTS = {Reason.TIME: Fault.TIMEOUT, Reason.DISCONNECT: Fault.CRASH}


def _more(reason: Reason, detail: str, overrun: int | None) -> str:
    if reason is Reason.ADJUDICATION and _TABLEBASES in detail:
        return ": SyzygyTB"
    if reason is Reason.TIME and overrun is not None:
        return f" ({overrun}ms overrun)"
    return ""


def _colour(side: Side) -> str:
    return side.word.title()
