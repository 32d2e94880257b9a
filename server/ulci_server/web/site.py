"""The application: its routes, its headers, its errors, and the files of the pages."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from importlib.resources import files

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

from .accounts import AccountAnswers
from .analysis import AnalysisAnswers, Explorer, GamePositions
from .answers import NO_STORE, SiteContext, error
from .archive import Archive
from .directing import ACTS, DirectingAnswers
from .error_page import error_page, wants_page
from .files import BARE, Compressed, PageFile, PageFiles
from .game_streams import GameStreams
from .games import GameAnswers
from .legal_moves import LegalMoves
from .metrics import ClusterServer, Metrics
from .page_tables import page_tables
from .pictures import LinkPreviews, PictureAnswers
from .player import PlayerAnswers
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
    "/analysis": "analysis.html",
    "/players": "players.html",
    "/players/{name:path}": "player.html",
    "/account": "account.html",
    "/tournaments/{name}": "tournament.html",
    "/embed/tournaments/{name}": "tournament.html",
}

PROMPT = frozenset({"/livez", "/readyz"})
"""Paths that the server answers before any crowd: health checks need them."""

FAILURES_LOGGED = (1 / 60, 1)
"""Log lines about a database that does not answer, per second and at once: without this limit each
request for a game would write one."""

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " connect-src 'self' ws: wss:; manifest-src 'self'; base-uri 'none'; form-action 'self';"
    " frame-ancestors {}"
)
NOBODY, ANYBODY = _POLICY.format("'none'"), _POLICY.format("*")
"""The policies of pages that nobody, or anybody, may frame. Both load nothing from elsewhere and
run no script inside the HTML."""

EMBEDDED = re.compile(r"/static/.+|/api/games/[0-9]{1,19}(/events)?|/api/tournaments/[^/]+")
"""Paths that the page of one game or tournament reads inside a frame."""

PREFLIGHT: Mapping[str, str] = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Headers": "Last-Event-ID",
    "Access-Control-Max-Age": "86400",
}
"""Headers by which a browser learns that a page may resume a stream (Fetch, CORS-preflight)."""

Endpoint = Callable[[Request], Awaitable[Response]]


class _GameNumber(Convertor[int]):
    """The number of a game in a path; no game has a longer one."""

    regex = "[0-9]{1,19}"

    def convert(self, value: str) -> int:
        return int(value)

    def to_string(self, value: int) -> str:
        return str(value)


class _Act(StringConvertor):
    """A director's act on a tournament, in a path."""

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
    """The application. games: the rules of each game that can be played here, by name. nursery: for
    the feeds of watched games and the site's other tasks. gate: refuses connections; addresses that
    it exempts do not count in the quotas here either. turns: resumes a crowd of waiting requests a
    few at a time. referees: those of the games that need one. cluster: this server as a part of its
    cluster; None if it is alone. authenticator: checks directors and accounts; None: nobody directs
    tournaments or signs in. standings: those of the match or tournament that is played here; None
    if there is none."""
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
    explorer = Explorer(database, archive)
    nursery.start_soon(explorer.run)
    tournaments = TournamentAnswers(context)
    director = DirectingAnswers(context, database, authenticator, tournaments.changed)
    player = PlayerAnswers(context, database)
    routes = [
        *_pages(config, LinkPreviews(context, tournaments), player),
        *_api(context, tournaments, player, GameStreams(context, nursery)),
        *_directing(tournaments, director),
        *_analysis(AnalysisAnswers(context, explorer)),
        *_accounts(AccountAnswers(context, database, authenticator)),
    ]
    metrics = Metrics(context, gate, referees, cluster)
    routes.append(Route("/metrics", metrics.answer, methods=["GET"]))
    app = Starlette(
        routes=routes,
        middleware=[Middleware(_Guard, embed=config.web.embed), Middleware(Compressed)],
        exception_handlers={HTTPException: _refused, StorageError: _NoDatabase()},
    )
    app.router.redirect_slashes = False  # it would answer with a Location made from the Host header
    return app


def _api(
    context: SiteContext,
    tournaments: TournamentAnswers,
    player: PlayerAnswers,
    streams: GameStreams,
) -> list[Route]:
    games, service, legal_moves = GameAnswers(context), Service(context), LegalMoves(context)
    ratings, pictures = RatingAnswers(context), PictureAnswers(context)
    answers: dict[str, Endpoint] = {
        "/api/server": service.server,
        "/api/pools": service.pools,
        "/api/players": service.players,
        "/api/players/{name:path}": player.one,
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
        "/api/games/{id:game}/position": GamePositions(context).position,
        "/api/games/{id:game}/events": streams.of_game,
        "/api/games/{id:game}/events.ndjson": streams.of_game,
        "/api/events": streams.of_all,
        "/api/events.ndjson": streams.of_all,
        "/games/{id:game}/board.svg": pictures.board,
        "/livez": service.livez,
        "/readyz": service.readyz,
    }
    return [Route(path, endpoint, methods=["GET"]) for path, endpoint in answers.items()]


