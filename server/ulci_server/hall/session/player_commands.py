"""The commands of players beside UCI's own, by who answers them."""

from ulci.protocol.lobby.commands import COMMANDS
from ulci.protocol.messages import (
    Accept,
    Admin,
    Challenge,
    ChooseColor,
    Decline,
    GameCommand,
    Games,
    Ignore,
    Ignored,
    Ping,
    Rematch,
    Say,
    Seek,
    Seeks,
    TellPlayer,
    Unignore,
    Unseek,
    Unwatch,
    Watch,
    Who,
)

LobbyCommand = (
    Seek | Seeks | Unseek | Accept | Challenge | Decline | ChooseColor | Rematch
    | Games | Watch | Unwatch | Who | Say | TellPlayer | Ignore | Unignore | Ignored | Admin
)  # fmt: skip
"""Commands to the lobby and the hall."""

AnyCommand = GameCommand | LobbyCommand | Ping

KNOWN_COMMANDS = " ".join((*(word for word in COMMANDS if word != "admin"), "quit"))
"""The list that answers an unknown command."""
