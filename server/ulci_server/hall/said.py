"""What may a player say beside UCI's own words, and what does it mean to the game?"""

from ulci.protocol.messages import (
    Abort,
    Accept,
    Admin,
    Challenge,
    Claim,
    Decline,
    Draw,
    Games,
    GiveTime,
    Rematch,
    Resign,
    Say,
    Seek,
    Seeks,
    Takeback,
    TellPlayer,
    Unseek,
    Unwatch,
    Watch,
    Who,
)
from ulci.rules.outcome import Side
from ulci_server.game.events import (
    AbortSaid,
    ClaimSaid,
    DrawSaid,
    Event,
    Resigned,
    TakebackSaid,
    TimeGiven,
)

AtTable = Resign | Draw | Abort | Claim | Takeback | GiveTime
"""What is said to the game that one plays."""

SaidOutside = (
    Seek | Seeks | Unseek | Accept | Challenge | Decline | Rematch
    | Games | Watch | Unwatch | Who | Say | TellPlayer | Admin
)  # fmt: skip
"""What is said to the lobby and the hall."""

KNOWN_WORDS = (
    "seek seeks unseek accept challenge decline resign draw abort takeback claim givetime rematch"
    " games watch unwatch who say tell quit"
)
"""As a client that says another word is told."""


def event_of(message: AtTable, side: Side, at: float) -> Event:
    """What a player's word means to the game."""
    match message:
        case Resign():
            return Resigned(side, at)
        case Draw():
            return DrawSaid(side, at)
        case Abort():
            return AbortSaid(side, at)
        case Claim(what):
            return ClaimSaid(side, at, what)
        case Takeback(plies):
            return TakebackSaid(side, at, plies)
        case GiveTime(ms):
            return TimeGiven(side, at, ms)
