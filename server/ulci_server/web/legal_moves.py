"""Questions about a running game: its legal moves, and what a typed move means.

A worker thread answers them from a position of its own: on the largest boards that takes a second.
"""

from collections import OrderedDict
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ulci.rules import Illegal, Position, Rules

from .answers import SiteContext, answer, bad, host, no_game, number, paused, words
from .played_moves import Resting
from .snapshot import GameSnapshot, look

MOST_NAMED = 1000
"""Legal moves that an answer also has in the game's notation; no position of chess has more than
218."""

LONGEST_TEXT = 64
"""Characters of a typed move."""

COST = 2.0
"""What such an answer counts in the quota, where others count 1: it replays the game."""

KEPT = 64
"""Positions whose legal moves are cached: all spectators of a game request the same ones."""

Key = tuple[int, tuple[str, ...]]


class LegalMoves:
    """The answers about positions of running games."""

    def __init__(self, context: SiteContext) -> None:
        self._context = context
        self._kept: OrderedDict[Key, dict[str, Any]] = OrderedDict()

    async def legal(self, request: Request) -> Response:
        """The legal moves now."""
        board, moves, _ = await self._look(request)
        key = board.id, moves
        if (known := self._kept.get(key)) is None:
            game = board.agreement.game, board.started.start, moves
            known = await self._context.archive.ask(partial(_legal, *game))
            self._kept[key] = known
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return answer({"ply": len(moves), **known})

    async def parse(self, request: Request) -> Response:
        """The move that a person's text means; else why it means none."""
        text = words(request.query_params.get("text", ""), LONGEST_TEXT, "text")
        if not text:
            raise bad("text is a move")
        board, moves, _ = await self._look(request)
        game = board.agreement.game, board.started.start, moves
        return answer(await self._context.archive.ask(partial(_parsed, *game, text)))

    async def _look(self, request: Request) -> GameSnapshot:
        self._context.quotas.work(host(request), COST)
        wanted = number(request)
        seen = await look(self._context, wanted)
        if seen is None:
            raise no_game(wanted, "running ")
        if seen.state is None:
            raise paused()
        return seen


# In a worker thread


def _position(rules: Rules, start: str | None, moves: tuple[str, ...]) -> Position:
    position, resting = rules.new(start, claims=True), Resting()
    for move in moves:
        position.play_untrusted(move)
        resting.rest()
    return position


def _legal(rules: Rules, start: str | None, moves: tuple[str, ...]) -> dict[str, Any]:
    position, resting = _position(rules, start, moves), Resting()
    legal, named = position.legal_moves(), dict[str, str]()
    for move in legal[:MOST_NAMED]:
        named[move] = position.san(move)
        resting.rest()
    return {"moves": legal, "san": named}


def _parsed(
    rules: Rules, start: str | None, moves: tuple[str, ...], text: str
) -> dict[str, str | None]:
    position = _position(rules, start, moves)
    move = position.parse_untrusted(text)
    if move is not None:
        return {"move": move, "why": None}
    verdict = position.play_untrusted(text)
    why = verdict.why if isinstance(verdict, Illegal) else "it is not a legal move"
    return {"move": None, "why": why}
