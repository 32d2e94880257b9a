"""The answers about tournaments: their list, and one tournament with its standings and rounds.

Worker threads make each answer from the database: so every server of a cluster can give it, also
about a tournament that is over.
"""

from collections import OrderedDict
from collections.abc import Callable
from datetime import datetime, timedelta
from hashlib import sha256
from typing import NamedTuple, TypeVar

import trio
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from ulci.rules.text import count
from ulci_server.hall.tournament.rows import rebuilt
from ulci_server.storage import StoredTournament, TournamentOverview
from ulci_server.tournament import (
    Standings,
    TournamentErrors,
    TournamentFormat,
    TournamentSettings,
    parse_tournament,
)
from ulci_server.tournament.spreadsheet import standings_csv

from .answers import JSON, LARGEST_ID, NO_STORE, SiteContext, answer, bad, host, unchanged, words
from .documents import Document, after_now, encode, stamp
from .games import EXPORTED, PgnStream
from .standings import standings_document
from .tournament_pairings import TournamentPairings

MOST_LISTED, MOST_TITLES = 100, 200
"""Tournaments in the list."""

MOST_RUNNING = 50
"""Running games in the answer about one tournament."""

MOST_GAMES = 500
"""Games in one file of PGN."""

MOST_ROUNDS = 100_000

LONGEST_NAME = 64
"""Characters of a tournament's name in commands."""


KEPT_FOR = 2.0
"""Seconds for which a tournament's answer is cached: one with 1,000 entrants takes 0.1 s to
make."""

MOST_KEPT = 8
"""Tournaments in the cache: the largest takes some megabytes."""


Answer = TypeVar("Answer")

CSV, TRF = "text/csv; charset=utf-8", "text/plain; charset=utf-8"


class _Made(NamedTuple):
    """A tournament. body: its JSON without pairings. digest: of `body`. stored: its rows in the
    database. in_short: its title, and a line that describes it."""

    body: bytes
    digest: str
    last_round: int
    stored: StoredTournament
    pairings: TournamentPairings
    in_short: tuple[str, str]


class _Kept(NamedTuple):
    made: _Made
    read_at: float


class TournamentAnswers:
    """The answers about tournaments."""

    def __init__(self, context: SiteContext) -> None:
        self._context = context
        self._kept: OrderedDict[str, _Kept] = OrderedDict()  # read longest ago first
        self._titles: OrderedDict[int, str] = OrderedDict()  # by the tournament's number

    async def list(self, request: Request) -> Response:
        """The tournaments that are not over, then the others, each the newest first."""
        if request.query_params:
            raise bad("there are no filters here")
        self._context.quotas.work(host(request))
        found = await self._context.archive.tournaments(MOST_LISTED, self._listed)
        return answer({"tournaments": found})

    def _listed(self, one: TournamentOverview) -> Document:
        """A tournament in the list. For a worker thread. Its settings never change, and may be
        long: only their title is kept."""
        title = self._titles.get(one.id)
        if title is None:
            while len(self._titles) >= MOST_TITLES:
                self._titles.popitem(last=False)
            self._titles[one.id] = title = _title(one)
        return {
            "name": one.word,
            "title": title,
            "state": one.state.value,
            "why_paused": one.why_paused,
            "entrants": one.entrants,
            "created_at": stamp(one.started_at),
        }

    async def one(self, request: Request) -> Response:
        """One tournament with the pairings of a round, sent only if it has changed: a crosstable of
        100 entrants is long. round: the last one if it is left out. after: the answer has the
        pairings with larger numbers."""
        name = _name(request)
        if unknown := set(request.query_params) - {"round", "after"}:
            raise bad(f"unknown filter {min(unknown)[:20]!r}; there are round and after")
        round_ = _number(request, "round", MOST_ROUNDS)
        after = _number(request, "after", LARGEST_ID) or 0
        self._context.quotas.work(host(request))
        made = await self._read(name)
        asked = made.last_round if round_ is None else round_
        pairings = encode(made.pairings.document(asked, after))
        etag = f'W/"{made.digest}-{sha256(pairings).hexdigest()[:16]}"'
        headers = {"ETag": etag, "Cache-Control": "no-cache"}
        if unchanged(request, etag):
            return Response(status_code=304, headers=headers)
        body = made.body[:-1] + b"," + pairings[1:]
        return Response(after_now(body) + body[1:], 200, headers, JSON)

    async def in_short(self, request: Request) -> tuple[str, str]:
        """The title of a tournament, and a line that describes it. Raises `HTTPException`."""
        return (await self._read(_name(request))).in_short

    async def standings_csv(self, request: Request) -> Response:
        """The standings for a spreadsheet."""
        return await self._file(request, _csv, CSV)

    async def report_trf(self, request: Request) -> Response:
        """FIDE's report TRF16, from which other programs check the pairings."""
        return await self._file(request, _trf, TRF)

    async def games_pgn(self, request: Request) -> Response:
        """The finished games of a tournament as PGN: by number, at most `MOST_GAMES`, those with a
        number above ``after``."""
        name = _name(request)
        if unknown := set(request.query_params) - {"after"}:
            raise bad(f"unknown filter {min(unknown)[:20]!r}; there is after")
        after = _number(request, "after", LARGEST_ID) or 0
        self._context.quotas.work(host(request))
        made = await self._read(name)
        over = (game.game for game in made.stored.games if game.score is not None)
        wanted = sorted(number for number in over if number > after)[:MOST_GAMES]
        self._context.quotas.work(host(request), len(wanted) / EXPORTED)
        games = await self._context.archive.selection({"ids": wanted}) if wanted else []
        return PgnStream(self._context, sorted(games, key=lambda game: game.id))

    async def _file(
        self, request: Request, make: Callable[[StoredTournament], str], media_type: str
    ) -> Response:
        self._context.quotas.work(host(request))
        text = await self._ask(_name(request), make)
        return Response(text, 200, NO_STORE, media_type)

    def changed(self, name: str) -> None:
        """Drop the tournament of that name from the cache: the next request reads it again."""
        self._kept.pop(name, None)

    async def _read(self, name: str) -> _Made:
        kept = self._kept.get(name)
        if kept is not None and trio.current_time() < kept.read_at + KEPT_FOR:
            return kept.made
        made = await self._ask(name, _made)
        self._kept.pop(name, None)
        self._kept[name] = _Kept(made, trio.current_time())
        if len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)
        return made

    async def _ask(self, name: str, make: Callable[[StoredTournament], Answer]) -> Answer:
        """What `make` returns for a tournament, in a worker thread. Raises `HTTPException`."""
        try:
            found = await self._context.archive.tournament(name, make)
        except TournamentErrors:
            text = f"the settings of tournament {name} are of another version"
            raise HTTPException(503, text) from None
        if found is None:
            raise HTTPException(404, f"there is no tournament {name}")
        return found


