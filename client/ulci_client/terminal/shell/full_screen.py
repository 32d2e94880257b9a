"""The full-screen shell: prompt_toolkit draws and reads keys, Trio runs inside its loop."""

import asyncio
import math
from collections.abc import Callable, Iterator
from typing import TypeVar

import trio
from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import (
    BufferControl,
    CompletionsMenu,
    Float,
    FloatContainer,
    FormattedTextControl,
    HSplit,
    Layout,
    Window,
)
from prompt_toolkit.layout.margins import ConditionalMargin, ScrollbarMargin
from prompt_toolkit.layout.processors import BeforeInput
from prompt_toolkit.output import ColorDepth, Output
from prompt_toolkit.styles import Style

from ulci_client.server_list import ServerList
from ulci_client.terminal.commands.complete import candidates
from ulci_client.terminal.model.state import ClientState, Exit, Leave, YesNoQuestion
from ulci_client.terminal.view.screen import screen
from ulci_client.terminal.view.status_line import prompt
from ulci_client.terminal.view.theme import Theme

from .client import Client
from .session import Session
from .trio_guest import TrioGuest

# Least seconds between redraws: a clock shows tenths.
REFRESH = 0.1

# Most rows of the completion menu, which covers the board.
MENU = 8

# Lines that Page Up and Page Down scroll.
TURNED = 8

# Seconds after which Escape counts as a key of its own, not as the start of a sequence.
ESCAPE = 0.05


T = TypeVar("T")


