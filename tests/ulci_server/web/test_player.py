"""One player, for programs and pages."""

import pytest

from tests.support.facts import NOON
from tests.ulci_server.storage.test_careers import account, played
from tests.ulci_server.web.test_openapi import fits
from ulci.rules import Side
from ulci_server.web import player as module

RECORD = {"$ref": "#/components/schemas/PlayerRecord"}
HTML = {"Accept": "text/html"}


def populate(site) -> None:
    ada, bob = account(site.database, "Ada"), account(site.database, "Bob")
    played(site.database, 1, ada, bob)
    played(site.database, 2, bob, ada)
    played(site.database, 3, ada, ("Guest", None), None, rated=False, control="60+1")
    played(site.database, 4, ada, bob, over=False)


async def test_a_player_is_shown_by_results_opponents_and_ratings(web):
    async with web() as site:
        populate(site)
        answer = await site.ask("/api/players/ADA")
        assert answer.status == 200
        ada = answer.json
        assert fits(ada, RECORD)
        assert (ada["name"], ada["account"], ada["kind"]) == ("Ada", True, "human")
        assert ada["created_at"].startswith(f"{NOON:%Y-%m-%dT%H:%M}")
        assert (ada["counted"], ada["all_counted"]) == (4, True)
        first, second = ada["results"]
        counts = ("games", "won", "drawn", "lost", "running")
        assert [first[key] for key in counts] == [3, 1, 0, 1, 1]
        assert (second["speed"], [second[key] for key in counts]) == ("bullet", [1, 0, 1, 0, 0])
        assert {one["name"]: one["games"] for one in ada["opponents"]} == {"Bob": 3, "Guest": 1}
        [rating] = ada["ratings"]
        assert (rating["pool"], rating["games"]) == ("blitz", 2)
        assert [point["game"] for point in rating["course"]] == [1, 2]
        assert rating["course"][-1]["rating"] == rating["rating"]


async def test_a_guest_has_no_account_and_the_answer_says_so(web):
    async with web() as site:
        populate(site)
        guest = (await site.ask("/api/players/Guest")).json
        assert fits(guest, RECORD)
        assert (guest["account"], guest["kind"], guest["ratings"]) == (False, None, [])
        assert guest["counted"] == 1


@pytest.mark.parametrize("handle", ["Ada_Lovelace", "Ada_Lovelace-2"])
async def test_a_handle_of_the_lobby_leads_to_the_name_in_the_record(web, handle):
    async with web() as site:
        played(site.database, 1, ("Ada Lovelace", None), ("Bob", None))
        assert (await site.ask(f"/api/players/{handle}")).json["name"] == "Ada Lovelace"
        assert (await site.ask("/api/players/Bob-17")).json["name"] == "Bob"


async def test_an_account_of_that_very_name_comes_before_a_copy(web):
    async with web() as site:
        account(site.database, "Ada")
        account(site.database, "Ada-2")
        assert (await site.ask("/api/players/ada-2")).json["name"] == "Ada-2"


async def test_an_account_that_has_not_played_is_there(web):
    async with web() as site:
        account(site.database, "New")
        assert (await site.ask("/api/players/New")).json["results"] == []
        assert (await site.ask("/players/New", HTML)).status == 200


async def test_an_unknown_name_has_neither_answer_nor_page(web):
    async with web() as site:
        answer = await site.ask("/api/players/Nobody")
        assert (answer.status, answer.json["error"]["code"]) == (404, "not-found")
        page = await site.ask("/players/Nobody", HTML)
        assert page.status == 404
        assert "has no account here and has played no game" in page.text
        assert (await site.ask("/players/Nobody")).json["error"]["code"] == "not-found"
        assert (await site.ask("/players/", HTML)).status == 404


ODD = ["a/b", "a b", "..x", "é", "e\u0301", "<img src=x onerror=alert(1)>", "%2e", "#", "🙂"]


@pytest.mark.parametrize("name", ODD)
async def test_odd_names_are_found_and_escaped(web, name):
    """As the front has decoded them."""
    async with web() as site:
        stored = "é" if name == "e\u0301" else name
        played(site.database, 1, (stored, None), ("Bob", None))
        answer = await site.ask(f"/api/players/{name}")
        assert answer.status == 200
        assert answer.json["name"] == stored
        page = await site.ask(f"/players/{name}", HTML)
        assert page.status == 200
        assert "<img src=x" not in page.text


@pytest.mark.parametrize("name", ["x" * 201, "a\nb", "a\x00", "\x85"])
async def test_what_is_no_name_is_refused(web, name):
    async with web() as site:
        assert (await site.ask(f"/api/players/{name}")).status in (400, 404)


async def test_the_404_page_escapes_the_name(web):
    async with web() as site:
        page = await site.ask("/players/<script>alert(1)</script>", HTML)
        assert page.status == 404
        assert "<script>alert" not in page.text


async def test_it_is_sent_only_if_it_has_changed(web, mock_clock):
    async with web() as site:
        populate(site)
        first = await site.ask("/api/players/Ada")
        tag = {"If-None-Match": first.headers["etag"]}
        assert (await site.ask("/api/players/Ada", tag)).status == 304
        played(site.database, 5, ("Ada", site.database.accounts.find_player("Ada").id), ("X", None))
        assert (await site.ask("/api/players/Ada", tag)).status == 304  # it is kept for a while
        mock_clock.jump(module.KEPT_FOR + 1)
        assert (await site.ask("/api/players/Ada", tag)).status == 200


async def test_it_is_counted_once_for_all_who_ask_and_few_are_kept(web, monkeypatch):
    monkeypatch.setattr(module, "KEPT_FOR", 600.0)
    monkeypatch.setattr(module, "MOST_KEPT", 2)
    async with web() as site:
        populate(site)
        counted = []
        played = site.database.careers.played

        def count(name, account):
            counted.append(name)
            return played(name, account)

        monkeypatch.setattr(site.database.careers, "played", count)
        for _ in range(3):
            await site.ask("/api/players/Ada")
        assert counted == ["Ada"]
        for name in ("Bob", "Guest", "Ada"):
            await site.ask(f"/api/players/{name}")
        assert counted == ["Ada", "Bob", "Guest", "Ada"]


async def test_whoever_asks_often_is_told_to_wait(web, mock_clock):
    async with web() as site:
        said = {(await site.ask(f"/players/{number}", HTML)).status for number in range(100)}
        assert said == {404, 429}


async def test_lists_are_cut(web, monkeypatch):
    monkeypatch.setattr(module, "MOST_OPPONENTS", 2)
    async with web() as site:
        ada = account(site.database, "Ada")
        for number, name in enumerate(("Bob", "Cyd", "Cyd", "Dan", "Dan"), 1):
            played(site.database, number, ada, (name, None), Side.BLACK)
        opponents = (await site.ask("/api/players/Ada")).json["opponents"]
        assert {one["name"] for one in opponents} == {"Cyd", "Dan"}
        assert [one["lost"] for one in opponents] == [2, 2]
