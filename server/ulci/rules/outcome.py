"""Sides, results and reasons, used by all packages."""

import enum
from dataclasses import dataclass


class Side(enum.IntEnum):
    """The side that moves first is `WHITE`, whatever the game calls it."""

    WHITE = 0
    BLACK = 1

    other: "Side"
    """The opponent."""
    word: str
    """``white`` or ``black``, as the lobby spells it."""

    # Sides are looked up at every move, and Python would hash an enumeration member by its name.
    __hash__ = int.__hash__


Side.WHITE.other, Side.BLACK.other = Side.BLACK, Side.WHITE
Side.WHITE.word, Side.BLACK.word = "white", "black"


class Evidence(enum.Enum):
    """What `storage.verify` asks of the record before it believes a reason: the names of its
    checks (`result`: of the last position, `evidence`: of the facts)."""

    RULES = enum.auto()
    """The rules end the game in its last position."""
    CLAIM = enum.auto()
    """The rules end the game there, or a draw may be claimed."""
    RESIGNATION = enum.auto()
    """The detail says that the loser resigned."""
    AGREEMENT = enum.auto()
    """A draw was on offer."""
    FLAG = enum.auto()
    """The flag of the side to move fell, and the opponent could win."""
    FLAG_INSUFFICIENT = enum.auto()
    """The flag of the side to move fell, and the opponent could not win."""
    MOVE = enum.auto()
    """The side to move lost, and the detail names its move."""
    ABSENCE = enum.auto()
    """A side was away: the loser, or in a draw one whose opponent claimed it."""
    RULING = enum.auto()
    """The last fact before the end is a ruling, with this winner and detail."""
    ABORT = enum.auto()
    """A side had not moved, both were away for good, or it was ruled."""
    NOTHING = enum.auto()


DECISIVE, DRAWN, UNDECIDED = ("1-0", "0-1"), ("1/2-1/2",), ("*",)
"""Scores that a reason may go with."""

EXPLAINED = True
"""The result alone does not explain itself: the players get the detail, too."""


class Reason(enum.StrEnum):
    """Why a game ended: one row each, and the value is its word in the protocol (``info string
    result … reason …``).

    A new one is a row here, an ending in `ulci_server.game.endings`, a row in the protocol's
    README, and a version of the tables: their column allows these words only, and so an older
    program, which could not read the new one, does not open the database. Only a new `Evidence`
    needs a check in `storage.verify.result` or `evidence`.
    """

    # word, scores, evidence, in English after the result, PGN's Termination, whether explained
    CHECKMATE = "checkmate", DECISIVE, Evidence.RULES, "by checkmate"
    STALEMATE = "stalemate", DRAWN, Evidence.RULES, "by stalemate"
    ELIMINATION = (
        "elimination", DECISIVE, Evidence.RULES, "as {loser} has nothing left to play with",
    )  # fmt: skip
    MATERIAL = "material", DRAWN, Evidence.RULES, "by insufficient material"
    REPETITION = "repetition", DRAWN, Evidence.CLAIM, "by repetition"
    FIFTY_MOVES = "fifty-moves", DRAWN, Evidence.CLAIM, "by the fifty-move rule"
    GAME_RULE = "game-rule", DECISIVE + DRAWN, Evidence.RULES, "by the rules of the game"
    RESIGNATION = "resignation", DECISIVE, Evidence.RESIGNATION, "by resignation"
    AGREEMENT = "agreement", DRAWN, Evidence.AGREEMENT, "by agreement"
    TIME = "time", DECISIVE, Evidence.FLAG, "on time", "time forfeit"
    TIME_INSUFFICIENT = (
        "time-insufficient", DRAWN, Evidence.FLAG_INSUFFICIENT,
        "as time ran out and the opponent cannot win", "time forfeit",
    )  # fmt: skip
    ILLEGAL_MOVE = (
        "illegal-move", DECISIVE, Evidence.MOVE,
        "as {loser} made an illegal move", "rules infraction", EXPLAINED,
    )  # fmt: skip
    DISCONNECT = (
        "disconnect", DECISIVE + DRAWN, Evidence.ABSENCE,
        "by abandonment", "abandoned", EXPLAINED,
    )  # fmt: skip
    ADJUDICATION = (
        "adjudication", DECISIVE + DRAWN, Evidence.RULING,
        "by adjudication", "adjudication", EXPLAINED,
    )  # fmt: skip
    ABORTED = (
        "aborted", UNDECIDED, Evidence.ABORT,
        "as the game was aborted", "abandoned", EXPLAINED,
    )  # fmt: skip
    SERVER = (
        "server", UNDECIDED, Evidence.NOTHING,
        "as the server had to end the game", "emergency", EXPLAINED,
    )  # fmt: skip

    scores: tuple[str, ...]
    evidence: Evidence
    english: str
    """What follows ``White won``, ``Draw`` or ``No result``; see `reason_in_english`."""
    termination: str
    """PGN's tag Termination (9.8.1)."""
    explained: bool

    def __new__(
        cls,
        word: str,
        scores: tuple[str, ...] = (),
        evidence: Evidence = Evidence.NOTHING,
        english: str = "",
        termination: str = "normal",
        explained: bool = False,
    ) -> "Reason":
        self = str.__new__(cls, word)
        self._value_ = word
        self.scores, self.evidence, self.english = scores, evidence, english
        self.termination, self.explained = termination, explained
        return self


def reason_in_english(word: str, loser: str = "") -> str:
    """``by checkmate``, to be put after ``White won``, ``Draw`` or ``No result``. word: as the
    protocol has it, perhaps of a newer server. loser: what the losing side is called, if any."""
    try:
        reason = Reason(word)
    except ValueError:
        return f"({word.replace('-', ' ')})"
    return reason.english.replace("{loser}", loser)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a game. `winner` is None for a draw, and for a game without a result (see
    `score`)."""

    winner: Side | None
    reason: Reason

    @property
    def score(self) -> str:
        """``1-0``, ``0-1``, ``1/2-1/2`` or ``*``."""
        if self.winner is not None:
            return "1-0" if self.winner is Side.WHITE else "0-1"
        return "*" if self.reason.scores == UNDECIDED else "1/2-1/2"
