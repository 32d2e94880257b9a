"""The client without I/O: events in, effects out; the state is what a view shows.

No clock either: moments are seconds on whatever clock the shell uses for all of them.
"""

import math
from collections.abc import Iterable

from ulci.protocol.messages import Message, Seeks, Who
from ulci_client.reconnect import without_hint
from ulci_client.sanitize import clean, cleaned
from ulci_client.terminal.commands.command_table import leave
from ulci_client.terminal.commands.typed import typed
from ulci_client.terminal.model import confirm
from ulci_client.terminal.model.game import Game
from ulci_client.terminal.model.hear import hear
from ulci_client.terminal.model.state import (
    ClientState,
    Effect,
    LinkState,
    News,
    NewsKind,
    Page,
    Send,
)

# Seconds between requests for the lobby's lists while they are shown: arrivals are not announced.
LIST_AGE = 20.0

# Hints for a silent port, by the scheme dialled: a server that expects TLS or a WebSocket waits for
# us. A failed WebSocket upgrade is noticed at once.
_SILENT = {
    "tcp": " If that port is encrypted, quit and use tls://{0}; if it is for WebSocket, ws://{0}.",
    "tls": " If that port is for WebSocket, quit and use wss://{0}.",
}


class Client:
    """`state`: with whom we are, where, and what to seek at once."""

    def __init__(self, state: ClientState) -> None:
        self.state = state
        self._listed_at = 0.0

    def hear(self, message: Message, at: float) -> list[Effect]:
        """A message of the server."""
        self.state.lost_at = None
        return self._noted(hear(self.state, cleaned(message), at))

    def typed(self, text: str, at: float) -> list[Effect]:
        """A line typed by the person."""
        return self._noted(typed(self.state, text, at))

    def connected(self, at: float) -> list[Effect]:
        """Connected; the server speaks first."""
        state = self.state
        state.line, state.retry_at, self._listed_at = LinkState.UP, None, at
        return self._noted(
            [News(NewsKind.CONNECTED, f"Connected to {state.server}.", f"connected {state.server}")]
        )

    def lost(
        self,
        why: str,
        at: float,
        retry_in: float,
        give_up_in: float = math.inf,
        *,
        asked: bool = False,
        elsewhere: str = "",
    ) -> list[Effect]:
        """Disconnected; retrying in `retry_in` s, and for `give_up_in` s more. asked: the server
        set the pause. elsewhere: the address of another server, to be dialled next."""
        state = self.state
        state.server = elsewhere or state.server
        again = state.line is LinkState.LOST
        never = state.line is LinkState.CONNECTING
        state.asked_to_wait = asked
        state.line, state.retry_at, state.question = LinkState.LOST, at + retry_in, None
        state.lost_at = at if state.lost_at is None else state.lost_at
        state.returning = False
        state.unconfirmed.clear()
        state.unfenced = state.too_fast = state.refused = False
        if state.game is not None:
            state.game.asked, state.game.unsure = False, state.playing
            state.game.ending = False
            # Announced again after the reconnection if still true.
            state.game.away, state.game.trouble, state.game.premove = None, "", ""
        why = clean(without_hint(why))
        what = "Still disconnected" if again else "Not connected yet" if never else "Disconnected"
        tries = f"trying {elsewhere or 'again'} in {math.ceil(retry_in)} s"
        tries += ", as it asks" if asked else ""
        if math.isfinite(give_up_in):
            tries += f", for {max(give_up_in, 0):.0f} s more"
        clock = " Your seat is kept; a clock may run." if state.playing and not again else ""
        # The status counts down to the next attempt.
        return self._noted([News(NewsKind.LOST, f"{what}: {why}.{clock}", f"lost {why}, {tries}")])

    def silent(self) -> list[Effect]:
        """Nothing has come on the new connection."""
        scheme, _, rest = self.state.server.partition("://")
        hint = _SILENT.get(scheme, "").format(rest)
        text = f"Nothing from {self.state.server} yet, though a server speaks first.{hint}"
        return self._noted([News(NewsKind.SERVER, text, f"server silent so far.{hint}")])

    def saved(self, path: str, game: Game) -> list[Effect]:
        """The game was saved."""
        text, line = f"The game is saved in {path}.", f"ok saved {path}"
        if game.verdict is None:
            text = f"The game so far is saved in {path}; save it again when it is over."
            line += ", not over yet"
        return self._noted([News(NewsKind.OK, text, line)])

    def not_saved(self, path: str, why: str) -> list[Effect]:
        """The file could not be written."""
        text = f"{path} cannot be written: {clean(why)}"
        return self._noted([News(NewsKind.ERROR, f"{text}.", f"error {text}")])

    def complained(self, why: str) -> list[Effect]:
        """The server sent an unreadable line."""
        why = clean(why)
        text = f"Cannot read the server's message: {why}"
        return self._noted([News(NewsKind.ERROR, text, f"error from the server: {why}")])

    def refresh_lists(self, at: float) -> list[Effect]:
        """Request the lobby's lists if they are shown and old."""
        state = self.state
        visible = state.game is None and state.shows_lists and state.welcomed
        if not visible or state.line is not LinkState.READY or at - self._listed_at < LIST_AGE:
            return []
        self._listed_at = at
        return [Send(Who()), Send(Seeks())]

    def next_change(self, now: float) -> float:
        """When the screen changes without an event (s): clocks and countdowns."""
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
        if state.shows_lists and state.game is None and state.welcomed:
            changes.append(max(self._listed_at + LIST_AGE, now))
        return min(changes)

    def scroll(self, lines: int) -> None:
        """Scroll a long page by so many lines, up if negative."""
        page = self.state.page
        last = 0 if page is None else max(len(page.lines) - abs(lines), 0)
        self.state.scrolled = min(max(self.state.scrolled + lines, 0), last)

    def fence(self) -> list[Effect]:
        """Make the server tell when it has processed everything; see `passed`."""
        return self._noted(confirm.fence(self.state))

    def passed(self, fences: int) -> bool:
        """Whether no fence among the first so many is pending."""
        return all(number >= confirm.FENCES + fences for number in self.state.unconfirmed)

    def step(self, plies: float) -> None:
        """Step through the game by so many half-moves, back if negative; inf: to the end."""
        game = self.state.game
        if game is not None and game.position is not None:
            there = game.plies_shown + plies
            game.look_at(int(min(max(there, 0), len(game.plies))))

    def leave(self) -> list[Effect]:
        """Leave without asking."""
        return [*leave(self.state)]

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
        """Whether it repeats the last news: failed attempts would fill the screen."""
        return news.kind is NewsKind.LOST and any(
            news.text == shown.text for shown in [*self.state.news][-1:]
        )
