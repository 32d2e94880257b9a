"""The shell for pipes, scripts and screen readers: lines in, lines out."""

from collections import deque
from collections.abc import Awaitable, Callable, Iterator

import trio

from ulci_client.server_list import ServerList
from ulci_client.terminal.model.move_entry import looks_like_move
from ulci_client.terminal.model.state import ClientState, Leave, LinkState, News, NewsKind, Page

from .client import Client
from .session import Session

# At the end of the input, or at quit, seconds to wait for pending answers: with a lobby, which
# confirms them, and without one.
LAST_ANSWER = 10.0
LAST_WORD = 2.0

# Seconds before the fence is sent again after too-fast.
FENCE_AGAIN = 1.0

# Seconds without a connection after which a script gives up.
PATIENCE = 300.0

# Bytes kept of a line.
MAX_LINE = 4096


def plain_lines(told: News | Page, *, spoken: bool = False) -> Iterator[str]:
    """The lines for news or a page; `spoken`: moves also in words."""
    if isinstance(told, Page):
        yield told.title
        yield from (f"  {line}" for line in told.lines)
        return
    yield told.plain
    if spoken and told.kind is NewsKind.MOVE:
        yield told.text


class Plain:
    """read: returns the next bytes of the input, b"" at its end. write: prints a line. hold: the
    input is a pipe, so a move that comes too early waits for its turn, and so does what follows.
    spoken: moves also in words."""

    def __init__(
        self,
        client: Client,
        servers: ServerList,
        read: Callable[[], Awaitable[bytes]],
        write: Callable[[str], None],
        *,
        hold: bool = False,
        spoken: bool = False,
    ) -> None:
        self._client = client
        self._read = read
        self._write = write
        self._hold = hold
        self._spoken = spoken
        self._typed: deque[str] = deque()
        self._at_end = False
        self._session = Session(client, servers, self._show, patience=PATIENCE)

    async def run(self) -> Leave:
        """Run until the person leaves, or the input has ended and nothing is left to do."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._read_lines)
            nursery.start_soon(self._follow)
            try:
                return await self._session.run()
            finally:
                nursery.cancel_scope.cancel()

    def _show(self, told: News | Page) -> None:
        try:
            for line in plain_lines(told, spoken=self._spoken):
                self._write(line)
        except BrokenPipeError:  # the reader is gone
            self._session.leave()

    async def _read_lines(self) -> None:
        rest = b""
        while data := await self._read():
            *lines, rest = (rest + data).split(b"\n")
            rest = rest[:MAX_LINE]
            self._take(lines)
        self._take([rest] if rest else [])
        self._at_end = True
        self._session.perform([])  # wake `_follow`

    def _take(self, lines: list[bytes]) -> None:
        self._typed.extend(line[:MAX_LINE].decode("utf-8", "replace").strip() for line in lines)
        self._session.perform([])

    async def _follow(self) -> None:
        """Handle the typed lines, each when it is due."""
        seen = -1
        while True:
            seen = await self._session.changed_since(seen)
            while self._typed and self._may_be_done(self._typed[0]):
                if self._ends_something(self._typed[0]):
                    await self._last_answer()
                    await self._verdict()
                    if not self._may_be_done(self._typed[0]):
                        break  # a game has begun meanwhile
                self._session.typed(self._typed.popleft())
            seen = self._session.changes
            if self._is_done():
                await self._last_answer()
                if self._is_done():
                    self._session.leave()

    async def _last_answer(self) -> None:
        """Wait until the server has answered everything."""
        state = self._client.state
        if not state.welcomed or state.line is not LinkState.READY:
            await trio.sleep(LAST_WORD)
            return
        self._session.perform(self._client.fence())
        fences = state.fences
        with trio.move_on_after(LAST_ANSWER):
            # A long list may come in pieces.
            while state.asked_for or not self._client.passed(fences):
                with trio.move_on_after(FENCE_AGAIN) as patience:
                    await self._session.changed_since(self._session.changes)
                if patience.cancelled_caught and state.too_fast:  # the fence itself was refused
                    self._session.perform(self._client.fence())

    async def _verdict(self) -> None:
        """Wait until the server has confirmed our last move, or what ends the game: it stores those
        before it answers."""
        game = self._client.state.game
        with trio.move_on_after(LAST_WORD):
            while game is not None and game.unsettled:
                await self._session.changed_since(self._session.changes)

    def _may_be_done(self, line: str) -> bool:
        state = self._client.state
        if not self._hold:
            return True
        if state.line is not LinkState.READY or not (state.welcomed or state.playing):
            return False
        return state.owed or not _is_move(state, line) or not _may_be_asked(state)

    def _ends_something(self, line: str) -> bool:
        """Whether the lines before it must be answered first: `quit`, `save`, or a move that seems
        to belong to no game."""
        ends = line.partition(" ")[0].lower().removeprefix("/") in ("quit", "save")
        too_late = not self._client.state.owed and _is_move(self._client.state, line)
        return self._hold and (ends or too_late)

    def _is_done(self) -> bool:
        """Whether the input is used up and nothing is pending."""
        state = self._client.state
        if not self._at_end or self._typed:
            return False
        return not state.playing or state.owed or state.question is not None


def _may_be_asked(state: ClientState) -> bool:
    """Whether we may yet be asked to move: a game of ours is on, or sought."""
    game = state.game
    if not state.welcomed or (game is not None and not game.over and not game.watched):
        return True
    mine = any(seek.player == state.me for seek in state.seeks.values())
    return mine or state.wanted is not None or bool(state.challenging)


def _is_move(state: ClientState, line: str) -> bool:
    position = state.game.position if state.game is not None else None
    return looks_like_move(line) or (
        position is not None and position.parse_untrusted(line) is not None
    )
