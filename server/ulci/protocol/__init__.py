"""What is said on the wire? Pure; one class serves both ends.

    bytes --codec--> line --dialect--> message --conversation--> may it be said now?

* `messages`: everything that can be said, one frozen dataclass per verb.
* `dialect`: what a dialect is; `row`, `dialects`: how a verb is spelled and what its client may be
  sent in ULCI, UCI and UGI, which are rows of a table.
* `uti`: a dialect that is no row, since it has to remember the board.
* `readers`, `writers`, `info`, `lobby`: what stands behind each verb, shared by the dialects.
* `codec`, `packing`: where a message begins and ends in the bytes, in text lines or msgpack maps.
* `conversation`: who may say what when, a literal table; counts each ``go`` and its answer.
* `connection`: the four together, for one peer, seen from either end.

Two errors and no third: `LocalProtocolError` is our bug, `RemoteProtocolError` is theirs. Functions
that read what a peer wrote end in ``_untrusted`` and raise only the second.
"""

from .codec import Codec, TextCodec
from .connection import Connection
from .conversation import TRANSITIONS, State
from .dialect import Dialect, Role
from .dialects import DIALECTS, UCI, UGI, ULCI
from .errors import LocalProtocolError, ProtocolError, RemoteProtocolError
from .info import Unread, read_info_untrusted
from .messages import (
    Abort,
    Accept,
    Against,
    Bench,
    BestMove,
    Blame,
    Bound,
    Challenge,
    Clock,
    Color,
    CopyProtection,
    CurrLine,
    Debug,
    Decline,
    Draw,
    Eval,
    FromClient,
    FromServer,
    Games,
    Go,
    Hello,
    HelloOk,
    Id,
    Info,
    IsReady,
    Lobby,
    LobbyWord,
    Message,
    NewGame,
    Option,
    OptionType,
    Perft,
    PonderHit,
    Position,
    Query,
    Quit,
    ReadyOk,
    Register,
    Registration,
    Rematch,
    Report,
    Resign,
    Response,
    Say,
    Score,
    Seek,
    Seeks,
    SetOption,
    Status,
    Stop,
    Terms,
    Unknown,
    Unseek,
    Who,
)
from .packing import MsgpackCodec
from .row import Row
from .text import plain

__all__ = [
    "DIALECTS",
    "TRANSITIONS",
    "UCI",
    "UGI",
    "ULCI",
    "Abort",
    "Accept",
    "Against",
    "Bench",
    "BestMove",
    "Blame",
    "Bound",
    "Challenge",
    "Clock",
    "Codec",
    "Color",
    "Connection",
    "CopyProtection",
    "CurrLine",
    "Debug",
    "Decline",
    "Dialect",
    "Draw",
    "Eval",
    "FromClient",
    "FromServer",
    "Games",
    "Go",
    "Hello",
    "HelloOk",
    "Id",
    "Info",
    "IsReady",
    "Lobby",
    "LobbyWord",
    "LocalProtocolError",
    "Message",
    "MsgpackCodec",
    "NewGame",
    "Option",
    "OptionType",
    "Perft",
    "PonderHit",
    "Position",
    "ProtocolError",
    "Query",
    "Quit",
    "ReadyOk",
    "Register",
    "Registration",
    "Rematch",
    "RemoteProtocolError",
    "Report",
    "Resign",
    "Response",
    "Role",
    "Row",
    "Say",
    "Score",
    "Seek",
    "Seeks",
    "SetOption",
    "State",
    "Status",
    "Stop",
    "Terms",
    "TextCodec",
    "Unknown",
    "Unread",
    "Unseek",
    "Who",
    "plain",
    "read_info_untrusted",
]
