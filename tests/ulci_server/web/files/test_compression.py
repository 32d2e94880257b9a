"""Long answers travel compressed."""

import gzip

import pytest
import trio
from starlette.datastructures import Headers
from starlette.responses import Response

from tests.support.asked_sites import AskedSite
from tests.support.facts import finished, noted
from tests.ulci_server.web.test_games import facts
from ulci.rules import Side
from ulci_server.web.files import Compressed
from ulci_server.web.files.compression import IN_THE_LOOP, LEAST, MOST, takes_gzip

GZIP = {"Accept-Encoding": "gzip"}


@pytest.mark.parametrize(
    ("said", "takes"),
    [
        ("gzip", True), ("br, GZIP;q=0.5", True), ("deflate", False), ("", False),
        ("gzip;q=0", False), ("gzip; q=0.000", False), ("gzip;q=0.01", True), ("notgzip", False),
    ],
)  # fmt: skip
def test_who_takes_it_says_so(said, takes):
    assert takes_gzip(Headers({"accept-encoding": said})) is takes


async def test_a_game_is_compressed_and_means_the_same(web):
    async with web() as site:
        site.database.save(noted([*facts(), finished(1, Side.BLACK)]))
        answer = await site.ask("/api/games/1", GZIP)
        assert answer.headers["content-encoding"] == "gzip"
        assert int(answer.headers["content-length"]) == len(answer.body)
        assert b'"san":"Qh4#"' in gzip.decompress(answer.body)
        assert "content-encoding" not in (await site.ask("/api/games/1")).headers
        short = await site.ask("/livez", GZIP)
        assert short.body == b"ok\n"


@pytest.mark.parametrize(
    ("size", "kind", "packed"),
    [
        (LEAST, "application/json", True),
        (LEAST - 1, "application/json", False),
        (IN_THE_LOOP + 1, "application/json", True),
        (MOST, "application/json", True),
        (MOST + 1, "application/json", False),
        (LEAST, "text/event-stream", False),
    ],
)
async def test_what_is_worth_it_is_compressed(size, kind, packed):
    app = Compressed(Response(b"x" * size, 200, {"Vary": "Accept"}, kind))
    async with trio.open_nursery() as nursery:
        answer = await AskedSite(app, nursery).ask("/", GZIP)
    assert (answer.headers.get("content-encoding") == "gzip") is packed
    assert (gzip.decompress(answer.body) if packed else answer.body) == b"x" * size
    assert answer.headers["vary"] == ("Accept, Accept-Encoding" if packed else "Accept")


async def test_while_all_threads_are_busy_answers_are_sent_as_they_are():
    body = b"x" * (IN_THE_LOOP + 1)
    app = Compressed(Response(body, 200, {}, "application/json"))
    borrowers = object(), object()
    for borrower in borrowers:
        app._threads.acquire_on_behalf_of_nowait(borrower)
    async with trio.open_nursery() as nursery:
        answer = await AskedSite(app, nursery).ask("/", GZIP)
    assert answer.body == body
    assert "content-encoding" not in answer.headers
