"""Sides, results and the reasons for them: words that every room uses."""

import enum
from dataclasses import dataclass


class Side(enum.IntEnum):
    """Who moves first is `WHITE`, whatever the game calls it."""

    WHITE = 0
    BLACK = 1

    @property
    def other(self) -> "Side":
        return Side(1 - self)

    @property
    def word(self) -> str:
        """``white`` or ``black``, as the lobby spells it."""
        return self.name.lower()


class Reason(enum.StrEnum):
    """Why a game ended: the fixed list of the wire (``info string result … reason …``)."""

    CHECKMATE = "checkmate"
    STALEMATE = "stalemate"
    ELIMINATION = "elimination"
    MATERIAL = "material"
    REPETITION = "repetition"
    FIFTY_MOVES = "fifty-moves"
    GAME_RULE = "game-rule"
    RESIGNATION = "resignation"
    AGREEMENT = "agreement"
    TIME = "time"
    TIME_INSUFFICIENT = "time-insufficient"
    ILLEGAL_MOVE = "illegal-move"
    STALL = "stall"
    DISCONNECT = "disconnect"
    ADJUDICATION = "adjudication"
    ABORTED = "aborted"
    SERVER = "server"


@dataclass(frozen=True, slots=True)
class Outcome:
    """A finished game. `winner` None is a draw, unless the reason says that nothing was decided."""

    winner: Side | None
    reason: Reason

    @property
    def score(self) -> str:
        """``1-0``, ``0-1``, ``1/2-1/2`` or ``*``."""
        if self.winner is not None:
            return "1-0" if self.winner is Side.WHITE else "0-1"
        return "*" if self.reason in (Reason.ABORTED, Reason.SERVER) else "1/2-1/2"
