"""The answers about any position and about pasted games, made in a worker thread."""

from functools import partial

from starlette.requests import Request
from starlette.responses import Response

from ulci_server.web.answers import SiteContext, answer, bad

from .explorer import FIRST_PLIES, Explored, Explorer, explored_document
from .opinion import Asked, Opinions
from .pasted import pasted_document
from .positions import UnknownPositionError, names_of, position_document
from .questions import PastedText, PositionQuestion, Questions, rules_of

POSITION_COST, PASTED_COST, EXPLORED_COST, OPINION_COST = 1.0, 10.0, 1.0, 20.0
"""What these answers count in the quota, where others count 1."""


class AnalysisAnswers:
    """The answers of one site."""

    def __init__(self, context: SiteContext, explorer: Explorer) -> None:
        config = context.config
        self._questions = Questions(context)
        self._explorer = explorer
        engines = config.engine if config.web.opinions else ()
        offers = [table.offer() for table in engines]
        self._opinions = Opinions(context, offers, self._questions)

    async def position(self, request: Request) -> Response:
        """The position after some moves, and its legal moves."""
        asked = await self._questions.read(request, PositionQuestion, POSITION_COST)
        rules = rules_of(asked.rules)
        work = partial(position_document, rules, asked.start, asked.moves, asked.typed.strip())
        try:
            return answer(await self._questions.answer(work))
        except UnknownPositionError as refusal:
            raise bad(str(refusal)) from None

    async def explored(self, request: Request) -> Response:
        """The moves that were played in a position within the first plies of recorded games."""
        asked = await self._questions.read(request, PositionQuestion, EXPLORED_COST)
        rules = rules_of(asked.rules)
        found: list[Explored] = []
        whole = True
        if len(asked.moves) < FIRST_PLIES:
            found, whole = await self._explorer.explored(rules.name, asked.start, asked.moves)
        of = [each.move for each in found]
        work = partial(names_of, rules, asked.start, asked.moves, of)
        try:
            names = await self._questions.answer(work)
        except UnknownPositionError as refusal:
            raise bad(str(refusal)) from None
        return answer(
            {"plies": FIRST_PLIES, "whole": whole, "moves": explored_document(found, names)}
        )

    async def opinion(self, request: Request) -> Response:
        """The evaluation of a position by an engine of the server."""
        asked = await self._questions.read(request, PositionQuestion, OPINION_COST)
        rules = rules_of(asked.rules)
        try:
            found = await self._opinions.of(Asked(rules.name, asked.start, tuple(asked.moves)))
        except UnknownPositionError as refusal:
            raise bad(str(refusal)) from None
        return answer(found)

    async def pasted(self, request: Request) -> Response:
        """A game from PGN, or a position from FEN."""
        asked = await self._questions.read(request, PastedText, PASTED_COST)
        rules_of(asked.rules)
        work = partial(pasted_document, asked.text, asked.rules)
        try:
            return answer(await self._questions.answer(work))
        except UnknownPositionError as refusal:
            raise bad(str(refusal)) from None
