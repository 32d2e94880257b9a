"""Positions of recorded games."""

import pytest

from tests.support.facts import finished, line, noted
from tests.ulci_server.web.test_games import facts
from ulci.rules import Side


async def test_a_position_has_its_fen_and_the_moves_that_lead_to_it(web):
    async with web() as site:
        begun = facts(moves="g2g4 d8h4", opening=("f2f3", "e7e5"))
        site.database.save(noted([*begun, finished(1, Side.BLACK)]))
        found = (await site.ask("/api/games/1/position?ply=3")).json
        assert found["moves"] == ["f2f3", "e7e5", "g2g4"]
        assert found["fen"].startswith("rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b")
        whole = (await site.ask("/api/games/1/position")).json
        assert (whole["ply"], whole["rules"], whole["start"]) == (4, "chess", None)


async def test_where_a_referee_judges_the_moves_are_all_that_is_known(web):
    async with web() as site:
        site.database.save(noted([*line(1, "a2 b1", rules="nim"), finished(1)]))
        found = (await site.ask("/api/games/1/position?ply=1")).json
        assert (found["moves"], found["fen"]) == (["a2"], None)


@pytest.mark.parametrize(("asked", "status"), [("1/position?x=1", 400), ("2/position", 404)])
async def test_what_is_no_position_is_refused(web, asked, status):
    async with web() as site:
        site.database.save(noted([*facts(), finished(1, Side.BLACK)]))
        assert (await site.ask(f"/api/games/{asked}")).status == status
