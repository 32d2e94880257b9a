"""The model: whatever happens goes in, effects come out, and the state is what a renderer shows.

Pure: no I/O, no clock. Moments are seconds on whatever clock the shell uses for all of them.
"""

import math
from collections.abc import Iterable

from ulci.protocol import Message, Seeks, Terms, Who
from ulci_client.closing import without_hint

from . import confirm
from .clean import clean, cleaned
from .commands import leaving
from .game import Game
from .hear import hear
from .state import Effect, Kind, Line, News, Page, Send, State
from .typed import typed

# Whoever looks at the lobby asks again who is here: nobody announces that.
LOOK_AGAIN = 20.0

# What may be wrong where a port says nothing, by the scheme with which it was dialled: those who
# expect TLS or a WebSocket wait for us. A WebSocket that is none is noticed at once.
_SILENT = {
    "tcp": " If that port is encrypted, quit and use tls://{0}; if it is for WebSocket, ws://{0}.",
    "tls": " If that port is for WebSocket, quit and use wss://{0}.",
}


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
        return self._noted(
            [News(Kind.CONNECTED, f"Connected to {state.server}.", f"connected {state.server}")]
        )

    def lost(
        self,
        why: str,
        at: float,
        retry_in: float,
        give_up_in: float = math.inf,
        *,
        asked: bool = False,
    ) -> list[Effect]:
        """The line is over; in `retry_in` seconds it is tried again, and on for `give_up_in`.
        asked: because the server said so."""
        state = self.state
        again = state.line is Line.LOST
        never = state.line is Line.CONNECTING
        state.asked_to_wait = asked
        state.line, state.retry_at, state.question = Line.LOST, at + retry_in, None
        state.lost_at = at if state.lost_at is None else state.lost_at
        state.returning = False
        state.unconfirmed.clear()
        state.unfenced = state.too_fast = state.refused = False
        if state.game is not None:
            state.game.asked, state.game.unsure = False, state.playing
            state.game.ending = False
            # Who is still away or hung when we are back is announced again.
            state.game.away, state.game.trouble, state.game.premove = None, "", ""
        why = clean(without_hint(why))
        what = "Still no line" if again else "No line yet" if never else "The line is lost"
        tries = f"trying again in {math.ceil(retry_in)} s{', as it asks' if asked else ''}"
        if math.isfinite(give_up_in):
            tries += f", for {max(give_up_in, 0):.0f} s more"
        clock = " Your seat is kept; a clock may run." if state.playing and not again else ""
        # When it is tried again is shown as it comes nearer.
        return self._noted([News(Kind.LOST, f"{what}: {why}.{clock}", f"lost {why}, {tries}")])

    def silent(self) -> list[Effect]:
        """Nothing has been heard on the new line."""
        scheme, _, rest = self.state.server.partition("://")
        hint = _SILENT.get(scheme, "").format(rest)
        text = f"No word from {self.state.server} yet, though a server speaks first.{hint}"
        return self._noted([News(Kind.SERVER, text, f"server silent so far.{hint}")])

    def saved(self, path: str, game: Game) -> list[Effect]:
        """The game is in that file now."""
        text, line = f"The game is in {path}.", f"ok saved {path}"
        if game.verdict is None:
            text = f"The game so far is in {path}; save it again when it is over."
            line += ", not over yet"
        return self._noted([News(Kind.OK, text, line)])

    def not_saved(self, path: str, why: str) -> list[Effect]:
        """It could not be written there."""
        text = f"{path} cannot be written: {clean(why)}"
        return self._noted([News(Kind.ERROR, f"{text}.", f"error {text}")])

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

    def fence(self) -> list[Effect]:
        """Have the server say when it has heard all that was said; then `passed`."""
        return self._noted(confirm.fence(self.state))

    def passed(self, fences: int) -> bool:
        """Whether the first so many fences are behind us, answered or not."""
        return all(number >= confirm.FENCES + fences for number in self.state.unconfirmed)

    def step(self, plies: float) -> None:
        """The person looks so many half-moves further, back if negative; inf is to the end."""
        game = self.state.game
        if game is not None and game.position is not None:
            there = game.plies_shown + plies
            game.look_at(int(min(max(there, 0), len(game.plies))))

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
            elif isinstance(effect, Send):
                confirm.said(self.state, effect.message)
        return noted

    def _is_shown(self, news: News) -> bool:
        """Whether it is on the screen already: tries that fail all alike would fill it."""
        return news.kind is Kind.LOST and any(
            news.text == shown.text for shown in [*self.state.news][-1:]
        )
