"""What a bot plays without its engine: a book that Polyglot has made, and real endgame tables."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import chess
import chess.pgn
import pytest

from tests.support.bots import BotFile, bot, challenger, here, over
from tests.support.bridges import Bridge
from tests.support.servers import Server, program, serving, until
from ulci.protocol.lobby.lines import GameOver
from ulci.protocol.messages import Position, Terms

pytestmark = pytest.mark.system

ASKED = " engine > go "
"""In the log: the engine was asked for a move."""


@contextmanager
def hosting(folder: Path) -> Iterator[Server]:
    config = folder / "server.toml"
    config.write_text('listen = [{ address = "tcp://127.0.0.1:0" }]\nshutdown = { grace = 0 }\n')
    with serving(folder, "--config", str(config)) as server:
        yield server


def make_book(folder: Path, name: str, games: list[list[str]]) -> None:
    """A book of games that White has won."""
    pgn = folder / f"{name}.pgn"
    with pgn.open("w") as file:
        for moves in games:
            game = chess.pgn.Game()
            game.headers["Result"] = "1-0"
            game.add_line(map(chess.Move.from_uci, moves))
            print(game, end="\n\n", file=file)
    argv = ["make-book", "-pgn", str(pgn), "-bin", str(folder / f"{name}.bin"), "-min-game", "1"]
    done = subprocess.run(
        [program("polyglot"), *argv], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


BOOKISH = BotFile(
    """
server = "tcp://127.0.0.1:{port}"
name = "Fish"
[[engine]]
command = {engine}
options = {{ Depth = 1 }}
[seek]
when = "never"
[[book]]
path = "rare.bin"
games = ["chess", "chess960"]
least_weight = 3
[[book]]
path = "common.bin"
games = ["chess960"]
plies = 1
choose = "best"
""",
    "book.path book.games book.plies book.choose book.least_weight",
)

PAWNS = [f"{file}2{file}{rank}" for file in "abcdefgh" for rank in "34"]


async def asked(bridge: Bridge, count: int) -> None:
    """So often was the engine asked for a move; the log is a moment late."""
    await until(lambda: bridge.said(ASKED) == count, f"asked {count} times", every=0.01)


async def test_a_bot_opens_by_the_books_that_polyglot_makes(tmp_path):
    # Of 16 first moves one was won twice. A first game is not enough for the rare book.
    common = [*([move, "h7h6"] for move in PAWNS), ["c2c3", "h7h6", "g1f3"]]
    make_book(tmp_path, "common", common)
    make_book(tmp_path, "rare", [["b1a3", "h7h6"]])
    usual = Terms("chess960", "60+1", color="black", start=chess.STARTING_FEN)
    with hosting(tmp_path) as server, bot(server, BOOKISH) as bridge:
        await here(bridge)
        async with challenger(server.port(), "Ada") as ada:
            ada.mover = lambda _: "h7h6"
            for _ in range(2):
                before = bridge.said(ASKED)
                await ada.plays("Fish", usual)
                assert (await ada.position(1)).moves == ("c2c3",)
                assert bridge.said(ASKED) == before
                # The book knows the next move, too, but is used for one only.
                assert (await ada.position(3)).moves[:2] == ("c2c3", "h7h6")
                await asked(bridge, before + 1)
                await over(bridge, ada)
            # In chess there is only the rare book.
            before = bridge.said(ASKED)
            await ada.plays("Fish", Terms("chess", "60+1", color="black"))
            await ada.position(1)
            await asked(bridge, before + 1)
            await over(bridge, ada)
        # A better one is copied over it while the bot waits.
        make_book(tmp_path, "rare", [["b1a3", "h7h6"]] * 2)
        async with challenger(server.port(), "Ada") as ada:
            await ada.plays("Fish", Terms("chess", "60+1", color="black"))
            assert (await ada.position(1)).moves == ("b1a3",)
        assert "Traceback" not in bridge.shown


ENDINGS = BotFile(
    """
server = "tcp://127.0.0.1:{port}"
name = "Fish"
[[engine]]
command = {engine}
options = {{ Depth = 1 }}
[seek]
when = "never"
[tablebases]
paths = ["{tables}"]
""",
    "tablebases.paths",
)

# Moves of King and Queen against a King, at most.
LONGEST_MATE = 10

WON = "8/8/8/3k4/8/8/8/Q3K3 w - - 0 1"
DRAWN = "8/8/2k5/8/8/8/r7/3RK3 w - - 0 1"


def first_legal(position: Position) -> str:
    board = chess.Board(position.start or chess.STARTING_FEN)
    for move in position.moves:
        board.push_uci(move)
    return next(iter(board.legal_moves)).uci()


async def test_a_bot_wins_by_its_tables_and_does_not_lose_what_they_hold_drawn(tmp_path):
    tables = os.environ.get("ULCI_TEST_SYZYGY")
    if not tables:
        pytest.skip("ULCI_TEST_SYZYGY names no folder with Syzygy tables of 3 and 4 men")
    with hosting(tmp_path) as server, bot(server, ENDINGS, tables=tables) as bridge:
        await here(bridge)
        async with challenger(server.port(), "Ada") as ada:
            ada.mover = first_legal
            await ada.plays("Fish", Terms("chess", "60+1", color="black", start=WON))
            ended = await ada.line(GameOver)
            assert (ended.result, ended.reason) == ("1-0", "checkmate")
            assert len(ada.place.moves) < 2 * LONGEST_MATE
            assert bridge.said(ASKED) == 0
            await ada.plays("Fish", Terms("chess", "60+1", color="black", start=DRAWN))
            [move] = (await ada.position(1)).moves
            await over(bridge, ada)
        await asked(bridge, 1)
        [line] = [line for line in bridge.spoken.splitlines() if ASKED in line]
        allowed = line.partition(" searchmoves ")[2].split()
        assert move in allowed
        assert "d1d7" not in allowed  # it loses the rook
        assert "d1c1" in allowed
