"""JSON with everything that is recorded, under keys that stay."""

import json
from typing import get_type_hints

from msgspec.structs import replace

from tests.support.facts import (
    ADA,
    BOB,
    analysed,
    finished,
    happened,
    line,
    noted,
    played,
    reported,
    started,
)
from ulci.protocol.messages import Bound, Score
from ulci.rules import Reason, Side
from ulci_server.game import EventKind
from ulci_server.storage import Database, MemoryDatabase
from ulci_server.storage.export import document, export_json
from ulci_server.storage.export.json_export import (
    EventDocument,
    GameDocument,
    MoveDocument,
    ReportDocument,
)


def test_everything_that_is_recorded_is_written() -> None:
    database = MemoryDatabase()
    info = analysed(score=Score(cp=-7, bound=Bound.UPPER))
    move = played(1, 0, "a1", info=info, seq=1, lag=120, stall=30, held=4)
    end = finished(1, Side.BLACK, Reason.DISCONNECT, "Ada left")
    start = started(rules="mnk", start="3x3", control="60d2", pool="tea", rated=True, lag="quota")
    away = happened(1, 2, EventKind.AWAY, side=Side.WHITE, text="reset by peer")
    database.save(noted([start, move, reported(1, "hm \N{SNOWMAN}"), end, away]))

    (text,) = export_json(database, database.games.find())

    assert text.endswith("}\n")
    assert json.loads(text) == {
        "version": 1,
        "id": 1,
        "rules": "mnk",
        "start": "3x3",
        "control": "60d2",
        "lag": "quota",
        "claims": None,
        "conduct": "",
        "opening": [],
        "pool": "tea",
        "rated": True,
        "white": {
            "name": "Ada",
            "kind": "human",
            "author": "",
            "rating": None,
            "title": "",
            "account": None,
            "level": None,
        },
        "black": {
            "name": "Bob",
            "kind": "engine",
            "author": "Babbage & Co.",
            "rating": None,
            "title": "",
            "account": None,
            "level": None,
        },
        "running": False,
        "result": "0-1",
        "reason": "disconnect",
        "detail": "Ada left",
        "fault": [],
        "started_at": "2026-11-20T12:00:00.000000+00:00",
        "finished_at": "2026-11-20T12:00:03.000000+00:00",
        "moves": [
            {
                "seq": 1,
                "ply": 0,
                "side": "white",
                "move": "a1",
                "at": "2026-11-20T12:00:01.000000+00:00",
                "spent_ms": 1500,
                "left_ms": 300000,
                "lag_ms": 120,
                "stall_ms": 30,
                "held_ms": 4,
                "score": {"cp": -7, "mate": None, "bound": "upperbound"},
                "depth": 12,
                "nodes": 123456,
                "time_ms": 987,
                "pv": ["e7e5", "g1f3"],
            }
        ],
        "events": [
            {
                "seq": 2,
                "ply": 2,
                "at": "2026-11-20T12:00:04.000000+00:00",
                "what": "away",
                "side": "white",
                "amount": 0,
                "text": "reset by peer",
            },
            {
                "seq": 3,
                "ply": 2,
                "at": "2026-11-20T12:00:03.000000+00:00",
                "what": "finished",
                "side": "black",
                "amount": 0,
                "text": "disconnect: Ada left",
            },
        ],
        "reports": [
            {
                "ply": 0,
                "side": "black",
                "source": "player",
                "text": "hm \N{SNOWMAN}",
                "at": "2026-11-20T12:00:02.000000+00:00",
            }
        ],
    }


def test_the_keys_are_those_that_are_documented() -> None:
    database = MemoryDatabase()
    facts = [started(), played(1, 0, "e2e4"), reported(1, "hm"), happened(1, 1, EventKind.BACK)]
    database.save(noted(facts))
    (game,) = database.games.find()

    written = document(
        game, database.games.moves(1), database.games.reports(1), database.games.history(1)
    )

    assert written.keys() == get_type_hints(GameDocument).keys()
    assert written["moves"][0].keys() == get_type_hints(MoveDocument).keys()
    assert written["events"][0].keys() == get_type_hints(EventDocument).keys()
    assert written["reports"][0].keys() == get_type_hints(ReportDocument).keys()
    assert (written["running"], written["result"], written["reason"]) == (True, "*", None)
    assert (written["finished_at"], written["moves"][0]["score"]) == (None, None)


def test_games_come_one_line_each(database: Database) -> None:
    database.save(noted([*line(1, "e2e4 e7e5"), *line(2, "d2d4"), finished(1)]))

    texts = list(export_json(database, database.games.each()))

    assert all(text.count("\n") == 1 for text in texts)
    assert [json.loads(text)["id"] for text in texts] == [2, 1]
    assert [len(json.loads(text)["moves"]) for text in texts] == [1, 2]


def test_what_players_wrote_obeys_no_terminal_in_json_either(database: Database) -> None:
    text = "red\u202e\u2066 \u200b\U000e0041 \u00e9 \u265a"
    database.save(noted([*line(1, "e2e4"), reported(1, text), finished(1)]))

    [written] = export_json(database, database.games.each())

    assert written.removesuffix("\n").isprintable()
    assert json.loads(written)["reports"][0]["text"] == text
    assert "\u00e9 \u265a" in written


def test_an_opening_is_before_the_moves() -> None:
    database = MemoryDatabase()
    database.save(noted([started(opening=("e2e4", "e7e5")), played(1, 3, "g1f3", seq=1)]))

    (text,) = export_json(database, database.games.find())

    said = json.loads(text)
    assert said["opening"] == ["e2e4", "e7e5"]
    assert [(move["ply"], move["move"]) for move in said["moves"]] == [(3, "g1f3")]


def test_the_level_of_an_engine_is_with_the_player() -> None:
    database = MemoryDatabase()
    database.save(noted([started(seats=(ADA, replace(BOB, level=3)))]))

    (text,) = export_json(database, database.games.find())

    said = json.loads(text)
    assert (said["white"]["level"], said["black"]["level"]) == (None, 3)
