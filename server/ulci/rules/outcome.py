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


class Reason(enum.StrEnum):
    """Why a game ended; fixed by the protocol (``info string result … reason …``).

    A new one is an ending in `ulci_server.game.endings`, a version of the tables (their column
    allows these words only), rows in `storage.verify.result` and `evidence`, and words in
    `ulci_client.terminal.model.phrases` and the page's ``words.js``.
    """

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
    DISCONNECT = "disconnect"
    ADJUDICATION = "adjudication"
    ABORTED = "aborted"
    SERVER = "server"


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
        return "*" if self.reason in (Reason.ABORTED, Reason.SERVER) else "1/2-1/2"
