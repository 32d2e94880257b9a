"""A game in progress as the handlers of its events see it (`offers`, `absence_handlers`).

They are rows of its table, so it knows them, and they know nothing of it but this.
"""

from typing import Protocol

from ulci.protocol.messages import Lobby
from ulci.rules import Reason, Side

from .clock import Clock
from .context import GameContext, Step


class PlayedGame(Protocol):
    """`in_progress.InProgress`, which says what each of these is."""

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
