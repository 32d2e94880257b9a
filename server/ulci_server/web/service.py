"""The answers about the server itself: what it offers, who is connected, and its health."""

from dataclasses import asdict
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from ulci_server.hall.lobby_service import MOST_LISTED, LobbyUnreachableError
from ulci_server.hall.sharing import Sharing
from ulci_server.lobby import Pool

from .answers import JSON, NO_STORE, TEXT, SiteContext, answer, bad, error, host

WEBSOCKET = "/ulci"
"""The path of the WebSocket, unless a listener sets another."""


class Service:
    """The answers about the server."""

    def __init__(self, context: SiteContext) -> None:
        self._context = context
        self._pools = [
            _pool(pool, openings=table.openings is not None)
            for table, pool in zip(
                context.config.pool, context.config.pools(context.games), strict=True
            )
        ]
        self._games = [*context.games]
        self._sharing = Sharing(context.turns)  # another server may host the lobby

    async def server(self, request: Request) -> Response:
        web = self._context.config.web
        return answer(
            {
                "name": "ulci-relay",
                "version": version("ulci-relay"),
                "serve": web.serve,
                "embed": web.embed,
                "standings": self._context.standings is not None,
                "opinions": web.opinions and bool(self._context.config.engine),
                "directing": bool(self._context.config.tournaments.directors),
                "sign_up": self._context.config.clients.sign_up,
                "websocket": self._websocket(request),
                "pools": self._pools,
                "games": self._games,
            }
        )

    def _websocket(self, request: Request) -> str:
        """The path of the WebSocket at the listener that received the request."""
        places = {
            listener.address.port: listener.address.path
            for listener in self._context.config.listen
            if listener.address.scheme in ("ws", "wss")
        }
        _, port = request.scope.get("server") or ("", 0)
        return places.get(port or 0) or next(iter(places.values()), "") or WEBSOCKET

    async def pools(self, _: Request) -> Response:
        return answer({"pools": self._pools})

    async def players(self, request: Request) -> Response:
        """The players who are connected to any server of the cluster, each with its game."""
        unknown = set(request.query_params) - {"limit"}
        if unknown:
            raise bad("the only filter is limit")
        self._context.quotas.work(host(request))
        text = request.query_params.get("limit", str(MOST_LISTED))
        if not (text.isascii() and text.isdigit() and 1 <= int(text[:6]) <= MOST_LISTED):
            raise bad(f"limit is a number from 1 to {MOST_LISTED}")
        try:
            presence = await self._sharing.share("players", self._context.hall.lobby.players)
        except LobbyUnreachableError as refusal:
            raise HTTPException(503, str(refusal), {"Retry-After": "1"}) from None
        players = [asdict(player) for player in presence.players[: int(text)]]
        return answer({"players": players, "present": presence.count})

    async def openapi(self, _: Request) -> Response:
        return Response(openapi_text(), 200, {"Cache-Control": "public, max-age=3600"}, JSON)

    # Health

    async def livez(self, _: Request) -> Response:
        """Always ok: the answer itself shows that the loop runs."""
        return Response("ok\n", 200, NO_STORE, TEXT)

    async def readyz(self, _: Request) -> Response:
        """Whether new games can start here."""
        if self._context.hall.closing.begun:
            return error(503, "the server is shutting down")
        if not self._context.journal.healthy:
            return error(503, "the database does not answer")
        if not self._context.hall.lobby.reachable:
            return error(503, "the server that hosts the lobby cannot be reached")
        return Response("ok\n", 200, NO_STORE, TEXT)


@cache
def openapi_text() -> bytes:
    """The description of all routes."""
    return files(__package__).joinpath("openapi.json").read_bytes()


def _pool(pool: Pool, *, openings: bool) -> dict[str, Any]:
    start = pool.starts[0] if len(pool.starts) == 1 else None
    return {
        "name": pool.name,
        "rules": pool.game.name,
        "control": str(pool.control),
        "start": start,
        "openings": openings,
        "rated": pool.rated,
        "lag": pool.pool_rules.lag.value,
        "conduct": str(pool.pool_rules.conduct),
    }
