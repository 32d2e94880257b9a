"""Tournaments: those that are open or were played lately, and one with its standings and rounds.

All is made in worker threads from what is stored: so every server of a cluster has it, and a
tournament that is over has it, too.
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import NamedTuple, TypeVar

import trio
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from ulci_server.hall.tournament.rows import rebuilt
from ulci_server.storage import (
    PairingRecord,
    StoredTournament,
    TournamentGame,
    TournamentOverview,
)
from ulci_server.tournament import Standings, TournamentErrors
from ulci_server.tournament.spreadsheet import standings_csv
from ulci_server.tournament.trf import report_until_now

from .answers import JSON, LARGEST_ID, NO_STORE, SiteContext, answer, bad, host, unchanged, words
from .documents import Document, after_now, encode, stamp
from .games import EXPORTED, PgnStream
from .standings import standings_document

MOST_LISTED = 100
"""Tournaments in the list."""

MOST_PAIRINGS = 500
"""Pairings of a round in one answer: 100 kB."""

MOST_RUNNING = 50
"""Running games that are listed."""

MOST_GAMES = 500
"""Games in one file."""

MOST_ROUNDS = 100_000

LONGEST_NAME = 64
"""Characters of a tournament's name in commands."""


KEPT_FOR = 2.0
"""Seconds for which a tournament is not read again: one of 1,000 entrants takes 0.1 s to make."""

MOST_KEPT = 8
"""Tournaments that are kept so: the largest takes some megabytes."""


Answer = TypeVar("Answer")

CSV, TRF = "text/csv; charset=utf-8", "text/plain; charset=utf-8"


class _Made(NamedTuple):
    """A tournament: its JSON without the pairings of a round, a digest of that, the last round, and
    what it is made of."""

    body: bytes
    digest: str
    last_round: int
    stored: StoredTournament


class _Kept(NamedTuple):
    made: _Made
    read_at: float


class TournamentAnswers:
    """The answers about tournaments."""

    def __init__(self, context: SiteContext) -> None:
        self._context = context
        self._kept: OrderedDict[str, _Kept] = OrderedDict()  # read longest ago first

    async def list(self, request: Request) -> Response:
        """Those that are not over, then the others, the newest first."""
        if request.query_params:
            raise bad("there are no filters here")
        self._context.quotas.work(host(request))
        found = await self._context.archive.tournaments(MOST_LISTED)
        return answer({"tournaments": [*map(_listed, found)]})

    async def one(self, request: Request) -> Response:
        """One, with the pairings of a round: the last one, if none is named. It is sent only if it
        has changed: a crosstable of 100 is long."""
        name = _name(request)
        if unknown := set(request.query_params) - {"round"}:
            raise bad(f"unknown filter {min(unknown)[:20]!r}; there is round")
        round_ = _number(request, "round", MOST_ROUNDS)
        self._context.quotas.work(host(request))
        made = await self._read(name)
        pairings = encode(_round_document(made, round_))
        etag = f'W/"{made.digest}-{sha256(pairings).hexdigest()[:16]}"'
        headers = {"ETag": etag, "Cache-Control": "no-cache"}
        if unchanged(request, etag):
            return Response(status_code=304, headers=headers)
        body = made.body[:-1] + b"," + pairings[1:]
        return Response(after_now(body) + body[1:], 200, headers, JSON)

    async def standings_csv(self, request: Request) -> Response:
        """The standings for a spreadsheet."""
        return await self._file(request, _csv, CSV)

    async def report_trf(self, request: Request) -> Response:
        """FIDE's report TRF16, by which other programs check the pairings."""
        return await self._file(request, _trf, TRF)

    async def games_pgn(self, request: Request) -> Response:
        """Its finished games by their numbers: the first `MOST_GAMES` of those after that one."""
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
        """Read the tournament of that name again when it is asked for next."""
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
        """`make` is called in a worker thread. Raises `HTTPException`."""
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
    return _Made(body, sha256(body).hexdigest()[:16], document["rounds"], stored)


def _csv(stored: StoredTournament) -> str:
    return standings_csv(rebuilt(stored).now())


def _trf(stored: StoredTournament) -> str:
    return report_until_now(rebuilt(stored).state)


def _name(request: Request) -> str:
    return words(request.path_params["name"], LONGEST_NAME, "a tournament's name")


def _number(request: Request, name: str, most: int) -> int | None:
    """The number of the query that has that name; None: it is left out. Raises `HTTPException`."""
    said = request.query_params.getlist(name)
    if not said:
        return None
    text = said[0]
    digits = text.isascii() and text.isdigit() and len(text) <= 19
    if len(said) == 1 and digits and 1 <= int(text) <= most:
        return int(text)
    raise bad(f"{name} is a number from 1 to {most}, once, or left out")


def _listed(one: TournamentOverview) -> Document:
    return {
        "name": one.word,
        "state": one.state.value,
        "entrants": one.entrants,
        "created_at": stamp(one.started_at),
    }


def tournament_document(stored: StoredTournament) -> Document:
    """For a worker thread. Of the settings all that is no path of the server."""
    tournament = rebuilt(stored)
    record, settings, now = stored.record, tournament.settings, tournament.now()
    return {
        "name": record.word,
        "title": settings.name,
        "state": record.state.value,
        "format": settings.format.value,
        "pool": settings.pool,
        "games": settings.games,
        "kind": settings.kind,
        "open": settings.open,
        "schedule": settings.schedule,
        "created_at": stamp(record.started_at),
        "begun_at": None if record.begun_at is None else stamp(record.begun_at),
        "rounds": tournament.last_round,
        "running": _running(stored, now),
        "standings": standings_document(now, tournament.version),
    }


def _running(stored: StoredTournament, now: Standings) -> list[Document]:
    """The running games, that of the leaders first."""
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


def _round_document(made: _Made, round_: int | None) -> Document:
    """The first pairings of a round: ten thousand are looked through in a millisecond."""
    stored = made.stored
    asked = made.last_round if round_ is None else round_
    pairings = [row for row in stored.pairings if row.round == asked]
    shown = pairings[:MOST_PAIRINGS]
    names = {row.number: row.name for row in stored.entrants}
    numbers = {row.number for row in shown}
    games = {game.number: game for game in stored.games if game.number in numbers}
    return {
        "round": asked,
        "paired": len(pairings),
        "pairings": [_pairing(row, names, games.get(row.number)) for row in shown],
    }


def _pairing(row: PairingRecord, names: Mapping[int, str], game: TournamentGame | None) -> Document:
    """`score`: null until it is decided."""
    played = None if game is None or game.score == "*" else game.score
    return {
        "number": row.number,
        "white": names[row.white],
        "black": None if row.black is None else names[row.black],
        "score": None if row.void else row.score or played,
        "why": row.why,
        "by": row.by,
        "void": row.void,
        "game": None if game is None else game.game,
        "running": game is not None and game.score is None,
    }
