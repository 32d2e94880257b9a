"""The commands of players beside UCI's own, and the events of a game that they become."""

from ulci.protocol.lobby.commands import COMMANDS
from ulci.protocol.messages import (
    Abort,
    Accept,
    Admin,
    Challenge,
    ChooseColor,
    Claim,
    Decline,
    Draw,
    Games,
    GiveTime,
    Ignore,
    Ignored,
    Ping,
    Rematch,
    Resign,
    Say,
    Seek,
    Seeks,
    Takeback,
    TellPlayer,
    Unignore,
    Unseek,
    Unwatch,
    Watch,
    Who,
)
from ulci.rules import Side
from ulci_server.game.events import (
    AbortSaid,
    ClaimSaid,
    DrawSaid,
    Event,
    Resigned,
    TakebackSaid,
    TimeGiven,
)

GameCommand = Resign | Draw | Abort | Claim | Takeback | GiveTime
"""Commands to the player's own game."""

LobbyCommand = (
    Seek | Seeks | Unseek | Accept | Challenge | Decline | ChooseColor | Rematch
    | Games | Watch | Unwatch | Who | Say | TellPlayer | Ignore | Unignore | Ignored | Admin
)  # fmt: skip
"""Commands to the lobby and the hall."""

AnyCommand = GameCommand | LobbyCommand | Ping

KNOWN_COMMANDS = " ".join((*(word for word in COMMANDS if word != "admin"), "quit"))
"""The list that answers an unknown command."""


def event_of(message: GameCommand, side: Side, at: float) -> Event:
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
