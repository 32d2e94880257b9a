"""The answers about recorded games: lists of games, one game, its PGN, and why it ended."""

import re
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from typing import Any

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from ulci_server.lobby.names import visible
from ulci_server.storage import Filters, GameRecord

from .answers import (
    JSON,
    LARGEST_ID,
    NO_STORE,
    TEXT,
    SiteContext,
    answer,
    bad,
    error,
    host,
    no_game,
    number,
    of_running,
    one_of,
    unchanged,
    words,
)
from .archive import ExportError
from .pieces import PiecesResponse, timed
from .snapshot import look, recorded

PAGE, LARGEST_PAGE = 50, 200

EXPORTED = 20
"""Games of an export that count as one more request in the quota."""

LONGEST_NAME = 200
"""Characters of a name in a request."""

PGN = "application/x-chess-pgn"

KEEP = "public, max-age=3600"
"""Cache-Control of a finished game, which does not change; but a newer server may add something to
its answer."""

_VERSION = version("ulci-relay")


class GameAnswers:
    """The answers about recorded games."""

    def __init__(self, context: SiteContext) -> None:
        self._context = context
        self._archive = context.archive

    async def list(self, request: Request) -> Response:
        filters = _filters(request.query_params)
        self._context.quotas.work(host(request))
        games = await self._archive.page(filters)
        full = len(games) == filters["limit"]
        return answer({"games": games, "before": games[-1]["id"] if games and full else None})

    async def list_pgn(self, request: Request) -> Response:
        filters = _filters(request.query_params)
        self._context.quotas.work(host(request), 1 + (filters["limit"] or 0) / EXPORTED)
        return PgnStream(self._context, await self._archive.selection(filters))

    async def one(self, request: Request) -> Response:
        game = await self._find(request)
        if not game.running:
            return await self._finished(request, game, "game", JSON)
        body = await self._archive.game(game)
        seen = await look(self._context, game.id)
        more = of_running(None if seen is None else seen.state)
        return PiecesResponse(timed(body, **more), NO_STORE, JSON)

    async def pgn(self, request: Request) -> Response:
        game = await self._find(request)
        try:
            if not game.running:
                return await self._finished(request, game, "pgn", PGN)
            body = await self._archive.pgn(game)
        except ExportError as fault:
            return error(404, f"this game cannot be written as PGN: {fault}")
        return Response(body, 200, NO_STORE, PGN)

    async def why(self, request: Request) -> Response:
        """Why a game ended: one paragraph, or JSON if the request prefers that."""
        as_json = wants_json(request)
        game = await self._find(request)
        text = await self._archive.why(game)
        if as_json:
            return answer({"id": game.id, "why": text.decode()})
        return Response(text + b"\n", 200, {**NO_STORE, "Vary": "Accept"}, TEXT)

    async def _find(self, request: Request) -> GameRecord:
        self._context.quotas.work(host(request))
        wanted = number(request)
        game = await recorded(self._context, wanted)
        if game is None:
            raise no_game(wanted)
        return game

    async def _finished(
        self, request: Request, game: GameRecord, kind: str, media_type: str
    ) -> Response:
        """The answer for a finished game, which a browser may cache. Its ETag names the game and
        the version of the server. It also has the time at which the game began, because another
        database has other games of the same numbers. Raises `ExportError`."""
        began = int(game.started_at.timestamp() * 1000)
        etag = f'W/"{kind}-{game.id}-{began}-{_VERSION}"'
        headers = {"ETag": etag, "Cache-Control": KEEP}
        if unchanged(request, etag):
            return Response(status_code=304, headers=headers)
        if kind == "pgn":
            return Response(await self._archive.pgn(game), 200, headers, media_type)
        body = await self._archive.game(game)
        return PiecesResponse(timed(body), headers, media_type)


class PgnStream(Response):
    """Many games as PGN, each sent as soon as it is ready, so that memory for one is enough. Games
    that PGN cannot express are left out."""

    def __init__(self, context: SiteContext, games: list[GameRecord]) -> None:
        super().__init__(None, 200, NO_STORE, PGN)
        del self.headers["content-length"]
        self._context = context
        self._games = games

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        await send(start)
        if scope["method"] != "HEAD":
            async with aclosing(self._texts()) as texts:
                async for text in texts:
                    await send({"type": "http.response.body", "body": text, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _texts(self) -> AsyncGenerator[bytes]:
        for game in self._games:
            try:
                yield await self._context.archive.pgn(game)
            except ExportError:
                continue


def wants_json(request: Request) -> bool:
    """Whether the client wants JSON and not text, by ``?format=json`` or else by ``Accept``."""
    if (wanted := one_of(request, "format", ("json", "text"))) is not None:
        return wanted == "json"
    accepts = request.headers.get("accept", "")
    return "json" in accepts and "text/plain" not in accepts


# Filters

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def _name(text: str) -> str:
    """The name in the form in which names are stored, whatever its spelling in Unicode."""
    return visible(words(text, LONGEST_NAME, "a name"))


def _state(text: str) -> bool:
    if text not in ("running", "finished"):
        raise bad(f"state is running or finished, not {text[:20]!r}")
    return text == "running"


def _day(text: str) -> datetime:
    """The beginning of a day in UTC, from a ``full-date`` of RFC 3339 section 5.6."""
    try:
        if not _DAY.fullmatch(text):
            raise ValueError
        return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        raise bad(f"expected a day such as 2026-11-22, found {text[:20]!r}") from None


def _end_of_day(text: str) -> datetime:
    day = _day(text)
    return day + min(timedelta(days=1), datetime.max.replace(tzinfo=UTC) - day)


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 20 and 1 <= int(text) <= LARGEST_ID):
        raise bad(f"expected a number from 1 on, found {text[:20]!r}")
    return int(text)


def _limit(text: str) -> int:
    wanted = _number(text)
    if wanted > LARGEST_PAGE:
        raise bad(f"limit is {LARGEST_PAGE} at most")
    return wanted


_FILTERS: Mapping[str, tuple[str, Callable[[str], Any]]] = {
    "state": ("running", _state),
    "player": ("player", _name),
    "rules": ("rules", _name),
    "pool": ("pool", _name),
    "since": ("since", _day),
    "until": ("until", _end_of_day),
    "before": ("before", _number),
    "limit": ("limit", _limit),
}
"""The filter of each query parameter, and the function that reads its value. Days are those of UTC,
both included."""


def _filters(query: QueryParams) -> Filters:
    """The filters in the query. Raises `HTTPException` for an unknown or repeated parameter, which
    would silently select other games than the client meant."""
    filters: Filters = {"limit": PAGE}
    for word, text in query.multi_items():
        if word not in _FILTERS:
            raise bad(f"unknown filter {word[:20]!r}; there are {', '.join(_FILTERS)}")
        if len(query.getlist(word)) > 1:
            raise bad(f"{word} is given more than once")
        name, read = _FILTERS[word]
        if text or read is not _name:  # of any name
            filters[name] = read(text)  # type: ignore[literal-required]
    return filters
