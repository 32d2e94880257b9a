"""The standings of the match or tournament that is played here."""

from collections.abc import Mapping
from math import isfinite

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from ulci_server.statistics import Tally
from ulci_server.tournament import (
    CoursePoint,
    Encounter,
    RunningTest,
    Standings,
    StandingsEntry,
    StandingsSource,
)

from .answers import JSON, NO_STORE
from .documents import Document, after_now, encode

MOST_RANKED = 500
"""Entrants in the answer, the highest ranks: 100 kB."""

MOST_IN_CROSSTABLE = 100
"""Entrants in a crosstable: 5,000 encounters, 300 kB. More do not fit on a page, so that a larger
field has no crosstable."""


class StandingsAnswer:
    """The answer with the standings, made once for each version that somebody requests."""

    def __init__(self, source: StandingsSource | None) -> None:
        self._source = source
        self._made: tuple[int, bytes] | None = None

    async def answer(self, _: Request) -> Response:
        if self._source is None:
            raise HTTPException(404, "no match or tournament is played here")
        body = self._body(self._source)
        return Response(after_now(body) + body[1:], 200, NO_STORE, JSON)

    def _body(self, source: StandingsSource) -> bytes:
        version = source.version
        if self._made is None or self._made[0] != version:
            self._made = version, encode(standings_document(source.now(), version))
        return self._made[1]


def standings_document(now: Standings, version: int) -> Document:
    """The standings as JSON. A number that is infinite or unknown is null."""
    return {
        "version": version,
        "finished": now.finished,
        "total": now.total,
        "over": now.is_over,
        "rounds": now.rounds,
        "present": len(now.entries),
        "entrants": [_entrant(each, now) for each in now.entries[:MOST_RANKED]],
        "crosstable": _crosstable(now.encounters)
        if len(now.entries) <= MOST_IN_CROSSTABLE
        else None,
        "test": None if now.test is None else _test(now.test),
        "course": [_point(each) for each in now.course],
    }


def _entrant(entry: StandingsEntry, now: Standings) -> Document:
    games, found = entry.tally.games, entry.estimate
    return {
        "number": entry.number + 1,
        "rank": entry.rank,
        "name": entry.name,
        "points": entry.points,
        "games": games.total,
        "wins": games.wins,
        "draws": games.draws,
        "losses": games.losses,
        "pairs": entry.tally.pairs.counts if now.by_pairs else None,
        "elo": _rounded(found.elo),
        "elo_error": _rounded(found.elo_error),
        "nelo": _rounded(found.nelo),
        "nelo_error": _rounded(found.nelo_error),
        "los": _rounded(found.los, 4),
        "ties": {name: _rounded(figure) for name, figure in entry.ties},
        "note": entry.note,
    }


def _crosstable(encounters: Mapping[Encounter, Tally]) -> list[Document]:
    return [
        {
            "first": first + 1,
            "second": second + 1,
            "wins": tally.games.wins,
            "draws": tally.games.draws,
            "losses": tally.games.losses,
        }
        for (first, second), tally in encounters.items()
    ]


def _test(test: RunningTest) -> Document:
    sprt = test.sprt
    return {
        "model": sprt.model.value,
        "elo0": sprt.elo0,
        "elo1": sprt.elo1,
        "alpha": sprt.alpha,
        "beta": sprt.beta,
        "lower": _rounded(sprt.lower, 3),
        "upper": _rounded(sprt.upper, 3),
        "llr": _rounded(test.llr, 3),
        "accepted": None if test.accepted is None else test.accepted.value,
    }


def _point(point: CoursePoint) -> list[float | None]:
    games, elo, error, llr = point
    return [games, _rounded(elo), _rounded(error), None if llr is None else _rounded(llr)]


def _rounded(number: float, digits: int = 2) -> float | None:
    """The number rounded, a zero without its sign; None if it is infinite or unknown."""
    return round(number, digits) + 0.0 if isfinite(number) else None
