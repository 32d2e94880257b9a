"""A peer whose program starts only when it is needed."""

from collections.abc import Callable

import trio

from ulci.net import CloseCode, Ended, Happened, Hear, Heard, Limits, Peer
from ulci.protocol import Announcement, Connection, Unread
from ulci.protocol.messages import IsReady, Message, NewGame, Query, Quit, SetOption

_NEEDED = (SetOption, NewGame, IsReady, Query)
"""The messages that wait for the next program. Other messages are dropped while there is none: the
server asks a program for a move only after its answer to ``isready``."""

ENDED = "the program is not needed any more"


class OnDemandPeer(Peer):
    """The peer of a session whose program plays now and then. Messages that a program needs wait
    while there is none.

    connection: makes a new connection, for the time without a program.
    """

    __slots__ = ("_attached", "_connection", "_kept", "_program", "_remarks", "_wanted", "crashed")

    over_network = False

    def __init__(self, connection: Callable[[], Connection], *, label: str, limits: Limits) -> None:
        super().__init__(connection(), label=label, limits=limits)
        self._connection = connection
        self._program: Peer | None = None
        self._kept: list[Message | Unread | Announcement] = []
        self._wanted = trio.Event()
        self._attached = trio.Event()  # set also when the peer is over
        self._remarks: dict[Happened, tuple[str, int]] = {}
        self.crashed = False
        """Whether the program has ended by itself."""
        self.remark = self._remark

    async def wanted(self) -> None:
        """Wait until messages wait for a program, so that one is needed; or until the peer is
        over."""
        await self._wanted.wait()

    @property
    def keeps_new_game(self) -> bool:
        """Whether ``ucinewgame`` waits for the next program."""
        return any(isinstance(message, NewGame) for message in self._kept)

    @property
    def over(self) -> bool:
        """Whether the peer takes no more messages."""
        return self._deaf

    def attach(self, program: Peer) -> None:
        """Connect a program, and send it the messages that wait. The program has introduced itself,
        is configured, and owes no answer."""
        if self._deaf:
            return
        self._program = program
        self.connection, self.label = program.connection, program.label
        for event, (text, game) in self._remarks.items():
            program.remark(event, text, game)
        kept, self._kept = self._kept, []
        program.put(*kept)
        self._attached.set()

    def detach(self) -> None:
        """Dismiss the program, which must owe no answer."""
        program, self._program = self._program, None
        if program is not None:
            self.connection = self._connection()
            self._attached, self._wanted = trio.Event(), trio.Event()
            program.dismiss(ENDED)

    def put(self, *messages: Message | Unread | Announcement) -> None:
        """Send these messages to the program; without one, keep those that the next one needs."""
        if self._program is not None:
            self._program.put(*messages)
        elif not self._mute:
            self._kept += [message for message in messages if isinstance(message, _NEEDED)]
            if self._kept:
                self._wanted.set()
            if any(isinstance(message, Quit) for message in messages):
                self.dismiss(ENDED)

    async def receive(self) -> Heard | None:
        """Never called: `Board` introduces the program, and `deliver` brings its messages."""
        raise NotImplementedError

    async def deliver(self, hear: Hear, ended: Ended) -> None:
        """Like `Peer.deliver`; nothing arrives while there is no program."""
        self.introduced = True
        try:
            while not self._deaf:
                await self._attached.wait()
                if (program := self._program) is not None:
                    await program.deliver(hear, _nothing)
                    if program is self._program:
                        self.crashed = not self._mute
                        self._note(program.why)
                        self._deaf = True
        finally:
            self._deaf = True
            await ended()

    def _remark(self, event: Happened, text: str = "", game: int = 0) -> None:
        if self._program is not None:
            self._program.remark(event, text, game)
        self._remarks[event] = text, game
        if event == "over":
            self._remarks.pop("game", None)
            del self._remarks[event]

    def round_trip(self) -> float | None:
        """The program's round trip (s); None if there is no program or no measurement."""
        return None if self._program is None else self._program.round_trip()

    async def aclose(self) -> None:
        """`dismiss` the peer, and wait until its program has read all messages."""
        self.dismiss(ENDED)
        if self._program is not None:
            await self._program.aclose()

    def cut(self, why: str) -> None:
        """Close the peer and its program now."""
        super().cut(why)
        if self._program is not None:
            self._program.cut(why)

    def dismiss(self, why: str, code: CloseCode = CloseCode.NORMAL) -> None:
        """Close the peer once its program has read all messages."""
        super().dismiss(why, code)
        if self._program is not None:
            self._program.dismiss(why, code)

    async def _feed(self) -> None:
        """Never called: the program has its own reader."""
        raise NotImplementedError

    def _waiting(self) -> int:
        return 0 if self._program is None else self._program.waiting

    def _finish(self) -> None:
        self._abort()

    def _abort(self) -> None:
        self._closed.set()
        self._attached.set()
        self._wanted.set()


async def _nothing() -> None:
    """Called at the end of a program, which does not end the peer."""
