"""The bridge as people run it: real engines, the real server, real lines between them."""

import os
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import chess
import pytest

from tests.support.bridges import Bridge, bridged, wire
from tests.support.servers import Server, complaints, program, serving, until
from tests.support.wires import authority

pytestmark = pytest.mark.system

HOUSE = (sys.executable, "-m", "ulci_client.house_engine")


@contextmanager
def hosting(folder: Path, time: str) -> Iterator[Server]:
    """A server with a TCP and a WSS listener, at which no engine meets itself."""
    certificate = authority().issue_cert("localhost").private_key_and_cert_chain_pem
    certificate.write_to_path(str(folder / "server.pem"))
    authority().cert_pem.write_to_path(str(folder / "ca.pem"))
    config = folder / "server.toml"
    config.write_text(
        f"""
        listen = [
            {{ address = "tcp://127.0.0.1:0" }},
            {{ address = "wss://localhost:0", certificate = "server.pem" }},
        ]
        [[pool]]
        name = "match"
        time = "{time}"
        self_play = false
        """
    )
    with serving(folder, "--config", str(config)) as server:
        yield server


def over_wss(server: Server) -> tuple[str, ...]:
    url = f"wss://localhost:{server.port('wss')}"
    return ("--server", url, "--cafile", str(server.folder / "ca.pem"))


def over_tcp(server: Server, port: int | None = None) -> tuple[str, ...]:
    return ("--server", f"tcp://127.0.0.1:{port or server.port()}")


def check(game: dict) -> None:
    """Every move is legal, and every clock is what the one before leaves of it."""
    moves, seconds, increment = map(float, re.split(r"[/+]", game["control"]))
    session, increment = round(1000 * seconds), round(1000 * increment)
    left = {"white": session, "black": session}
    board = chess.Board()
    for move in game["moves"]:
        side = "white" if board.turn else "black"
        last_of_session = board.fullmove_number % moves == 0
        board.push_uci(move["move"])
        thought = move["spent_ms"] - move["lag_ms"] - move["stall_ms"]
        left[side] += increment - thought + (session if last_of_session else 0)
        assert move["left_ms"] == left[side], (game["id"], move)
    outcome = board.outcome(claim_draw=True)
    assert outcome is not None, game["reason"]
    assert outcome.result() == game["result"]


@pytest.mark.slow
async def test_two_engines_play_a_match_two_games_at_a_time(tmp_path):
    stockfish, ethereal = program("stockfish"), program("ethereal-chess")
    shared = ("--games", "4", "--concurrency", "2", "--option", "Hash=8")
    # Four engines think on what may be a busy machine: most of their time they leave to it. One
    # takes a node searched for a millisecond.
    first = (*shared, "--option", "nodestime=1", "--", stockfish)
    second = (*shared, "--option", "MoveOverhead=10000", "--", ethereal)
    with (
        hosting(tmp_path, "40/12+0.1") as server,
        bridged(tmp_path, "one", *over_wss(server), *first) as one,
        bridged(tmp_path, "two", *over_tcp(server), *second) as two,
    ):
        codes = await one.ended(), await two.ended()
        assert codes == (0, 0), one.shown + two.shown
        assert one.processes() == two.processes() == []
        games = server.games()
    assert len(games) == 4
    names = {game["white"]["name"] for game in games}
    assert len(names) == 2  # colours alternate
    for game in games:
        assert {game["white"]["name"], game["black"]["name"]} == names
        assert complaints(game) == []
        check(game)
    drawn = sum(game["result"] == "1/2-1/2" for game in games)
    assert one.shown.count(" begins: ") == two.shown.count(" begins: ") == 4
    for bridge in (one, two):
        won, told_drawn, lost = re.findall(r"won (\d), drawn (\d), lost (\d)\n", bridge.shown)[-1]
        assert int(told_drawn) == drawn
        assert int(won) + int(lost) == 4 - drawn


@contextmanager
def opponents(server: Server, port: int | None = None) -> Iterator[tuple[Bridge, Bridge]]:
    """Stockfish, over that port, against the house engine."""
    stockfish = program("stockfish")
    ours = (*over_tcp(server, port), "--option", "Hash=8", "--", stockfish)
    theirs = (*over_wss(server), "--", *HOUSE)
    with (
        bridged(server.folder, "ours", *ours) as one,
        bridged(server.folder, "theirs", *theirs) as other,
    ):
        yield one, other


