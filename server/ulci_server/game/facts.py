"""Facts: the record of a game, in the past tense. Storage keeps these and nothing else.

A `GameStarted`, then `MovePlayed` and `Happened` in the order of their `seq` (1, 2, 3 … without a
gap), then a `GameFinished`: from these alone the game is rebuilt, its position, clocks and offers.
Storage adds as the last `Happened` that the game has `FINISHED`.
"""

import enum
from typing import Literal

from msgspec import Struct

from ulci.protocol.messages import Info
from ulci.rules import Outcome, Side

Kind = Literal["human", "engine"]


class Seat(Struct, frozen=True):
    """The player of one side, as recorded.

    handle: its name in the lobby, one word, unique at any time. account: the number of its account,
    None for guests. key: the SHA-256 in hex of the secret by which it may resume this seat; empty
    if it has none. level: the level of a program of our servers; None if it plays at none. rating:
    in the game's pool when the game began, None if the player had none.
    """

    name: str
    kind: Kind
    author: str = ""
    handle: str = ""
    account: int | None = None
    key: str = ""
    level: int | None = None
    rating: int | None = None

    @property
    def called(self) -> str:
        """The player's name in records, with its level: each level is another strength."""
        return self.name if self.level is None else f"{self.name} level {self.level}"


class GameStarted(Struct, frozen=True):
    """`start` None is the usual start of that game; `control` in the notation of time controls,
    `lag` the rule by which time lost in the network is given back. `claims`: whether threefold
    repetition and fifty moves end it only when claimed; None: unknown, in an old record.
    `undo_clocks`: whether a takeback takes off the time that the moves had added to the clocks; not
    in an old record. `conduct` in its notation. `opening`: the moves from the start to the position
    in which the players take over; they are plies of the game, and no clock pays for them."""

    game: int
    rules: str
    start: str | None
    control: str
    seats: tuple[Seat, Seat]
    rated: bool = False
    pool: str = ""
    lag: str = "none"
    claims: bool | None = None
    undo_clocks: bool = True
    conduct: str = ""
    opening: tuple[str, ...] = ()


class MovePlayed(Struct, frozen=True, gc=False):
    """One move. Times in ms: the clock paid `spent` - `lag` - `stall`, and shows `left` after the
    increment; None where no clock runs.

    `spent`: from the handover of ``go`` to the server's reading of the move. Given back: `lag` for
    the network, and `stall` for the server's delay in reading. `held`: from the opponent's move to
    this ``go``, on neither clock: the time of the record, or of a referee.
    """

    game: int
    ply: int
    side: Side
    move: str
    spent: int
    left: int | None
    info: Info | None = None
    seq: int = 0
    lag: int = 0
    stall: int = 0
    held: int = 0


WORTH_NOTING = 10
"""The least time given back (ms) that is recorded: the way between two servers always takes
less."""


class EventKind(enum.StrEnum):
    """Other events of a game, and the meaning of their `amount`."""

    AWAY = "away"
    """The side was disconnected. With a text, its server ended: then its clock stands, and it had
    thought `amount` ms, if it was to move. Without a text, `amount` ms of its turn so far are not
    charged."""
    BACK = "back"
    """The side is back; `amount` ms of its turn so far are not charged. The text is the hash of the
    secret by which it can resume its seat from now on; empty if that is the one recorded last."""
    KICKED = "sent-away"
    """An administrator disconnected the side; the text names the administrator and the reason."""
    LEFT = "left"
    """The side has left for good; the text is the reason."""
    DRAW_OFFERED = "draw-offered"
    DRAW_DECLINED = "draw-declined"
    TAKEBACK_OFFERED = "takeback-offered"
    """The side offers to take back `amount` plies."""
    TAKEBACK_DECLINED = "takeback-declined"
    TAKEN_BACK = "taken-back"
    """`amount` plies were taken back: by agreement, or by an administrator (the text)."""
    TIME_GIVEN = "time-given"
    """The side's clock shows `amount` ms more; the text names the giver."""
    BERSERK = "berserk"
    """Before its first move the side took `amount` ms from its own clock, half of what was left,
    and gave up its increments and half of the time of later sessions."""
    AGAIN = "again"
    """The side has just moved and moves again; or it makes the first move of the game. Only a
    referee knows this."""
    PAUSED = "paused"
    """The server shut down during the game: the side to move had thought `amount` ms."""
    RESUMED = "resumed"
    """The server is back. The side to move has thought `amount` ms; the time after that is not
    charged, and the text says how long it was and how the server knows."""
    RULED = "ruled"
    """An administrator or a rule of the pool decided the game. The side is the winner, if there is
    one; the text names the author, the decision and the reason."""
    FINISHED = "finished"
    """The last event. The side is the winner, if there is one; the text is the reason and the
    evidence."""


class Happened(Struct, frozen=True):
    """An event between two moves. ply: that of the last move before it."""

    game: int
    seq: int
    ply: int
    what: EventKind
    side: Side | None = None
    amount: int = 0
    text: str = ""


class GameFinished(Struct, frozen=True):
    """The result. `detail` is one sentence of evidence (the illegal move, who left, whose flag);
    `fault`: the sides that caused an abort."""

    game: int
    outcome: Outcome
    detail: str = ""
    fault: frozenset[Side] = frozenset()


class Reported(Struct, frozen=True):
    """A complaint of a player's program (``info clienterror|servererror|error``), or about it."""

    game: int
    ply: int
    side: Side
    source: Literal["player", "server"]
    text: str


WRITES_LATE = (
    "its moves come 40 ms after its analysis, as when a line holds small writes back (Nagle's"
    " algorithm), and its clock pays for that; set nodelay (socat: TCP:HOST:PORT,nodelay), also at"
    " a proxy or tunnel between"
)
"""`Reported` by the server about a client's line."""


class Heartbeat(Struct, frozen=True):
    """Proof that a run of the server was alive: from the last one the next run knows when this run
    ended.

    `slowest`: the longest time in ms in this run from noting a fact to sending it, once durable.
    """

    run: int
    slowest: int = 0


class Released(Struct, frozen=True):
    """The server of a cluster that owned the game in that epoch gives it away: the last fact of the
    game from this server, unless it claims the game again."""

    game: int
    epoch: int


class EncounterBegun(Struct, frozen=True):
    """The game belongs to a match or tournament. number: the game's number there, from 1."""

    game: int
    tournament: int
    number: int


Fact = (
    GameStarted
    | EncounterBegun
    | MovePlayed
    | Happened
    | GameFinished
    | Reported
    | Heartbeat
    | Released
)
