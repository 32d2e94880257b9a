"""Is there still somebody at the other end? ``lobby game 42 opponent …``. Pure.

away, back     the line, and when a win or a draw may be claimed
thinking, hung, line-down, gone    what the server knows of whoever is to move
"""

import math
from collections.abc import Iterator, Mapping

from .announced import Words, facts, ours
from .clocks import in_minutes
from .game import Game
from .state import Effect, Kind, News, State

CLAIM = "claim win, or claim draw"

# What is said of a state and what is shown as long as it lasts; {} is the opponent.
_TROUBLES: Mapping[str, str] = {
    "hung": "{} does not answer; the clock runs on",
    "line-down": "{}'s line is down; the clock runs on",
    "gone": "{} is gone",
}


def hear(state: State, words: Words, at: float) -> Iterator[Effect]:
    """The words after ``lobby game``."""
    game, what = ours(state, words), words[2]
    if game is None:
        return
    if what == "away":
        yield _away(game, facts(words[3:]).get("claim-in"), at)
    elif what in _TROUBLES:
        game.trouble = what
        yield News(Kind.OPPONENT, f"{trouble(game)}.", f"opponent {what}")
    else:
        yield from _well(game, what)


def trouble(game: Game) -> str:
    """What keeps the opponent from moving, without a full stop; empty if nothing does."""
    return _TROUBLES[game.trouble].format(_whose(game)) if game.trouble else ""


def claimable(game: Game, now: float) -> bool:
    """Whether the opponent has been away for so long that the game may be claimed."""
    return game.away is not None and game.away <= now and not game.watched


def until_claim(game: Game, now: float) -> str:
    """``has 20 s to come back``: how long the opponent may still stay away."""
    assert game.away is not None
    if math.isinf(game.away):
        return "may stay away until the clock runs out"
    return f"has {max(0, math.ceil(game.away - now))} s to come back"


def _away(game: Game, claim_in: str | None, at: float) -> News:
    ms = math.inf if claim_in is None else int(claim_in)
    game.away = at + ms / 1000
    line = f"opponent away {'' if claim_in is None else in_minutes(int(claim_in))}".rstrip()
    if ms == 0:
        text = f"{_whose(game)} has been away for too long: {CLAIM}."
    elif math.isinf(ms):
        text = f"{_whose(game)} has lost the line; the clock runs on."
    else:
        seconds = math.ceil(ms / 1000)
        claim = "" if game.watched else f"; then {CLAIM}"
        text = f"{_whose(game)} has lost the line and has {seconds} s to come back{claim}."
    return News(Kind.OPPONENT, text, line)


def _well(game: Game, what: str) -> Iterator[Effect]:
    """``back``, ``thinking``: all is well again, which is told only if it was not."""
    wrong = game.away is not None or bool(game.trouble)
    game.away, game.trouble = None, ""
    if wrong or what != "thinking":
        text = "thinking again" if what == "thinking" else what
        yield News(Kind.OPPONENT, f"{_whose(game)} is {text}.", f"opponent {what}")


def _whose(game: Game) -> str:
    """The opponent; of two who are watched the one to move, for nobody waits for the other."""
    if not game.watched:
        return game.opponent
    return "The player" if game.turn is None else game.named(game.turn)
