"""The end of a game, however it was said."""

import re
from collections.abc import Iterator

from ulci.protocol import BestMove

from .state import Effect, Kind, News, Question, Send, State
from .words import Result, result_for, result_in_words

# What is answered where a move is owed but none will come (ULCI: a null move is 0000).
NO_MOVE = BestMove("0000")

_RESULT = re.compile(r"result (1-0|0-1|1/2-1/2|\*)(?: reason (\S+))?(?: .*)?")


def result_said(text: str) -> Result | None:
    """``result 1-0 reason checkmate`` (the end of every game here), or None."""
    match = _RESULT.fullmatch(" ".join(text.split()))
    return Result(match[1], match[2] or "unknown") if match else None


def finish(state: State, result: Result, at: float) -> Iterator[Effect]:
    """Our game is over at `at`; said twice it happens once."""
    game = state.game
    if game is None or game.over:
        return
    game.result = result
    game.offers.clear()
    game.away, game.sent, game.trouble, game.thought = None, None, "", ""
    game.premove = ""
    if not game.watched:
        game.viewed = None  # the last board is what the result is about
    game.clocks = game.clocks and game.clocks.stopped(at)
    if state.question is Question.RESIGN or state.question is Question.QUIT:
        state.question = None
    if game.mine is not None and not game.watched:
        state.last_rival = game.names[game.mine.other]
    if game.asked:
        # Answers are matched to questions by counting: the debt would spoil the next game.
        game.asked = False
        yield Send(NO_MOVE)
    words = result_in_words(result)
    verdict = result_for(result, game.mine)
    yield News(
        Kind.RESULT, f"{words}. {verdict}".strip(), f"result {result.score} {result.reason} {words}"
    )
