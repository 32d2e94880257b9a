"""Handlers for draws, takebacks, claims, gifts of time and berserk: one function a command."""

from ulci.protocol.messages import Berserk, Claim, Draw, GiveTime, Lobby, Takeback
from ulci.rules import Side

from . import absence_handlers, notices
from .context import Step
from .events import (
    Announce,
    Cast,
    Commanded,
    Settle,
    Show,
    TakebackRuled,
    Tell,
    TimeRuled,
)
from .facts import EventKind
from .played_game import PlayedGame
from .time_control import LONGEST_TIME

# Draws


def draw(game: PlayedGame, event: Commanded, _: Draw) -> list[Step]:
    """Offers a draw, accepts the opponent's offer, or claims a draw by the rules."""
    context, side = game.context, event.side
    if (reason := game.claim) is not None:
        return [context.endings.claimed(side, reason)]
    if game.offer is side.other:
        return [context.endings.agreed(game.offer)]
    if game.offer is side:
        return [Tell(side, notices.DRAW_OFFERED)]
    game.offer = side
    offered = notices.offered(context.id, context.seats[side])
    return [context.happened(EventKind.DRAW_OFFERED, side), Announce(offered)]


def claim(game: PlayedGame, event: Commanded, command: Claim) -> list[Step]:
    """Claims the game, or a draw, for the opponent's absence; or a draw by the rules."""
    context, side = game.context, event.side
    if context.presence.claimable(side.other, event.at):
        why = context.presence.why(side.other)
        if command.what == "win" or not game.counts:
            return [absence_handlers.gone(game, side.other, why)]
        return [context.endings.drawn_for_absence(side.other, why)]
    if command.what == "draw" and (reason := game.claim) is not None:
        return [context.endings.claimed(side, reason)]
    return [Tell(side, notices.CLAIM_NOTHING)]


def decline(game: PlayedGame, side: Side) -> tuple[list[Step], list[Step]]:
    """A move declines open offers (FIDE 9.1.2.1). Returns the steps to note, and those to send with
    the move."""
    context = game.context
    noted, told = list[Step](), list[Step]()
    if game.offer is side.other:
        game.offer = None
        noted.append(context.happened(EventKind.DRAW_DECLINED, side))
        told.append(Announce(notices.declined(context.id, context.seats[side])))
    if game.takeback is not None:
        # A takeback is about the old position: a move of the offering side ends it, too.
        game.takeback = None
        noted.append(context.happened(EventKind.TAKEBACK_DECLINED, side))
        told.append(Announce(notices.takeback_declined(context.id, context.seats[side])))
    return noted, told


# Takebacks


def takeback(game: PlayedGame, event: Commanded, command: Takeback) -> list[Step]:
    """Offers to take back moves, or accepts the opponent's offer."""
    context, side = game.context, event.side
    if game.takeback is not None and game.takeback[0] is side.other:
        plies = game.takeback[1]
        text = f"by agreement of {context.endings.who(side.other)} and {context.endings.who(side)}"
        noted = context.happened(EventKind.TAKEN_BACK, side.other, plies, text)
        return [noted, *game.take_back(plies, event.at)]
    plies = context.move_list.last_of(side) if command.plies is None else command.plies
    if not context.move_list.last_of(side):
        return [Tell(side, notices.NO_TAKEBACK)]
    if not 0 < plies <= context.move_list.played:
        return [Tell(side, notices.TAKEBACK_TOO_FAR)]
    if game.takeback == (side, plies):
        return [Tell(side, notices.TAKEBACK_OFFERED)]
    game.takeback = (side, plies)
    offered = notices.takeback_offered(context.id, context.seats[side], plies)
    return [context.happened(EventKind.TAKEBACK_OFFERED, side, plies), Announce(offered)]


def rule_takeback(game: PlayedGame, event: TakebackRuled) -> list[Step]:
    """An administrator takes back moves: all of the players' if there are fewer."""
    plies = min(event.plies, game.context.move_list.played)
    if plies < 1:
        return []
    noted = game.context.happened(EventKind.TAKEN_BACK, None, plies, event.why)
    return [noted, *game.take_back(plies, event.at)]


# Time


def give_time(game: PlayedGame, event: Commanded, command: GiveTime) -> list[Step]:
    """A player gives its opponent time."""
    seat = game.context.seats[event.side]
    to, by = event.side.other, notices.called(seat)
    refusal = _refusal(game, to, event.at, command.ms)
    if refusal is not None:
        return [Tell(event.side, refusal)]
    return _give(game, event.at, to, command.ms, by, by)


def rule_time(game: PlayedGame, event: TimeRuled) -> list[Step]:
    """An administrator gives a player time, if its clock can take it."""
    if _refusal(game, event.side, event.at, event.gift) is not None:
        return []
    who_and_why = f"{event.by}: {event.why}"
    return _give(game, event.at, event.side, event.gift, event.by, who_and_why)


def _refusal(game: PlayedGame, to: Side, at: float, gift: int) -> Lobby | None:
    """The error if the side cannot be given that much."""
    if not game.clock.takes_gifts(to):
        return notices.NO_TIME_TO_GIVE
    left = game.clock.left(to, at) or 0
    return notices.TOO_MUCH_TIME if left + gift > LONGEST_TIME else None


def _give(game: PlayedGame, at: float, to: Side, gift: int, by: str, noted_as: str) -> list[Step]:
    """`by` is the giver as sent to the players; `noted_as` is for the record."""
    context = game.context
    game.clock.give(to, gift)
    noted = context.happened(EventKind.TIME_GIVEN, to, gift, noted_as)
    return _changed_clock(game, at, noted, notices.time_given(context.id, gift, to, by))


def berserk(game: PlayedGame, event: Commanded, _: Berserk) -> list[Step]:
    """A player halves its own time and gives up its increments, before its first move."""
    context, clock, side = game.context, game.clock, event.side
    if side in game.berserk:
        return [Tell(side, notices.BERSERK_TWICE)]
    if side in game.have_moved:
        return [Tell(side, notices.BERSERK_TOO_LATE)]
    if not clock.halves(side):
        return [Tell(side, notices.NO_TIME_TO_HALVE)]
    lost = (clock.left(side, event.at) or 0) // 2
    clock.halve(side, lost)
    game.berserk.add(side)
    noted = context.happened(EventKind.BERSERK, side, lost)
    line = notices.went_berserk(context.id, side, context.seats[side])
    return _changed_clock(game, event.at, noted, line)


def _changed_clock(game: PlayedGame, at: float, noted: Step, line: Lobby) -> list[Step]:
    """Send the changed clock to players and spectators, once the change is recorded."""
    clocks = (game.clock.told(at),)
    return [
        noted,
        Settle(),
        Announce(line),
        *(Show(side, clocks) for side in Side),
        Cast(clocks),
    ]
