"""What chats show of a link."""

import re
from html import unescape

import pytest

from tests.support.facts import BOB, finished, noted
from tests.ulci_server.web.test_games import facts
from tests.ulci_server.web.test_tournaments import cup
from ulci.rules import Side
from ulci_server.game import Seat
from ulci_server.storage import StorageError
from ulci_server.web.quotas import WORK_BURST

HERE = {"Host": "games.example:8080"}


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """A busy machine has its preview, too, however long that takes."""
    monkeypatch.setattr("ulci_server.web.pictures.link_preview.PATIENCE", 60)


def head(page: str) -> dict[str, str]:
    tags = re.findall(r'<meta (?:name|property)="([^"]+)" content="([^"]*)">', page)
    return {name: unescape(text) for name, text in tags}


async def test_a_game_says_who_played_it_and_how_it_ended(web):
    async with web() as site:
        site.database.save(noted([*facts(), finished(1, Side.BLACK)]))
        page = await site.ask("/games/1?ply=2", HERE)
        assert "<title>Ada – Bob: Black won by checkmate</title>" in page.text
        found = head(page.text)
        assert found["og:title"] == "Ada – Bob: Black won by checkmate"
        assert found["og:description"] == "Chess · 300+3 · 2026-11-20"
        assert found["og:image"] == "http://games.example:8080/games/1/board.svg?ply=2"
        assert found["og:url"] == "http://games.example:8080/games/1"
        again = await site.ask("/games/1?ply=2", {**HERE, "If-None-Match": page.headers["etag"]})
        assert again.status == 304


async def test_a_tournament_says_what_it_is(web):
    async with web() as site:
        cup(site)
        found = head((await site.ask("/tournaments/cup", HERE)).text)
        assert found["og:title"] == "Winter Cup"
        assert found["og:description"].endswith("pool chess · 2 entrants · running")


async def test_a_name_is_text_and_no_markup(web):
    async with web() as site:
        name = '"><script src=//evil></script>'
        record = facts(seats=(Seat(name, "human"), BOB))
        site.database.save(noted([*record, finished(1, Side.BLACK)]))
        page = (await site.ask("/games/1", HERE)).text
        assert "<script src=//" not in page
        assert head(page)["og:title"].startswith(name)


@pytest.mark.parametrize("host", ['x"><script>', "a b", "user@evil", "x/y", ""])
async def test_a_host_that_is_none_makes_no_address(web, host):
    async with web() as site:
        site.database.save(noted([*facts(), finished(1, Side.BLACK)]))
        page = (await site.ask("/games/1", {"Host": host})).text
        assert "og:title" in page
        assert "og:url" not in page
        assert "og:image" not in page


async def test_the_page_is_there_when_nothing_is_known(web, monkeypatch):
    async with web() as site:
        for path in ("/games/7", "/games/9999999999999999999", "/tournaments/none"):
            answer = await site.ask(path)
            assert (answer.status, "og:title" in answer.text) == (200, False)
        site.database.save(noted([*facts(), finished(1, Side.BLACK)]))
        for _ in range(100 * int(WORK_BURST)):
            answer = await site.ask("/games/1", host="198.51.100.7")
            assert answer.status == 200
            if "og:title" not in answer.text:
                break
        assert "og:title" not in answer.text

        def broken(*_, **__):
            raise StorageError("no database")

        monkeypatch.setattr(site.database.games, "find", broken)
        answer = await site.ask("/games/1")
        assert (answer.status, "og:title" in answer.text) == (200, False)
