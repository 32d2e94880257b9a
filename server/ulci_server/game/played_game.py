"""The interface of a game in progress for the handlers of its events (`offers`,
`absence_handlers`).

`in_progress` imports these handlers for its table, so that they cannot import it: they know only
this interface.
"""

from typing import Protocol

from ulci.protocol.messages import Lobby
from ulci.rules import Reason, Side

from .clock import Clock
from .context import GameContext, Step


class PlayedGame(Protocol):
    """The interface of `in_progress.InProgress`, whose docstrings describe the members."""

    offer: Side | None
    takeback: tuple[Side, int] | None
    have_moved: set[Side]
    berserk: set[Side]
    disconnections: list[int]
    late: set[Side]
    cut_off: dict[Side, Lobby | None]
    standing: bool

    @property
    def context(self) -> GameContext: ...

    @property
    def clock(self) -> Clock: ...

    @property
    def mover(self) -> Side: ...

    @property
    def counts(self) -> bool: ...

    @property
    def claim(self) -> Reason | None: ...

    def take_back(self, plies: int, at: float) -> list[Step]: ...

    def ask_again(self, at: float) -> list[Step]: ...
