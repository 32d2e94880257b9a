"""The model: whatever happens goes in, effects come out, and the state is what a renderer shows.

Pure: no I/O, no clock. Moments are seconds on whatever clock the shell uses for all of them.
"""

import math
from collections.abc import Iterable

from ulci.protocol import Message, Seeks, Terms, Who

from .clean import clean, cleaned
from .commands import leaving
from .hear import hear
from .state import Effect, Kind, Line, News, Page, Send, State
from .typed import typed

# Whoever looks at the lobby asks again who is here: nobody announces that.
LOOK_AGAIN = 20.0


class Model:
    """name: what we call ourselves. server: its address, to be shown. token: of our account, if we
    have one. wanted: what to seek at once. curious: keep the lobby's lists fresh, because they are
    on the screen."""

    def __init__(
        self,
        name: str,
        server: str,
        *,
        program: str = "ulci-play",
        token: str = "",
        wanted: Terms | None = None,
        curious: bool = False,
    ) -> None:
        self.state = State(clean(name), server, program, token, curious, wanted)
        self._looked = 0.0

    def hear(self, message: Message, at: float) -> list[Effect]:
        """The server said this."""
        self.state.lost_at = None
        return self._noted(hear(self.state, cleaned(message), at))

    def typed(self, text: str, at: float) -> list[Effect]:
        """The person typed this line."""
        return self._noted(typed(self.state, text, at))

    def connected(self, at: float) -> list[Effect]:
        """There is a line; the server speaks first."""
        state = self.state
        state.line, state.retry_at, self._looked = Line.UP, None, at
        state.at_door, state.turned_away = True, ""
        return self._noted(
            [News(Kind.CONNECTED, f"Connected to {state.server}.", f"connected {state.server}")]
        )

    def lost(
        self, why: str, at: float, retry_in: float, give_up_in: float = math.inf
    ) -> list[Effect]:
        """The line is over; in `retry_in` seconds it is tried again, and on for `give_up_in`."""
        state = self.state
        again = state.line is Line.LOST
        state.line, state.retry_at, state.question = Line.LOST, at + retry_in, None
        state.lost_at = at if state.lost_at is None else state.lost_at
        state.returning = False
        if state.game is not None:
            state.game.asked, state.game.unsure = False, state.playing
            # Who is still away or hung when we are back is announced again.
            state.game.away, state.game.trouble = None, ""
        why = clean(why)
        what = "Still no line" if again else "The line is lost"
        tries = f"trying again in {math.ceil(retry_in)} s"
        if math.isfinite(give_up_in):
            tries += f", for {max(give_up_in, 0):.0f} s more"
        clock = " Your seat is kept; a clock may run." if state.playing and not again else ""
        # When it is tried again is shown as it comes nearer.
        return self._noted([News(Kind.LOST, f"{what}: {why}.{clock}", f"lost {why}, {tries}")])

    def complained(self, why: str) -> list[Effect]:
        """The server said what cannot be understood."""
        why = clean(why)
        text = f"The server said what makes no sense: {why}"
        return self._noted([News(Kind.ERROR, text, f"error from the server: {why}")])

    def look_around(self, at: float) -> list[Effect]:
        """Ask for what the lobby screen shows, if it is on the screen and old."""
        state = self.state
        visible = state.game is None and state.curious and state.welcomed
        if not visible or state.line is not Line.READY or at - self._looked < LOOK_AGAIN:
            return []
        self._looked = at
        return [Send(Who()), Send(Seeks())]

    def next_change(self, now: float) -> float:
        """The moment at which the screen shows something else although nothing happens."""
        state = self.state
        changes = [math.inf]
        if state.game is not None and state.game.clocks is not None:
            changes.append(state.game.clocks.next_change(now))
        away = state.game.away if state.game is not None else None
        changes += [
            now + ((until - now) % 1 or 1)
            for until in (state.retry_at, away)
            if until is not None and now < until < math.inf
        ]
        if state.curious and state.game is None and state.welcomed:
            changes.append(max(self._looked + LOOK_AGAIN, now))
        return min(changes)

    def scroll(self, lines: int) -> None:
        """The person turns so many lines of a long page, up if negative."""
        page = self.state.page
        last = 0 if page is None else max(len(page.lines) - abs(lines), 0)
        self.state.scrolled = min(max(self.state.scrolled + lines, 0), last)

    def leave(self) -> list[Effect]:
        """Go now, without asking."""
        return [*leaving(self.state)]

    def _noted(self, effects: Iterable[Effect]) -> list[Effect]:
        noted = [*effects]
        for effect in noted:
            if isinstance(effect, News) and not self._is_shown(effect):
                self.state.news.append(effect)
            elif isinstance(effect, Page):
                self.state.page, self.state.scrolled = effect, 0
        return noted

    def _is_shown(self, news: News) -> bool:
        """Whether it is on the screen already: tries that fail all alike would fill it."""
        return news.kind is Kind.LOST and any(
            news.text == shown.text for shown in [*self.state.news][-1:]
        )
