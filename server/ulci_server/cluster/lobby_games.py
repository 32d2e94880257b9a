"""The games that the lobby of all servers knows: which server has each, and which it asked to begin
one."""

from collections import Counter, deque
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import NamedTuple

import trio

from ulci.rules import Side
from ulci_server.game import Seat
from ulci_server.hall import Hall
from ulci_server.hall.member import HostedMember
from ulci_server.lobby import Agreement

from . import messages as said
from .post import Post
from .remote_member import RemoteMember

BUSY = 0.5
"""Seconds until players whose game could not begin are free for another one: the cause is often
gone by then, or known here."""

REOPENED = 5.0
"""Seconds in which another server finds a game that a dead server was asked to begin, if it has
begun."""

HANDICAP = 1.1
"""White's server gets the game, unless it has more than this many times the games of Black's plus
one."""


class GameToBegin(NamedTuple):
    """A game that a server was asked to begin. failed: tells its players why it does not begin."""

    owner: int
    asked: said.Open
    failed: Callable[[str], object]

    def seats(self, run: int, member: RemoteMember, side: Side) -> bool:
        """Whether the server `run`, which began the game, was asked to seat the member, by its
        present connection."""
        asked = (self.asked.white, self.asked.black)[side]
        return run == self.owner and (asked.run, asked.link) == (member.run, member.link)


class _Game(NamedTuple):
    owner: int
    epoch: int
    handles: tuple[str, str]


class LobbyGames:
    """Knows them by number. owners: the servers that may be given games."""

    def __init__(self, hall: Hall, post: Post, owners: Callable[[], Collection[int]]) -> None:
        self._hall = hall
        self._post = post
        self._owners = owners
        self._opening: dict[int, GameToBegin] = {}
        self._unnumbered: deque[Callable[[int], None]] = deque()
        self._games: dict[int, _Game] = {}
        self._load: Counter[int] = Counter()

    def __contains__(self, number: int | None) -> bool:
        return number in self._games

    # Beginning

    def begin(
        self,
        number: int,
        agreement: Agreement,
        pair: tuple[HostedMember, HostedMember],
        failed: Callable[[str], object],
    ) -> None:
        """Ask a server to begin the game. number: 0 if none is drawn; the game then waits for
        `go_on`."""
        white, black = pair
        assert isinstance(white, RemoteMember)
        assert isinstance(black, RemoteMember)
        if not number:
            self._unnumbered.append(
                partial(self.begin, agreement=agreement, pair=pair, failed=failed)
            )
            return
        owner = self._place(white.run, black.run)
        if not owner:
            self._hall.start(partial(_later, failed, "no server can take it now; try again"))
            return
        white.front = black.front = False
        asked = said.Open(
            number,
            agreement.game.name,
            agreement.start,
            str(agreement.control),
            agreement.rated,
            agreement.pool,
            white.as_link,
            black.as_link,
            str(agreement.pool_rules.conduct),
            agreement.opening,
            agreement.level,
            agreement.encounter,
        )
        self._opening[number] = GameToBegin(owner, asked, failed)
        self._post.send(owner, asked)

    def go_on(self, number: Callable[[], int]) -> None:
        """Numbers have been drawn: begin the games that wait for one."""
        while self._unnumbered and (drawn := number()):
            self._unnumbered.popleft()(drawn)

    def ask_again(self, run: int) -> None:
        """Messages to or from that server may be lost: ask it again to begin its games."""
        for opening in self._opening.values():
            if opening.owner == run:
                self._post.send(run, opening.asked)

    def give_up_on(self, run: int, why: str) -> None:
        """The games that the server was to begin fail, unless they are reported within `REOPENED`
        s."""
        for number, opening in self._opening.items():
            if opening.owner == run:
                self._hall.start(partial(self._fail_later, number, REOPENED, why))

    def not_opened(self, message: said.NotOpened) -> None:
        """The server could not begin the game."""
        self._hall.start(partial(self._fail_later, message.game, BUSY, message.why))

    async def _fail_later(self, number: int, seconds: float, why: str) -> None:
        await trio.sleep(seconds)
        self._fail(number, why)

    def _fail(self, number: int, why: str) -> None:
        if (opening := self._opening.pop(number, None)) is not None:
            opening.failed(why)

    # Where they are

    def dead(self, run: int) -> None:
        """The games that the dead server was to begin fail."""
        self.give_up_on(run, "its server died")

    def _place(self, white: int, black: int) -> int:
        """The server for a game of players at these two; 0: none can take it."""
        owners = self._owners()
        if white in owners and black in owners:
            return black if self._load[white] > HANDICAP * self._load[black] + 1 else white
        here = [run for run in (white, black) if run in owners]
        return next(iter(here or owners), 0)

    def known(self, number: int, owner: int, epoch: int, seats: Sequence[Seat]) -> None:
        """The server `owner` has the game; 0: no server has it."""
        white, black = seats
        if (before := self._games.get(number)) is not None:
            self._load[before.owner] -= 1
        self._games[number] = _Game(owner, epoch, (white.handle, black.handle))
        self._load[owner] += 1

    def begun(self, run: int, message: said.Owned) -> GameToBegin | None:
        """Server `run` announces the game. Returns how a server was asked to begin it; None if it
        was not, or the game had begun before."""
        number = message.started.game
        self.known(number, run, message.epoch, message.started.seats)
        return self._opening.pop(number, None)

    def over(self, number: int) -> Sequence[str]:
        """The game is over. Returns the names of its players, if a server had it."""
        game = self._games.pop(number, None)
        if game is None:
            self._fail(number, "it is over")
            return ()
        self._load[game.owner] -= 1
        return game.handles

    def of(self, run: int) -> list[int]:
        """The games of that server."""
        return [number for number, game in self._games.items() if game.owner == run]


async def _later(failed: Callable[[str], object], why: str) -> None:
    await trio.sleep(BUSY)
    failed(why)