class FullScreen:
    """The full-screen client. `input` and `output`: the process's by default."""

    def __init__(
        self,
        client: Client,
        servers: ServerList,
        theme: Theme,
        *,
        input: Input | None = None,  # noqa: A002 (as prompt_toolkit calls it)
        output: Output | None = None,
    ) -> None:
        self._client = client
        self._servers = servers
        self._theme = theme
        self._trio = TrioGuest()
        self._session: Session | None = None
        self._now: Callable[[], float] = lambda: 0.0
        self.buffer = Buffer(
            completer=LineCompleter(client.state),
            complete_while_typing=True,
            history=InMemoryHistory(),
            multiline=False,
            accept_handler=self._accept,
        )
        self.app: Application[Leave] = Application(
            layout=self._layout(),
            key_bindings=self._keys(),
            style=Style.from_dict(dict(theme.style)),
            color_depth=_depth(theme),
            full_screen=True,
            input=input,
            output=output,
        )
        self.app.ttimeoutlen = self.app.timeoutlen = ESCAPE

    async def run(self) -> Leave:
        """Run until the person leaves, or no server can be reached."""
        ended: list[asyncio.Task[None]] = []
        try:
            return await self.app.run_async(
                pre_run=lambda: ended.append(asyncio.ensure_future(self._run_guest()))
            )
        finally:
            self._trio.cancel()
            await asyncio.gather(*ended)

    # Trio inside prompt_toolkit's loop

    async def _run_guest(self) -> None:
        try:
            leave = await self._trio.run(self._main)
        except Exception as error:  # noqa: BLE001 (raised by `run` once the screen is restored)
            self._exit(error)
        else:
            self._exit(leave or Leave(Exit.DONE))

    def _exit(self, result: Leave | Exception) -> None:
        if not self.app.is_running or self.app.future is None or self.app.future.done():
            return
        if isinstance(result, Exception):
            self.app.exit(exception=result)
        else:
            self.app.exit(result=result)

    async def _main(self) -> Leave:
        self._now = trio.lowlevel.current_clock().current_time
        session = self._session = Session(self._client, self._servers, lambda _: None)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._tick, session)
            try:
                return await session.run()
            finally:
                nursery.cancel_scope.cancel()

    async def _tick(self, session: Session) -> None:
        """Redraw when something happened or a clock changed."""
        seen = session.changes
        while True:
            with trio.move_on_at(self._client.next_change(trio.current_time())):
                await session.changed_since(seen)
            seen = session.changes
            self.app.invalidate()
            await trio.sleep(REFRESH)
            if question := self._client.refresh_lists(trio.current_time()):
                session.perform(question)

    # Keys

    def _accept(self, buffer: Buffer) -> bool:
        self._type(buffer.text)
        return False

    def _type(self, line: str) -> None:
        if self._session is not None:
            self._trio.soon(self._session.typed, line)

    def _quit(self) -> None:
        """Ask as `quit` does; the second time leave."""
        if self._session is None:
            self._trio.cancel()
        elif self._client.state.question is YesNoQuestion.QUIT:
            self._session.leave()
        else:
            self._session.typed("quit")

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()

        @keys.add("c-c")
        @keys.add("c-d")
        def _(_: KeyPressEvent) -> None:
            if self.buffer.text:
                self.buffer.reset()
            else:
                self._trio.soon(self._quit)

        @keys.add("c-l")
        def _(event: KeyPressEvent) -> None:
            event.app.renderer.clear()

        @keys.add("escape")
        def _(_: KeyPressEvent) -> None:
            self.buffer.cancel_completion()
            if self._client.state.page is None:
                self._client.step(math.inf)
            self._client.state.page = None

        for key, lines in (("pageup", -TURNED), ("pagedown", TURNED)):
            keys.add(key)(_pressed(self._client.scroll, lines))
        for key, line in (("f1", "help"), ("f2", "flip")):
            keys.add(key)(_pressed(self._type, line))
        idle = Condition(lambda: not self.buffer.text)  # else these keys move the cursor
        for key, plies in (("left", -1), ("right", 1), ("home", -math.inf), ("end", math.inf)):
            keys.add(key, filter=idle)(_pressed(self._client.step, plies))
        return keys

    # Drawing

    def _layout(self) -> Layout:
        field = Window(
            BufferControl(self.buffer, input_processors=[BeforeInput(self._prompt)]), height=1
        )
        picture = Window(FormattedTextControl(self._drawn_screen), always_hide_cursor=True)
        menu = CompletionsMenu(max_height=MENU, scroll_offset=1)
        assert isinstance(menu.content, Window)
        bar = ConditionalMargin(ScrollbarMargin(), Condition(self._menu_scrolls))
        menu.content.right_margins = [bar]
        root = FloatContainer(
            HSplit([picture, field]), [Float(xcursor=True, ycursor=True, content=menu)]
        )
        return Layout(root, focused_element=field)

    def _menu_scrolls(self) -> bool:
        found = self.buffer.complete_state
        return found is not None and len(found.completions) > MENU

    def _prompt(self) -> StyleAndTextTuples:
        text, tone = prompt(self._client.state)
        return [(f"class:{tone}", text)]

    def _drawn_screen(self) -> StyleAndTextTuples:
        size = self.app.output.get_size()
        rows = screen(
            self._client.state, self._theme, size.columns, max(size.rows - 1, 0), self._now()
        )
        fragments: StyleAndTextTuples = []
        for row in rows:
            fragments += [*row, ("", "\n")]
        return fragments[:-1]


def _pressed(call: Callable[[T], None], argument: T) -> Callable[[KeyPressEvent], None]:
    """The handler of a key that calls this."""
    return lambda _: call(argument)


def _depth(theme: Theme) -> ColorDepth:
    if theme.colors is None:
        return ColorDepth.MONOCHROME
    return ColorDepth.ANSI_COLORS_ONLY if theme.few else ColorDepth.DEPTH_8_BIT


class LineCompleter(Completer):
    """The candidates for prompt_toolkit."""

    def __init__(self, state: ClientState) -> None:
        self._state = state

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterator[Completion]:
        line = document.text_before_cursor
        if not line.strip() and not complete_event.completion_requested:
            return  # everything is shown only on request
        word = line.rpartition(" ")[2]
        for one in candidates(self._state, line):
            yield Completion(one.text, start_position=-len(word), display_meta=one.meta)
