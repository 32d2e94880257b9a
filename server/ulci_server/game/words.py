"""What may players agree on, claim or give each other while they play? One function a word."""

from ulci.protocol.messages import Lobby
from ulci.rules.outcome import Side

from . import telling
from .control import LONGEST_TIME
from .events import (
    Announce,
    Cast,
    ClaimSaid,
    DrawSaid,
    Settle,
    Show,
    TakebackRuled,
    TakebackSaid,
    Tell,
    TimeGiven,
    TimeRuled,
)
from .facts import What
from .play import Play
from .scene import Step

# Draws


def draw(game: Play, event: DrawSaid) -> list[Step]:
    """Offers a draw, accepts the opponent's offer, or claims what the rules allow."""
    scene, side = game.scene, event.side
    if game.claim is not None:
        return [scene.endings.claimed(side, game.claim)]
    if game.offer is side.other:
        return [scene.endings.agreed(game.offer)]
    if game.offer is side:
        return [Tell(side, telling.DRAW_OFFERED)]
    game.offer = side
    offered = telling.offered(scene.id, scene.seats[side])
    return [scene.happened(What.DRAW_OFFERED, side), Announce(offered)]


def claim(game: Play, event: ClaimSaid) -> list[Step]:
    """The game, or a draw, for the opponent's absence; or the draw that the rules allow."""
    scene, side = game.scene, event.side
    if scene.presence.claimable(side.other, event.at):
        why = scene.presence.why(side.other)
        if not game.begun:
            who = scene.endings.who(side.other)
            return [scene.endings.aborted(f"{who} {why}, before both had moved", side.other)]
        if event.what == "win":
            return [scene.endings.gone(side.other, why)]
        return [scene.endings.drawn_for_absence(side.other, why)]
    if event.what == "draw" and game.claim is not None:
        return [scene.endings.claimed(side, game.claim)]
    return [Tell(side, telling.CLAIM_NOTHING)]


def decline(game: Play, side: Side) -> tuple[list[Step], list[Step]]:
    """To move is to decline what is on offer (FIDE 9.1.2.1): what is noted, and what is told when
    the move is."""
    scene = game.scene
    noted, told = list[Step](), list[Step]()
    if game.offer is side.other:
        game.offer = None
        noted.append(scene.happened(What.DRAW_DECLINED, side))
        told.append(Announce(telling.declined(scene.id, scene.seats[side])))
    if game.takeback is not None:
        # Of the position as it was: the move of who offered it ends it, too.
        game.takeback = None
        noted.append(scene.happened(What.TAKEBACK_DECLINED, side))
        told.append(Announce(telling.takeback_declined(scene.id, scene.seats[side])))
    return noted, told


# Takebacks


def takeback(game: Play, event: TakebackSaid) -> list[Step]:
    """Offers to take back moves, or accepts the opponent's offer."""
    scene, side = game.scene, event.side
    if game.takeback is not None and game.takeback[0] is side.other:
        plies = game.takeback[1]
        text = f"by agreement of {scene.endings.who(side.other)} and {scene.endings.who(side)}"
        noted = scene.happened(What.TAKEN_BACK, side.other, plies, text)
        return [noted, *game.take_back(plies, event.at)]
    plies = scene.line.last_of(side) if event.plies is None else event.plies
    if not scene.line.last_of(side):
        return [Tell(side, telling.NO_TAKEBACK)]
    if not 0 < plies <= scene.ply:
        return [Tell(side, telling.TAKEBACK_TOO_FAR)]
    if game.takeback == (side, plies):
        return [Tell(side, telling.TAKEBACK_OFFERED)]
    game.takeback = (side, plies)
    offered = telling.takeback_offered(scene.id, scene.seats[side], plies)
    return [scene.happened(What.TAKEBACK_OFFERED, side, plies), Announce(offered)]


def rule_takeback(game: Play, event: TakebackRuled) -> list[Step]:
    """An administrator takes back moves: as many as there are, if there are fewer."""
    plies = min(event.plies, game.scene.ply)
    if plies < 1:
        return []
    noted = game.scene.happened(What.TAKEN_BACK, None, plies, event.why)
    return [noted, *game.take_back(plies, event.at)]


# Time


def give_time(game: Play, event: TimeGiven) -> list[Step]:
    """A player gives its opponent time."""
    seat = game.scene.seats[event.side]
    to, by = event.side.other, telling.called(seat)
    refusal = _refusal(game, to, event.at, event.gift)
    if refusal is not None:
        return [Tell(event.side, refusal)]
    return _give(game, event.at, to, event.gift, by, by)


def rule_time(game: Play, event: TimeRuled) -> list[Step]:
    """An administrator gives a player time, if its clock can take it."""
    if _refusal(game, event.side, event.at, event.gift) is not None:
        return []
    who_and_why = f"{event.by}: {event.why}"
    return _give(game, event.at, event.side, event.gift, event.by, who_and_why)


def _refusal(game: Play, to: Side, at: float, gift: int) -> Lobby | None:
    """Why the side cannot be given so much, if it cannot."""
    if not game.clock.takes_gifts(to):
        return telling.NO_TIME_TO_GIVE
    left = game.clock.left(to, at) or 0
    return telling.TOO_MUCH_TIME if left + gift > LONGEST_TIME else None


def _give(game: Play, at: float, to: Side, gift: int, by: str, noted_as: str) -> list[Step]:
    """`by` is who the players are told; `noted_as` is for the record."""
    scene = game.scene
    game.clock.give(to, gift)
    noted = scene.happened(What.TIME_GIVEN, to, gift, noted_as)
    clocks = (game.clock.told(at),)
    return [
        noted,
        Settle(),
        Announce(telling.time_given(scene.id, gift, to, by)),
        *(Show(side, clocks) for side in Side),
        Cast(clocks),
    ]
