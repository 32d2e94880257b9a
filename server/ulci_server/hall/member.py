"""A logged-in player as the lobby sees it; the player's connection may be at another server."""

from collections.abc import Callable, Iterator
from typing import Protocol

from ulci.protocol.messages import Admin, Blame, FromServer, Lobby
from ulci.rules import Side
from ulci_server.game import Seat, Span
from ulci_server.hall.table.interfaces import AnyTable
from ulci_server.lobby import Profile

Lines = Callable[[], tuple[int, Iterator[Lobby]]]
"""The number of lines of a list now, and an iterator that makes them as they are sent."""

Delays = Callable[[], tuple[Span, ...]]
"""Asked when a player is back: when servers held things up."""


def no_delays() -> tuple[Span, ...]:
    """No server did."""
    return ()


class HostedMember(Protocol):
    """What the lobby knows of a player, tells it and does to it. Nothing here waits, except
    `prove_alive`."""

    secret: str
    admin_commands: list[Admin]
    """The first one is being run."""

    @property
    def profile(self) -> Profile | None: ...

    @property
    def table(self) -> AnyTable | None: ...

    @property
    def side(self) -> Side: ...

    @property
    def is_playing(self) -> bool:
        """Whether it plays a game, even one of which only the number is known here."""
        ...

    @property
    def gone(self) -> bool:
        """Its connection is over; it may return to its seat."""
        ...

    @property
    def key(self) -> str:
        """`secret_hash` of the secret, as stored."""
        ...

    @property
    def front(self) -> bool:
        """Its next game comes first."""
        ...

    @property
    def missed(self) -> Lobby | None:
        """The result of its last game, until it has surely read it."""
        ...

    @property
    def handle(self) -> str: ...

    @property
    def why(self) -> str:
        """The reason for which it left, for people."""
        ...

    @property
    def seat(self) -> Seat:
        """As it is stored."""
        ...

    @property
    def host(self) -> str:
        """The address of its computer."""
        ...

    @property
    def label(self) -> str:
        """Address and port, for the log."""
        ...

    @property
    def waiting(self) -> int:
        """Bytes that it has not read yet."""
        ...

    @property
    def draining(self) -> bool:
        """Whether it owes answers for a game that is over."""
        ...

    def introduce(self, profile: Profile) -> None:
        """It is logged in under this profile."""
        ...

    def give_secret(self, secret: str) -> None:
        """Let the client take its seat back on another connection by `secret`."""
        ...

    def is_same_account(self, profile: Profile) -> bool:
        """Whether both have the same account and kind."""
        ...

    def follow_announcements(self) -> None:
        """Tell it from now on what is announced to everybody."""
        ...

    def leave_announcements(self) -> None:
        """Tell it no more of that."""
        ...

    def tell(self, *messages: FromServer) -> None:
        """Send messages."""
        ...

    def tell_list(self, what: str, lines: Lines) -> None:
        """Send a list as fast as the client reads it."""
        ...

    def tell_missed(self, missed: Lobby | None) -> None:
        """Tell the result of a game that ended while it was away."""
        ...

    def tell_unmatched(self, why: str) -> None:
        """Explain why it has to wait for an opponent."""
        ...

    def send_lobby_error(self, code: str, text: str) -> None:
        """Answer a refused command, rate-limited."""
        ...

    def log(self, event: str, **details: str) -> None:
        """Log something about it, rate-limited."""
        ...

    def refuse(self, why: str) -> None:
        """Disconnect a client that can play none of the games here."""
        ...

    def disconnect(self, why: str, blame: Blame = Blame.CLIENT) -> None:
        """Report a last error and close the connection."""
        ...

    def cut(self, why: str) -> None:
        """Close the connection at once."""
        ...

    def kick(self, by: str, *, for_good: bool, why: str) -> None:
        """Disconnect it for the administrator `by`; `for_good`: it is banned."""
        ...

    async def prove_alive(self, seconds: float) -> bool:
        """Whether the client answers within `seconds`."""
        ...

    def succeed(self, before: "HostedMember") -> None:
        """Take over what `before`, an older connection of this player, knows of its game. The table
        follows by `take_seat`."""
        ...

    def take_seat(self, table: AnyTable, side: Side) -> None:
        """Seat it in a game that is played: an earlier connection of the same player had it."""
        ...

    def lose_seat(self) -> None:
        """A newer connection of the same player has its seat."""
        ...
