"""A player at another server, as its table here knows it."""

from collections.abc import Callable, Iterable, Sequence
from itertools import count
from math import inf

import trio
from msgspec.structs import replace

from ulci.protocol.messages import FromServer, Go, Lobby, Position
from ulci.rules import Side
from ulci_server.game import Seat, Span, Spans
from ulci_server.hall.table.interfaces import AnyTable, SeatedPlayer
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
    """When the servers where a player was were not heard in its turn, until it is `Back`."""

    def __init__(self, post: Post) -> None:
        self._post = post
        self._silent = Spans()
        self._doubted: dict[int, tuple[float, float]] = {}

    def was_silent(self, spans: Iterable[Span]) -> None:
        """One of the servers was not heard then, and was heard again or has died."""
        for begin, end in spans:
            self._silent.add(begin, end)

    def may_have_died(self, run: int, at: float, silence: float) -> None:
        """That server had said nothing for `silence` s at `at` (s). It has died if nothing has come
        since."""
        self._doubted.setdefault(run, (at, silence))

    def spans(self) -> tuple[Span, ...]:
        """All of it, to be asked when the player is `Back`."""
        doubted = self._doubted.items()
        died = (
            (at - silence, at)
            for run, (at, silence) in doubted
            if not self._post.heard_since(run, at)
        )
        return (*self._silent, *died)


class RemotePlayer:
    """Passes on what the table tells it. `link`: its connection."""

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
        """The least round trip of its line, in s, as last measured there."""
        self.arrived = True
        """Whether the player took its seat here, rather than had it when its server was heard
        again."""
        self.returns = False
        """Whether the player has its seat, and is not `Back` yet."""
        self.unheard = Unheard(post)
        self.told_until = -inf
        """Until when (s) its server has said what held it up."""
        self.looked: Callable[[float], None] | None = None
        """Called with the seconds that it has thought, when its server has looked."""
        self._post = post
        self._queries = queries
        self._link = link
        self._key = link.key
        self._table: AnyTable | None = None
        self._side = Side.WHITE
        self._epoch = 0
        self._taken = (0, 0)  # a turn's number, and how many answers of this turn were judged
        # A turn's number, and when (s) this connection was asked first in this turn.
        self._asked: tuple[int, float] | None = None

    @property
    def seat(self) -> Seat:
        assert self.profile is not None
        return replace(self.profile.seat, key=self._key)

    def sit(self, table: AnyTable, side: Side) -> None:
        """The player plays this game, which begins."""
        assert isinstance(table, Table)
        self.join(table, side)
        self._send(said.Sit(self.link, table.id, self._epoch, table.game.started, side))

    def sit_again(self) -> None:
        """Tell the player of its game again, as the first message may be lost."""
        assert isinstance(self._table, Table)
        started, side = self._table.game.started, self._side
        self._send(said.Sit(self.link, self._game, self._epoch, started, side, again=True))

    def join(self, table: Table, side: Side) -> None:
        """Tell it of this game from now on: it is at its table already."""
        self._table, self._side, self._epoch = table, side, self._post.epoch(table.id)

    def replace(self, before: SeatedPlayer | None) -> None:
        """The player takes the seat of `before`: answers that were refused stay refused."""
        if isinstance(before, RemotePlayer):
            self._taken = before._taken
            self.told_until = before.told_until
            if (before.run, before.link) == (self.run, self.link):
                self._asked = before._asked

    def asked_at(self, number: int) -> float | None:
        """When (s) this connection was asked the `number`-th ``go`` first; None: it was not."""
        return self._asked[1] if self._asked is not None and self._asked[0] == number else None

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

    def hear_chat(self, line: Lobby) -> None:
        """Its own server knows whom it ignores."""
        self.tell(line)

    def ask_move(self, position: Position, go: Go) -> None:
        assert isinstance(self._table, Table)
        game = self._table.game
        now, number = trio.current_time(), game.turn_number
        thought = game.thought(now)
        if self.asked_at(number) is None:
            self._asked = number, now
        attempt = self._attempt(number)
        asked = said.Ask(self.link, self._game, self._epoch, number, position, go, attempt, thought)
        self._send(asked)

    def still_asked(self, move: str) -> None:
        number, attempts = self._taken
        self._taken = number, attempts - 1
        self._send(said.StillAsked(self.link, self._game, self._epoch, move))

    def round_trip(self) -> float | None:
        return self.trip

    def look(self, looked: Callable[[float], None]) -> None:
        """Ask its server how long it has thought; `looked` will be called, unless its answer comes
        first."""
        assert isinstance(self._table, Table)
        self.looked = looked
        number = self._table.game.turn_number
        self._send(said.Look(self.link, self._game, self._epoch, number))

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
