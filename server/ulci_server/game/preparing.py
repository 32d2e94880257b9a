"""Is everybody ready? The phase before the first move: who is never ready aborts the game."""

from collections.abc import Mapping

from ulci.protocol.messages import IsReady
from ulci.rules.outcome import Side

from . import telling
from .endings import Ending
from .events import (
    AbortSaid,
    Alarm,
    Away,
    Back,
    ClaimSaid,
    DrawSaid,
    Event,
    Greet,
    Left,
    Paused,
    Ready,
    Resigned,
    Ruled,
    ServerFailed,
    Stalled,
    TakebackSaid,
    Tell,
    TimeGiven,
)
from .facts import What
from .scene import Handler, Scene, Step, ignore


class Preparing:
    """Both players get options, ``ucinewgame`` and ``isready``, and have until `deadline`."""

    def __init__(self, scene: Scene, at: float) -> None:
        self._scene = scene
        self._ready: set[Side] = set()
        self.deadline = at + scene.patience.ready

    @property
    def done(self) -> bool:
        """Whether both are ready."""
        return len(self._ready) == len(Side)

    def begin(self) -> list[Step]:
        return [step for side in Side for step in self._ask(side)]

    def handle(self, event: Event) -> list[Step]:
        if event.at > self.deadline:
            return [self._expire()]
        return _HANDLERS.get(type(event), ignore)(self, event)

    def _ask(self, side: Side) -> list[Step]:
        return [*self._scene.introduce(side), Tell(side, IsReady())]

    def _expire(self) -> Ending:
        endings = self._scene.endings
        late = [side for side in Side if side not in self._ready]
        who = " and ".join(map(endings.who, late))
        return endings.aborted(f"{who} not ready within {self._scene.patience.ready:g} s", *late)

    def _abort(self, side: Side, why: str) -> list[Step]:
        endings = self._scene.endings
        return [endings.aborted(f"{endings.who(side)} {why} before the game began", side)]

    # One for each row of the table

    def _on_ready(self, event: Ready) -> list[Step]:
        if self._scene.presence.here(event.side):
            self._ready.add(event.side)
        return []

    def _on_alarm(self, event: Alarm) -> list[Step]:
        return [self._expire()] if event.at >= self.deadline else []

    def _on_away(self, event: Away) -> list[Step]:
        # No grace here: the time to get ready is one already.
        self._scene.presence.away(event.side, event.at)
        self._ready.discard(event.side)
        return []

    def _on_back(self, event: Back) -> list[Step]:
        self._scene.presence.back(event.side)
        self._scene.setup[event.side] = event.setup or self._scene.setup[event.side]
        self._ready.discard(event.side)
        started = telling.started(self._scene.started)
        return [Greet(event.side), Tell(event.side, started), *self._ask(event.side)]

    def _on_left(self, event: Left) -> list[Step]:
        return self._abort(event.side, f"left ({event.why})")

    def _on_stalled(self, event: Stalled) -> list[Step]:
        return self._abort(event.side, f"stalled ({event.why})")

    def _on_resigned(self, event: Resigned) -> list[Step]:
        return self._abort(event.side, "resigned")

    def _on_abort_said(self, event: AbortSaid) -> list[Step]:
        return self._abort(event.side, "aborted it")

    def _on_draw_said(self, event: DrawSaid) -> list[Step]:
        return [Tell(event.side, telling.DRAW_TOO_EARLY)]

    def _too_early(self, event: ClaimSaid | TakebackSaid | TimeGiven) -> list[Step]:
        return [Tell(event.side, telling.NOT_YET)]

    def _on_ruled(self, event: Ruled) -> list[Step]:
        return [
            self._scene.happened(What.RULED, event.outcome.winner, text=event.why),
            self._scene.endings.ruled(event.outcome, event.why),
        ]

    def _on_paused(self, _: Paused) -> list[Step]:
        return [self._scene.happened(What.PAUSED)]

    def _on_server_failed(self, event: ServerFailed) -> list[Step]:
        return [self._scene.endings.server(event.why)]


_HANDLERS: Mapping[type[Event], Handler] = {
    Ready: Preparing._on_ready,
    Alarm: Preparing._on_alarm,
    Away: Preparing._on_away,
    Back: Preparing._on_back,
    Left: Preparing._on_left,
    Stalled: Preparing._on_stalled,
    Resigned: Preparing._on_resigned,
    AbortSaid: Preparing._on_abort_said,
    DrawSaid: Preparing._on_draw_said,
    ClaimSaid: Preparing._too_early,
    TakebackSaid: Preparing._too_early,
    TimeGiven: Preparing._too_early,
    Ruled: Preparing._on_ruled,
    Paused: Preparing._on_paused,
    ServerFailed: Preparing._on_server_failed,
}
