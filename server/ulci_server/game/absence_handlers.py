"""Handlers for players who leave and come back in a game in progress: one function an event.

How long they may be away: `timeouts`. Before the game is in progress: `preparing`.
"""

import math
from collections.abc import Collection

from ulci.protocol.messages import Lobby
from ulci.rules import Side

from . import notices
from .context import Step, ends
from .endings import Ending
from .events import Away, Back, Cast, Greet, Hindered, Kicked, Left, Note, Show, Tell
from .facts import WORTH_NOTING, EventKind
from .lag import UNMEASURED, RoundTrips
from .played_game import PlayedGame
from .spans import Span


def begin(game: PlayedGame, at: float, cut_off: Collection[Side]) -> list[Step]:
    """Begin without the absent sides; each may come within its grace, which begins now. cut_off:
    the sides that a server has disconnected."""
    game.late = {side for side in Side if not game.context.presence.here(side)}
    steps: list[Step] = []
    for side in sorted(game.late):
        game.context.presence.away(side, at)
        noted = _cut_off(game, side, at) if side in cut_off else _disconnected(game, side)
        steps += [noted, *_seen_away(game, side)]
    return steps


def resume(game: PlayedGame, at: float, downtime: int | None) -> list[Step]:
    """Mark both players as away: the server's shutdown, `downtime` ms ago, disconnected them."""
    for side in Side:
        game.context.presence.away(side, at)
        game.cut_off[side] = notices.resumed(game.context.id, downtime)
    game.standing = True
    return [Cast((game.context.told(), game.clock.told(at)))]


def starts(game: PlayedGame) -> float:
    """When (s) the clock of a mover who has not come back since the restart starts."""
    return _stands_until(game) if game.standing and game.mover in game.cut_off else math.inf


def start(game: PlayedGame, at: float, trips: RoundTrips = UNMEASURED) -> None:
    """Start the mover's clock, unless the mover has not come back since the restart and still
    may."""
    game.standing = at < _stands_until(game)
    if not game.standing:
        game.clock.start(game.mover, at, trips)


def _stands_until(game: PlayedGame) -> float:
    """The end (s) of the mover's grace if the server disconnected it; otherwise the past."""
    cut_off = game.mover in game.cut_off
    return game.context.presence.stands_until(game.mover) if cut_off else -math.inf


def due(game: PlayedGame) -> float:
    """When (s) an absence ends the game, or may be claimed."""
    return game.context.presence.deadline(clock_decides=game.clock.has_flag(game.mover))


def overdue(game: PlayedGame, at: float) -> list[Step]:
    """The steps when an absence is `due`."""
    if (side := game.context.presence.tell(at)) is not None:
        return [Tell(side.other, notices.away(game.context.id, 0.0))]
    return [_ending(game)]


def _ending(game: PlayedGame) -> Ending:
    """The ending for the side, or both, that did not come back."""
    endings, presence = game.context.endings, game.context.presence
    if len(presence.gone) == len(Side):
        why = "both players were gone and there was no clock to decide"
        return endings.aborted(why, *Side)
    [side] = presence.gone
    return gone(game, side, presence.why(side))


def gone(game: PlayedGame, side: Side, why: str) -> Ending:
    """The ending by the absence of a side."""
    endings = game.context.endings
    if game.counts:
        return endings.gone(side, why)
    return endings.aborted(f"{endings.who(side)} {why}, before both had moved", side)


def away(game: PlayedGame, event: Away) -> list[Step]:
    context, presence, side = game.context, game.context.presence, event.side
    if not presence.here(side):
        steps: list[Step] = []
        if event.cut_off_at is not None:
            steps.append(_cut_off(game, side, event.cut_off_at))
        if presence.tried(side, event.at):
            left = presence.left_for(side, event.at)
            steps.append(Tell(side.other, notices.away(context.id, left)))
        return steps
    presence.away(side, event.at)
    if event.cut_off_at is not None:
        return [_cut_off(game, side, event.cut_off_at), *_seen_away(game, side)]
    noted, times = _disconnected(game, side), game.disconnections[side]
    if times >= (context.conduct.disconnections or math.inf):
        how_often = "once" if times == 1 else f"{times} times"
        return [noted, gone(game, side, f"lost the connection {how_often}")]
    return [noted, *_seen_away(game, side)]


