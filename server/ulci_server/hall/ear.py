"""How is a client heard? First its introduction, then each word that means anything."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

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
class Patience:
    """How long a client may take, in s, and how often it may err."""

    # From our first word to ``uciok``.
    handshake: float = 10.0
    # After a game, for ``readyok`` and an owed ``bestmove``: nobody waits for it but the client
    # itself, and some engines read nothing until their search is over.
    rest: float = 300.0
    # Meaningless lines in a row: a person's typing errors are few, a wrong program's have no end.
    nonsense: int = 100
    # After a game, for a person who has no lobby to say when the next one may begin: the board of
    # a GUI is looked at for as long as nothing else is shown on it.
    pause: float = 10.0


class Ear:
    """Hears one peer. `complain` tells it what it did wrong, `cut` does so for the last time, and
    `unknown` is told of a word that is none."""

    def __init__(
        self,
        peer: Peer,
        patience: Patience,
        complain: Callable[[str], None],
        cut: Callable[[str], None],
        unknown: Callable[[Unknown], None],
    ) -> None:
        self._peer = peer
        self._patience = patience
        self._complain = complain
        self._cut = cut
        self._unknown = unknown
        self._nonsense = 0

    async def introduce(self, plays: str) -> Profile | None:
        """What it said of itself up to ``uciok``, which it was told in time. None: it did not, or
        hung up. `plays` as in `Profile`."""
        with trio.move_on_after(self._patience.handshake) as waiting:
            introduction = await self._introduction()
        if waiting.cancelled_caught:
            self._cut(f"no uciok within {self._patience.handshake:g} s; retry-after 1")
            return None
        return None if introduction is None else self._known(introduction.profile(), plays)

    async def _introduction(self) -> Introduction | None:
        introduction = Introduction()
        while (heard := await self.next()) is not None:
            match heard.message:
                case Id() | Option() as said:
                    if not introduction.hear(said):
                        self._cut("this introduction has no end: say uciok after your options")
                        return None
                case HelloOk():
                    return introduction
                case Quit():
                    return None
        return None

    def _known(self, profile: Profile, plays: str) -> Profile:
        """With what it did not say itself; from now on it is spoken to in its own dialect."""
        connection = self._peer.connection
        if connection.dialect is ULCI:  # which is also what greets a UCI engine
            if profile.lobby:
                connection.dialect = ULCI.with_lobby()
            elif not profile.is_ulci:
                connection.dialect = UCI
        token = profile.token or bearer_of(self._peer.headers)
        return replace(profile, plays=plays, token=token)

    async def next(self) -> Heard | None:
        """What it says next that can be understood; None when nothing more will come."""
        while True:
            try:
                heard = await self._peer.receive()
            except RemoteProtocolError as error:
                if error.fatal:
                    self._cut(str(error))
                    return None
                self._complain(str(error))
                self._nonsense += 1
            else:
                if heard is None or not isinstance(heard.message, Unknown):
                    self._nonsense = 0
                    return heard
                self._unknown(heard.message)
                self._nonsense += 1
            if self._nonsense > self._patience.nonsense:
                self._cut(
                    f"more than {self._patience.nonsense} lines in a row that mean nothing;"
                    " this connection is closed, look at what your program sends"
                )
                return None
