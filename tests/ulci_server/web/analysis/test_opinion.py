"""What an engine of the server thinks."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import trio
import trio.testing

from tests.ulci_server.web.analysis.asking import ask
from tests.ulci_server.web.test_openapi import OPENAPI, fits
from ulci.net import Turns
from ulci.rules import Side
from ulci_server.web.analysis import opinion
from ulci_server.web.analysis.opinion import WAITING, Asked, Opinions, line_in_words, turn_at
from ulci_server.web.analysis.positions import UnknownPositionError
from ulci_server.web.analysis.questions import Questions
from ulci_server.web.quotas import TooOften

ENGINE = Path(__file__).parents[3] / "support" / "scripted_engine.py"


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """On a busy machine an engine may be slow."""
    monkeypatch.setattr(opinion, "LATE", 60.0)


def engine(*switches: str, **table) -> dict:
    return {"command": [sys.executable, str(ENGINE), *switches], **table}


async def asked(site, *moves: str, rules: str = "chess", host: str = "192.0.2.1"):
    return await ask(site, "opinion", rules=rules, moves=moves, host=host)


async def test_an_engine_says_its_score_from_whites_side_and_its_line(web, errors_logged):
    info = "depth 7 score cp 31 nodes 900 pv e7e5 g1f3 e2e4"
    async with web(engines=[engine("--info", info)]) as site:
        assert (await site.ask("/api/server")).json["opinions"] is True
        answer = await asked(site, "e2e4")
        found = answer.json
        assert (found["score_cp"], found["score_mate"]) == (-31, None)
        assert (found["depth"], found["nodes"]) == (7, 900)
        assert [move["san"] for move in found["line"]] == ["e5", "Nf3"], "the rest is not legal"
        described = OPENAPI["paths"]["/api/analysis/opinion"]["post"]["responses"]["200"]
        assert fits(found, described["content"]["application/json"]["schema"])


async def test_a_position_is_thought_about_once(web, tmp_path):
    transcript = tmp_path / "told"
    async with web(engines=[engine("--transcript", str(transcript))]) as site:
        first = (await asked(site)).json
        again = (await asked(site, host="192.0.2.9")).json
        assert {**first, "now": 0} == {**again, "now": 0}
        told = transcript.read_text().splitlines()
        assert sum(line.startswith("go ") for line in told) == 1
        assert "go movetime 2000" in told


async def test_an_engine_that_fails_is_followed_by_the_next(web):
    engines = [engine("--die-at-go", "1"), engine("--info", "depth 3 score mate 2 pv e2e4")]
    async with web(engines=engines) as site:
        found = (await asked(site)).json
        assert (found["score_mate"], found["score_cp"]) == (2, None)


async def test_an_engine_that_does_not_answer_is_given_up(web, monkeypatch):
    monkeypatch.setattr(opinion, "THINKS", 0.01)
    monkeypatch.setattr(opinion, "LATE", 0.05)
    async with web(engines=[engine("--wait")]) as site:
        assert (await asked(site)).status == 404


@pytest.mark.parametrize(
    ("engines", "rules", "status"),
    [
        ([], "chess", 404),
        ([engine(games=["crazyhouse"])], "chess", 404),
        ([engine()], "crazyhouse", 404),
        ([engine()], "nim", 400),
    ],
)
async def test_where_no_engine_plays_the_game_there_is_no_opinion(web, engines, rules, status):
    async with web(engines=engines) as site:
        assert (await asked(site, rules=rules)).status == status


async def test_nobody_is_asked_where_the_operator_does_not_want_it(web):
    async with web(engines=[engine()], opinions=False) as site:
        assert (await site.ask("/api/server")).json["opinions"] is False
        assert (await asked(site)).status == 404


async def test_one_address_may_ask_a_few_times_at_once(web, mock_clock):
    async with web() as site:
        statuses = [(await asked(site)).status for _ in range(8)]
        assert statuses[:3] == [404] * 3
        assert 429 in statuses


async def test_few_may_wait_for_the_engine(web):
    async with web(engines=[engine("--wait")]) as site, trio.open_nursery() as nursery:
        context = SimpleNamespace(config=site.config, turns=Turns())
        offers = [table.offer() for table in site.config.engine]
        opinions = Opinions(context, offers, Questions(context))
        for file in "abcdefgh"[: WAITING + 1]:
            nursery.start_soon(opinions.of, Asked("chess", None, (f"{file}2{file}3",)))
        with trio.fail_after(20):
            while opinions.waiting < WAITING:
                await trio.lowlevel.checkpoint()
        with pytest.raises(TooOften) as refused:
            await opinions.of(Asked("chess", None, ("h2h3",)))
        assert refused.value.status_code == 503
        nursery.cancel_scope.cancel()


def test_positions_that_are_none_are_refused():
    assert turn_at(Asked("chess", None, ("e2e4",))) is Side.BLACK
    for start, moves in ((None, ("e2e5",)), (None, ("f2f3", "e7e5", "g2g4", "d8h4")), ("x", ())):
        with pytest.raises(UnknownPositionError):
            turn_at(Asked("chess", start, moves))


def test_a_line_ends_where_it_is_not_legal():
    line = line_in_words(Asked("chess", None, ()), ["e2e4", "e2e4", "e7e5"])
    assert [move["san"] for move in line] == ["e4"]
