"""A player at another server, as its table here knows it."""

from collections.abc import Callable, Sequence
from itertools import count

import trio
from msgspec.structs import replace

from ulci.protocol.messages import FromServer, Go, Lobby, Position
from ulci.rules.outcome import Side
from ulci_server.game import Seat
from ulci_server.hall.table.board import Board
from ulci_server.hall.table.player import Player
from ulci_server.hall.table.table import Table
from ulci_server.lobby import Profile

from . import messages as said
from .post import Post

MOST_QUERIES = 100
"""Queries that wait for an answer: programs that do not speak UGI give none."""

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
        """The answers have come; ignored if nobody waits for them any more."""
        if (then := self._open.pop(message.number, None)) is not None:
            then(message.answers)


def owned(post: Post, table: Table) -> said.Owned:
    """What others must know of a game of this server."""
    white, black = (
        player.run if isinstance(player, RemotePlayer) else post.run for player in table.seats
    )
    game = table.game
    return said.Owned(game.started, post.epoch(table.id), len(game.moves), (white, black))


class Unheard:
    """For how long the servers where a player was were not heard in its turn, until it is `Back`.
    Each server counts once, however often the player calls."""

    def __init__(self, post: Post) -> None:
        self._post = post
        self._silent: dict[int, float] = {}
        self._doubted: dict[int, tuple[float, float]] = {}

    def was_silent(self, run: int, seconds: float) -> None:
        """That server was not heard for so long, and was heard again or has died."""
        self._silent[run] = max(seconds, self._silent.get(run, 0.0))

    def may_have_died(self, run: int, at: float, silence: float) -> None:
        """That server had said nothing for `silence` s at `at` (s). It has died if nothing has come
        since."""
        self._doubted.setdefault(run, (at, silence))

    def seconds(self) -> float:
        """All of it, to be asked when the player is `Back`."""
        doubted = self._doubted.items()
        died = (silence for run, (at, silence) in doubted if not self._post.heard_since(run, at))
        return sum(self._silent.values()) + sum(died)


class RemotePlayer:
    """Passes on what the table tells it. `link`: its connection."""

    def __init__(self, post: Post, link: said.Link, queries: RemoteQueries) -> None:
        self.profile: Profile | None = link.profile
        self.follows = link.profile.follows
        self.hears_lobby = link.profile.lobby
        self.suspect = False
        self.gone = False
        self.run, self.link = link.run, link.link
        self.trip: float | None = None
        """The least round trip of its line, in s, as last measured there."""
        self.arrived = True
        """Whether it took its seat here, and did not have it when its server was heard again."""
        self.returns = False
        """Whether it has its seat, and is not `Back` yet."""
        self.unheard = Unheard(post)
        self.looked: Callable[[float], None] | None = None
        """Called with the seconds that it has thought, when its server has looked."""
        self._post = post
        self._queries = queries
        self._link = link
        self._key = link.key
        self._table: Board | None = None
        self._side = Side.WHITE
        self._epoch = 0
        self._taken = (0, 0)  # a turn's number, and how many answers of this turn were judged

    @property
    def seat(self) -> Seat:
        assert self.profile is not None
        return replace(self.profile.seat, key=self._key)

    def sit(self, table: Board, side: Side) -> None:
        """It plays this game, which begins."""
        assert isinstance(table, Table)
        self.join(table, side)
        self._send(said.Sit(self.link, table.id, self._epoch, table.game.started, side))

    def sit_again(self) -> None:
        """What it was told may be lost."""
        assert isinstance(self._table, Table)
        started, side = self._table.game.started, self._side
        self._send(said.Sit(self.link, self._game, self._epoch, started, side, again=True))

    def absent_member(self, link: int, side: Side) -> said.Member:
        """What a lobby must know of it when its server has died. `link`: of no connection."""
        assert self.profile is not None
        game = self._game
        return said.Member(link, self.profile, "", "", self._key, gone=True, game=game, side=side)

    def join(self, table: Table, side: Side) -> None:
        """Tell it of this game from now on: it is at its table already."""
        self._table, self._side, self._epoch = table, side, self._post.epoch(table.id)

    def replace(self, before: Player | None) -> None:
        """It has the seat of `before`: answers that were refused stay so."""
        if isinstance(before, RemotePlayer):
            self._taken = before._taken

    def take(self, number: int, attempt: int) -> bool:
        """An answer to the `number`-th ``go`` has come. False: it was judged before."""
        if attempt != self._attempt(number):
            return False
        self._taken = number, attempt + 1
        return True

    def _attempt(self, number: int) -> int:
        turn, attempts = self._taken
        return attempts if turn == number else 0

    # From the table

    def tell(self, *messages: FromServer) -> None:
        """A ``position`` and ``go`` among them ask for a move."""
        *before, last = messages
        if not isinstance(last, Go):
            self._send(said.Tell(self.link, self._game, self._epoch, messages))
            return
        position = before.pop()
        assert isinstance(position, Position)
        if before:
            self._send(said.Tell(self.link, self._game, self._epoch, tuple(before)))
        self.ask_move(position, last)

    def ask_move(self, position: Position, go: Go) -> None:
        assert isinstance(self._table, Table)
        game = self._table.game
        number, thought = game.turn_number, game.thought(trio.current_time())
        attempt = self._attempt(number)
        asked = said.Ask(self.link, self._game, self._epoch, number, position, go, attempt, thought)
        self._send(asked)

    def still_asked(self, move: str) -> None:
        number, attempts = self._taken
        self._taken = number, attempts - 1
        self._send(said.StillAsked(self.link, self._game, self._epoch, move))

    def round_trip(self) -> float | None:
        return self.trip

    def look(self, looked: Callable[[float], None]) -> bool:
        assert isinstance(self._table, Table)
        self.looked = looked
        number = self._table.game.turn_number
        self._send(said.Look(self.link, self._game, self._epoch, number))
        return True

    def ask(self, questions: Sequence[str], then: Then) -> bool:
        """Whether it speaks UGI is known at its server."""
        self._queries.ask(self._link, questions, then)
        return True

    def dismiss(self, over: Lobby | None, *, front: bool) -> None:
        self._send(said.Dismiss(self.link, self._game, self._epoch, over, front))

    @property
    def _game(self) -> int:
        return 0 if self._table is None else self._table.id

    def _send(self, message: said.AnyMessage) -> None:
        self._post.send(self.run, message)
