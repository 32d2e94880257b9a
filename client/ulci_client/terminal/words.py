"""What happened, in words for people."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ulci.rules import Outcome, Reason, Side

COLORS = {Side.WHITE: "White", Side.BLACK: "Black"}

PIECES = {"K": "king", "Q": "queen", "R": "rook", "B": "bishop", "N": "knight", "P": "pawn"}

# What is said of each reason where somebody won; {w} and {l} are the colours.
_WON: dict[str, str] = {
    Reason.CHECKMATE: "{w} wins by checkmate",
    Reason.ELIMINATION: "{w} wins: {l} has nothing left to play with",
    Reason.GAME_RULE: "{w} wins by the rules of the game",
    Reason.RESIGNATION: "{w} wins: {l} resigned",
    Reason.TIME: "{w} wins on time",
    Reason.ILLEGAL_MOVE: "{w} wins: {l} made an illegal move",
    Reason.STALL: "{w} wins: {l} stopped answering",
    Reason.DISCONNECT: "{w} wins: {l} left the game",
    Reason.ADJUDICATION: "{w} wins by adjudication",
}

_DRAWN: dict[str, str] = {
    Reason.STALEMATE: "Draw by stalemate",
    Reason.MATERIAL: "Draw by insufficient material",
    Reason.REPETITION: "Draw by threefold repetition",
    Reason.FIFTY_MOVES: "Draw by the fifty-move rule",
    Reason.GAME_RULE: "Draw by the rules of the game",
    Reason.AGREEMENT: "Draw by agreement",
    Reason.TIME_INSUFFICIENT: "Draw: time ran out, but the other side cannot win",
    Reason.ADJUDICATION: "Draw by adjudication",
}

# Ours, no server's: the game ended while the line was lost.
UNHEARD = "unheard"

_UNDECIDED: dict[str, str] = {
    UNHEARD: "The game ended while the line was lost; how, was not heard",
    Reason.ABORTED: "The game was aborted; nobody wins or loses",
    Reason.SERVER: "The server had to end the game; nobody wins or loses",
}

_SAN = re.compile(
    r"(?P<piece>[KQRBN]?)(?P<file>[a-h]?)(?P<rank>[1-8]?)(?P<takes>x?)(?P<to>[a-h][1-8])"
    r"(?:=?(?P<into>[QRBN]))?(?P<end>[+#]?)"
)
_ENDS = {"": "", "+": ", check", "#": ", checkmate"}


@dataclass(frozen=True, slots=True)
class Result:
    """How a game ended, as the server spelled it: it may know reasons that we don't."""

    score: str
    reason: str

    @classmethod
    def of(cls, outcome: Outcome) -> "Result":
        return cls(outcome.score, outcome.reason.value)

    @property
    def winner(self) -> Side | None:
        return {"1-0": Side.WHITE, "0-1": Side.BLACK}.get(self.score)


def result_in_words(result: Result) -> str:
    """``White wins by checkmate``, without a full stop."""
    winner = result.winner
    reason = result.reason.replace("-", " ")
    if winner is not None:
        colors = {"w": COLORS[winner], "l": COLORS[winner.other]}
        return _WON.get(result.reason, f"{{w}} wins ({reason})").format(**colors)
    table = _DRAWN if result.score == "1/2-1/2" else _UNDECIDED
    fallback = "Draw" if table is _DRAWN else "No result"
    return table.get(result.reason, f"{fallback} ({reason})")


def result_for(result: Result, mine: Side | None) -> str:
    """What it means for the person at this end, or nothing."""
    if mine is None or result.winner is None:
        return ""
    return "You win." if result.winner is mine else "You lose."


def move_in_words(san: str, move: str = "") -> str:
    """``Nxf3+`` as ``knight takes f3, check``, to be read aloud; `move` tells where it came from.

    Anything that is not a chess move in standard notation stays as it is.
    """
    bare = san.rstrip("+#")
    end = _ENDS.get(san[len(bare) :], "")
    if bare in ("O-O", "O-O-O"):
        return f"castles {'king' if bare == 'O-O' else 'queen'} side{end}"
    match = _SAN.fullmatch(san)
    if match is None:
        return san
    origin = re.match(r"[a-h][1-8]", move)
    piece = PIECES[match["piece"] or "P"]
    verb = "takes" if match["takes"] else "to"
    into = f", becomes a {PIECES[match['into']]}" if match["into"] else ""
    whence = f" {origin[0]}" if origin else ""
    return f"{piece}{whence} {verb} {match['to']}{into}{end}"


def listed(words: Sequence[str], last: str = "or") -> str:
    """``a, b or c``."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"
