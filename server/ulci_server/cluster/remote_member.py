"""A member whose connection is at any server, as the lobby's host knows it."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from math import inf

import structlog
import trio
from msgspec.structs import replace

from ulci.protocol.lobby.lines import GameOver
from ulci.protocol.messages import Admin, Blame, Lobby
from ulci.rules import Side
from ulci_server.game import Seat
from ulci_server.hall.lists import HOLDS_ANNOUNCEMENTS
from ulci_server.hall.member import HostedMember, Lines
from ulci_server.hall.table.interfaces import AnyTable
from ulci_server.lobby import Profile, lobby_lines
from ulci_server.storage import secret_hash

from . import messages as said
from .lobby_post import Sends
from .mirrors import kind_of, sends
from .post import began_later
from .questions import Questions

LOG = structlog.get_logger("ulci_server.cluster")

LISTED_AT_ONCE = 200
"""Maximum lines of a list in one message: 20 kB."""

SLACK = 2.0
"""Seconds for the messages there and back, in addition to the client's time for its answer."""


class RemoteMember:
    """Sends what the lobby tells the member to its server. gradually: runs pieces of work in order,
    with checkpoints in between. run: 0 if its server has died, or it never had one."""

    waiting = 0
    """Always 0: its own server bounds the messages that it has not read."""

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
        """The number of its game, if this lobby knows no more of the game."""
        self.called_at = -inf
        """When (s) its login began."""
        self._post = post
        self._questions = questions
        self._gradually = gradually
        self._listing: set[str] = set()  # the lists that it is being sent
        self._began = trio.current_time()
        self._took: float | None = None
        self._closed: said.ToMember | None = None

    @property
    def handle(self) -> str:
        return self.label if self.profile is None else self.profile.handle

    @property
    def game(self) -> int:
        """The number of its game; 0 if it plays none."""
        return self.plays if self.table is None else self.table.id

    @property
    def is_playing(self) -> bool:
        return bool(self.game)

    @property
    def owes(self) -> int:
        """The number of the game that is over and for which it owes answers; 0 if there is none."""
        line = self.missed.line if self.draining and self.missed is not None else None
        return line.id if isinstance(line, GameOver) else 0

    @property
    def seat(self) -> Seat:
        assert self.profile is not None
        return replace(self.profile.seat, key=self.key)

    @property
    def as_link(self) -> said.Link:
        """The member as the owner of a game needs it."""
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

    def succeed(self, before: HostedMember) -> None:
        if isinstance(before, RemoteMember):
            self.plays, self.side = before.plays, before.side

    def introduce(self, profile: Profile) -> None:
        self.profile = profile
        self.send(said.Introduce(self.link, profile))

    def tell_login(self) -> None:
        """Repeat the answer to the member's login, as the first messages may be lost."""
        if self.gone:
            self.close_again()
            return
        if self.profile is None:
            return  # its answer is still to come
        self.send(said.Introduce(self.link, self.profile))
        if self.secret:
            self._give_secret(self.secret)
            self.tell(lobby_lines.welcome(self.profile, self.secret))
        if self.takes_seat and self.table is not None:
            self.take_seat(self.table, self.side)
        self.send(said.LoggedIn(self.link, self.plays))

    def give_secret(self, secret: str) -> None:
        self.secret, self.key = secret, secret_hash(secret)
        self._give_secret(secret)

    def follow_announcements(self) -> None:
        """Its server sees to it: it tells its own members."""

    def leave_announcements(self) -> None:
        """Its server sees to it."""

    tell = sends(HostedMember.tell)
    tell_unmatched = sends(HostedMember.tell_unmatched)
    kick = sends(HostedMember.kick)
    _give_secret = sends(HostedMember.give_secret)

    def tell_list(self, what: str, lines: Lines) -> None:
        """Send the list in parts. A list that is asked for again meanwhile is sent once."""
        if what == HOLDS_ANNOUNCEMENTS:  # no announcement may overtake it
            for send in self._pages(what, lines):
                send()
        elif what not in self._listing:
            self._listing.add(what)
            self._gradually(self._pages(what, lines))

    def _pages(self, what: str, lines: Lines) -> Iterator[Callable[[], None]]:
        _, listed = lines()
        while not self.gone and (page := tuple(islice(listed, LISTED_AT_ONCE))):
            yield partial(self.send, said.TellList(self.link, what, page, ends=False))
        self._listing.discard(what)
        yield partial(self.send, said.TellList(self.link, what, (), ends=True))

    def tell_missed(self, missed: Lobby | None) -> None:
        if missed is not None:
            self.send(said.TellMissed(self.link, missed))

    def send_lobby_error(self, code: str, text: str) -> None:
        self.tell(lobby_lines.error(code, text))

    def log(self, event: str, **details: str) -> None:
        LOG.info(event, client=self.handle, peer=self.label, **details)

    def refuse(self, why: str) -> None:
        self._close(why, kind_of(HostedMember.refuse)(self.link, why))

    def disconnect(self, why: str, blame: Blame = Blame.CLIENT) -> None:
        self._close(why, kind_of(HostedMember.disconnect)(self.link, why, blame))

    def cut(self, why: str) -> None:
        self._close(why, kind_of(HostedMember.cut)(self.link, why))

    def _close(self, why: str, message: said.ToMember) -> None:
        self.gone, self.why, self._closed = True, self.why or why, message
        self.send(message)

    def close_again(self) -> None:
        """Send the message again that closes the connection, as it was lost."""
        if self._closed is not None:
            self.send(self._closed)

    async def prove_alive(self, seconds: float) -> bool:
        if self.gone or not self.run:
            return False
        ask = partial(self._ask_alive, seconds)
        return bool(await self._questions.ask(ask, seconds + SLACK))

    def _ask_alive(self, seconds: float, number: int) -> None:
        self.send(said.ProveAlive(self.link, number, seconds))

    def logged_in(self) -> None:
        """The lobby has done its part of the login, which the player's clock pays for. From now on
        the player waits for servers."""
        if self._took is None:
            self._took = trio.current_time() - self._began

    def take_seat(self, table: AnyTable, side: Side) -> None:
        self.table, self.side, self.plays = table, side, 0
        self.takes_seat = True
        self.logged_in()
        self.send(said.TakeSeat(self.link, table.id, side, self._took or 0.0))

    def lose_seat(self) -> None:
        self.table, self.plays = None, 0
        self.send(said.LoseSeat(self.link))

    @property
    def address(self) -> tuple[int]:
        return (self.link,)

    def send(self, message: said.AnyMessage) -> None:
        """Send it to its server, unless that has died."""
        if self.run:
            self._post.send(self.run, message)