def _seen_away(game: PlayedGame, side: Side) -> list[Step]:
    """What the others get about a side that is away."""
    context = game.context
    told = notices.away(context.id, context.presence.grace(side))
    return [Tell(side.other, told), Cast((notices.seen(context.id, side, "line-down"),))]


def _disconnected(game: PlayedGame, side: Side) -> Note:
    """Record that the side lost its connection, and count it: no server has caused it."""
    game.disconnections[side] += 1
    return game.context.happened(EventKind.AWAY, side, _given_back(game, side))


def excuse(game: PlayedGame, side: Side, delays: tuple[Span, ...]) -> None:
    """Do not charge these delays to the side, if it is to move."""
    if side is game.mover:
        for begin, end in delays:
            game.clock.excuse_delay(begin, end)


def _given_back(game: PlayedGame, side: Side) -> int:
    """ms of its turn that the side does not pay for, if it is to move."""
    return game.clock.given_back if side is game.mover else 0


def _cut_off(game: PlayedGame, side: Side, at: float) -> Note:
    """Halt the side's clock since `at`, because its server ended, which is not the side's fault.
    The clock stands until the side is back, or its grace is over."""
    game.cut_off[side] = None
    thought = 0
    if side is game.mover:
        if (since := game.clock.since) is not None:
            game.clock.halt(max(at, since))
            game.standing = True
        thought = game.clock.thought(at)
    return game.context.happened(EventKind.AWAY, side, thought, "its server ended")


def kicked(game: PlayedGame, event: Kicked) -> list[Step]:
    """Record who kicked the player; the disconnection itself follows as `Away`."""
    return [game.context.happened(EventKind.KICKED, event.side, text=event.why)]


def left(game: PlayedGame, event: Left) -> list[Step]:
    noted = game.context.happened(EventKind.LEFT, event.side, text=event.why)
    game.context.presence.left(event.side, event.at, event.why)
    return [noted, _ending(game)] if due(game) <= event.at else [noted]


def hindered(game: PlayedGame, event: Hindered) -> list[Step]:
    """Extend the grace, and stop the clock, of players who could not reconnect meanwhile."""
    presence = game.context.presence
    for side in presence.gone:
        presence.excuse(side, event.late)
    if not presence.here(game.mover):
        game.clock.excuse_delay(event.at - event.late, event.at)
    return []


def back(game: PlayedGame, event: Back) -> list[Step]:
    context, side = game.context, event.side
    was_here = context.presence.here(side)
    context.presence.back(side)
    key = context.take_key(side, event.key)
    steps: list[Step] = [Greet(side)]
    given_back = _given_back(game, side)
    if key or not was_here or (event.delays and given_back >= WORTH_NOTING):
        steps.append(context.happened(EventKind.BACK, side, given_back, key))
    if due(game) <= event.at:  # the opponent's absence, for which the clock had counted instead
        over = overdue(game, event.at)
        if ends(over):
            return [*steps, *over]
    late = side in game.late
    game.late.discard(side)
    if late or (not context.move_list.played and event.setup):
        context.setup[side] = event.setup or context.setup[side]
        steps += context.introduce(side)
    steps += _tell_again(game, side, event.at)
    if was_here:
        return steps
    seen = notices.seen(context.id, side, "back")
    return [*steps, Tell(side.other, notices.back(context.id)), Cast((seen,))]


def _tell_again(game: PlayedGame, side: Side, at: float) -> list[Step]:
    """All messages to a new connection, without options and ``ucinewgame``: the client still runs
    with its options set, and ``ucinewgame`` would clear its hash.
    """
    steps = _news(game, side, game.cut_off.pop(side, None), at)
    if side is game.mover:
        return [*steps, *game.ask_again(at)]
    return [*steps, Show(side, (game.context.told(), game.clock.told(at)))]


def _news(game: PlayedGame, side: Side, resumed: Lobby | None, at: float) -> list[Step]:
    """The lobby lines since the start that are still valid. `resumed`: that of a restart."""
    context, other = game.context, game.context.seats[side.other]
    lines = [notices.started(context.started)]
    if resumed is not None:
        lines.append(resumed)
    if game.offer is side.other:
        lines.append(notices.offered(context.id, other))
    if game.takeback is not None and game.takeback[0] is side.other:
        lines.append(notices.takeback_offered(context.id, other, game.takeback[1]))
    if not context.presence.here(side.other):
        lines.append(notices.away(context.id, context.presence.left_for(side.other, at)))
    return [Tell(side, line) for line in lines]
