"""The ratings of a pool, the highest first."""

from collections.abc import Callable
from datetime import UTC, datetime

from starlette.requests import Request
from starlette.responses import Response

from ulci_server.rating import Rating
from ulci_server.storage import RatingRecord

from .answers import SiteContext, answer, bad, host, words
from .documents import Document, stamp

PAGE, LARGEST_PAGE = 50, 200

LAST = 1_000_000
"""The largest ``after``: the database needs time to skip so many ratings."""

LONGEST_POOL = 200
"""Characters of a pool's name."""


class RatingAnswers:
    """The answers about ratings."""

    def __init__(
        self, context: SiteContext, now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._context = context
        self._now = now

    async def pools(self, request: Request) -> Response:
        """The pools in which somebody has a rating."""
        if request.query_params:
            raise bad("there are no filters here")
        self._context.quotas.work(host(request))
        pools = await self._context.archive.rated_pools()
        return answer({"pools": [{"name": name, "rated": rated} for name, rated in pools.items()]})

    async def of_pool(self, request: Request) -> Response:
        """A page of a pool's ratings, the highest first. It is empty if the pool has no ratings or
        does not exist."""
        pool = words(request.path_params["pool"], LONGEST_POOL, "a pool's name")
        if unknown := set(request.query_params) - {"limit", "after"}:
            raise bad(f"unknown filter {min(unknown)[:20]!r}; there are limit, after")
        limit = _number(request, "limit", PAGE, 1, LARGEST_PAGE)
        after = _number(request, "after", 0, 0, LAST)
        self._context.quotas.work(host(request))
        records = await self._context.archive.leaders(pool, limit, after)
        now = self._now()
        ratings = [_rated(rank, record, now) for rank, record in enumerate(records, after + 1)]
        full = len(records) == limit and after + limit <= LAST
        return answer({"pool": pool, "ratings": ratings, "after": after + limit if full else None})


def _rated(rank: int, record: RatingRecord, now: datetime) -> Document:
    rating: Rating = record.at(now)
    return {
        "rank": rank,
        "name": record.name,
        "kind": record.kind,
        "rating": round(rating.rating),
        "deviation": round(rating.deviation),
        "provisional": rating.is_provisional,
        "games": record.games,
        "anchored": record.anchored,
        "played_at": stamp(record.updated_at),
    }


def _number(request: Request, name: str, usual: int, least: int, most: int) -> int:
    said = request.query_params.getlist(name)
    if not said:
        return usual
    text = said[0]
    if len(said) == 1 and text.isascii() and text.isdigit() and least <= int(text[:19]) <= most:
        return int(text[:19])
    raise bad(f"{name} is a number from {least} to {most}, once, or left out")
