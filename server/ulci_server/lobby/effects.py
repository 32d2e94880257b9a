"""Effects that the lobby asks the hall to perform."""

from dataclasses import dataclass
from typing import Literal

from ulci.protocol.messages import Lobby as Line

from .seeks import Offer


@dataclass(frozen=True, slots=True)
class Pair:
    """These two (by handle) play from now on; both count as playing until `Lobby.free`."""

    white: str
    black: str
    offer: Offer


@dataclass(frozen=True, slots=True)
class TellOne:
    """Say this line to that handle."""

    handle: str
    line: Line


@dataclass(frozen=True, slots=True)
class TellAll:
    """Say this line to everybody who reads lobby lines."""

    line: Line


List = Literal["seeks", "who"]


@dataclass(frozen=True, slots=True)
class TellList:
    """Say that list (`Lobby.listed`) to that handle, as fast as it is taken."""

    handle: str
    what: List


@dataclass(frozen=True, slots=True)
class Refused:
    """This player's program can play nothing of what it came for."""

    handle: str
    why: str


@dataclass(frozen=True, slots=True)
class Unmatched:
    """These two would play each other, but their programs have no start position in common."""

    handles: tuple[str, str]
    why: str


LobbyEffect = Pair | TellOne | TellAll | TellList | Refused | Unmatched
