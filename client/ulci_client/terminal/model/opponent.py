"""Whether the opponent is still there: ``lobby game 42 opponent …``. Pure.

away, back                         the connection, and when a win or a draw may be claimed
thinking, hung, line-down, gone    what the server knows about the player to move
"""

import math
from collections.abc import Iterator, Mapping

from ulci.protocol.lobby.lines import OpponentState

from .clocks import in_minutes
from .game import Game
from .lobby_lists import ours
from .state import ClientState, Effect, News, NewsKind

CLAIM = "claim win, or claim draw"

# Shown while the state lasts; {} is the opponent.
_TROUBLES: Mapping[str, str] = {
    "hung": "{} does not respond; the clock runs on",
    "line-down": "{} is disconnected; the clock runs on",
    "gone": "{} is gone",
}


def hear(state: ClientState, line: OpponentState, at: float) -> Iterator[Effect]:
    game, what = ours(state, line.id), line.state
    if game is None:
        return
    if what == "away":
        yield _away(game, line.claim_in, at)
    elif what in _TROUBLES:
        game.trouble = what
        yield News(NewsKind.OPPONENT, f"{trouble(game)}.", f"opponent {what}")
    else:
        yield from _well(game, what)


def trouble(game: Game) -> str:
    """What keeps the opponent from moving, without a full stop; empty if nothing."""
    return _TROUBLES[game.trouble].format(_whose(game)) if game.trouble else ""


def claimable(game: Game, now: float) -> bool:
    """Whether the opponent has been away long enough to claim the game."""
    return game.away is not None and game.away <= now and not game.watched


def until_claim(game: Game, now: float) -> str:
    """``has 20 s to come back``: how long the opponent may stay away."""
    assert game.away is not None
    if math.isinf(game.away):
        return "may stay away until the clock runs out"
    return f"has {max(0, math.ceil(game.away - now))} s to come back"


def _away(game: Game, claim_in: int | None, at: float) -> News:
    ms = math.inf if claim_in is None else claim_in
    game.away = at + ms / 1000
    line = f"opponent away {'' if claim_in is None else in_minutes(claim_in)}".rstrip()
    if ms == 0:
        text = f"{_whose(game)} has been away for too long: {CLAIM}."
    elif math.isinf(ms):
        text = f"{_whose(game)} is disconnected; the clock runs on."
    else:
        seconds = math.ceil(ms / 1000)
        claim = "" if game.watched else f"; then {CLAIM}"
        text = f"{_whose(game)} is disconnected and has {seconds} s to come back{claim}."
    return News(NewsKind.OPPONENT, text, line)


def _well(game: Game, what: str) -> Iterator[Effect]:
    """``back``, ``thinking``: fine again; `thinking` is news only after trouble."""
    wrong = game.away is not None or bool(game.trouble)
    game.away, game.trouble = None, ""
    if wrong or what != "thinking":
        text = "thinking again" if what == "thinking" else what
        yield News(NewsKind.OPPONENT, f"{_whose(game)} is {text}.", f"opponent {what}")


def _whose(game: Game) -> str:
    """The opponent; in a watched game the player to move."""
    if not game.watched:
        return game.opponent
    return "The player" if game.turn is None else game.named(game.turn)
