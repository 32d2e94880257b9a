"""The lobby of all servers, at the one that hosts it: other servers, the database and the games are
made up, its hall, its members and what is stored of it are the real ones."""

from datetime import UTC, datetime
from functools import partial
from itertools import count
from types import SimpleNamespace

import trio
import trio.testing

from tests.support.cluster import accounts, now
from ulci.protocol.lobby.lines import write
from ulci.protocol.messages import Lobby as Line
from ulci.rules import GAMES, Needs, Outcome, Side
from ulci_server.cluster import messages as said
from ulci_server.cluster.lobby_rows import profile_text
from ulci_server.cluster.lobby_server import LobbyServer
from ulci_server.cluster.mirrors import kind_of
from ulci_server.cluster.remote_member import RemoteMember
from ulci_server.game import Controls, Seat
from ulci_server.hall import Authenticator, Hall, LobbyHost
from ulci_server.hall.member import HostedMember
from ulci_server.lobby import Lobby, Pool, Profile
from ulci_server.storage import (
    Journal,
    LobbyChanges,
    LobbyMatch,
    LobbyMember,
    LobbySeek,
    MemoryDatabase,
    RunningGame,
    StoredLobby,
    secret_hash,
)

TELL = kind_of(HostedMember.tell)

HERE, THERE, ELSEWHERE, DEAD = 1, 2, 3, 9
"""Servers: that of the lobby, two others, and one that has died."""

ADDRESS = "192.0.2.1"


def person(name: str, **changes: object) -> Profile:
    fields = {"kind": "human", "features": frozenset({"lobby"})} | changes
    return Profile(name, name, **fields)  # type: ignore[arg-type]


def row(
    name: str,
    run: int | None = THERE,
    link: int = 1,
    *,
    profile: str | None = None,
    secret: str = "",
    game: int | None = None,
    side: Side = Side.WHITE,
    called_at: datetime | None = None,
    playing: bool = False,
) -> LobbyMember:
    """A stored member, whose secret has its name if no other is given."""
    return LobbyMember(
        name,
        run,
        link,
        ADDRESS,
        f"{ADDRESS}:{5000 + link}",
        (secret_hash(secret or f"secret of {name}"),),
        profile_text(person(name)) if profile is None else profile,
        game,
        side,
        called_at,
        playing,
    )


def seat(name: str) -> Seat:
    """By the secret of its row."""
    return Seat(name, "human", handle=name, key=secret_hash(f"secret of {name}"))


def running(game: int, white: str, black: str, owner: int | None = THERE) -> RunningGame:
    return RunningGame(game, owner, 1, (seat(white), seat(black)))


def table(game: int, white: str, black: str) -> SimpleNamespace:
    """A running game that this server knows."""
    seats = seat(white), seat(black)
    return SimpleNamespace(id=game, over=None, seat=seats.__getitem__, needs=Needs)


