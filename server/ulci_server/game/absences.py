"""Who comes and goes while a game is played, and what becomes of it? One function an event."""

import math

from ulci.rules.outcome import Side

from . import telling
from .endings import Ending
from .events import Away, Back, Cast, Greet, Hindered, Left, SentAway, Show, Tell
from .facts import What
from .lag import UNMEASURED, RoundTrips
from .play import Play
from .scene import Step, ends


def resume(game: Play, at: float, downtime: int) -> list[Step]:
    """Both were cut off by the server's end, `downtime` ms ago, and may come back."""
    for side in Side:
        game.scene.presence.away(side, at)
        game.cut_off[side] = downtime
    game.standing = True
    return [Cast((game.scene.told(), game.clock.told(at)))]


def starts(game: Play) -> float:
    """When the clock that stands for a mover who has not come back runs all the same."""
    return _stands_until(game) if game.standing and game.mover in game.cut_off else math.inf


def start(game: Play, at: float, trips: RoundTrips = UNMEASURED) -> None:
    """The mover has been asked, or has been waited for: its clock runs, unless it has not come back
    since the server did, and still may."""
    game.standing = at < _stands_until(game)
    if not game.standing:
        game.clock.start(game.mover, at, trips)


def _stands_until(game: Play) -> float:
    """The end of the mover's grace, if the server cut it off; at once if it has days."""
    cut_off = game.mover in game.cut_off
    return game.scene.presence.stands_until(game.mover) if cut_off else -math.inf


def due(game: Play) -> float:
    """When an absence ends the game, or may be claimed."""
    return game.scene.presence.deadline(clock_decides=game.clock.has_flag(game.mover))


def overdue(game: Play, at: float) -> list[Step]:
    """What happens when it is `due`."""
    if (side := game.scene.presence.tell(at)) is not None:
        return [Tell(side.other, telling.away(game.scene.id, 0.0))]
    return [_ending(game)]


def _ending(game: Play) -> Ending:
    """For whoever is gone."""
    endings, presence = game.scene.endings, game.scene.presence
    if len(presence.absent) == len(Side):
        why = "both players were gone and there was no clock to decide"
        return endings.aborted(why, *Side)
    [side] = presence.absent
    why = presence.why(side)
    if game.begun:
        return endings.gone(side, why)
    return endings.aborted(f"{endings.who(side)} {why}, before both had moved", side)


def away(game: Play, event: Away) -> list[Step]:
    scene, presence, side = game.scene, game.scene.presence, event.side
    if not presence.here(side):
        if not presence.tried(side, event.at):
            return []
        return [Tell(side.other, telling.away(scene.id, presence.left_for(side, event.at)))]
    presence.away(side, event.at)
    told = telling.away(scene.id, presence.grace(side))
    seen = telling.seen(scene.id, side, "line-down")
    return [scene.happened(What.AWAY, side), Tell(side.other, told), Cast((seen,))]


def sent_away(game: Play, event: SentAway) -> list[Step]:
    """That its line is cut will be told apart: here it is only known who did it."""
    return [game.scene.happened(What.SENT_AWAY, event.side, text=event.why)]


def left(game: Play, event: Left) -> list[Step]:
    noted = game.scene.happened(What.LEFT, event.side, text=event.why)
    game.scene.presence.left(event.side, event.at, event.why)
    return [noted, _ending(game)] if due(game) <= event.at else [noted]


def hindered(game: Play, event: Hindered) -> list[Step]:
    """Who could not come back pays neither with its clock nor with its grace."""
    presence = game.scene.presence
    for side in presence.absent:
        presence.excuse(side, event.late)
    if game.clock.running is game.mover and not presence.here(game.mover):
        game.clock.excuse(event.at, event.late)
    return []


def back(game: Play, event: Back) -> list[Step]:
    scene, side = game.scene, event.side
    was_here = scene.presence.here(side)
    scene.presence.back(side)
    key = "" if event.key == scene.seats[side].key else event.key
    steps: list[Step] = [Greet(side)]
    if key or not was_here:
        steps.append(scene.happened(What.BACK, side, text=key))
    if due(game) <= event.at:  # the other's, which the clock had replaced
        over = overdue(game, event.at)
        if ends(over):
            return [*steps, *over]
    if not scene.ply and event.setup:
        scene.setup[side] = event.setup
        steps += scene.introduce(side)
    steps += _tell_again(game, side, event.at)
    if was_here:
        return steps
    seen = telling.seen(scene.id, side, "back")
    return [*steps, Tell(side.other, telling.back(scene.id)), Cast((seen,))]


def _tell_again(game: Play, side: Side, at: float) -> list[Step]:
    """All that a new line must know. It is the same client, whose options are as they were set;
    and a ``ucinewgame`` would make it forget what it is thinking about.
    """
    downtime = game.cut_off.pop(side, None)
    steps = _news(game, side, downtime, at)
    if side is game.mover:
        return [*steps, *game.ask_again(at)]
    return [*steps, Show(side, (game.scene.told(), game.clock.told(at)))]


def _news(game: Play, side: Side, downtime: int | None, at: float) -> list[Step]:
    """What was said since the start and still holds."""
    scene, other = game.scene, game.scene.seats[side.other]
    lines = [telling.started(scene.started)]
    if downtime is not None:
        lines.append(telling.resumed(scene.id, downtime))
    if game.offer is side.other:
        lines.append(telling.offered(scene.id, other))
    if game.takeback is not None and game.takeback[0] is side.other:
        lines.append(telling.takeback_offered(scene.id, other, game.takeback[1]))
    if not scene.presence.here(side.other):
        lines.append(telling.away(scene.id, scene.presence.left_for(side.other, at)))
    return [Tell(side, line) for line in lines]
