"""Starts and openings from which a game can be played: valid, and not over already.

An opening is the moves from a start to the position in which the players take over.
"""

from collections.abc import Sequence

from .outcome import Outcome, Side
from .position import Illegal, Over, Position, Rules, StartError

MOST_PLIES = 64
"""Of an opening: 32 moves of each side. All are judged at once, in the slowest variant in 9 ms."""


def playable_start(rules: Rules, start: str | None) -> str | None:
    """The normal form of a start: a FEN, or None for the usual one. Draws that players may claim
    count: the first to move could claim it.

    Raises:
        StartError: it is invalid, engines cannot play it, or a game from there would end before
            its first move.
    """
    return _to_play(rules, start).start


def playable_opening(
    rules: Rules, start: str | None, opening: Sequence[str]
) -> tuple[str | None, tuple[str, ...]]:
    """The normal forms of a start and of the moves from there, which count like the players' own:
    for repetition, too.

    Raises:
        StartError: as `playable_start`; or a move is illegal, or ends the game.
    """
    position = _to_play(rules, start)
    _play(position, opening)
    return position.start, tuple(position.moves)


def opened(
    rules: Rules, start: str | None, opening: Sequence[str], *, claims: bool = False
) -> Position:
    """A game after its opening. `claims`: as in `Rules.new`.

    Raises:
        StartError: the start is invalid, or a move of the opening is illegal or ends the game. In a
            refereed game, whose moves only a referee can judge, every move is.
    """
    position = rules.new(start, claims=claims)
    _play(position, opening)
    return position


def movers(rules: Rules, start: str | None, opening: Sequence[str]) -> Sequence[Side]:
    """Whose each move of an opening is. Raises `StartError` as `opened`."""
    position, sides = rules.new(start, claims=True), list[Side]()
    for move in opening:
        sides.append(position.turn)
        _play(position, (move,))
    return sides


def over_already(outcome: Outcome) -> str:
    """Why no game begins there."""
    return f"the game is over there already: {_ended(outcome)}"


def _to_play(rules: Rules, start: str | None) -> Position:
    position = rules.new() if start is None else rules.to_play(start)
    if (outcome := position.outcome()) is not None:
        raise StartError(over_already(outcome))
    return position


def _play(position: Position, opening: Sequence[str]) -> None:
    if len(opening) > MOST_PLIES:
        raise StartError(f"an opening has {MOST_PLIES} plies at most, and this one {len(opening)}")
    for move in opening:
        verdict = position.play_untrusted(move)
        if isinstance(verdict, Illegal):
            ply = len(position.moves) + 1
            raise StartError(f"ply {ply} of the opening, {move}, is illegal: {verdict.why}")
        if isinstance(verdict, Over):
            where = f"ply {len(position.moves)}, {move}"
            raise StartError(f"the opening ends the game at {where}: {_ended(verdict.outcome)}")


def _ended(outcome: Outcome) -> str:
    ended = "drawn" if outcome.winner is None else f"won by {outcome.winner.word}"
    return f"{ended} ({outcome.reason.value})"