class Field:
    """That server. Its lobby goes on with what `open` is given."""

    def __init__(self, nursery: trio.Nursery) -> None:
        self.sent: list[tuple[int, said.AnyMessage]] = []
        self.members: dict[str, LobbyMember] = {}
        self.seeks: dict[int, LobbySeek] = {}
        self.matches: dict[int, LobbyMatch] = {}
        self.missed: dict[str, int] = {}
        self.living = {HERE, THERE, ELSEWHERE}
        self.transactions = 0
        self.moved = False
        self.stores = trio.Event()
        """While it is not set, the database does not answer."""
        self.stores.set()
        self._nursery = nursery
        self.hall = Hall(Journal(MemoryDatabase()), lambda _: SimpleNamespace(resumes=None))
        self._secrets = (f"new-secret-{number}" for number in count(1))
        self.server: LobbyServer

    async def open(
        self,
        *members: LobbyMember,
        seeks: list[LobbySeek] | None = None,
        matches: list[LobbyMatch] | None = None,
        missed: dict[str, int] | None = None,
        outcomes: dict[int, Outcome | None] | None = None,
        games: list[RunningGame] | None = None,
        last_seek: int = 0,
        wait: float = 0.1,
    ) -> None:
        """Host the lobby for `wait` s: that is how long it is restored and stored at most."""
        stored = StoredLobby(
            [*members],
            seeks or [],
            matches or [],
            missed or {},
            outcomes or {},
            games or [],
            last_seek,
        )
        self.members = {one.handle: one for one in members}
        self.seeks = {one.id: one for one in stored.seeks}
        self.matches = {one.id: one for one in stored.matches}
        self.missed = {**stored.missed}
        self._nursery.start_soon(self.hall.run)
        await trio.testing.wait_all_tasks_blocked()
        numbers = count(100)
        self.server = LobbyServer(
            self.hall,
            self,
            self._make_host,
            partial(next, numbers),
            lambda: [*self.living],
            stored,
            self._store,
            now,
            self._move,
        )
        await trio.sleep(wait)
        for run in self.living:  # they follow it
            self.server.hear(run, said.RollHeard())
        if wait:
            await trio.testing.wait_all_tasks_blocked()

    def _make_host(self, hall: Hall, *, number, begin, announce, keeper, first_number) -> LobbyHost:
        pool = Pool("", GAMES["chess"], Controls.parse("60+1"), (None,))
        return LobbyHost(
            hall.services,
            Lobby((pool,), lambda _: 0, GAMES, keeper=keeper, first_number=first_number),
            Authenticator(accounts(), now=partial(datetime.now, UTC)),
            number=number,
            secret=self._secrets.__next__,
            begin=begin,
            announce=announce,
            keeper=keeper,
        )

    async def _store(self, changes: LobbyChanges) -> None:
        await self.stores.wait()
        await trio.lowlevel.checkpoint()
        self.transactions += 1
        for changed, kept in (
            (changes.members, self.members),
            (changes.seeks, self.seeks),
            (changes.matches, self.matches),
        ):
            for key, one in changed.items():
                kept.pop(key, None)
                if one is not None:
                    kept[key] = one
        for key, missed in changes.missed.items():
            self.missed.pop(key, None)
            if missed is not None:
                self.missed[key] = missed[0]

    def _move(self) -> None:
        self.moved = True

    # As its post

    run = HERE
    owns, draining, lobby, reaches_lobby = True, False, HERE, True

    def send(self, run: int, message: said.AnyMessage) -> None:
        self.sent.append((run, message))

    def send_all(self, message: said.AnyMessage) -> None:
        self.sent.append((0, message))

    def epoch(self, _: int) -> int:
        return 1

    # What tests ask

    def known(self, handle: str) -> RemoteMember | None:
        member = self.server.host.known(handle)
        assert member is None or isinstance(member, RemoteMember)
        return member

    def state(self, handle: str) -> str:
        return self.server.host.lobby.state(handle)

    async def hear(self, run: int, *messages: said.AnyMessage, wait: float = 0.1) -> None:
        """Hear them, and wait for so many s."""
        for message in messages:
            self.server.hear(run, message)
        await trio.sleep(wait)

    def told(self, run: int, link: int) -> list[str]:
        """The lines of the lobby that this connection was told."""
        lines = [
            one
            for to, message in self.sent
            if to == run and isinstance(message, TELL) and message.link == link
            for one in message.messages
        ]
        return [write(one.line) for one in lines if isinstance(one, Line)]

    def to(self, run: int, kind: type) -> list[said.AnyMessage]:
        """The messages of that class to that server."""
        return [one for to, one in self.sent if to == run and isinstance(one, kind)]


async def log_in(field: Field, name: str, link: int, run: int = THERE, resume: str = "") -> None:
    """A person logs in by that connection."""
    profile = person(name, resume=resume)
    await field.hear(run, said.LogIn(link, profile, ADDRESS, f"{ADDRESS}:{6000 + link}"))


async def lose(field: Field, run: int) -> None:
    for piece in field.server.lose(run):
        piece()
    field.server.dead(run)
    await trio.sleep(0.1)


async def at_table(field: Field) -> None:
    """Ada and Bob, by the connections 1 and 2, play game 7, which this server knows."""
    field.hall.begin_elsewhere(table(7, "Ada", "Bob"))
    await field.open(
        row("Ada", game=7, playing=True),
        row("Bob", link=2, game=7, side=Side.BLACK, playing=True),
        games=[running(7, "Ada", "Bob")],
    )
    field.sent.clear()
