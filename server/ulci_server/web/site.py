"""The application: its routes, its headers, its errors, and the files of the pages."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable

import structlog
import trio
from starlette.applications import Starlette
from starlette.convertors import Convertor, StringConvertor, register_url_convertor
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ulci.net import Gate, Sample, Turns
from ulci.rules import Rules
from ulci_server.config import Config
from ulci_server.hall import Authenticator, Hall, Referee
from ulci_server.storage import Database, Journal, StorageError
from ulci_server.tournament import StandingsSource

from .answers import NO_STORE, SiteContext, error, unchanged
from .archive import Archive
from .directing import ACTS, DirectingAnswers
from .error_page import error_page, wants_page
from .game_streams import GameStreams
from .games import GameAnswers
from .legal_moves import LegalMoves
from .metrics import ClusterServer, Metrics
from .page_tables import page_tables
from .quotas import Quotas
from .ratings import RatingAnswers
from .service import Service
from .standings import StandingsAnswer
from .tournaments import TournamentAnswers

LOG = structlog.get_logger("ulci_server.web")

PAGES: Mapping[str, str] = {
    "/": "index.html",
    "/games/{id:game}": "game.html",
    "/play": "play.html",
    "/embed/{id:game}": "embed.html",
    "/tournaments": "tournaments.html",
    "/direct": "direct.html",
    "/tournaments/{name}": "tournament.html",
    "/embed/tournaments/{name}": "tournament.html",
}

PROMPT = frozenset({"/livez", "/readyz"})
"""Paths that are answered before any crowd: by them a server is known to live."""

FAILURES_LOGGED = (1 / 60, 1)
"""Lines about a database that does not answer, a second and at once: everybody who asks for a game
meanwhile would bring one."""

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " connect-src 'self' ws: wss:; base-uri 'none'; form-action 'self'; frame-ancestors {}"
)
NOBODY, ANYBODY = _POLICY.format("'none'"), _POLICY.format("*")
"""By whom a page may be framed; nothing on it is loaded from elsewhere or written into it."""

BARE = "default-src 'none'; frame-ancestors 'none'"
"""For all that is no page: it is never to be shown as one."""

EMBEDDED = re.compile(r"/static/.+|/api/games/[0-9]{1,19}(/events)?|/api/tournaments/[^/]+")
"""Paths that the page of one game or tournament reads when it is framed."""

PREFLIGHT: Mapping[str, str] = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Headers": "Last-Event-ID",
    "Access-Control-Max-Age": "86400",
}
"""By which a browser learns that a stream may say where it goes on (Fetch, CORS-preflight)."""

_TYPES: Mapping[str, str] = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".json": "application/json",
    ".webmanifest": "application/manifest+json",
    ".txt": "text/plain; charset=utf-8",
    ".md": "text/plain; charset=utf-8",
}

Endpoint = Callable[[Request], Awaitable[Response]]


class _GameNumber(Convertor[int]):
    """The number of a game in a path; longer numbers are no game's."""

    regex = "[0-9]{1,19}"

    def convert(self, value: str) -> int:
        return int(value)

    def to_string(self, value: int) -> str:
        return str(value)


class _Act(StringConvertor):
    """What a director does with a tournament."""

    regex = "|".join(ACTS)


register_url_convertor("game", _GameNumber())
register_url_convertor("act", _Act())


