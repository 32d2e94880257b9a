"""How a game ended, in the words of match runners, which scripts look for."""

import re
from collections.abc import Mapping

from ulci.rules import Reason
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
    Reason.TIME_INSUFFICIENT: "Draw by timeout",
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
_PLAYED = re.compile(r" played '(.*?)' in ")


def ended(game: GameRecord) -> str:
    """``White mates``, ``Black loses on time``, ``Draw by 3-fold repetition``; of a running game
    that it was interrupted."""
    if (outcome := game.outcome) is None or outcome.score == "*":
        return INTERRUPTED
    adjudicated = outcome.reason is Reason.ADJUDICATION and _TABLEBASES.search(game.detail)
    how = BY_TABLEBASES if adjudicated else ""
    if (winner := outcome.winner) is None:
        return _DRAWN[outcome.reason] + how
    sides = {"winner": winner.name.title(), "loser": winner.other.name.title()}
    return _WON[outcome.reason].format(**sides) + how


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
