"""The phase before the first move. By the game's conduct, a player that is never ready aborts the
game, or forfeits it, or the game begins without it."""

from collections.abc import Callable, Mapping

from ulci.protocol.messages import Abort, Draw, GameCommand, IsReady, Resign
from ulci.rules import Side

from . import notices
from .context import GameContext, Handler, Step, ignore, ruled, server_failed
from .events import (
    Alarm,
    Away,
    Back,
    Commanded,
    Event,
    Greet,
    Hindered,
    Left,
    Paused,
    Ready,
    Ruled,
    ServerFailed,
    Tell,
)
from .facts import EventKind


class Preparing:
    """The phase in which both players get options, ``ucinewgame`` and ``isready``, and have until
    `deadline` (s) to answer. done: whether the game begins. cut_off: the sides that a server has
    disconnected and that have not come back."""

    def __init__(self, context: GameContext, at: float) -> None:
        self.context = context
        self.done = False
        self.cut_off: set[Side] = set()
        self._ready: set[Side] = set()
        self.deadline = at + context.timeouts.ready

    def begin(self) -> list[Step]:
        return [step for side in Side for step in self._ask(side)]

    def was_over_before(self, event: Event) -> bool:
        """Whether the time to get ready had passed when the event happened."""
        since = event.at - event.late if isinstance(event, Hindered) else event.at
        return since > self.deadline

    def handle(self, event: Event) -> list[Step]:
        return _HANDLERS.get(type(event), ignore)(self, event)

    def _ask(self, side: Side) -> list[Step]:
        return [*self.context.introduce(side), Tell(side, IsReady())]

    def _expire(self) -> list[Step]:
        context, endings, conduct = self.context, self.context.endings, self.context.conduct
        if conduct.absent_clock:
            self.done = True
            return []
        late = [side for side in Side if side not in self._ready]
        why = f"not ready within {context.timeouts.ready:g} s"
        if conduct.forfeit and len(late) == 1:
            return self._forfeit(late[0], why, why)
        return [endings.aborted(f"{' and '.join(map(endings.who, late))} {why}", *late)]

    def _forfeit(self, side: Side, why: str, noted: str) -> list[Step]:
        left = self.context.happened(EventKind.LEFT, side, text=noted)
        return [left, self.context.endings.gone(side, why)]

    def _abort_for(self, side: Side, why: str) -> list[Step]:
        endings = self.context.endings
        return [endings.aborted(f"{endings.who(side)} {why} before the game began", side)]

    # Handlers, one for each row of the table

    def _on_ready(self, event: Ready) -> list[Step]:
        if self.context.presence.here(event.side):
            self._ready.add(event.side)
        self.done = len(self._ready) == len(Side)
        return []

    def _on_alarm(self, event: Alarm) -> list[Step]:
        return self._expire() if event.at >= self.deadline else []

    def _on_away(self, event: Away) -> list[Step]:
        # No grace here: the time to get ready serves as one.
        self.context.presence.away(event.side, event.at)
        self._ready.discard(event.side)
        if event.cut_off_at is not None:
            self.cut_off.add(event.side)
        return []

    def _on_back(self, event: Back) -> list[Step]:
        context, side = self.context, event.side
        context.presence.back(side)
        self.cut_off.discard(side)
        context.setup[side] = event.setup or context.setup[side]
        self._ready.discard(side)
        steps: list[Step] = [Greet(side)]
        if key := context.take_key(side, event.key):
            steps.append(context.happened(EventKind.BACK, side, text=key))
        return [*steps, Tell(side, notices.started(context.started)), *self._ask(side)]

    def _on_hindered(self, event: Hindered) -> list[Step]:
        if self.context.presence.gone:
            self.deadline += event.late
        return []

    def _on_left(self, event: Left) -> list[Step]:
        if self.context.conduct.forfeit:
            return self._forfeit(event.side, f"left: {event.why}", event.why)
        return self._abort_for(event.side, f"left ({event.why})")

    def _on_commanded(self, event: Commanded) -> list[Step]:
        if forbidden := self.context.forbids(event):
            return forbidden
        return _COMMANDS.get(type(event.command), Preparing._too_early)(self, event)

    def _resign(self, event: Commanded) -> list[Step]:
        if not self.context.conduct.abort:
            return [self.context.endings.resigned(event.side)]
        return self._abort_for(event.side, "resigned")

    def _abort(self, event: Commanded) -> list[Step]:
        return self._abort_for(event.side, "aborted it")

    def _draw(self, event: Commanded) -> list[Step]:
        return [Tell(event.side, notices.DRAW_TOO_EARLY)]

    def _too_early(self, event: Commanded) -> list[Step]:
        return [Tell(event.side, notices.NOT_YET)]

    def _on_paused(self, _: Paused) -> list[Step]:
        return [self.context.happened(EventKind.PAUSED)]


_COMMANDS: Mapping[type[GameCommand], Callable[[Preparing, Commanded], list[Step]]] = {
    Resign: Preparing._resign,
    Abort: Preparing._abort,
    Draw: Preparing._draw,
}
"""The commands that players may send before the first move; all others come too early."""

_HANDLERS: Mapping[type[Event], Handler] = {
    Ready: Preparing._on_ready,
    Alarm: Preparing._on_alarm,
    Away: Preparing._on_away,
    Back: Preparing._on_back,
    Hindered: Preparing._on_hindered,
    Left: Preparing._on_left,
    Commanded: Preparing._on_commanded,
    Ruled: ruled,
    Paused: Preparing._on_paused,
    ServerFailed: server_failed,
}
