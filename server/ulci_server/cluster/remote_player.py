"""A player at another server, as the table here knows it."""

from collections.abc import Callable, Sequence
from itertools import count

import trio
from msgspec.structs import replace

from ulci.protocol.messages import FromServer, Go, Position
from ulci.rules import Side
from ulci_server.game import Seat
from ulci_server.hall.table.interfaces import AnyTable, SeatedPlayer
from ulci_server.hall.table.table import Table
from ulci_server.lobby import Profile

from . import messages as said
from .clock_fairness import TurnAtOwner
from .mirrors import sends
from .post import Post

MOST_QUERIES = 100
"""Maximum open queries: programs that do not speak UGI give no answer."""

Then = Callable[[tuple[str, ...]], None]


class RemoteQueries:
    """UGI queries to players elsewhere."""

    def __init__(self, post: Post) -> None:
        self._post = post
        self._numbers = count(1)
        self._open: dict[int, Then] = {}

    def ask(self, link: said.Link, questions: Sequence[str], then: Then) -> None:
        """Call `then` with the answers, if any come."""
        number = next(self._numbers)
        self._open[number] = then
        self._open.pop(number - MOST_QUERIES, None)
        self._post.send(link.run, said.AskUgi(link.link, number, tuple(questions)))

    def hear(self, message: said.UgiAnswered) -> None:
        """The answers have come. They are ignored if nobody waits for them any more."""
        if (then := self._open.pop(message.number, None)) is not None:
            then(message.answers)


def owned(post: Post, table: Table) -> said.Owned:
    """The announcement of a game of this server."""
    white, black = (
        player.run if isinstance(player, RemotePlayer) else post.run for player in table.seats
    )
    game = table.game
    return said.Owned(game.started, post.epoch(table.id), len(game.moves), (white, black))


class RemotePlayer:
    """Sends what the table tells the player to its server. link: its connection."""

    def __init__(self, post: Post, link: said.Link, queries: RemoteQueries) -> None:
        self.profile: Profile | None = link.profile
        self.follows = link.profile.follows
        self.hears_lobby = link.profile.lobby
        self.suspect = False
        self.gone = False
        self.run, self.link = link.run, link.link
        self.called_at = trio.current_time() - link.age
        """When (s) its login began, if that is known."""
        self.trip: float | None = None
        """The least round trip of its connection in s, as its server last measured it."""
        self.arrived = True
        """Whether the player took its seat by this connection at this table. False: it already had
        the seat when its server was heard again, or this server became the owner."""
        self.turn = TurnAtOwner(post, link.run, link.link)
        self._post = post
        self._queries = queries
        self._link = link
        self._key = link.key
        self._table: AnyTable | None = None
        self._side = Side.WHITE
        self._epoch = 0

    @property
    def seat(self) -> Seat:
        assert self.profile is not None
        return replace(self.profile.seat, key=self._key)

    def sit(self, table: AnyTable, side: Side) -> None:
        """A game begins, with the player on that side."""
        assert isinstance(table, Table)
        self.join(table, side)
        self.send(said.Sit(*self.address, table.game.started, side))

    def sit_again(self) -> None:
        """Send the `Sit` of its game again, as the first one may be lost."""
        assert isinstance(self._table, Table)
        started, side = self._table.game.started, self._side
        self.send(said.Sit(*self.address, started, side, again=True))

    def join(self, table: Table, side: Side) -> None:
        """Address messages to that game from now on: the player is at its table already."""
        self._table, self._side, self._epoch = table, side, self._post.epoch(table.id)
        self.turn.join(table, side)

    def replace(self, before: SeatedPlayer | None) -> None:
        """The player takes the seat of `before`, and is not `Back` yet."""
        if isinstance(before, RemotePlayer):
            self.turn.follow(before.turn)
        self.turn.returns = True

    # From the table

    hear_chat = sends(SeatedPlayer.hear_chat)
    dismiss = sends(SeatedPlayer.dismiss)
    _tell = sends(SeatedPlayer.tell)
    _still_asked = sends(SeatedPlayer.still_asked)

    def tell(self, *messages: FromServer) -> None:
        """Send the messages. A ``position`` and ``go`` at their end ask for a move."""
        *before, last = messages
        if not isinstance(last, Go):
            self._tell(*messages)
            return
        position = before.pop()
        assert isinstance(position, Position)
        if before:
            self._tell(*before)
        self.ask_move(position, last)

    def ask_move(self, position: Position, go: Go) -> None:
        number, attempt, thought = self.turn.ask(trio.current_time())
        asked = said.Ask(*self.address, number, position, go, attempt, thought)
        self.send(asked)

    def still_asked(self, move: str) -> None:
        self.turn.ask_still()
        self._still_asked(move)

    def round_trip(self) -> float | None:
        return self.trip

    def look(self) -> None:
        """Ask its server how long the player has thought, or for the answer."""
        assert isinstance(self._table, Table)
        number = self._table.game.turn_number
        self.send(said.Look(*self.address, number))

    def ask(self, questions: Sequence[str], then: Then) -> bool:
        """Always True, as only its server knows whether the program speaks UGI."""
        self._queries.ask(self._link, questions, then)
        return True

    @property
    def address(self) -> tuple[int, int, int]:
        return self.link, 0 if self._table is None else self._table.id, self._epoch

    def send(self, message: said.AnyMessage) -> None:
        """Send it to its server."""
        self._post.send(self.run, message)
