"""Pictures of games for whoever asks."""

import pytest

from tests.support.facts import finished, line, noted
from tests.ulci_server.web.test_games import facts
from ulci.protocol.messages import BestMove
from ulci.rules import Side
from ulci_server.web.quotas import WORK_BURST


async def test_a_finished_game_has_a_picture_of_each_ply_that_can_be_kept(web):
    async with web() as site:
        site.database.save(noted([*facts(), finished(1, Side.BLACK)]))
        whole = await site.ask("/games/1/board.svg")
        assert (whole.status, whole.headers["content-type"]) == (200, "image/svg+xml")
        assert "after ply 4, Qh4#" in whole.text
        assert "max-age=3600" in whole.headers["cache-control"]
        again = await site.ask("/games/1/board.svg", {"If-None-Match": whole.headers["etag"]})
        assert (again.status, again.body) == (304, b"")
        first = await site.ask("/games/1/board.svg?ply=1&side=black")
        assert "after ply 1, f3" in first.text
        assert first.headers["etag"] != whole.headers["etag"]
        assert "at the start" in (await site.ask("/games/1/board.svg?ply=0")).text
        assert "after ply 4" in (await site.ask("/games/1/board.svg?ply=99")).text


async def test_a_running_game_has_a_picture_that_changes_with_it(web):
    async with web() as site:
        ada, bob = await site.game()
        start = await site.ask("/games/1/board.svg")
        known = {"If-None-Match": start.headers["etag"]}
        assert (await site.ask("/games/1/board.svg", known)).status == 304
        ada.say(BestMove("e2e4"))
        await bob.be_asked()
        moved = await site.ask("/games/1/board.svg", known)
        assert (moved.status, "after ply 1, e4" in moved.text) == (200, True)


@pytest.mark.parametrize("query", ["ply=x", "ply=-1", "ply=1&ply=2", "side=red", "x=1"])
async def test_what_is_no_picture_is_refused(web, query):
    async with web() as site:
        site.database.save(noted([*facts(), finished(1, Side.BLACK)]))
        assert (await site.ask(f"/games/1/board.svg?{query}")).status == 400


async def test_there_is_no_picture_without_a_board(web):
    async with web() as site:
        site.database.save(noted([*line(1, "a2 b1", rules="nim"), finished(1)]))
        assert (await site.ask("/games/1/board.svg")).status == 404
        assert (await site.ask("/games/2/board.svg")).status == 404


async def test_who_asks_for_too_many_pictures_is_told_when_to_come_again(web, mock_clock):
    async with web() as site:
        site.database.save(noted([*facts(), finished(1, Side.BLACK)]))
        statuses = [(await site.ask("/games/1/board.svg")).status]
        while statuses[-1] == 200 and len(statuses) < 100 * WORK_BURST:
            statuses.append((await site.ask("/games/1/board.svg")).status)
        assert statuses[-1] == 429
        assert len(statuses) < WORK_BURST
