"""Tournaments: those that are open or were played lately, and one with its standings and rounds.

All is made in worker threads from what is stored: so every server of a cluster has it, and a
tournament that is over has it, too.
"""

from collections import OrderedDict
from collections.abc import Mapping
from typing import NamedTuple

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
from ulci_server.tournament import TournamentErrors

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


KEPT_FOR = 2.0
"""Seconds for which a tournament is not read again: one of 1,000 entrants takes 0.1 s to make."""

MOST_KEPT = 8
"""Tournaments that are kept so: the largest takes some megabytes."""


class _Kept(NamedTuple):
    """A tournament without the pairings of a round, and all of them."""

    document: Document
    stored: StoredTournament
    read_at: float


class TournamentAnswers:
    """The answers about tournaments."""

    def __init__(self, context: SiteContext) -> None:
        self._context = context
        self._kept: OrderedDict[str, _Kept] = OrderedDict()  # read longest ago first

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
        kept = await self._read(name)
        return answer({**kept.document, **_round_document(kept, round_)})

    async def _read(self, name: str) -> _Kept:
        kept = self._kept.get(name)
        if kept is not None and trio.current_time() < kept.read_at + KEPT_FOR:
            return kept
        try:
            found = await self._context.archive.tournament(name, _both)
        except TournamentErrors:
            text = f"the settings of tournament {name} are of another version"
            raise HTTPException(503, text) from None
        if found is None:
            raise HTTPException(404, f"there is no tournament {name}")
        self._kept.pop(name, None)
        kept = self._kept[name] = _Kept(*found, trio.current_time())
        if len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)
        return kept


def _both(stored: StoredTournament) -> tuple[Document, StoredTournament]:
    return tournament_document(stored), stored


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


def tournament_document(stored: StoredTournament) -> Document:
    """For a worker thread. Of the settings all that is no path of the server."""
    tournament = rebuilt(stored)
    record, settings = stored.record, tournament.settings
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
    }


def _round_document(kept: _Kept, round_: int | None) -> Document:
    """The first pairings of a round: ten thousand are looked through in a millisecond."""
    stored = kept.stored
    asked = kept.document["rounds"] if round_ is None else round_
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
