"""Tournaments: those that are open or were played lately, and one with its standings and rounds.

All is made in worker threads from what is stored: so every server of a cluster has it, and a
tournament that is over has it, too.
"""

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from ulci_server.hall.tournament.rows import rebuilt
from ulci_server.storage import (
    EntrantRecord,
    PairingRecord,
    StoredTournament,
    TournamentGame,
    TournamentOverview,
)

from .answers import SiteContext, answer, bad, host, words
from .documents import Document, stamp
from .standings import standings_document

MOST_LISTED = 100
"""Tournaments in the list."""

MOST_PAIRINGS = 500
"""Pairings of a round in one answer: 100 kB."""

MOST_ROUNDS = 100_000

LONGEST_NAME = 64
"""Characters of a tournament's name in commands."""


class TournamentAnswers:
    """The answers about tournaments."""

    def __init__(self, context: SiteContext) -> None:
        self._context = context

    async def list(self, request: Request) -> Response:
        """The newest first."""
        if request.query_params:
            raise bad("there are no filters here")
        self._context.quotas.work(host(request))
        found = await self._context.archive.tournaments(MOST_LISTED)
        return answer({"tournaments": [*map(_listed, found)]})

    async def one(self, request: Request) -> Response:
        """One, with the pairings of a round: the last one, if none is named."""
        name = words(request.path_params["name"], LONGEST_NAME, "a tournament's name")
        if unknown := set(request.query_params) - {"round"}:
            raise bad(f"unknown filter {min(unknown)[:20]!r}; there is round")
        round_ = _round(request)
        self._context.quotas.work(host(request))
        document = await self._context.archive.tournament(
            name, round_, lambda stored: tournament_document(stored, round_)
        )
        if document is None:
            raise HTTPException(404, f"there is no tournament {name}")
        return answer(document)


def _round(request: Request) -> int | None:
    said = request.query_params.getlist("round")
    if not said:
        return None
    text = said[0]
    digits = text.isascii() and text.isdigit()
    if len(said) == 1 and digits and 1 <= int(text[:19]) <= MOST_ROUNDS:
        return int(text[:19])
    raise bad(f"round is a number from 1 to {MOST_ROUNDS}, once, or left out")


def _listed(one: TournamentOverview) -> Document:
    return {
        "name": one.word,
        "state": one.state.value,
        "entrants": one.entrants,
        "created_at": stamp(one.started_at),
    }


def tournament_document(stored: StoredTournament, round_: int | None) -> Document:
    """For a worker thread. Of the settings all that is no path of the server."""
    tournament = rebuilt(stored)
    record, settings = stored.record, tournament.settings
    asked = tournament.last_round if round_ is None else round_
    rows = {row.number: row for row in stored.entrants}
    games = {game.number: game for game in stored.games}
    pairings = [row for row in stored.pairings if row.round == asked]
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
        "standings": standings_document(tournament.now(), tournament.version),
        "round": asked,
        "paired": len(pairings),
        "pairings": [
            _pairing(row, rows, games.get(row.number)) for row in pairings[:MOST_PAIRINGS]
        ],
    }


def _pairing(
    row: PairingRecord, rows: dict[int, EntrantRecord], game: TournamentGame | None
) -> Document:
    """`score`: null until it is decided."""
    played = None if game is None or game.score == "*" else game.score
    return {
        "number": row.number,
        "white": rows[row.white].name,
        "black": None if row.black is None else rows[row.black].name,
        "score": None if row.void else row.score or played,
        "why": row.why,
        "by": row.by,
        "void": row.void,
        "game": None if game is None else game.game,
        "running": game is not None and game.score is None,
    }
