"""One client of this server, as the hall and the lobby know it."""

from collections.abc import Sequence
from typing import Protocol

import trio

from ulci.net import Peer, Sample
from ulci.protocol.messages import Admin, Blame, FromServer, Info, Lobby, PlayerCommand
from ulci.rules import Side
from ulci_server.game.events import Kicked, Left
from ulci_server.game.facts import Seat
from ulci_server.hall.announcements import Announcer
from ulci_server.hall.lists import Lists
from ulci_server.hall.login.handshake import ClientTimeouts
from ulci_server.hall.member import Delays, HostedMember, Lines, no_delays
from ulci_server.hall.table.interfaces import AnyTable
from ulci_server.hall.timers import Alarms
from ulci_server.lobby import Profile, lobby_lines
from ulci_server.storage import secret_hash

from .command_rate import command_bucket
from .connection import ClientConnection
from .local_player import LocalPlayer
from .suspects import Suspects


class SessionHall(Protocol):
    """What a session needs of its hall."""

    announcer: Announcer
    lists: Lists
    suspects: Suspects
    logged_of_strangers: Sample
    """Which lines about clients that have not introduced themselves stand in the log."""

    def free(self, session: "Session") -> None:
        """The client owes nothing for its last game any more."""
        ...

    def handle_command(self, session: "Session", command: PlayerCommand) -> None:
        """Perform a command of the client."""
        ...


class Session:
    """Its connection, what it is at tables (`player`), and itself a member of the lobby, whose twin
    for players elsewhere is `RemoteMember`."""

    __slots__ = (
        "__weakref__",
        "_hall",
        "admin_commands",
        "command_bucket",
        "connection",
        "is_member",
        "player",
        "secret",
    )

    def __init__(
        self, peer: Peer, hall: SessionHall, alarms: Alarms, timeouts: ClientTimeouts
    ) -> None:
        self.connection = ClientConnection(peer, hall.logged_of_strangers)
        self.player = LocalPlayer(
            self.connection, alarms, timeouts, hall.suspects, freed=self._freed
        )
        self.is_member = False  # of the lobby, and no mere administrator
        self.secret = ""
        self.command_bucket = command_bucket(trio.current_time())
        self.admin_commands: list[Admin] = []  # the first is being run
        self._hall = hall

    def introduce(self, profile: Profile) -> None:
        self.is_member = not profile.administers
        self.connection.introduce(profile)
        self.player.introduce(profile)

    def give_secret(self, secret: str) -> None:
        """Let the client take its seat back on another connection by `secret`."""
        self.secret = secret
        self.player.give_key(secret_hash(secret))

    def is_same_account(self, profile: Profile) -> bool:
        """Whether both have the same account and kind."""
        mine = self.profile
        return mine is not None and (mine.account, mine.kind) == (profile.account, profile.kind)

    # To the client

    def tell(self, *messages: FromServer) -> None:
        """Send messages that ask for no move. Never waits; does nothing once the client is gone."""
        self.connection.tell(*messages)

    def tell_list(self, what: str, lines: Lines) -> None:
        """Send a list as fast as the client reads it."""
        self._hall.lists.ask(self, what, lines)

    def tell_unmatched(self, why: str) -> None:
        """Explain why the client has to wait for an opponent."""
        lobby = self.profile is not None and self.profile.lobby
        self.tell(
            lobby_lines.unmatched(why)
            if lobby
            else Info(string=f"waiting for another opponent: {why}")
        )

    def tell_missed(self, missed: Lobby | None) -> None:
        """Tell the result of a game that ended while the client was away."""
        self.player.tell_missed(missed)

    def send_lobby_error(self, code: str, text: str) -> None:
        """Answer a refused command by an ``error`` line, rate-limited."""
        self.connection.send_lobby_error(code, text)

    def follow_announcements(self) -> None:
        """Send it from now on what is announced to everybody."""
        self._hall.announcer.join(self.connection)

    def leave_announcements(self) -> None:
        """Send it no more of that."""
        self._hall.announcer.leave(self.connection)

    # Its seat

    def take_seat(self, table: AnyTable, side: Side, delays: Delays = no_delays) -> None:
        """Seat it in a game that is played; `delays` as in `LocalPlayer.take_seat`."""
        self.player.take_seat(table, side, delays)

    def succeed(self, before: HostedMember) -> None:
        """Nothing is known of a game here but its table, which `take_seat` gives."""

    def lose_seat(self) -> None:
        """A newer connection of the same player has its seat."""
        self.player.lose_seat()

    def _freed(self, commands: Sequence[PlayerCommand]) -> None:
        self._hall.free(self)
        for command in commands:
            self._hall.handle_command(self, command)

    # Its end

    def disconnect(self, why: str, blame: Blame = Blame.CLIENT) -> None:
        """Report a last error and close the connection."""
        self.connection.disconnect(why, blame)

    def refuse(self, why: str) -> None:
        """Disconnect a client that can play none of the games here."""
        self.disconnect(f"nothing to play here: {why}; use another pool or listener of this server")

    def cut(self, why: str) -> None:
        """Close the connection at once."""
        self.connection.peer.cut(why)

    def kick(self, by: str, *, for_good: bool, why: str) -> None:
        """Disconnect the client for the administrator `by`; `for_good`: it is banned."""
        player = self.player
        if player.table is not None:
            player.table.handle(Kicked(player.side, trio.current_time(), f"{by}: {why}"))
        told = f"you were kicked by {by}: {why}"
        if for_good:
            told = f"you are banned here: {why}"
            self.connection.leave_for_good(f"banned by {by}: {why}")
        if not self.gone:
            self.disconnect(told)
        elif for_good and player.table is not None:
            player.table.handle(Left(player.side, trio.current_time(), self.why))

    async def prove_alive(self, seconds: float) -> bool:
        """Whether the client answers ``isready`` within `seconds`."""
        return await self.connection.prove_alive(seconds)

    def end(self) -> None:
        """The connection is over: release everything that it held."""
        self.connection.end()
        self.player.end()

    # What its parts know

    @property
    def profile(self) -> Profile | None:
        return self.connection.profile

    @property
    def handle(self) -> str:
        return self.connection.handle

    @property
    def host(self) -> str:
        """The address of its computer."""
        return self.connection.peer.host

    @property
    def label(self) -> str:
        """Address and port, for the log."""
        return self.connection.peer.label

    @property
    def waiting(self) -> int:
        """Bytes that it has not read yet."""
        return self.connection.peer.waiting

    @property
    def gone(self) -> bool:
        return self.connection.gone

    @property
    def why(self) -> str:
        """The reason for which the client left, for people."""
        return self.connection.why

    @property
    def table(self) -> AnyTable | None:
        return self.player.table

    @property
    def is_playing(self) -> bool:
        return self.player.table is not None

    @property
    def side(self) -> Side:
        return self.player.side

    @property
    def seat(self) -> Seat:
        """As it is stored. The client must have been introduced."""
        return self.player.seat

    @property
    def key(self) -> str:
        """`secret_hash` of the secret, as stored."""
        return self.player.key

    @property
    def front(self) -> bool:
        """Its next game comes first."""
        return self.player.front

    @property
    def missed(self) -> Lobby | None:
        """The result of its last game, until it has surely read it."""
        return self.player.missed

    @property
    def draining(self) -> bool:
        """Whether it owes answers for a game that is over."""
        return self.player.drain.active

    def log(self, event: str, **details: str) -> None:
        """Log something about it, rate-limited."""
        self.connection.log(event, **details)
