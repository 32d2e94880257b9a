"""Results, moves, rules and seeks in words for people. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ulci.rules import GAMES, Outcome, Side, reason_in_english
from ulci.rules.liberty.pieces import KINDS

COLORS = {Side.WHITE: "White", Side.BLACK: "Black"}

PIECES = {kind.letter.upper(): kind.name for kind in KINDS}

# Our own reason: the game ended while we were disconnected.
UNHEARD = "unheard"

_SAN, _WIDE_SAN = (
    re.compile(
        rf"(?P<piece>[A-Z]?)(?:[a-z]{{0,{letters}}}?[0-9]{{0,3}}?)(?P<takes>x?)"
        rf"(?P<to>[a-z]{{1,{letters}}}[0-9]{{1,3}})(?:=?(?P<into>[A-Z]))?(?P<end>[+#]?)"
    )
    for letters in (1, 2)  # of a file's name
)
_DROP = re.compile(r"(?P<piece>[A-Z]?)@(?P<to>[a-h][1-8])(?P<end>[+#]?)")
_SQUARE = re.compile(r"[a-z]{1,2}[0-9]{1,3}")
_ENDS = {"": "", "+": ", check", "#": ", checkmate"}


@dataclass(frozen=True, slots=True)
class Result:
    """A result as the server spelled it: it may know more reasons than we do."""

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
    if result.reason == UNHEARD:
        return "The game ended while you were disconnected; its result is unknown"
    winner = result.winner
    if winner is not None:
        return f"{COLORS[winner]} wins {reason_in_english(result.reason, COLORS[winner.other])}"
    ended = "Draw" if result.score == "1/2-1/2" else "No result"
    return f"{ended} {reason_in_english(result.reason)}"


def result_for(result: Result, mine: Side | None) -> str:
    """The result for our side, or empty."""
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
    if drop := _DROP.fullmatch(san):
        return f"{_man(drop['piece'])} put on {drop['to']}{end}"
    match = _SAN.fullmatch(san) or _WIDE_SAN.fullmatch(san)
    squares = _SQUARE.findall(move)
    if match is None or san == move:  # stones have only square names
        return san
    verb = "takes" if match["takes"] else "to"
    into = f", becomes {_with_article(_man(match['into']))}" if match["into"] else ""
    # With two-letter files only the squares tell where the file's name ends.
    whence, to = (f" {squares[0]}", squares[1]) if len(squares) > 1 else ("", match["to"])
    return f"{_man(match['piece'])}{whence} {verb} {to}{into}{end}"


def _man(letter: str) -> str:
    return PIECES.get(letter or "P", letter)


def _with_article(name: str) -> str:
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


# The rules of lag compensation, and what they mean.
_LAGS = {
    "none": ("no lag compensation", ""),
    "quota": ("lag compensation by quota", " (a round trip a move at most)"),
    "equalised": (
        "equalised lag compensation",
        " (a move at most by how much your line is slower than the opponent's)",
    ),
}


def lag_in_words(rule: str, *, explained: bool = False) -> str:
    """The rule's name; `explained`: with its meaning."""
    name, meaning = _LAGS.get(rule, (f"lag compensation {rule}", ""))
    return name + meaning if explained else name


def joined(words: Sequence[str], last: str = "or") -> str:
    """``a, b or c``."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def half_moves(plies: int) -> str:
    return "1 half-move" if plies == 1 else f"{plies} half-moves"


def start_name(game: str, start: str) -> str:
    """The start's name in its game; empty if it has none."""
    rules = GAMES.get(game)
    named = {} if rules is None else rules.named
    return next((name for name, fen in named.items() if fen == start), "")
