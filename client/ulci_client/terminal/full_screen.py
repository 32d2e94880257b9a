"""The shell for a terminal: prompt_toolkit draws and reads keys, Trio is a guest of its loop."""

import asyncio
import math
from collections.abc import Callable

import trio
from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
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

from .complete import LineCompleter
from .guest import Guest
from .look import Look
from .model import Model
from .screen import screen
from .session import Dial, Session
from .state import Exit, Leave, Question
from .status import prompt

# The screen is drawn again at most so often (s); the tenths of a second on a clock need no more.
REFRESH = 0.1

# Rows of the completion menu: it covers the board while something is typed.
MENU = 8

# Lines that Page Up and Page Down turn.
TURNED = 8

# A lone Escape is told from the beginning of a key's sequence, and from Alt with another key, by
# what follows within this time, s.
ESCAPE = 0.05


class FullScreen:
    """One person at one terminal. `input` and `output` are those of the process unless given."""

    def __init__(
        self,
        model: Model,
        dial: Dial,
        look: Look,
        *,
        input: Input | None = None,  # noqa: A002 (as prompt_toolkit calls it)
        output: Output | None = None,
    ) -> None:
        self._model = model
        self._dial = dial
        self._look = look
        self._guest = Guest()
        self._session: Session | None = None
        self._now: Callable[[], float] = lambda: 0.0
        self.buffer = Buffer(
            completer=LineCompleter(model.state),
            complete_while_typing=True,
            history=InMemoryHistory(),
            multiline=False,
            accept_handler=self._accept,
        )
        self.app: Application[Leave] = Application(
            layout=self._layout(),
            key_bindings=self._keys(),
            style=Style.from_dict(dict(look.style)),
            color_depth=_depth(look),
            full_screen=True,
            input=input,
            output=output,
        )
        self.app.ttimeoutlen = self.app.timeoutlen = ESCAPE

    async def run(self) -> Leave:
        """Until the person leaves, or nobody can be reached."""
        ended: list[asyncio.Task[None]] = []
        try:
            return await self.app.run_async(
                pre_run=lambda: ended.append(asyncio.ensure_future(self._host()))
            )
        finally:
            self._guest.cancel()
            await asyncio.gather(*ended)

    # Trio, and how the two meet

    async def _host(self) -> None:
        try:
            leave = await self._guest.run(self._trio_main)
        except Exception as error:  # noqa: BLE001 (it comes out of `run`, after the screen is given back)
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

    async def _trio_main(self) -> Leave:
        self._now = trio.lowlevel.current_clock().current_time
        session = self._session = Session(self._model, self._dial, lambda _: None)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._tick, session)
            try:
                return await session.run()
            finally:
                nursery.cancel_scope.cancel()

    async def _tick(self, session: Session) -> None:
        """Draw again when something happened, or when a clock shows something else."""
        seen = session.changes
        while True:
            with trio.move_on_at(self._model.next_change(trio.current_time())):
                await session.changed_since(seen)
            seen = session.changes
            self.app.invalidate()
            await trio.sleep(REFRESH)
            if question := self._model.look_around(trio.current_time()):
                session.perform(question)

    # Keys

    def _accept(self, buffer: Buffer) -> bool:
        if self._session is not None:
            self._guest.soon(self._session.typed, buffer.text)
        return False

    def _quit(self) -> None:
        """Ask, as `quit` does; asked twice, go."""
        if self._session is None:
            self._guest.cancel()
        elif self._model.state.question is Question.QUIT:
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
                self._guest.soon(self._quit)

        @keys.add("c-l")
        def _(event: KeyPressEvent) -> None:
            event.app.renderer.clear()

        @keys.add("escape")
        def _(_: KeyPressEvent) -> None:
            self.buffer.cancel_completion()
            if self._model.state.page is None:
                self._model.step(math.inf)
            self._model.state.page = None

        for key, lines in (("pageup", -TURNED), ("pagedown", TURNED)):
            keys.add(key)(self._turns(lines))
        for key, line in (("f1", "help"), ("f2", "flip")):
            keys.add(key)(self._types(line))
        idle = Condition(lambda: not self.buffer.text)  # else they move the cursor
        for key, plies in (("left", -1), ("right", 1), ("home", -math.inf), ("end", math.inf)):
            keys.add(key, filter=idle)(self._steps(plies))
        return keys

    def _steps(self, plies: float) -> Callable[[KeyPressEvent], None]:
        def press(_: KeyPressEvent) -> None:
            self._model.step(plies)

        return press

    def _turns(self, lines: int) -> Callable[[KeyPressEvent], None]:
        def press(_: KeyPressEvent) -> None:
            self._model.scroll(lines)

        return press

    def _types(self, line: str) -> Callable[[KeyPressEvent], None]:
        def press(_: KeyPressEvent) -> None:
            if self._session is not None:
                self._guest.soon(self._session.typed, line)

        return press

    # Drawing

    def _layout(self) -> Layout:
        field = Window(
            BufferControl(self.buffer, input_processors=[BeforeInput(self._prompt)]), height=1
        )
        picture = Window(FormattedTextControl(self._picture), always_hide_cursor=True)
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
        text, tone = prompt(self._model.state)
        return [(f"class:{tone}", text)]

    def _picture(self) -> StyleAndTextTuples:
        size = self.app.output.get_size()
        rows = screen(
            self._model.state, self._look, size.columns, max(size.rows - 1, 0), self._now()
        )
        fragments: StyleAndTextTuples = []
        for row in rows:
            fragments += [*row, ("", "\n")]
        return fragments[:-1]


def _depth(look: Look) -> ColorDepth:
    if look.colors is None:
        return ColorDepth.MONOCHROME
    return ColorDepth.ANSI_COLORS_ONLY if look.few else ColorDepth.DEPTH_8_BIT
