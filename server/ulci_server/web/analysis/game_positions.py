"""A position of a recorded game, after any ply: its FEN, and the moves that lead to it."""

from starlette.requests import Request
from starlette.responses import Response

from ulci_server.web.answers import JSON, NO_STORE, SiteContext, bad, host, no_game, number
from ulci_server.web.archive import Shown
from ulci_server.web.documents import after_now, encode
from ulci_server.web.pictures.picture_answers import asked_ply
from ulci_server.web.snapshot import recorded

COST = 2.0
"""What such an answer counts in the quota, where others count 1: it replays the game."""


class GamePositions:
    """The answers about positions of one site's games."""

    def __init__(self, context: SiteContext) -> None:
        self._context = context

    async def position(self, request: Request) -> Response:
        """The position after the ``ply`` of the query. Without one, or with one that the game does
        not have, it is the latest position. ``fen`` is null in games of a referee."""
        ply = asked_ply(request)
        if unknown := set(request.query_params) - {"ply"}:
            raise bad(f"unknown parameter {min(unknown)[:20]!r}; there is ply")
        self._context.quotas.work(host(request), COST)
        wanted = number(request)
        game = await recorded(self._context, wanted)
        if game is None:
            raise no_game(wanted)

        def make(shown: Shown) -> bytes:
            start = {"id": game.id, "rules": game.rules, "start": game.start}
            return encode({**start, "ply": shown.ply, "moves": [*shown.moves], "fen": shown.fen})

        kind = f"position {'' if ply is None else ply}"
        body = await self._context.archive.at_ply(game, ply, kind, make)
        return Response(after_now(body) + body[1:], 200, NO_STORE, JSON)
