"""Ratings for programs and pages."""

from datetime import timedelta

from tests.support.facts import NOON, noted
from tests.ulci_server.storage.test_ratings import accounts, over


def rated(site) -> None:
    """Ada has won against Bob and Cy."""
    ada, bob, cy = accounts(site.database, "Ada", "Bob", "Cy").values()
    site.database.save(noted(over(1, ada, bob), NOON))
    site.database.save(noted(over(2, ada, cy), NOON + timedelta(days=1)))
    site.database.ratings.anchor(cy, "blitz", 1000, NOON + timedelta(days=2))


async def test_the_players_of_a_pool_come_by_their_ratings(web):
    async with web() as site:
        rated(site)
        assert (await site.ask("/api/ratings")).json["pools"] == [{"name": "blitz", "rated": 3}]
        answer = (await site.ask("/api/ratings/blitz")).json
        assert answer["pool"] == "blitz"
        assert answer["after"] is None
        first, second, last = answer["ratings"]
        assert [one["name"] for one in (first, second, last)] == ["Ada", "Bob", "Cy"]
        assert (first["rank"], first["games"], first["provisional"]) == (1, 2, True)
        assert (last["rating"], last["anchored"], last["deviation"]) == (1000, True, 45)


async def test_they_come_in_pages(web):
    async with web() as site:
        rated(site)
        page = (await site.ask("/api/ratings/blitz?limit=2")).json
        assert [one["rank"] for one in page["ratings"]] == [1, 2]
        assert page["after"] == 2
        page = (await site.ask("/api/ratings/blitz?limit=2&after=2")).json
        assert [(one["rank"], one["name"]) for one in page["ratings"]] == [(3, "Cy")]
        assert page["after"] is None


async def test_a_pool_without_ratings_is_empty(web):
    async with web() as site:
        assert (await site.ask("/api/ratings/nothing")).json["ratings"] == []


async def test_what_is_no_page_is_refused(web):
    async with web() as site:
        for query in ("limit=0", "limit=201", "limit=x", "after=-1", "x=1", "limit=1&limit=2"):
            assert (await site.ask(f"/api/ratings/blitz?{query}")).status == 400, query
        assert (await site.ask(f"/api/ratings/{'x' * 201}")).status == 400
        assert (await site.ask("/api/ratings?x=1")).status == 400
