"""What of a game is in the log, so that a person can follow it?"""

import structlog

from ulci_server.game.facts import Fact, GameFinished, GameStarted, Happened, MovePlayed

LOG = structlog.get_logger("ulci_server.hall")


def log(fact: Fact) -> None:
    """As it is noted. Moves are only for those who ask for them (debug)."""
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
        case GameStarted(game, rules, start, control, (white, black)):
            LOG.info(
                "game started",
                game=game,
                white=white.name,
                black=black.name,
                rules=rules,
                time=control,
                start=start or "startpos",
            )
        case GameFinished(game, outcome, detail):
            LOG.info(
                "game over",
                game=game,
                result=outcome.score,
                reason=str(outcome.reason),
                detail=detail,
            )
