"""Games, as outsiders may ask for them."""

from datetime import timedelta

import pytest
import trio

from tests.support.facts import NOON, analysed, finished, noted, played, started
from ulci.protocol.messages import BestMove
from ulci.rules import Reason, Side
from ulci_server.web.archive import Archive

FOOLS = "f2f3 e7e5 g2g4 d8h4"
BOOK = ("e2e4", "e7e5")


def facts(game: int = 1, moves: str = FOOLS, **start):
    plies = [
        played(
            game,
            ply,
            move,
            seq=ply,
            side=Side((ply - 1) % 2),
            info=analysed() if ply == 2 else None,
        )
        for ply, move in enumerate(moves.split(), 1)
    ]
    return [started(game, **start), *plies]


async def test_a_finished_game_has_its_moves_boards_and_ledger(web):
    async with web() as site:
        site.database.save(noted([*facts(), finished(1, Side.BLACK)]))
        answer = await site.ask("/api/games/1")
        game = answer.json
        assert answer.status == 200
        assert (game["state"], game["result"], game["reason"]) == ("finished", "0-1", "checkmate")
        assert [move["san"] for move in game["moves"]] == ["f3", "e5", "g4", "Qh4#"]
        assert game["board"]["check"] == ["e1"]
        assert game["board"]["ranks"][4] == "......Pq"
        assert game["start_board"]["ranks"][0] == "rnbqkbnr"
        assert game["moves"][1]["score_cp"] == 23
        assert game["moves"][1]["pv"] == ["e7e5", "g1f3"]
        assert game["plies"] == 4


async def test_moves_of_a_book_are_plies_of_which_nothing_else_is_recorded(web):
    begun = started(1, opening=("f2f3", "e7e5"))
    moves = [
        played(1, 3, "g2g4", seq=1, side=Side.WHITE),
        played(1, 4, "d8h4", seq=2, side=Side.BLACK, info=analysed()),
    ]
    async with web() as site:
        site.database.save(noted([begun, *moves, finished(1, Side.BLACK)]))
        game = (await site.ask("/api/games/1")).json
        assert (game["plies"], game["book"]) == (4, 2)
        assert [move["san"] for move in game["moves"]] == ["f3", "e5", "g4", "Qh4#"]
        assert [move["side"] for move in game["moves"]] == ["white", "black"] * 2
        assert [move["spent_ms"] for move in game["moves"]] == [None, None, 1503, 1504]
        assert game["moves"][3]["score_cp"] == 23
        assert "1. f3 {book} 1... e5 {book} 2. g4" in (await site.ask("/api/games/1.pgn")).text
        [listed] = (await site.ask("/api/games")).json["games"]
        assert (listed["plies"], listed["book"]) == (4, 2)


async def test_a_running_game_begins_with_its_book(web):
    async with web() as site:
        await site.opened(BOOK)
        game = (await site.ask("/api/games/7")).json
        assert (game["state"], game["plies"], game["book"]) == ("running", 2, 2)
        assert [move["move"] for move in game["moves"]] == [*BOOK]
        legal = (await site.ask("/api/games/7/legal")).json
        assert legal["ply"] == 2
        assert "g1f3" in legal["moves"]


async def test_a_running_game_has_its_clocks_and_players(web):
    async with web() as site:
        ada, bob = await site.game()
        ada.say(BestMove("e2e4"))
        await bob.be_asked()
        game = (await site.ask("/api/games/1")).json
        assert game["state"] == "running"
        assert game["result"] is None
        assert game["clocks"]["running"] == "black"
        assert game["players"] == {"white": "here", "black": "here"}
        assert game["white"] == {"name": "Ada", "kind": "human", "level": None, "rating": None}
        assert game["moves"][0]["san"] == "e4"


async def test_a_game_that_was_resigned_has_the_clocks_of_that_moment(web):
    async with web() as site:
        moved = played(1, 1, "e2e4", side=Side.WHITE, spent=2000, left=301_000, seq=1)
        site.database.save(noted([started(1), moved]))
        resigned = finished(1, Side.WHITE, Reason.RESIGNATION)
        site.database.save(noted([resigned], NOON + timedelta(seconds=41)))
        game = (await site.ask("/api/games/1")).json
        assert game["clocks"] == {"white_ms": 301_000, "black_ms": 260_000, "running": None}
        assert game["moves"][0]["left_ms"] == 301_000


async def test_the_list_is_filtered_and_paged(web):
    async with web() as site:
        for number in range(1, 6):
            site.database.save(noted([*facts(number), finished(number, Side.BLACK)]))
        page = (await site.ask("/api/games?limit=2&state=finished")).json
        assert [game["id"] for game in page["games"]] == [5, 4]
        assert page["games"][0]["plies"] == 4
        page = (await site.ask(f"/api/games?limit=3&before={page['before']}")).json
        assert [game["id"] for game in page["games"]] == [3, 2, 1]
        assert (await site.ask("/api/games?state=running")).json["games"] == []
        assert (await site.ask("/api/games?rules=liberty")).json["games"] == []
        day = f"{NOON:%Y-%m-%d}"
        assert len((await site.ask(f"/api/games?since={day}&until={day}")).json["games"]) == 5
        assert (await site.ask("/api/games?since=2026-11-21")).json["games"] == []


@pytest.mark.parametrize(
    "query",
    [
        "state=over",
        "state=running&state=finished",
        "limit=0",
        "limit=201",
        "before=x",
        "since=yesterday",
        "x=1",
    ],
)
async def test_a_filter_that_says_nothing_is_an_error(web, query):
    async with web() as site:
        answer = await site.ask(f"/api/games?{query}")
        assert answer.status == 400
        assert answer.json["error"]["code"] == "bad-request"
        assert "now" in answer.json


async def test_there_is_no_game_of_an_unknown_number(web):
    async with web() as site:
        for number in ("7", "9" * 19, "9" * 5000):
            assert (await site.ask(f"/api/games/{number}")).status == 404
        assert (await site.ask("/api/games/1", method="POST")).status == 405


async def test_a_game_that_is_not_recorded_yet_is_waited_for(web, monkeypatch):
    """Its players are told of it before."""
    held = trio.Event()
    async with web() as site:
        await site.game()
        record, asked = Archive.record, []

        async def record_late(archive, number):
            asked.append(number)
            if not held.is_set():
                held.set()
                return None
            return await record(archive, number)

        monkeypatch.setattr(Archive, "record", record_late)
        answer = await site.ask("/api/games/1")
        assert (answer.status, answer.json["id"]) == (200, 1)
        assert asked == [1, 1]
        asked.clear()
        assert (await site.ask("/api/games/2")).status == 404
        assert asked == [2]
