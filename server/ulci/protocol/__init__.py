"""The protocols on the wire. Pure; a `Connection` serves either end.

    bytes --codec--> line --dialect--> message --conversation--> may it be said now?

* `messages`: all messages, one frozen structure per verb. Others import them from there, not from
  here.
* `dialect`: the interface of a dialect, and the words in which those of the UCI family differ;
  `uci_dialects`: how a row of the table spells a verb, and what its client may be sent;
  `dialect_table`: the rows, which are ULCI, UCI and UGI.
* `uti`: a dialect that is no row, since it has to remember the board.
* `readers`, `writers`, `info`: what follows each verb, shared by the dialects. `text`: words and
  numbers in them; `masking`: secrets.
* `lobby`: the lobby's commands and lines, two tables of classes; `kinds`: all classes of such a
  table.
* `codec`, `packing`: where a message begins and ends in the bytes, in text lines or msgpack maps.
  `layout`: the map of each message.
* `announcement`: a line for many clients; `moves`: the moves of a game. Both are written once.
* `conversation`: which message is allowed when, a literal table; counts each ``go`` and its answer.
* `connection`: the four together, for one peer, seen from either end.

README.md, beside this file, is for authors of clients.

Two `errors` and no third: `LocalProtocolError` is our bug, `RemoteProtocolError` is theirs.
Functions that read what a peer wrote end in ``_untrusted`` and raise only the second.
"""

from .announcement import AnnouncedLine, Announcement, Write
from .codec import Blank, Codec, TextCodec
from .connection import Connection
from .conversation import TRANSITIONS, State
from .dialect import Dialect, Role
from .dialect_table import DIALECTS, UCI, UGI, ULCI
from .errors import Fault, LocalProtocolError, ProtocolError, RemoteProtocolError
from .info import Unread, read_info_untrusted
from .moves import GameMoves, MovesSoFar
from .packing import MsgpackCodec
from .text import plain
from .uci_dialects import Row

__all__ = [
    "DIALECTS",
    "TRANSITIONS",
    "UCI",
    "UGI",
    "ULCI",
    "AnnouncedLine",
    "Announcement",
    "Blank",
    "Codec",
    "Connection",
    "Dialect",
    "Fault",
    "GameMoves",
    "LocalProtocolError",
    "MovesSoFar",
    "MsgpackCodec",
    "ProtocolError",
    "RemoteProtocolError",
    "Role",
    "Row",
    "State",
    "TextCodec",
    "Unread",
    "Write",
    "plain",
    "read_info_untrusted",
]
