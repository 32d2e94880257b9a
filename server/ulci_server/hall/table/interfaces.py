"""A table and its players as they see each other. Both may be at another server."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, Protocol

from ulci.protocol import Unread
from ulci.protocol.messages import FromServer, Go, Info, Lobby, Position
from ulci.rules import Needs, Side
from ulci_server.game import (
    Answered,
    Event,
    Ruled,
    Seat,
    TakebackRuled,
    TimeRuled,
    notices,
)
from ulci_server.lobby import Profile

from .spectators import WatchedTable
from .state import TableState

AdminRuling = Ruled | TakebackRuled | TimeRuled
"""An administrator's ruling about a game."""


class SeatedPlayer(Protocol):
    """What a table tells and asks whoever sits at it."""

    suspect: bool
    """Whether referees died of what it played."""

    @property
    def follows(self) -> bool:
        """Whether it wants to see the board while it is not asked to move."""
        ...

    @property
    def hears_lobby(self) -> bool:
        """Whether it reads lobby lines."""
        ...

    def tell(self, *messages: FromServer) -> None:
        """Say it; never waits. Lobby lines reach only those who asked for them."""
        ...

    def hear_chat(self, line: Lobby) -> None:
        """The opponent says so: tell it, unless the opponent is ignored."""
        ...

    def ask_move(self, position: Position, go: Go) -> None:
        """It is its turn. Never waits."""
        ...

    def still_asked(self, move: str) -> None:
        """It said its last move again: its ``go`` is still open."""
        ...

    def round_trip(self) -> float | None:
        """The least of its line, in s, as the server measured it; None if it could not."""
        ...

    def ask(self, questions: Sequence[str], then: Callable[[tuple[str, ...]], None]) -> bool:
        """Ask what only UGI has words for; False if it does not speak it."""
        ...

    def dismiss(self, over: Lobby | None, *, front: bool) -> None:
        """The game is over, and `over` says how; what is still owed for it no longer counts.
        `front`: it was not its fault that there was none, so its next one comes first."""
        ...


class Entrant(SeatedPlayer, Protocol):
    """A player who is about to be seated."""

    @property
    def profile(self) -> Profile | None:
        """As it introduced itself."""
        ...

    @property
    def gone(self) -> bool:
        """Its connection is over."""
        ...

    @property
    def seat(self) -> Seat:
        """As it is stored."""
        ...

    def sit(self, table: "AnyTable", side: Side) -> None:
        """It plays this game."""
        ...


class AnyTable(WatchedTable, Protocol):
    """What sessions say to the table of their game. Nothing here waits, except `rule`."""

    def answered(self, answered: Answered, *, may_repeat: bool) -> None:
        """A ``bestmove`` that answers the side's last ``go``. `may_repeat`: after a reconnect a
        client may repeat its move, as it cannot know whether it arrived."""
        ...

    def answered_late(self, side: Side, move: str) -> None:
        """A ``bestmove`` that answers an older ``go`` than the last."""
        ...

    def report(self, side: Side, source: Literal["player", "server"], text: str) -> None:
        """Store an error that the player's program reported, or that we reported of it."""
        ...

    def add_info(self, side: Side, analysis: Unread | Info) -> None:
        """The newest info of the side's program."""
        ...

    def tell_state(self, side: Side, state: Literal["hung", "thinking"]) -> None:
        """The program of the side hangs, or answers again."""
        ...

    def say(self, side: Side, line: Lobby) -> None:
        """Tell the side's opponent; if it cannot read lobby lines, tell the side that."""
        ...

    def chat(self, line: Lobby) -> bool:
        """Send what a spectator says to the others; the players do not get it. False: it cannot be
        sent, as no server has the game now."""
        ...

    def handle(self, event: Event) -> None:
        """Any other event of the game."""
        ...

    def expect(self, side: Side, player: SeatedPlayer) -> None:
        """Seat a player's new connection, muted until it is `Back`."""
        ...

    async def rule(self, ruling: AdminRuling) -> int | None:
        """An administrator's ruling. Returns how many moves were taken back, or otherwise 1; 0: it
        changed nothing. None: its server did not answer."""
        ...

    def show_thoughts(self, side: Side, *, wanted: bool) -> None:
        """Whether the side's player wants to be shown what its opponent's program thinks."""
        ...

    def needs(self) -> Needs:
        """What a program must support to play this game."""
        ...


_TOLD: Mapping[str, Literal["line-down", "hung"]] = {"away": "line-down", "hung": "hung"}


def snapshot(table: WatchedTable, state: TableState) -> tuple[FromServer, ...]:
    """Whose game it is, the position that spectators know, its clocks, and who is away."""
    position = table.spectators.position
    shown = (state.clocks,) if position is None else (position, state.clocks)
    missing = [
        notices.seen(table.id, side, _TOLD[state.presence[side.word]])
        for side in Side
        if state.presence[side.word] in _TOLD
    ]
    return (table.heading(), *shown, *missing)
