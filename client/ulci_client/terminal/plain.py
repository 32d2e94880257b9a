"""The shell for pipes, scripts and screen readers: a line in, a line out. Trio only."""

import os
from collections import deque
from collections.abc import Awaitable, Callable, Iterator

import trio

from .explain import looks_like_move
from .model import Model
from .session import Dial, Session
from .state import Kind, Leave, Line, News, Page, State

# What was typed before the end of the input, or before quit, is still answered: a lobby says when,
# within this time (s); from a server without one something may come so long.
LAST_ANSWER = 10.0
LAST_WORD = 2.0

# s after which a lobby that hears no more words is asked again whether it has answered.
FENCE_AGAIN = 1.0

# Without a line for so long (s) a script gives up; a person may wait for ever.
PATIENCE = 300.0

# What is read at once, and the longest line that is looked at: no command is near that.
CHUNK = 4096


def plain_lines(told: News | Page, *, spoken: bool = False) -> Iterator[str]:
    """The lines in which something is told; `spoken`: moves in words as well."""
    if isinstance(told, Page):
        yield told.title
        yield from (f"  {line}" for line in told.lines)
        return
    yield told.plain
    if spoken and told.kind is Kind.MOVE:
        yield told.text


class Plain:
    """read: the next bytes of the input, b"" at its end. write: takes a line. hold: the input is
    no person but a pipe, so a move that comes too early waits for its turn, and what comes after
    it waits too. spoken: moves are told in words as well."""

    def __init__(
        self,
        model: Model,
        dial: Dial,
        read: Callable[[], Awaitable[bytes]],
        write: Callable[[str], None],
        *,
        hold: bool = False,
        spoken: bool = False,
    ) -> None:
        self._model = model
        self._read = read
        self._write = write
        self._hold = hold
        self._spoken = spoken
        self._typed: deque[str] = deque()
        self._at_end = False
        self._session = Session(model, dial, self._show, patience=PATIENCE)

    async def run(self) -> Leave:
        """Until somebody leaves, or the input ends and nothing is left to do."""
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
        except BrokenPipeError:  # nobody reads any more
            self._session.leave()

    async def _read_lines(self) -> None:
        rest = b""
        while data := await self._read():
            *lines, rest = (rest + data).split(b"\n")
            rest = rest[:CHUNK]
            self._take(lines)
        self._take([rest] if rest else [])
        self._at_end = True
        self._session.perform([])  # wake `_follow`

    def _take(self, lines: list[bytes]) -> None:
        self._typed.extend(line[:CHUNK].decode("utf-8", "replace").strip() for line in lines)
        self._session.perform([])

    async def _follow(self) -> None:
        """Do what was typed, as soon as its time has come."""
        seen = -1
        while True:
            seen = await self._session.changed_since(seen)
            while self._typed and self._may_be_done(self._typed[0]):
                if self._ends_something(self._typed[0]):
                    await self._last_answer()
                    await self._verdict()
                    if not self._may_be_done(self._typed[0]):
                        break  # a game has begun
                self._session.typed(self._typed.popleft())
            seen = self._session.changes
            if self._is_done():
                await self._last_answer()
                if self._is_done():
                    self._session.leave()

    async def _last_answer(self) -> None:
        """Until all that was typed is answered, whatever others say meanwhile."""
        state = self._model.state
        if not state.welcomed or state.line is not Line.READY:
            await trio.sleep(LAST_WORD)
            return
        self._session.perform(self._model.fence())
        fences = state.fences
        with trio.move_on_after(LAST_ANSWER):
            # A long list may come in pieces, between which others are answered.
            while state.asked_for or not self._model.passed(fences):
                with trio.move_on_after(FENCE_AGAIN) as patience:
                    await self._session.changed_since(self._session.changes)
                if patience.cancelled_caught and state.too_fast:  # it was refused itself
                    self._session.perform(self._model.fence())

    async def _verdict(self) -> None:
        """Until the server has told what became of our last move, or of a word that ends the game:
        that it must write down first, and answers others meanwhile."""
        game = self._model.state.game
        with trio.move_on_after(LAST_WORD):
            while game is not None and game.unsettled:
                await self._session.changed_since(self._session.changes)

    def _may_be_done(self, line: str) -> bool:
        state = self._model.state
        if not self._hold:
            return True
        if state.line is not Line.READY or not (state.welcomed or state.playing):
            return False
        return state.owed or not _is_move(state, line) or not _may_be_asked(state)

    def _ends_something(self, line: str) -> bool:
        """Whether what was typed before it must be answered first: it leaves, writes the game to a
        file, or is a move that seems to come too late for any game."""
        ends = line.partition(" ")[0].lower().removeprefix("/") in ("quit", "save")
        too_late = not self._model.state.owed and _is_move(self._model.state, line)
        return self._hold and (ends or too_late)

    def _is_done(self) -> bool:
        """Whether nothing more can come of this input."""
        state = self._model.state
        if not self._at_end or self._typed:
            return False
        return not state.playing or state.owed or state.question is not None


def _may_be_asked(state: State) -> bool:
    """Whether a move may still be wanted of us without another word: in the game that is on, or in
    one that was asked for."""
    game = state.game
    if not state.welcomed or (game is not None and not game.over and not game.watched):
        return True
    mine = any(seek.player == state.me for seek in state.seeks.values())
    return mine or state.wanted is not None or bool(state.challenging)


def _is_move(state: State, line: str) -> bool:
    position = state.game.position if state.game is not None else None
    return looks_like_move(line) or (
        position is not None and position.parse_untrusted(line) is not None
    )


async def read_descriptor(descriptor: int) -> bytes:
    """What a pipe, a terminal or a file has to say next; abandoned if nobody waits any more.

    In a thread, because a file cannot be waited for; and past `sys.stdin`, whose lock an abandoned
    thread would hold while the interpreter shuts down.
    """
    return await trio.to_thread.run_sync(os.read, descriptor, CHUNK, abandon_on_cancel=True)
