"""Starts from which a game can be played: valid, and not over already."""

from .outcome import Outcome
from .position import Rules, StartError


def playable_start(rules: Rules, start: str | None) -> str | None:
    """The normal form of a start: a FEN, or None for the usual one. Draws that players may claim
    count: the first to move could claim it.

    Raises:
        StartError: it is invalid, engines cannot play it, or a game from there would end before
            its first move.
    """
    position = rules.new() if start is None else rules.to_play(start)
    if (outcome := position.outcome()) is not None:
        raise StartError(over_already(outcome))
    return position.start


def over_already(outcome: Outcome) -> str:
    """Why no game begins there."""
    ended = "drawn" if outcome.winner is None else f"won by {outcome.winner.word}"
    return f"the game is over there already: {ended} ({outcome.reason.value})"