def _analysis(analysis: AnalysisAnswers) -> list[Route]:
    """The routes of analysis: a POST, because a question is too long for an address."""
    asked = {
        "position": analysis.position,
        "pgn": analysis.pasted,
        "explorer": analysis.explored,
        "opinion": analysis.opinion,
    }
    return [
        Route(f"/api/analysis/{name}", endpoint, methods=["POST"])
        for name, endpoint in asked.items()
    ]


def _directing(tournaments: TournamentAnswers, director: DirectingAnswers) -> list[Route]:
    """The routes of directors' `POST` requests, and the list of tournaments, a `GET` that shares a
    path with one of them."""

    async def listed_or_made(request: Request) -> Response:
        makes = request.method == "POST"
        return await (director.create(request) if makes else tournaments.list(request))

    act = Route("/api/tournaments/{name}/{act:act}", director.act, methods=["POST"])
    return [Route("/api/tournaments", listed_or_made, methods=["GET", "POST"]), act]


def _accounts(account: AccountAnswers) -> list[Route]:
    posted: dict[str, Endpoint] = {
        "sign-up": account.sign_up,
        "sign-in": account.sign_in,
        "sign-out": account.sign_out,
        "sign-out-everywhere": account.sign_out_everywhere,
        "password": account.change_password,
        "tokens": account.make_token,
        "tokens/revoke": account.revoke_token,
        "ticket": account.make_ticket,
    }
    return [
        Route("/api/account", account.look, methods=["GET"]),
        *(Route(f"/api/account/{path}", act, methods=["POST"]) for path, act in posted.items()),
    ]


async def _refused(request: Request, refusal: Exception) -> Response:
    assert isinstance(refusal, HTTPException)
    return _error(request, refusal.status_code, refusal.detail, refusal.headers)


def _error(request: Request, status: int, text: str, headers: Mapping[str, str] | None) -> Response:
    if wants_page(request):
        return error_page(status, text, headers, NOBODY)
    return error(status, text, headers)


class _NoDatabase:
    """The answer while the database does not answer; the log has it once a minute."""

    def __init__(self) -> None:
        self._logged = Sample(*FAILURES_LOGGED)

    async def __call__(self, request: Request, failure: Exception) -> Response:
        if (more := self._logged.take(type(failure).__name__, trio.current_time())) is not None:
            details = {"left_out": more} if more else {}
            LOG.warning("no answer from the database", why=str(failure), **details)
        return _error(request, 503, "the database does not answer", {"Retry-After": "5"})


class _Guard:
    """Middleware around every answer: it adds the headers of all answers, drops the body for HEAD,
    and turns each bug into an error whose cause is only in the log. embed: whether pages of other
    sites may show a game in a frame, also in one whose `sandbox` takes its origin away."""

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
            raise  # the client has left, which the HTTP server knows
        except Exception:
            LOG.exception("no answer", path=scope["path"])
            if begun:
                raise
            await error(500, "this is a fault of the server")(scope, receive, guarded)


# Files


_Preview = Callable[[Request], Awaitable[str]]
"""Makes the HTML that replaces the title of a page; empty: it keeps its own. Raises `HTTPException`
if there is no page at that address."""


def _pages(config: Config, previews: LinkPreviews, player: PlayerAnswers) -> list[Route]:
    static = PageFiles(files(__package__).joinpath("static"), {"tables.js": page_tables()})
    framed = ANYBODY if config.web.embed else NOBODY
    pages = {
        path: (page, framed if path.startswith("/embed") else NOBODY)
        for path, name in PAGES.items()
        if (page := static.page(name)) is not None
    }
    heads: Mapping[str, _Preview] = {
        "/games/{id:game}": previews.of_game,
        "/tournaments/{name}": previews.of_tournament,
        "/players/{name:path}": player.title,
    }
    routes = [
        Route(path, partial(_page, *page, heads.get(path)), methods=["GET"])
        for path, page in pages.items()
    ]
    if config.web.serve != "play" and "/play" in pages:
        routes.insert(0, Route("/play", partial(_no_page, *pages["/play"]), methods=["GET"]))
    return [*routes, Route("/static/{path:path}", partial(_static, static), methods=["GET"])]


async def _page(
    file: PageFile, policy: str, preview: _Preview | None, request: Request
) -> Response:
    if preview is not None and (head := (await preview(request)).encode()):
        file = file.titled(head)
    return file.answer(request, policy)


async def _no_page(file: PageFile, policy: str, _: Request) -> Response:
    """The page with status 404: its own text tells people that nobody plays on it here."""
    headers = {**NO_STORE, "Content-Security-Policy": policy}
    return Response(file.body, 404, headers, file.media_type)


async def _static(static: PageFiles, request: Request) -> Response:
    found = static.static(request.path_params["path"])
    if found is None:
        raise HTTPException(404, "there is no such file")
    file, keep = found
    return file.answer(request, BARE, keep)
