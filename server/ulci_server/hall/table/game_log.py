"""Log lines of a game."""

import logging
from collections.abc import Sequence

import structlog

from ulci_server.game.facts import Fact, GameFinished, GameStarted, Happened, MovePlayed

LOG = structlog.get_logger("ulci_server.hall")


def logs_moves() -> bool:
    """Whether moves are logged. Asked once a table, to save a disabled call a move."""
    return bool(LOG.is_enabled_for(logging.DEBUG))


def log(fact: Fact) -> None:
    """Log a fact when it is noted; moves at debug level only."""
    match fact:
        case MovePlayed():
            LOG.debug(
                "move",
                game=fact.game,
                ply=fact.ply,
                side=fact.side.word,
                move=fact.move,
                spent=fact.spent,
                lag=fact.lag,
                stall=fact.stall,
                left=fact.left,
            )
        case Happened(game, _, ply, what, side, amount, text):
            who = "" if side is None else side.word
            what_of = {"side": who, "amount": amount, "text": text}
            LOG.info("in game", game=game, ply=ply, what=str(what), **what_of)
        case GameStarted(game, rules, start, control, (white, black), opening=opening):
            LOG.info(
                "game started",
                game=game,
                white=white.name,
                black=black.name,
                rules=rules,
                time=control,
                start=_spelled(start, opening),
            )
        case GameFinished(game, outcome, detail):
            LOG.info(
                "game over",
                game=game,
                result=outcome.score,
                reason=str(outcome.reason),
                detail=detail,
            )


def _spelled(start: str | None, opening: Sequence[str]) -> str:
    """As in ``position``."""
    moves = ("moves", *opening) if opening else ()
    return " ".join((start or "startpos", *moves))
