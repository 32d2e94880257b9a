"""One player: its results by game, pool and kind of time, its opponents and its ratings.

Anybody may use a name that has no account: then the answer says so, and counts only the games of
guests of that name.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from html import escape
from typing import NamedTuple

import trio
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from ulci.rules import Side
from ulci_server.game.speed import speed_of
from ulci_server.lobby.names import names_of, visible
from ulci_server.storage import Database, Played, RatingRecord
from ulci_server.storage.careers import MOST_GAMES

from .answers import JSON, SiteContext, bad, host, unchanged, words
from .documents import Document, after_now, encode, stamp
from .games import LONGEST_NAME

KEPT_FOR = 10.0
"""Seconds for which a player's answer is cached."""

MOST_KEPT = 100
"""Players in the cache, each of at most some 100 kB."""

MOST_OPPONENTS = 50
"""Opponents in an answer, those with the most games."""

MOST_RESULTS = 50
"""Rows of results in an answer."""

MOST_POOLS = 20
"""Ratings in an answer, each with its course: no server has more pools."""


class _Kept(NamedTuple):
    """A cached answer. name: in the account's spelling. body: JSON without the time; None if there
    is no such player. read_at: when the database was read (s)."""

    name: str
    body: bytes | None
    etag: str
    read_at: float


class PlayerAnswers:
    """The answers about one player."""

    def __init__(
        self,
        context: SiteContext,
        database: Database,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._context = context
        self._database = database
        self._now = now
        self._kept: OrderedDict[str, _Kept] = OrderedDict()  # read longest ago first

    async def one(self, request: Request) -> Response:
        """The player as JSON, sent only if it has changed."""
        if request.query_params:
            raise bad("there are no filters here")
        made = await self._find(request)
        headers = {"ETag": made.etag, "Cache-Control": "no-cache"}
        if unchanged(request, made.etag):
            return Response(status_code=304, headers=headers)
        assert made.body is not None
        return Response(after_now(made.body) + made.body[1:], 200, headers, JSON)

    async def title(self, request: Request) -> str:
        """The title of the player's page, as HTML. Raises `HTTPException` if there is no such
        player: then there is no page either."""
        return f"<title>{escape((await self._find(request)).name)}</title>"

    async def _find(self, request: Request) -> _Kept:
        name = visible(words(request.path_params["name"], LONGEST_NAME, "a name"))
        self._context.quotas.work(host(request))
        made = await self._read(name)
        if made.body is None:
            raise HTTPException(
                404, f"{name!r} has no account here and has played no game" if name else "no name"
            )
        return made

    async def _read(self, name: str) -> _Kept:
        kept = self._kept.get(name)
        if kept is not None and trio.current_time() < kept.read_at + KEPT_FOR:
            return kept
        called, body = await self._context.archive.player(name, partial(self._made, name))
        digest = sha256(body or b"").hexdigest()[:16]
        made = _Kept(called, body, f'W/"player-{digest}"', trio.current_time())
        self._kept.pop(name, None)
        self._kept[name] = made
        if len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)
        return made

    def _made(self, name: str) -> tuple[str, bytes | None]:
        """The player who is recorded under that name or has it as a handle in the lobby: its name
        and JSON; None instead of the JSON if there is no such player. For a worker thread."""
        for one in names_of(name):
            called, body = self._counted(one)
            if body is not None:
                return called, body
        return name, None

    def _counted(self, name: str) -> tuple[str, bytes | None]:
        database = self._database
        account = database.accounts.find_player(name)
        called = name if account is None else account.name
        number = None if account is None else account.id
        played = database.careers.played(called, number)
        if account is None and not played:
            return name, None
        records = [] if number is None else database.careers.ratings(number)[:MOST_POOLS]
        counted = {side: sum(one.games for one in played if one.side is side) for side in Side}
        return called, encode(
            {
                "name": called,
                "account": account is not None,
                "kind": None if account is None else account.kind,
                "created_at": None if account is None else stamp(account.created_at),
                "counted": sum(counted.values()),
                "all_counted": all(count < MOST_GAMES for count in counted.values()),
                "ratings": [self._rating(record) for record in records],
                "results": _results(played),
                "opponents": _opponents(played),
            }
        )

    def _rating(self, record: RatingRecord) -> Document:
        rating = record.at(self._now())
        return {
            "pool": record.pool,
            "rating": round(rating.rating),
            "deviation": round(rating.deviation),
            "provisional": rating.is_provisional,
            "games": record.games,
            "anchored": record.anchored,
            "course": [
                {"at": stamp(point.at), "rating": round(point.rating), "game": point.game}
                for point in self._database.careers.course(record.account, record.pool)
            ],
        }


def _results(played: Iterable[Played]) -> list[Document]:
    """The results by game, pool and kind of time, those with the most games first."""
    groups: dict[tuple[str, str, str], list[Played]] = {}
    for one in played:
        groups.setdefault((one.rules, one.pool, speed_of(one.control)), []).append(one)
    found: list[Document] = [
        {"rules": rules, "pool": pool, "speed": speed, **_score(group)}
        for (rules, pool, speed), group in groups.items()
    ]
    return sorted(found, key=_most_games)[:MOST_RESULTS]


def _opponents(played: Iterable[Played]) -> list[Document]:
    groups: dict[str, list[Played]] = {}
    for one in played:
        groups.setdefault(one.opponent, []).append(one)
    found: list[Document] = [
        {
            "name": name,
            "kind": max(group, key=lambda one: one.last).kind,
            **_score(group),
            "last_game": max(one.last for one in group),
        }
        for name, group in groups.items()
    ]
    return sorted(found, key=_most_games)[:MOST_OPPONENTS]


def _most_games(one: Document) -> int:
    return -int(one["games"])


_WINS: Mapping[str, Side] = {"1-0": Side.WHITE, "0-1": Side.BLACK}


def _score(group: Iterable[Played]) -> dict[str, int]:
    """The counts of a group of games. games: all of them, also running ones and those without a
    result."""
    counts = dict.fromkeys(("games", "won", "drawn", "lost", "running"), 0)
    for one in group:
        counts["games"] += one.games
        if one.result is None:
            counts["running"] += one.games
        elif one.result == "1/2-1/2":
            counts["drawn"] += one.games
        elif (winner := _WINS.get(one.result)) is not None:
            counts["won" if winner is one.side else "lost"] += one.games
    return counts