MOVE = " server > bestmove"


async def moves_on(bridge: Bridge) -> None:
    """Wait until it has made some more moves."""
    before = bridge.said(MOVE)
    await until(lambda: bridge.said(MOVE) >= before + 3, "it has made some moves")


async def leave(one: Bridge, other: Bridge) -> None:
    """One out of the running game, by two Ctrl-C; the other, whose game that ends, by the first."""
    one.process.send_signal(signal.SIGINT)
    await until(lambda: "Ctrl-C again" in one.shown, "the first Ctrl-C was heard")
    one.process.send_signal(signal.SIGINT)
    assert await one.ended() == 130
    await until(lambda: " is over: " in other.shown, "the other one knows")
    other.process.send_signal(signal.SIGINT)
    assert await other.ended() == 0
    assert one.processes() == other.processes() == []


async def test_an_engine_that_is_killed_in_mid_game_is_started_again_and_plays_on(tmp_path):
    with hosting(tmp_path, "30+0.2") as server, opponents(server) as (ours, theirs):
        await moves_on(ours)
        [engine] = ours.processes()
        os.kill(engine, signal.SIGKILL)
        await until(lambda: ours.said(" engine > uci\n") == 2, "it is started again")
        await moves_on(ours)
        [again] = ours.processes()
        assert again != engine
        await leave(ours, theirs)
        games = server.games()
    assert "was killed by SIGKILL" in ours.shown
    assert [game["reason"] for game in games] == ["disconnect"]  # one game all the time
    assert ours.shown.count(" begins: ") == 1


async def test_a_line_that_is_cut_in_mid_game_is_dialled_again_and_the_game_goes_on(tmp_path):
    with hosting(tmp_path, "30+0.2") as server:
        async with wire(server.port()) as line:
            with opponents(server, line.port) as (ours, theirs):
                await moves_on(ours)
                [engine] = ours.processes()
                line.cut()
                await until(lambda: line.calls == 2, "it dials again")
                await moves_on(ours)
                assert ours.processes() == [engine]
                await leave(ours, theirs)
        games = server.games()
    assert "lost the connection to " in ours.shown
    assert [game["reason"] for game in games] == ["disconnect"]
    assert ours.shown.count(" begins: ") == 1


async def test_a_server_that_is_started_again_is_found_again(tmp_path):
    with hosting(tmp_path, "30+0.2") as server:
        port = server.port()
        with bridged(tmp_path, "ours", *over_tcp(server), "--", *HOUSE) as ours:
            await until(lambda: "is known to the server" in ours.shown, "it is there")
            assert server.stop() == 0
            await until(lambda: "trying again" in ours.shown, "it has noticed")
            server.options = ("--listen", f"tcp://127.0.0.1:{port}")
            server.start()
            await until(lambda: ours.shown.count("is known to the server") == 2, "it is back")
            ours.process.send_signal(signal.SIGINT)
            assert await ours.ended() == 0
            assert ours.processes() == []


@pytest.mark.parametrize(
    ("argv", "code", "complaint"),
    [
        (["--", "/no/engine"], 1, "cannot start '/no/engine'"),
        (["--", "true"], 1, "true does not answer `uci` with `uciok` as UCI engines do"),
        (["--option", "Dpeth=1", "--", *HOUSE], 2, "no option 'Dpeth'; did you mean 'Depth'?"),
        (["--option", "Depth=0", "--", *HOUSE], 2, "option 'Depth' cannot be 0 (spin, 1 to 64)"),
        (["--server", "tcp://127.0.0.1:1", "--", *HOUSE], 1, "cannot reach tcp://127.0.0.1:1"),
    ],
)
async def test_what_cannot_work_is_told_in_one_line(tmp_path, argv, code, complaint):
    with bridged(tmp_path, "bridge", *argv) as bridge:
        assert await bridge.ended() == code
        assert bridge.processes() == []
        [line] = bridge.shown.splitlines()
    assert line.startswith("error: ")
    assert complaint in line


async def test_a_certificate_of_nobody_known_is_not_trusted(tmp_path):
    with hosting(tmp_path, "60") as server:
        url = f"wss://localhost:{server.port('wss')}"
        with bridged(tmp_path, "bridge", "--server", url, "--", *HOUSE) as bridge:
            assert await bridge.ended() == 1
            [line] = bridge.shown.splitlines()
    assert "the certificate is not trusted" in line
