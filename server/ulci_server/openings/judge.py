"""Whether a game can begin with a start and moves from there."""

from collections.abc import Sequence

from ulci.rules import Illegal, Outcome, Over, Position, Rules, StartError
from ulci.rules.starts import over_already, playable_opening
from ulci.rules.text import quoted

from .opening import Opening, UnplayableError

USUAL = "startpos"
"""The usual start, as ``position`` spells it."""


def begin(rules: Rules, start: str | None) -> Position:
    """A game at its start.

    Raises:
        UnplayableError: the start is invalid, engines cannot play it, or the game is over there.
    """
    try:
        position = rules.new() if start in (None, USUAL) else rules.to_play(start)
    except StartError as error:
        raise UnplayableError(str(error)) from error
    if (outcome := position.outcome()) is not None:
        raise UnplayableError(over_already(outcome))
    return position


def play(position: Position, move: str) -> Outcome | None:
    """Make the move; the outcome, if it ends the game. Raises UnplayableError if it is illegal."""
    verdict = position.play_untrusted(move)
    if isinstance(verdict, Illegal):
        raise UnplayableError(
            f"ply {len(position.moves) + 1}, {quoted(move)}, is illegal: {verdict.why}"
        )
    return verdict.outcome if isinstance(verdict, Over) else None


def judged(rules: Rules, start: str | None, moves: Sequence[str]) -> Opening:
    """The opening of this start and these moves, spelled as the rules spell them.

    Raises:
        UnplayableError: the start or a move is invalid, or the game is over after them.
    """
    try:
        return Opening(*playable_opening(rules, None if start == USUAL else start, moves))
    except StartError as error:
        raise UnplayableError(str(error)) from error


def opening_of(position: Position) -> Opening:
    return Opening(position.start, tuple(position.moves))
