"""Games that begin with moves of a book, from a killed server to the next, by real programs."""

import io
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import chess.pgn
import pytest

from tests.support import server_with_book
from tests.support.bridges import Bridge, bridged
from tests.support.servers import Server, program, until

pytestmark = [pytest.mark.system, pytest.mark.slow]

PROGRAM = (sys.executable, server_with_book.__file__, "serve")
HOUSE = (
    *("--dialect", "ulci", "--", sys.executable, "-m", "ulci_client.cli", "engine"),
    *("--dialect", "ulci"),
)
MOVES = 4
"""Of the players, until the server is killed."""


def moves(server: Server) -> int:
    """How many are stored."""
    with closing(sqlite3.connect(server.folder / "ulci.db")) as database:
        return int(database.execute("SELECT count(*) FROM moves").fetchone()[0])


def positions(bridge: Bridge) -> list[str]:
    """What its engine was told, in order."""
    return [
        line.partition(" position ")[2].strip()
        for line in bridge.spoken.splitlines()
        if line.startswith(" engine > position ")
    ]


@pytest.mark.parametrize(
    ("rules", "time", "book"),
    [
        ("chess", "5+0.02", "e2e4 c7c5 g1f3 d7d6"),
        ("crazyhouse", "movetime=80", "e2e4 d7d5 e4d5 d8d5"),
        ("liberty", "movetime=50", "e3e4 e10e9 h3h4 h10h9"),
    ],
)
async def test_a_killed_server_goes_on_with_the_opening_of_its_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rules: str, time: str, book: str
) -> None:
    monkeypatch.setenv(server_with_book.BOOK, book)
    engine = ("--", program("stockfish")) if rules == "chess" else HOUSE
    server = Server(
        *(tmp_path, "--listen", "tcp://127.0.0.1:0", "--game", rules, "--time", time),
        program=PROGRAM,
    )
    server.start()
    try:
        options = ("--server", f"tcp://127.0.0.1:{server.port()}", "--games", "1", "--name")
        with (
            bridged(tmp_path, "a", *options, "Ash", *engine) as a,
            bridged(tmp_path, "b", *options, "Birch", *engine) as b,
        ):
            await until(lambda: moves(server) >= MOVES, "they have moved")
            server.kill()
            server.start_again()
            assert (await a.ended(), await b.ended()) == (0, 0)
        [game] = server.finished(1)
        assert game["opening"] == book.split()
        assert game["moves"][0]["ply"] == 5
        assert [event["what"] for event in game["events"]].count("resumed") == 1
        start = "startpos" if game["start"] is None else f"fen {game['start']}"
        told = [*positions(a), *positions(b)]
        assert f"{start} moves {book}" in told
        assert all(one.startswith(f"{start} moves {book}") for one in told)
        assert "1 game" in server.run("verify")
        text = server.run("export", "--format", "pgn")
        assert text.count("{book}") == 4
        if rules == "chess":
            read = chess.pgn.read_game(io.StringIO(text))
            assert read is not None
            assert [node.comment for node in read.mainline()][:4] == ["book"] * 4
    finally:
        server.stop()