def make_site(
    config: Config,
    hall: Hall,
    journal: Journal,
    database: Database,
    games: Mapping[str, Rules],
    *,
    nursery: trio.Nursery,
    gate: Gate,
    turns: Turns,
    referees: Sequence[Referee] = (),
    cluster: ClusterServer | None = None,
    authenticator: Authenticator | None = None,
    standings: StandingsSource | None = None,
) -> Starlette:
    """The application. games: all that can be played here. nursery: for the feeds of watched
    games. gate: what refuses connections; addresses that it exempts are not counted here either.
    turns: in which crowds of those who ask go on. referees: of the games that need one. cluster:
    this server among those that act as one. authenticator: of those who direct tournaments; None:
    nobody does. standings: of the match or tournament that is played here."""
    archive = Archive(database, games, config.play.delay, turns)
    nursery.start_soon(archive.forget_unused)
    context = SiteContext(
        config,
        hall,
        journal,
        games,
        archive,
        Quotas(gate.exempts, gate.has_kept_places),
        turns,
        standings,
    )
    tournaments = TournamentAnswers(context)
    director = DirectingAnswers(context, database, authenticator, tournaments.changed)
    routes = [
        *_pages(config),
        *_api(context, tournaments, GameStreams(context, nursery)),
        *_directing(tournaments, director),
    ]
    metrics = Metrics(context, gate, referees, cluster)
    routes.append(Route("/metrics", metrics.answer, methods=["GET"]))
    app = Starlette(
        routes=routes,
        middleware=[Middleware(_Guard, embed=config.web.embed)],
        exception_handlers={HTTPException: _refused, StorageError: _NoDatabase()},
    )
    app.router.redirect_slashes = False  # it would answer with a Location made from the Host header
    return app


def _api(context: SiteContext, tournaments: TournamentAnswers, streams: GameStreams) -> list[Route]:
    games, service, legal_moves = GameAnswers(context), Service(context), LegalMoves(context)
    ratings = RatingAnswers(context)
    answers: dict[str, Endpoint] = {
        "/api/server": service.server,
        "/api/pools": service.pools,
        "/api/players": service.players,
        "/api/standings": StandingsAnswer(context.standings).answer,
        "/api/ratings": ratings.pools,
        "/api/ratings/{pool}": ratings.of_pool,
        "/api/tournaments/{name}": tournaments.one,
        "/api/tournaments/{name}/standings.csv": tournaments.standings_csv,
        "/api/tournaments/{name}/report.trf": tournaments.report_trf,
        "/api/tournaments/{name}/games.pgn": tournaments.games_pgn,
        "/api/openapi.json": service.openapi,
        "/api/games": games.list,
        "/api/games.pgn": games.list_pgn,
        "/api/games/{id:game}": games.one,
        "/api/games/{id:game}.pgn": games.pgn,
        "/api/games/{id:game}/why": games.why,
        "/api/games/{id:game}/legal": legal_moves.legal,
        "/api/games/{id:game}/parse": legal_moves.parse,
        "/api/games/{id:game}/events": streams.of_game,
        "/api/games/{id:game}/events.ndjson": streams.of_game,
        "/api/events": streams.of_all,
        "/api/events.ndjson": streams.of_all,
        "/livez": service.livez,
        "/readyz": service.readyz,
    }
    return [Route(path, endpoint, methods=["GET"]) for path, endpoint in answers.items()]


def _directing(tournaments: TournamentAnswers, director: DirectingAnswers) -> list[Route]:
    """What a `POST` changes, and what a `GET` of the same path shows."""

    async def listed_or_made(request: Request) -> Response:
        makes = request.method == "POST"
        return await (director.create(request) if makes else tournaments.list(request))

    act = Route("/api/tournaments/{name}/{act:act}", director.act, methods=["POST"])
    return [Route("/api/tournaments", listed_or_made, methods=["GET", "POST"]), act]


async def _refused(request: Request, refusal: Exception) -> Response:
    assert isinstance(refusal, HTTPException)
    return _error(request, refusal.status_code, refusal.detail, refusal.headers)


def _error(request: Request, status: int, text: str, headers: Mapping[str, str] | None) -> Response:
    if wants_page(request):
        return error_page(status, text, headers, NOBODY)
    return error(status, text, headers)


class _NoDatabase:
    """The answer while the database does not answer, which the log tells once a minute."""

    def __init__(self) -> None:
        self._logged = Sample(*FAILURES_LOGGED)

    async def __call__(self, request: Request, failure: Exception) -> Response:
        if (more := self._logged.take(type(failure).__name__, trio.current_time())) is not None:
            details = {"left_out": more} if more else {}
            LOG.warning("no answer from the database", why=str(failure), **details)
        return _error(request, 503, "the database does not answer", {"Retry-After": "5"})


