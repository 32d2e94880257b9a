"""The handshake of a new connection, up to ``uciok``."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import trio

from ulci.net import Heard, Peer
from ulci.protocol import UCI, ULCI, RemoteProtocolError
from ulci.protocol.messages import HelloOk, Id, Option, Quit, Unknown
from ulci_server.lobby import Introduction, Profile


def bearer_of(headers: Mapping[str, str]) -> str:
    """The token of ``Authorization: Bearer T`` (RFC 6750, 2.1); empty if there is none."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


@dataclass(frozen=True, slots=True)
class ClientTimeouts:
    """How long a client may take, in s, and how many meaningless lines it may send."""

    # From our first line to ``uciok``.
    handshake: float = 10.0
    # After a game, for ``readyok`` and an owed ``bestmove``: only the client itself waits, and some
    # engines read nothing until their search is over.
    drain: float = 300.0
    # Meaningless lines in a row: a person types few, a broken program sends them without end.
    nonsense: int = 100
    # Between two games of a person without a lobby: a GUI shows the final position until the next
    # game begins.
    pause: float = 10.0


def too_much_nonsense(timeouts: ClientTimeouts) -> str:
    """The last error to a client that sends only meaningless lines."""
    return (
        f"more than {timeouts.nonsense} meaningless lines in a row; check what your program sends"
    )


class Handshake:
    """The handshake of one peer. send_error: reports an error to it. disconnect: reports a last
    one. unknown: called with unknown commands. quit: called when the peer quits."""

    def __init__(
        self,
        peer: Peer,
        timeouts: ClientTimeouts,
        send_error: Callable[[str], None],
        disconnect: Callable[[str], None],
        unknown: Callable[[Unknown], None],
        quit: Callable[[], None],  # noqa: A002 (the word of the protocol)
    ) -> None:
        self._peer = peer
        self._timeouts = timeouts
        self._send_error = send_error
        self._disconnect = disconnect
        self._unknown = unknown
        self._quit = quit
        self._nonsense = 0

    async def introduce(self, plays: str, pool: str) -> Profile | None:
        """The client's introduction up to ``uciok``. None: it left, or ``uciok`` did not come in
        time. plays, pool: as in `Profile`."""
        token = bearer_of(self._peer.headers)
        introduction = Introduction(plays=plays, pool=pool, token=token)
        with trio.move_on_after(self._timeouts.handshake) as waiting:
            is_complete = await self._hear(introduction)
        if waiting.cancelled_caught:
            self._disconnect(f"no uciok within {self._timeouts.handshake:g} s; retry-after 1")
            return None
        if not is_complete:
            return None
        profile = introduction.profile()
        self._choose_dialect(profile)
        return profile

    async def _hear(self, introduction: Introduction) -> bool:
        """Read the client's lines up to ``uciok``. Returns False if it left."""
        while (heard := await self._next()) is not None:
            match heard.message:
                case Id() | Option() as said:
                    if not introduction.hear(said):
                        self._disconnect("introduction too long: send uciok after your options")
                        return False
                case HelloOk():
                    return True
                case Quit():
                    self._quit()
                    return False
        return False

    def _choose_dialect(self, profile: Profile) -> None:
        """Switch the connection to the client's."""
        connection = self._peer.connection
        if connection.dialect is ULCI:  # UCI engines are greeted in it, too
            if profile.lobby:
                connection.dialect = ULCI.with_lobby()
            elif not profile.is_ulci:
                connection.dialect = UCI

    async def _next(self) -> Heard | None:
        """The next valid message; None when the connection is over."""
        while True:
            try:
                heard = await self._peer.receive()
            except RemoteProtocolError as error:
                if error.fatal:
                    self._disconnect(str(error))
                    return None
                self._send_error(str(error))
                self._nonsense += 1
            else:
                if heard is None or not isinstance(heard.message, Unknown):
                    self._nonsense = 0
                    return heard
                self._unknown(heard.message)
                self._nonsense += 1
            if self._nonsense > self._timeouts.nonsense:
                self._disconnect(too_much_nonsense(self._timeouts))
                return None
