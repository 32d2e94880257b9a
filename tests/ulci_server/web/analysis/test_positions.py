"""Any position, judged for whoever asks."""

import pytest
import trio
import trio.testing

from tests.ulci_server.web.analysis.asking import ask
from tests.ulci_server.web.test_openapi import OPENAPI, fits
from ulci.rules import GAMES
from ulci_server.web.analysis.questions import MOST_PLIES, WAITING, Questions
from ulci_server.web.quotas import WORK_BURST


async def test_moves_lead_to_a_position_with_its_legal_moves(web):
    async with web() as site:
        answer = await ask(site, "position", rules="chess", moves=["e2e4", "e7e5"])
        found = answer.json
        assert found["fen"].startswith("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w")
        assert len(found["legal"]) == 29
        assert found["last"] == {"side": "black", "move": "e7e5", "san": "e5"}
        described = OPENAPI["paths"]["/api/analysis/position"]["post"]["responses"]["200"]
        assert fits(found, described["content"]["application/json"]["schema"])


@pytest.mark.parametrize("rules", GAMES)
async def test_every_game_that_the_server_judges_can_be_asked_about(web, rules):
    async with web() as site:
        found = (await ask(site, "position", rules=rules)).json
        assert found["legal"]
        found = (await ask(site, "position", rules=rules, typed=found["legal"][0])).json
        assert len(found["moves"]) == 1


async def test_a_typed_move_is_played_or_refused_with_a_reason(web):
    async with web() as site:
        played = (await ask(site, "position", rules="chess", typed="Nf3")).json
        assert (played["moves"], played["why"]) == (["g1f3"], None)
        refused = (await ask(site, "position", rules="chess", typed="Nf6")).json
        assert refused["moves"] == []
        assert refused["why"]


async def test_a_game_ends_as_its_rules_say(web):
    async with web() as site:
        moves = ["f2f3", "e7e5", "g2g4", "d8h4"]
        found = (await ask(site, "position", rules="chess", moves=moves)).json
        assert found["over"] == {"score": "0-1", "text": "Black won by checkmate"}
        assert found["legal"] == []
        assert (await ask(site, "position", rules="chess", moves=[*moves, "a2a3"])).status == 400


@pytest.mark.parametrize(
    "asked",
    [
        {"rules": "nim"},
        {"rules": "chess", "moves": ["e2e5"]},
        {"rules": "chess", "start": "nonsense"},
        {"rules": "liberty", "start": "/".join(["32"] * 32) + " w - -"},
        {"rules": "chess", "moves": ["e2e4"] * (MOST_PLIES + 1)},
        {"rules": "chess", "moves": ["x" * 17]},
        {"rules": "chess", "moves": "e2e4"},
        {"rules": "chess", "more": 1},
        {},
    ],
)
async def test_what_is_no_position_is_refused(web, asked):
    async with web() as site:
        assert (await ask(site, "position", **asked)).status == 400


async def test_pages_of_other_sites_and_forms_may_not_ask(web):
    async with web() as site:
        foreign = {"Origin": "https://evil.example", "Host": "127.0.0.1:25566"}
        assert (await ask(site, "position", foreign, rules="chess")).status == 403
        form = {"Content-Type": "text/plain"}
        assert (await ask(site, "position", form, rules="chess")).status == 415
        deep = b"[" * 60_000
        kind = {"Content-Type": "application/json", "Content-Length": str(len(deep))}
        answer = await site.ask("/api/analysis/position", kind, method="POST", body=deep)
        assert answer.status == 400


async def test_who_asks_too_often_is_told_when_to_come_again(web, mock_clock):
    async with web() as site:
        statuses = [200]
        while statuses[-1] == 200 and len(statuses) < 100 * WORK_BURST:
            statuses.append((await ask(site, "position", rules="tictactoe")).status)
        assert statuses[-1] == 429


async def test_no_more_wait_than_the_limit():
    questions, held = Questions(None), trio.Event()
    async with trio.open_nursery() as nursery:

        def work() -> None:
            trio.from_thread.run(held.wait)

        for _ in range(WAITING + 1):
            nursery.start_soon(questions.answer, work)
        await trio.testing.wait_all_tasks_blocked()
        with pytest.raises(Exception, match="too many ask") as refused:
            await questions.answer(work)
        assert refused.value.status_code == 503
        held.set()
