"""How a game ended, in the words of match runners, which scripts look for."""

import re
from collections.abc import Mapping

from ulci.rules import Outcome, Reason, Side
from ulci.rules.pgn import plain
from ulci_server.storage.records import GameRecord

_WON: Mapping[Reason, str] = {
    Reason.CHECKMATE: "{winner} mates",
    Reason.ELIMINATION: "{winner} wins by elimination",
    Reason.GAME_RULE: "{winner} wins by the rules of the game",
    Reason.RESIGNATION: "{loser} resigns",
    Reason.TIME: "{loser} loses on time",
    Reason.ILLEGAL_MOVE: "{loser} makes an illegal move",
    Reason.DISCONNECT: "{loser} disconnects",
    Reason.ADJUDICATION: "{winner} wins by adjudication",
}

_DRAWN: Mapping[Reason, str] = {
    Reason.STALEMATE: "Draw by stalemate",
    Reason.MATERIAL: "Draw by insufficient mating material",
    Reason.REPETITION: "Draw by 3-fold repetition",
    Reason.FIFTY_MOVES: "Draw by fifty moves rule",
    Reason.GAME_RULE: "Draw by the rules of the game",
    Reason.AGREEMENT: "Draw by agreement",
    Reason.TIME_INSUFFICIENT: "Draw on time, as the opponent cannot win",
    Reason.DISCONNECT: "Draw by disconnection",
    Reason.ADJUDICATION: "Draw by adjudication",
}

INTERRUPTED = "Game interrupted"

_TERMINATIONS: Mapping[Reason, str] = {
    Reason.ADJUDICATION: "adjudication",
    Reason.DISCONNECT: "abandoned",
    Reason.ILLEGAL_MOVE: "illegal move",
    Reason.TIME: "time forfeit",
    Reason.TIME_INSUFFICIENT: "time forfeit",
    Reason.ABORTED: "unterminated",
    Reason.SERVER: "unterminated",
}

BY_TABLEBASES = ": SyzygyTB"
_TABLEBASES = re.compile(r"\bthe tablebases have\b")
_SILENT = re.compile(r"not ready within|not answer")
_PLAYED = re.compile(r" played '(.*?)' in ")


def ended(outcome: Outcome | None, detail: str, overrun: int | None = None) -> str:
    """``White mates``, ``Black loses on time``, ``Draw by 3-fold repetition``; of a running game
    that it was interrupted. detail: the evidence in the record. overrun: ms beyond the clock, if
    they are known."""
    if outcome is None or outcome.score == "*":
        return INTERRUPTED
    more = _more(outcome.reason, detail, overrun)
    if (winner := outcome.winner) is None:
        return _DRAWN[outcome.reason] + more
    if outcome.reason is Reason.DISCONNECT and _SILENT.search(detail):
        return f"{_color(winner.other)}'s connection stalls"
    said = _WON[outcome.reason].format(winner=_color(winner), loser=_color(winner.other))
    return said + more


def _more(reason: Reason, detail: str, overrun: int | None) -> str:
    if reason is Reason.ADJUDICATION and _TABLEBASES.search(detail):
        return BY_TABLEBASES
    if reason is Reason.TIME and overrun is not None:
        return f" ({overrun}ms overrun)"
    return ""


def _color(side: Side) -> str:
    return side.name.title()


def illegal_move(game: GameRecord) -> str | None:
    """The move by which it ended, if that was illegal, as it was sent."""
    if game.outcome is None or game.outcome.reason is not Reason.ILLEGAL_MOVE:
        return None
    played = _PLAYED.search(game.detail)
    return plain(played[1]) if played else None


def termination(game: GameRecord) -> str:
    """The tag Termination."""
    if game.outcome is None:
        return "unterminated"
    return _TERMINATIONS.get(game.outcome.reason, "normal")
