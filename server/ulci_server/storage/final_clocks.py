"""What both clocks showed when a game ended, from its record alone."""

from collections.abc import Sequence
from datetime import timedelta

from ulci.protocol.messages import Clock
from ulci.rules import Reason
from ulci_server.game import EventKind, Happened, MovePlayed, Rebuilt

from .records import GameRecord, Noted
from .verify import DisagreementError, rebuilt_from, steps_of

BETWEEN_MOVES = frozenset(
    {
        Reason.RESIGNATION,
        Reason.AGREEMENT,
        Reason.TIME,
        Reason.TIME_INSUFFICIENT,
        Reason.DISCONNECT,
        Reason.ABORTED,
    }
)
"""The ends that come while a clock runs. All others come with a move, after which both stand."""


def final_clocks(game: GameRecord, history: Sequence[Noted]) -> Clock | None:
    """Both clocks at the end of a game that ended between two moves; None if it did not, if no move
    was made, and if the record disagrees with itself.

    The side to move has used the time since the last move, including the milliseconds until it was
    asked, which no record has. Of a turn that a server's end interrupted only the time before that
    is known, and counts."""
    if game.outcome is None or game.outcome.reason not in BETWEEN_MOVES:
        return None
    try:
        rebuilt = rebuilt_from(game, steps_of(history))
    except DisagreementError:
        return None
    if not rebuilt.have_moved:
        return None
    thought = _thought(game, history, rebuilt)
    if thought is not None:
        rebuilt.clock.remember(rebuilt.move_list.turn, thought)
    return rebuilt.clock.told(0.0)


def _thought(game: GameRecord, history: Sequence[Noted], rebuilt: Rebuilt) -> int | None:
    """ms that the side to move had thought at the end; None if its clock stood meanwhile."""
    since, free = None, 0
    for fact, at in history:
        if isinstance(fact, MovePlayed):
            since, free = at, 0
        elif isinstance(fact, Happened):
            match fact.what:
                case EventKind.TAKEN_BACK:
                    since, free = at, 0
                case EventKind.PAUSED | EventKind.RESUMED:
                    since = None
                case EventKind.AWAY | EventKind.BACK if fact.side is rebuilt.move_list.turn:
                    if fact.what is EventKind.AWAY and fact.text:
                        since = None  # its server ended
                    free = fact.amount
    if since is None or game.finished_at is None:
        return None
    return max(0, (game.finished_at - since) // timedelta(milliseconds=1) - free)