def _made(stored: StoredTournament) -> _Made:
    document = tournament_document(stored)
    body = encode(document)
    digest = sha256(body).hexdigest()[:16]
    pairings = TournamentPairings(stored)
    return _Made(body, digest, document["rounds"], stored, pairings, _in_short(document))


def _in_short(document: Document) -> tuple[str, str]:
    entrants = document["standings"]["present"]
    facts = (
        f"a tournament, {document['format']}, pool {document['pool']}",
        count(entrants, "entrant"),
        document["state"],
    )
    return document["title"], " · ".join(facts)


def _csv(stored: StoredTournament) -> str:
    return standings_csv(rebuilt(stored).now())


def _trf(stored: StoredTournament) -> str:
    return rebuilt(stored).report()


def _name(request: Request) -> str:
    return words(request.path_params["name"], LONGEST_NAME, "a tournament's name")


def _number(request: Request, name: str, most: int) -> int | None:
    """The query parameter of that name, from 1 to `most`; None if it is left out. Raises
    `HTTPException`."""
    said = request.query_params.getlist(name)
    if not said:
        return None
    text = said[0]
    digits = text.isascii() and text.isdigit() and len(text) <= 19
    if len(said) == 1 and digits and 1 <= int(text) <= most:
        return int(text)
    raise bad(f"{name} is a number from 1 to {most}, once, or left out")


def _title(one: TournamentOverview) -> str:
    """The tournament's name for people, or that in commands if its settings cannot be read here. A
    long list of entrants takes some milliseconds."""
    try:
        return parse_tournament(one.settings).name
    except TournamentErrors:
        return one.word


def tournament_document(stored: StoredTournament) -> Document:
    """A tournament as JSON, without the paths of the server in its settings. For a worker
    thread."""
    tournament = rebuilt(stored)
    record, settings, now = stored.record, tournament.settings, tournament.now()
    return {
        "name": record.word,
        "title": settings.name,
        "state": record.state.value,
        "why_paused": record.why_paused,
        "format": settings.format.value,
        "pool": settings.pool,
        "games": settings.games,
        "kind": settings.kind,
        "open": settings.open,
        "schedule": settings.schedule,
        "created_at": stamp(record.started_at),
        "begun_at": None if record.begun_at is None else stamp(record.begun_at),
        "ends_at": _ends_at(record.begun_at, settings),
        "rounds": tournament.last_round,
        "running": _running(stored, now),
        "standings": standings_document(now, tournament.version),
    }


def _ends_at(begun_at: datetime | None, settings: TournamentSettings) -> str | None:
    """When an arena pairs nobody any more."""
    if begun_at is None or settings.format is not TournamentFormat.ARENA:
        return None
    return stamp(begun_at + timedelta(minutes=settings.minutes))


def _running(stored: StoredTournament, now: Standings) -> list[Document]:
    """The running games, those of the highest ranks first."""
    rank = {entry.number + 1: entry.rank for entry in now.entries}
    pairings = {row.number: row for row in stored.pairings}
    found = []
    for game in stored.games:
        row = pairings.get(game.number)
        if game.score is None and row is not None and row.black is not None:
            both = rank[row.white] + rank[row.black], min(rank[row.white], rank[row.black])
            found.append((both, game.game, row))
    names = {row.number: row.name for row in stored.entrants}
    return [
        {"game": number, "white": names[row.white], "black": names[row.black or 0]}
        for _, number, row in sorted(found, key=lambda one: one[:2])[:MOST_RUNNING]
    ]