class _Guard:
    """Around every answer: the headers that all have, no body for HEAD, and an end to every bug,
    whose cause stands in the log and nowhere else. embed: whether pages of others may show a game
    in a frame, also in one whose `sandbox` takes its origin away."""

    def __init__(self, app: ASGIApp, *, embed: bool) -> None:
        self._app = app
        self._embed = embed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        begun, bare = False, scope["method"] == "HEAD"
        shared = self._embed and EMBEDDED.fullmatch(scope["path"]) is not None
        if shared and scope["method"] == "OPTIONS":
            await Response(status_code=204, headers=PREFLIGHT)(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                headers = MutableHeaders(scope=message)
                headers.setdefault("Content-Security-Policy", BARE)
                headers["X-Content-Type-Options"] = "nosniff"
                headers["Referrer-Policy"] = "same-origin"
                if shared:
                    headers["Access-Control-Allow-Origin"] = "*"
            elif bare:
                message = {**message, "body": b""}
            await send(message)

        try:
            await self._app(scope, receive, guarded)
        except OSError:
            raise  # the peer has gone, which whoever sends to it knows
        except Exception:
            LOG.exception("no answer", path=scope["path"])
            if begun:
                raise
            await error(500, "this is a fault of the server")(scope, receive, guarded)


# Files


@dataclass(frozen=True, slots=True)
class _File:
    body: bytes
    media_type: str
    etag: str

    def answer(self, request: Request, policy: str) -> Response:
        """Asked for again every time, and sent only if it has changed: modules of two versions do
        not fit together."""
        headers = {
            "ETag": self.etag,
            "Cache-Control": "no-cache",
            "Content-Security-Policy": policy,
        }
        if unchanged(request, self.etag):
            return Response(status_code=304, headers=headers)
        return Response(self.body, 200, headers, self.media_type)


def _pages(config: Config) -> list[Route]:
    folder = files(__package__).joinpath("static")
    static = dict(_files(folder)) if folder.is_dir() else {}
    for name, part in _WITH_PART.items():
        if name in static:
            static[name] = _composed(static[name], folder, part)
    static["tables.js"] = _file(page_tables(), _TYPES[".js"])
    framed = ANYBODY if config.web.embed else NOBODY
    pages = {
        path: (static[name], framed if path.startswith("/embed") else NOBODY)
        for path, name in PAGES.items()
        if name in static
    }
    routes = [Route(path, partial(_page, *page), methods=["GET"]) for path, page in pages.items()]
    if config.web.serve != "play" and "/play" in pages:
        routes.insert(0, Route("/play", partial(_no_page, *pages["/play"]), methods=["GET"]))
    return [*routes, Route("/static/{path:path}", partial(_static, static), methods=["GET"])]


_WITH_PART: Mapping[str, str] = {
    "index.html": "standings.part",
    "tournament.html": "standings.part",
}
"""What several pages have in common, by the pages that have it: in place of ``<!-- NAME -->``."""


def _composed(file: _File, folder: Traversable, part: str) -> _File:
    mark = f"<!-- {part} -->".encode()
    assert mark in file.body
    return _file(
        file.body.replace(mark, folder.joinpath(part).read_bytes().strip()), file.media_type
    )


def _files(folder: Traversable, above: str = "") -> "list[tuple[str, _File]]":
    """All files in and below the folder, by path. They are read once: no request opens a file, so
    that no path leads out of the folder."""
    found: list[tuple[str, _File]] = []
    for entry in folder.iterdir():
        name = f"{above}{entry.name}"
        kind = _TYPES.get(f".{entry.name.rpartition('.')[2]}")
        if entry.is_dir():
            found += _files(entry, f"{name}/")
        elif kind is not None:
            found.append((name, _file(entry.read_bytes(), kind)))
    return found


def _file(body: bytes, kind: str) -> _File:
    return _File(body, kind, f'W/"{sha256(body).hexdigest()[:16]}"')


async def _page(file: _File, policy: str, request: Request) -> Response:
    return file.answer(request, policy)


async def _no_page(file: _File, policy: str, _: Request) -> Response:
    """The page itself says to people that it is not to be used here."""
    headers = {**NO_STORE, "Content-Security-Policy": policy}
    return Response(file.body, 404, headers, file.media_type)


async def _static(static: Mapping[str, _File], request: Request) -> Response:
    file = static.get(request.path_params["path"])
    if file is None:
        raise HTTPException(404, "there is no such file")
    return file.answer(request, BARE)
