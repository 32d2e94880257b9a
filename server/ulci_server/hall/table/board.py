"""A table as sessions and watchers see it; the game may be at another server."""

from typing import Literal, Protocol

from ulci.protocol import Unread
from ulci.protocol.messages import FromServer, Info, Lobby
from ulci.rules.outcome import Side
from ulci.rules.position import Needs
from ulci_server.game import Answered, Event, Seat
from ulci_server.lobby import Offer

from .player import Player
from .spectators import Spectators, Watcher


class Board(Protocol):
    """What sessions say to the table of their game. Nothing here waits."""

    id: int
    """The number of the game."""
    offer: Offer
    spectators: Spectators

    # From players

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

    def say(self, side: Side, line: Lobby) -> bool:
        """Tell the side's opponent; False if it cannot read lobby lines."""
        ...

    def handle(self, event: Event) -> None:
        """Any other event of the game."""
        ...

    def expect(self, side: Side, player: Player) -> None:
        """Seat a player's new connection, muted until it is `Back`."""
        ...

    # From watchers

    def watch(self, watcher: Watcher) -> None: ...

    def unwatch(self, watcher: Watcher) -> None: ...

    def show_thoughts(self, side: Side, *, wanted: bool) -> None:
        """Whether the side's player wants to be shown what its opponent's program thinks."""
        ...

    # State

    def listed(self) -> Lobby:
        """Its line in the list of games."""
        ...

    def heading(self) -> Lobby:
        """The line with which a watcher is told whose game it is."""
        ...

    def snapshot(self) -> tuple[FromServer, ...]:
        """What a new watcher is told."""
        ...

    @property
    def over(self) -> Lobby | None:
        """The lobby's line about the result; None during the game."""
        ...

    def seat(self, side: Side) -> Seat:
        """The side's player, as it is stored."""
        ...

    def needs(self) -> Needs:
        """What a program must support to play this game."""
        ...
