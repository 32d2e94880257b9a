"""Effects that the lobby asks the hall to perform."""

from dataclasses import dataclass
from typing import Literal

from ulci.protocol.messages import Lobby as Line

from .seeks import Agreement


@dataclass(frozen=True, slots=True)
class Pair:
    """Start a game of these two (by handle); both count as playing until `Lobby.free`."""

    white: str
    black: str
    agreement: Agreement


@dataclass(frozen=True, slots=True)
class TellOne:
    """Send this line to that handle."""

    handle: str
    line: Line


@dataclass(frozen=True, slots=True)
class TellWhenKept:
    """Send this line to that handle as soon as all that has changed until now is kept. Then a lobby
    that goes on elsewhere knows the challenge or invitation which the line announces."""

    handle: str
    line: Line


@dataclass(frozen=True, slots=True)
class TellAll:
    """Send this line to all who read lobby lines."""

    line: Line


@dataclass(frozen=True, slots=True)
class SetIgnored:
    """The player of that handle ignores these from now on."""

    handle: str
    ignores: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Freed:
    """This player's game and match are over: it may wait in its pool again."""

    handle: str


@dataclass(frozen=True, slots=True)
class Hold:
    """Call `Lobby.overdue` with the number of this match or seek after `seconds`, unless it is
    released before. A new one replaces the one before. Below zero: how near in rating the opponent
    of that seek must be is held, so that one seek may be held for two reasons."""

    number: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Release:
    """The match or seek no longer waits."""

    number: int


List = Literal["seeks", "who"]


@dataclass(frozen=True, slots=True)
class TellList:
    """Send that list (`Lobby.listed`) to that handle, as fast as the client reads it."""

    handle: str
    what: List


@dataclass(frozen=True, slots=True)
class Refused:
    """This player's program can play no start of its pool."""

    handle: str
    why: str


@dataclass(frozen=True, slots=True)
class Unmatched:
    """These two agree, but there is no start position that both their programs can play."""

    handles: tuple[str, str]
    why: str


LobbyEffect = (
    Pair
    | TellOne
    | TellWhenKept
    | TellAll
    | TellList
    | SetIgnored
    | Refused
    | Unmatched
    | Freed
    | Hold
    | Release
)
