"""A player at another server, as the lobby knows it."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from math import inf

import structlog
import trio
from msgspec.structs import replace

from ulci.protocol.lobby.lines import GameOver
from ulci.protocol.messages import Admin, Blame, FromServer, Lobby
from ulci.rules import Side
from ulci_server.game import Seat
from ulci_server.hall.lists import HOLDS_ANNOUNCEMENTS
from ulci_server.hall.member import Lines
from ulci_server.hall.table.interfaces import AnyTable
from ulci_server.lobby import Profile, lobby_lines
from ulci_server.storage import secret_hash

from . import messages as said
from .lobby_post import Sends
from .post import began_later
from .questions import Questions

LOG = structlog.get_logger("ulci_server.cluster")

LISTED_AT_ONCE = 200
"""Lines of a list in one message: 20 kB."""

SLACK = 2.0
"""Seconds more than the client has for its answer, for the way there and back."""


class RemoteMember:
    """Passes on what the lobby tells it. gradually: runs pieces of work in order, with turns for
    others in between. `run` 0: its server has died, or never was."""

    waiting = 0
    """Its own server bounds what it has not read."""

    def __init__(
        self,
        post: Sends,
        questions: Questions[bool],
        gradually: Callable[[Iterator[Callable[[], None]]], None],
        run: int,
        link: int,
        host: str,
        label: str,
    ) -> None:
        self.profile: Profile | None = None
        self.table: AnyTable | None = None
        self.side = Side.WHITE
        self.gone = False
        self.secret = self.key = ""
        self.front = False
        self.missed: Lobby | None = None
        self.admin_commands: list[Admin] = []
        self.run, self.link = run, link
        self.host, self.label = host, label
        self.why = ""
        self.draining = False
        self.takes_seat = False
        """Whether the member was told to take the seat of an earlier connection."""
        self.plays = 0
        """The number of its game, if this lobby knows nothing else of that."""
        self.called_at = -inf
        """When (s) its login began."""
        self._post = post
        self._questions = questions
        self._gradually = gradually
        self._listing: set[str] = set()  # that it is being sent
        self._began = trio.current_time()
        self._took: float | None = None
        self._closed: said.Disconnect | None = None

    @property
    def handle(self) -> str:
        return self.label if self.profile is None else self.profile.handle

    @property
    def game(self) -> int:
        """The number of its game; 0: it plays none."""
        return self.plays if self.table is None else self.table.id

    @property
    def owes(self) -> int:
        """The number of the game that is over, and for which it owes answers; 0: there is none."""
        line = self.missed.line if self.draining and self.missed is not None else None
        return line.id if isinstance(line, GameOver) else 0

    @property
    def seat(self) -> Seat:
        assert self.profile is not None
        return replace(self.profile.seat, key=self.key)

    @property
    def as_link(self) -> said.Link:
        """As the owner of a game knows it."""
        assert self.profile is not None
        age = trio.current_time() - self.called_at
        return said.Link(self.run, self.link, self.profile, self.key, age)

    def is_same_account(self, profile: Profile) -> bool:
        mine = self.profile
        return mine is not None and (mine.account, mine.kind) == (profile.account, profile.kind)

    def called_after(self, other: "RemoteMember") -> bool:
        """Whether the login of this connection began later than that of `other`."""
        if self.run == other.run:
            return self.link > other.link
        return began_later(self.called_at, other.called_at)

    def introduce(self, profile: Profile) -> None:
        self.profile = profile
        self._send(said.Introduce(self.link, profile))

    def tell_login(self) -> None:
        """Tell the member again that it has logged in, or was refused, as the first messages may be
        lost."""
        if self.gone:
            self.close_again()
            return
        if self.profile is None:
            return  # it will be told
        self._send(said.Introduce(self.link, self.profile))
        if self.secret:
            self._send(said.GiveSecret(self.link, self.secret))
            self.tell(lobby_lines.welcome(self.profile, self.secret))
        if self.takes_seat and self.table is not None:
            self.take_seat(self.table, self.side)
        self._send(said.LoggedIn(self.link, self.plays))

    def give_secret(self, secret: str) -> None:
        self.secret, self.key = secret, secret_hash(secret)
        self._send(said.GiveSecret(self.link, secret))

    def follow_announcements(self) -> None:
        """Its server sees to it: it tells its own members."""

    def leave_announcements(self) -> None:
        """Its server sees to it."""

    def tell(self, *messages: FromServer) -> None:
        self._send(said.TellMember(self.link, messages))

    def tell_list(self, what: str, lines: Lines) -> None:
        """Asked for again while it is sent, it comes once."""
        if what == HOLDS_ANNOUNCEMENTS:  # none may overtake it on the way
            for send in self._pages(what, lines):
                send()
        elif what not in self._listing:
            self._listing.add(what)
            self._gradually(self._pages(what, lines))

    def _pages(self, what: str, lines: Lines) -> Iterator[Callable[[], None]]:
        _, listed = lines()
        while not self.gone and (page := tuple(islice(listed, LISTED_AT_ONCE))):
            yield partial(self._send, said.TellList(self.link, what, page, ends=False))
        self._listing.discard(what)
        yield partial(self._send, said.TellList(self.link, what, (), ends=True))

    def tell_missed(self, missed: Lobby | None) -> None:
        if missed is not None:
            self._send(said.TellMissed(self.link, missed))

    def tell_unmatched(self, why: str) -> None:
        self._send(said.Unmatched(self.link, why))

    def send_lobby_error(self, code: str, text: str) -> None:
        self.tell(lobby_lines.error(code, text))

    def log(self, event: str, **details: str) -> None:
        LOG.info(event, client=self.handle, peer=self.label, **details)

    def refuse(self, why: str) -> None:
        self._close(why, "refuse")

    def disconnect(self, why: str, blame: Blame = Blame.CLIENT) -> None:
        self._close(why, "servererror" if blame is Blame.SERVER else "clienterror")

    def cut(self, why: str) -> None:
        self._close(why, "cut")

    def _close(self, why: str, how: said.HowToClose) -> None:
        self.gone, self.why = True, self.why or why
        self._closed = said.Disconnect(self.link, why, how)
        self._send(self._closed)

    def close_again(self) -> None:
        """Its server has not heard that it is to be disconnected."""
        if self._closed is not None:
            self._send(self._closed)

    def kick(self, by: str, *, for_good: bool, why: str) -> None:
        self._send(said.Kick(self.link, by, for_good, why))

    async def prove_alive(self, seconds: float) -> bool:
        if self.gone or not self.run:
            return False
        ask = partial(self._ask_alive, seconds)
        return bool(await self._questions.ask(ask, seconds + SLACK))

    def _ask_alive(self, seconds: float, number: int) -> None:
        self._send(said.ProveAlive(self.link, number, seconds))

    def logged_in(self) -> None:
        """The lobby has done its part of the login, whose time the player pays for; all that
        follows is waiting for servers."""
        if self._took is None:
            self._took = trio.current_time() - self._began

    def take_seat(self, table: AnyTable, side: Side) -> None:
        self.table, self.side, self.plays = table, side, 0
        self.takes_seat = True
        self.logged_in()
        self._send(said.TakeSeat(self.link, table.id, side, self._took or 0.0))

    def lose_seat(self) -> None:
        self.table = None
        self._send(said.LoseSeat(self.link))

    def _send(self, message: said.AnyMessage) -> None:
        if self.run:
            self._post.send(self.run, message)
