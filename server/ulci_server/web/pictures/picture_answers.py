"""The answers with pictures of games: a game's position after any ply."""

from hashlib import sha256
from importlib.metadata import version

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from ulci_server.storage import GameRecord
from ulci_server.web.answers import SiteContext, bad, host, no_game, number, one_of, unchanged
from ulci_server.web.archive import Shown
from ulci_server.web.games import KEEP
from ulci_server.web.snapshot import recorded

from .board_picture import Scene, TooLargeError, board_picture

SVG = "image/svg+xml"

COST = 2.0
"""What a picture counts in the quota, where other answers count 1: it replays the game."""

SOON_OLD = "public, max-age=5"
"""Cache-Control of a running game's picture."""

_VERSION = version("ulci-relay")


class PictureAnswers:
    """The pictures of one site."""

    def __init__(self, context: SiteContext) -> None:
        self._context = context

    async def board(self, request: Request) -> Response:
        """The position after the ``ply`` of the query. Without one, or with one that the game does
        not have, it is the latest position."""
        ply, side = asked_ply(request), one_of(request, "side", ("white", "black")) or "white"
        if unknown := set(request.query_params) - {"ply", "side"}:
            raise bad(f"unknown parameter {min(unknown)[:20]!r}; there are ply, side")
        self._context.quotas.work(host(request), COST)
        wanted = number(request)
        game = await recorded(self._context, wanted)
        if game is None:
            raise no_game(wanted)
        kind = f"picture {'' if ply is None else ply} {side}"
        began = int(game.started_at.timestamp() * 1000)
        etag = f'W/"{kind.replace(" ", "-")}-{game.id}-{began}-{_VERSION}"'
        headers = {"ETag": etag, "Cache-Control": KEEP}
        if not game.running and unchanged(request, etag):
            return Response(status_code=304, headers=headers)

        def make(shown: Shown) -> bytes:
            return board_picture(_scene(game, shown, side))

        try:
            body = await self._context.archive.at_ply(game, ply, kind, make)
        except TooLargeError as refusal:
            raise HTTPException(404, str(refusal)) from None
        if game.running:
            etag = f'W/"{sha256(body).hexdigest()[:16]}"'
            headers = {"ETag": etag, "Cache-Control": SOON_OLD}
            if unchanged(request, etag):
                return Response(status_code=304, headers=headers)
        return Response(body, 200, headers, SVG)


def asked_ply(request: Request) -> int | None:
    """The ``ply`` of the query; None if it is left out. Raises `HTTPException`."""
    said = request.query_params.getlist("ply")
    if not said:
        return None
    if len(said) == 1 and said[0].isascii() and said[0].isdigit() and len(said[0]) <= 5:
        return int(said[0])
    raise bad("ply is a number from 0 to 99999, once, or left out")


def _scene(game: GameRecord, shown: Shown, side: str) -> Scene:
    white, black = (seat.name for seat in game.seats)
    place = f"after ply {shown.ply}, {shown.san}" if shown.ply else "at the start"
    title = f"{white} – {black}, {place}"
    return Scene(shown.board, game.rules, title, shown.move, flipped=side == "black")
