"""A peer without a program, which is started when it is needed."""

from collections.abc import Callable

import trio

from ulci.net import CloseCode, Ended, Happened, Hear, Heard, Limits, Peer
from ulci.protocol import Announcement, Connection, Unread
from ulci.protocol.messages import IsReady, Message, NewGame, Query, Quit, SetOption

_NEEDED = (SetOption, NewGame, IsReady, Query)
"""What a program must hear once it is here. Without one, all else is for nobody: it is asked for a
move when it has answered ``isready``."""

ENDED = "the program is not needed any more"


class OnDemandPeer(Peer):
    """For a session whose program plays now and then. What is put while there is none is kept for
    the next one.

    connection: makes one that was never used, for the time without a program.
    """

    __slots__ = ("_attached", "_connection", "_kept", "_program", "_remarks", "_wanted", "crashed")

    over_network = False

    def __init__(self, connection: Callable[[], Connection], *, label: str, limits: Limits) -> None:
        super().__init__(connection(), label=label, limits=limits)
        self._connection = connection
        self._program: Peer | None = None
        self._kept: list[Message | Unread | Announcement] = []
        self._wanted = trio.Event()
        self._attached = trio.Event()  # or over
        self._remarks: dict[Happened, tuple[str, int]] = {}
        self.crashed = False
        """Whether its program has ended by itself."""
        self.remark = self._remark

    async def wanted(self) -> None:
        """Wait until it is spoken to, so that a program is to be attached; or until it is over."""
        await self._wanted.wait()

    @property
    def keeps_new_game(self) -> bool:
        """Whether the next program will hear of a new game."""
        return any(isinstance(message, NewGame) for message in self._kept)

    @property
    def over(self) -> bool:
        """Whether nothing more is said here."""
        return self._deaf

    def attach(self, program: Peer) -> None:
        """The program is here: introduced, configured, and asked for nothing."""
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
        """The program ends now. Nothing may be owed."""
        program, self._program = self._program, None
        if program is not None:
            self.connection = self._connection()
            self._attached, self._wanted = trio.Event(), trio.Event()
            program.dismiss(ENDED)

    def put(self, *messages: Message | Unread | Announcement) -> None:
        """Send these messages, or keep those that its program must hear."""
        if self._program is not None:
            self._program.put(*messages)
        elif not self._mute:
            self._kept += [message for message in messages if isinstance(message, _NEEDED)]
            if self._kept:
                self._wanted.set()
            if any(isinstance(message, Quit) for message in messages):
                self.dismiss(ENDED)

    async def receive(self) -> Heard | None:
        """Its program is introduced elsewhere: a session of it is told what it says."""
        raise NotImplementedError

    async def deliver(self, hear: Hear, ended: Ended) -> None:
        """As `Peer.deliver`; while there is no program, nothing is heard."""
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
        """That of its program."""
        return None if self._program is None else self._program.round_trip()

    async def aclose(self) -> None:
        """`dismiss` it, and wait until its program has taken what was put."""
        self.dismiss(ENDED)
        if self._program is not None:
            await self._program.aclose()

    def cut(self, why: str) -> None:
        """Close now."""
        super().cut(why)
        if self._program is not None:
            self._program.cut(why)

    def dismiss(self, why: str, code: CloseCode = CloseCode.NORMAL) -> None:
        """Close once its program has taken what was put."""
        super().dismiss(why, code)
        if self._program is not None:
            self._program.dismiss(why, code)

    async def _feed(self) -> None:
        """Only its program is read."""
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
    """The peer goes on."""
