"""A player of a resumed game who has not connected to this server."""

from collections.abc import Callable, Sequence

import trio
from msgspec.structs import replace

from ulci.protocol.messages import Admin, Blame, FromServer, Go, Lobby, Position
from ulci.rules import Side
from ulci_server.game import Kicked, Left, Seat
from ulci_server.hall.session.local_player import LocalPlayer
from ulci_server.hall.session.session import Session
from ulci_server.hall.table.interfaces import AnyTable
from ulci_server.lobby import Profile
from ulci_server.storage import secret_hash

from .member import Delays, HostedMember, Lines, no_delays


def profile_of(seat: Seat) -> Profile:
    """Of a player of whom only that is known."""
    return Profile(
        name=seat.name,
        handle=seat.handle,
        kind=seat.kind,
        author=seat.author,
        features=frozenset({"lobby"}),
        account=seat.account,
    )


class AbsentPlayer:
    """Holds the seat and the place in the lobby until the player connects. Nothing that it is told
    reaches anybody. `over` is called when its game is."""

    gone = True
    follows = False
    hears_lobby = True  # otherwise chats with it would be refused
    draining = owes_move = False
    host, label = "", "absent"
    waiting = 0
    heard_at = 0.0
    """The player has said nothing to this server."""

    def __init__(self, seat: Seat, over: "Callable[[AbsentPlayer], None]") -> None:
        self.profile: Profile | None = profile_of(seat)
        self.table: AnyTable | None = None
        self.side = Side.WHITE
        self.secret, self.key = "", seat.key
        self.front = self.suspect = self.is_member = False
        self.missed: Lobby | None = None
        self.last_game = 0
        """The number of the game from whose table it was dismissed last; 0: there is none."""
        self.admin_commands: list[Admin] = []
        self.why = "the server that it was connected to ended"
        self._over = over

    @property
    def player(self) -> "AbsentPlayer":
        """What it is at its table: itself."""
        return self

    @property
    def handle(self) -> str:
        return self.label if self.profile is None else self.profile.handle

    @property
    def seat(self) -> Seat:
        assert self.profile is not None
        return replace(self.profile.seat, key=self.key)

    @property
    def can_return(self) -> bool:
        """Whether another connection can prove that the seat is its own."""
        return bool(self.key) or (self.profile is not None and self.profile.account is not None)

    @property
    def may_return(self) -> bool:
        """Whether another connection may take its seat."""
        return self.can_return

    def is_same_account(self, profile: Profile) -> bool:
        mine = self.profile
        return mine is not None and (mine.account, mine.kind) == (profile.account, profile.kind)

    def introduce(self, profile: Profile) -> None:
        self.profile, self.is_member = profile, True

    def give_secret(self, secret: str) -> None:
        self.secret, self.key = secret, secret_hash(secret)

    @property
    def is_playing(self) -> bool:
        return self.table is not None

    # At its table

    def sit(self, table: AnyTable, side: Side) -> None:
        self.table, self.side, self.front = table, side, False

    def take_seat(self, table: AnyTable, side: Side, delays: Delays = no_delays) -> None:
        """Only a connection takes a seat again."""

    def succeed(self, before: HostedMember) -> None:
        """Only a connection succeeds an older one."""

    def lose_seat(self) -> None:
        """The player has connected."""
        self.table = None

    def dismiss(self, over: Lobby | None, *, front: bool) -> None:
        if self.table is not None:
            self.last_game = self.table.id
        self.table, self.missed, self.front = None, over, front
        self._over(self)

    def kick(self, by: str, *, for_good: bool, why: str) -> None:
        if self.table is None:
            return
        self.table.handle(Kicked(self.side, trio.current_time(), f"{by}: {why}"))
        if for_good and self.table is not None:
            self.why = f"banned by {by}: {why}"
            self.table.handle(Left(self.side, trio.current_time(), self.why))

    def tell_missed(self, missed: Lobby | None) -> None:
        self.missed = missed or self.missed

    async def prove_alive(self, seconds: float) -> bool:  # noqa: ARG002
        return False

    def ask(self, questions: Sequence[str], then: Callable[[tuple[str, ...]], None]) -> bool:  # noqa: ARG002
        return False

    def round_trip(self) -> float | None:
        return None

    # What does not reach it

    def tell(self, *messages: FromServer) -> None: ...

    def tell_list(self, what: str, lines: Lines) -> None: ...

    def tell_unmatched(self, why: str) -> None: ...

    def hear_chat(self, line: Lobby) -> None: ...

    def ask_move(self, position: Position, go: Go) -> None: ...

    def still_asked(self, move: str) -> None: ...

    def stop_search(self) -> None: ...

    def follow_announcements(self) -> None: ...

    def leave_announcements(self) -> None: ...

    def send_lobby_error(self, code: str, text: str) -> None: ...

    def log(self, event: str, **details: str) -> None: ...

    def refuse(self, why: str) -> None: ...

    def disconnect(self, why: str, blame: Blame = Blame.CLIENT) -> None: ...

    def cut(self, why: str) -> None: ...


LocalClient = Session | AbsentPlayer
"""A client of this server, connected or not; others are at another server."""

LocalSeat = LocalPlayer | AbsentPlayer
"""What it is at tables."""
