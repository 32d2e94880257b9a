"""A table as sessions and watchers see it; the game may be at another server."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from ulci.protocol import Unread
from ulci.protocol.messages import Clock, FromServer, Info, Lobby
from ulci.rules.outcome import Side
from ulci.rules.position import Needs
from ulci_server.game import Answered, Event, GameStarted, Seat, notices
from ulci_server.lobby import Offer

from .player import Player
from .rulings import Ruling
from .spectators import Spectators, Watcher


@dataclass(frozen=True, slots=True)
class BoardState:
    """A game at this moment, but for its moves. running: the side whose clock runs. presence: of
    each side ``here``, ``away`` or, of a program that is to move, ``hung``. detail: why it is over,
    for people; empty during the game."""

    clocks: Clock
    running: Side | None
    presence: Mapping[str, str]
    detail: str = ""


class LatestMove(NamedTuple):
    """The last move that spectators know; the first of a game is number 1."""

    ply: int
    side: Side
    move: str


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

    async def rule(self, ruling: Ruling) -> int | None:
        """An administrator's ruling. Returns how many moves were taken back, or otherwise 1; 0: it
        changed nothing. None: its server did not answer."""
        ...

    # From watchers

    def watch(self, watcher: Watcher) -> None: ...

    def unwatch(self, watcher: Watcher) -> None: ...

    def show_thoughts(self, side: Side, *, wanted: bool) -> None:
        """Whether the side's player wants to be shown what its opponent's program thinks."""
        ...

    # State

    @property
    def started(self) -> GameStarted:
        """How it began."""
        ...

    def listed(self) -> Lobby:
        """Its line in the list of games."""
        ...

    def heading(self) -> Lobby:
        """The line with which a watcher is told whose game it is."""
        ...

    def snapshot(self) -> tuple[FromServer, ...]:
        """What a new watcher is told at once."""
        ...

    def state(self) -> BoardState | None:
        """None: it is not known here. It is as soon as a watcher has been told something."""
        ...

    def latest(self) -> LatestMove | None:
        """None: there is no move, or none is known here."""
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


_TOLD: Mapping[str, Literal["line-down", "hung"]] = {"away": "line-down", "hung": "hung"}


def snapshot(board: Board, state: BoardState) -> tuple[FromServer, ...]:
    """Whose game it is, the position that spectators know, its clocks, and who is away."""
    position = board.spectators.position
    shown = (state.clocks,) if position is None else (position, state.clocks)
    missing = [
        notices.seen(board.id, side, _TOLD[state.presence[side.word]])
        for side in Side
        if state.presence[side.word] in _TOLD
    ]
    return (board.heading(), *shown, *missing)
