"""Event streams of one game, and of all games."""

import trio
from starlette.requests import Request
from starlette.responses import Response

from .all_games import AllGames
from .answers import NO_STORE, SiteContext, host, no_game, number, one_of, paused
from .event_stream import FINAL, NDJSON, SSE, EventStream, Source, Waker
from .feed import Feeds, TooManyFeedsError
from .pieces import PiecesResponse, WholeGame, timed
from .quotas import RETRY_AFTER, TooOften


class GameStreams:
    """The event streams of one site, and the tasks that feed them."""

    def __init__(self, context: SiteContext, nursery: trio.Nursery) -> None:
        self._context = context
        waker = Waker()
        self._all = AllGames(context, waker)
        self.feeds = Feeds(context, waker, nursery)
        nursery.start_soon(waker.run)
        nursery.start_soon(self._all.run)

    async def of_all(self, request: Request) -> Response:
        return self._stream(request, self._all, self._all.begin(_last_seen(request)))

    async def of_game(self, request: Request) -> Response:
        self._context.quotas.work(host(request))
        wanted = number(request)
        try:
            feed = self.feeds.of(wanted)
        except TooManyFeedsError:
            text = "too many games are being watched"
            raise TooOften(text, RETRY_AFTER, status=503) from None
        if feed is not None:
            return self._stream(request, feed, _last_seen(request))
        return await self._of_finished(request, wanted)

    def _stream(self, request: Request, source: Source, after: int | None) -> Response:
        follow = one_of(request, "follow", ("no",)) is None
        spectator = one_of(request, "playing", ("yes",)) is None
        quotas, ndjson = self._context.quotas, _wants_ndjson(request)
        quotas.check_stream(host(request))
        return EventStream(
            source,
            quotas,
            host(request),
            after,
            ndjson=ndjson,
            follow=follow,
            spectator=spectator,
        )

    async def _of_finished(self, request: Request, wanted: int) -> Response:
        """The finished game as a single event. A browser that resumes after it gets 204, or it
        would reconnect for ever."""
        one_of(request, "follow", ("no",))
        one_of(request, "playing", ("yes",))
        if _last_seen(request) == FINAL:
            return Response(status_code=204)
        game = await self._context.archive.record(wanted)
        if game is None:
            raise no_game(wanted)
        if game.running:
            raise paused()
        body = await self._context.archive.game(game)
        ndjson = _wants_ndjson(request)
        whole = WholeGame(FINAL, *timed(body)).pieces(ndjson=ndjson)
        return PiecesResponse(whole, NO_STORE, NDJSON if ndjson else SSE)


def _last_seen(request: Request) -> int | None:
    """The number of the last event that the client has received; None if it has none."""
    text = request.headers.get("last-event-id", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 17 else None


def _wants_ndjson(request: Request) -> bool:
    return request.url.path.endswith(".ndjson") or NDJSON in request.headers.get("accept", "")
