"""``ulci opponent`` as GUIs run it: whole matches by both protocols, and what happens to games."""

import random
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import chess.engine
import chess.pgn
import pytest
import trio

from tests.support.bridges import bridged
from tests.support.guis import Gui, Remote, gui, opponent_command, remote
from tests.support.servers import PATIENCE, Server, program, running, serving, until
from ulci.protocol import BestMove, Draw, Go, Id, Resign

pytestmark = pytest.mark.system

RESULTS = ("1-0", "0-1", "1/2-1/2", "*")


def hosting(folder: Path, time: str):
    return serving(folder, "--listen", "tcp://127.0.0.1:0", "--time", time)


@contextmanager
def hosted_engine(folder: Path, time: str, overhead: int = 200) -> Iterator[Server]:
    """A server at which Fish, which is stockfish behind the bridge, plays."""
    with hosting(folder, time) as server:
        ours = ("--server", f"tcp://127.0.0.1:{server.port()}", "--name", "Fish")
        # It believes to have less time than it has, and leaves the rest to the GUI's side.
        engine = ("--option", "Hash=8", "--option", f"Move Overhead={overhead}", "--")
        engine += (program("stockfish"),)
        with bridged(folder, "fish", *ours, *engine):
            yield server


def finished(server: Server, count: int) -> list[dict]:
    games = sorted(server.games("--finished"), key=lambda game: game["id"])
    assert len(games) == count
    return games


# Whole games, by other people's programs


def play_match(engine: chess.engine.SimpleEngine, games: int) -> list[chess.Board]:
    """The GUI's side makes moves at random."""
    chance, boards = random.Random(7), []
    clocks = chess.engine.Limit(white_clock=60, black_clock=60, white_inc=1, black_inc=1)
    for number in range(games):
        board = chess.Board()
        while not board.is_game_over(claim_draw=True):
            if board.turn == (number % 2 == 0):
                board.push(chance.choice([*board.legal_moves]))
                continue
            move = engine.play(board, clocks, game=number).move
            assert move is not None
            board.push(move)
        boards.append(board)
    return boards


@pytest.mark.slow
@pytest.mark.parametrize("protocol", ["uci", "xboard"])
async def test_python_chess_plays_a_match_against_an_engine_at_the_server(tmp_path, protocol):
    kind = chess.engine.SimpleEngine
    popen = kind.popen_uci if protocol == "uci" else kind.popen_xboard
    with hosted_engine(tmp_path, "1+0.1") as server:
        options = ("--opponent", "Fish", "--games", "2", "--time", "1+0.1")
        command = opponent_command(server, *options, "--protocol", protocol)

        def play() -> list[chess.Board]:
            with popen(command, timeout=PATIENCE) as engine:
                return play_match(engine, 2)

        boards = await trio.to_thread.run_sync(play)
        games = finished(server, 2)
    for board, game, white in zip(boards, games, ("GUI", "Fish"), strict=True):
        assert [move["move"] for move in game["moves"]] == [move.uci() for move in board.move_stack]
        assert game["result"] == board.result(claim_draw=True)
        assert game["white"]["name"] == white


@pytest.mark.slow
@pytest.mark.parametrize("protocol", ["uci", "xboard"])
async def test_xboard_plays_a_game_against_an_engine_at_the_server(tmp_path, protocol):
    for needed in ("xvfb-run", "xboard", "polyglot"):
        program(needed)  # polyglot is how xboard speaks UCI
    saved = tmp_path / "xboard.pgn"
    with hosted_engine(tmp_path, "7+0.1", overhead=5000) as server:
        ours = opponent_command(
            server, "--opponent", "Fish", "--time", "7+0.1", "--protocol", protocol
        )
        house = [sys.executable, "-m", "ulci_client.house_engine", "Depth=1"]
        argv = [program("xvfb-run"), "-a", program("xboard"), "-fcp", shlex.join(ours)]
        argv += ["-fUCI"] if protocol == "uci" else []
        argv += ["-scp", shlex.join(house), "-sUCI", "-matchMode", "true", "-mg", "1"]
        argv += ["-timeControl", "10", "-inc", "1", "-saveGameFile", str(saved)]

        def played() -> bool:
            return saved.exists() and saved.read_text().rstrip().endswith(RESULTS)

        # It shows the result until somebody closes its window.
        async with running(argv, folder=tmp_path):
            await until(played, "xboard has saved its game")
        [game] = finished(server, 1)
    with saved.open() as file:
        seen = chess.pgn.read_game(file)
    assert seen is not None
    assert [m.uci() for m in seen.mainline_moves()] == [m["move"] for m in game["moves"]]
    assert seen.headers["Result"] == game["result"]


# What happens to a game beside its moves


class Uci:
    """The lines of a GUI that speaks UCI."""

    protocol = "uci"
    resigned = drawn = flagged = "bestmove (none)"

    def __init__(self, gui: Gui) -> None:
        self.gui = gui

    async def start(self, *options: str) -> None:
        await self.gui.say("uci")
        await self.gui.hear("uciok")
        await self.gui.say(*(f"setoption name {option}" for option in options))
        await self.new_game()

    async def new_game(self) -> None:
        await self.gui.say("ucinewgame", "isready")

    async def ready(self) -> None:
        await self.gui.hear("readyok")

    async def white(self, *moves: str) -> None:
        """The game so far, the last move of which is White's; Black's is asked for."""
        await self.gui.move(" ".join(moves))

    async def told_of(self, reason: str) -> str:
        """That the server's game is over; what follows it."""
        await self.gui.hear(f"info string result {reason}")
        return await self.gui.hear("bestmove")

    async def offer_draw(self) -> None:
        await self.gui.say("setoption name OfferDraw")

    async def resign(self) -> None:
        await self.gui.say("setoption name Resign")

    async def answer(self) -> str:
        return (await self.gui.hear("bestmove")).split()[1]


class Xboard(Uci):
    """The same in XBoard's protocol."""

    protocol = "xboard"
    resigned = "resign"
    drawn = "1/2-1/2 {agreement at the server}"
    flagged = "1-0 {time at the server}"

    pings = 0

    async def start(self, *options: str) -> None:
        await self.gui.say("xboard", "protover 2", *options)
        await self.gui.hear("feature done=1")
        await self.new_game()

    async def new_game(self) -> None:
        self.pings += 1
        await self.gui.say("new", "post", f"ping {self.pings}")

    async def ready(self) -> None:
        await self.gui.hear(f"pong {self.pings}")

    async def white(self, *moves: str) -> None:
        await self.gui.say(f"usermove {moves[-1]}")

    async def told_of(self, reason: str) -> str:
        while (line := await self.gui.hear("")).startswith("#"):
            pass
        return line

    async def offer_draw(self) -> None:
        await self.gui.say("draw")

    async def resign(self) -> None:
        await self.gui.say("result 0-1 {White resigns}")

    async def answer(self) -> str:
        return (await self.gui.hear("move")).split()[1]


@pytest.mark.parametrize("kind", [Uci, Xboard], ids=["uci", "xboard"])
async def test_every_end_of_a_game_is_told_in_the_words_that_the_protocol_has(tmp_path, kind):
    options = ("--opponent", "Bob", "--games", "4", "--protocol", kind.protocol)
    with hosting(tmp_path, "1.5") as server:
        async with remote(server) as bob, gui(server, *options) as engine:
            await bob.join()
            face = kind(engine)
            await face.start()
            assert "color later" in await bob.accept()

            async def begin() -> None:
                """1. e4 by the GUI; Bob is asked."""
                await face.ready()
                await face.white("e2e4")
                await bob.get_ready()
                await bob.be_asked()

            await begin()
            bob.say(Resign())
            assert await face.told_of("1-0 reason resignation") == face.resigned
            await bob.end_search()

            await face.new_game()
            await begin()
            bob.say(BestMove("e7e5"))
            assert await face.answer() == "e7e5"
            await face.white("e2e4", "e7e5", "g1f3")  # and Bob's clock runs out
            assert await face.told_of("1-0 reason time") == face.flagged
            await bob.end_search()

            await face.new_game()
            await begin()
            await face.offer_draw()
            await bob.hear_line("game 3 offer draw")
            bob.say(Draw())
            assert await face.told_of("1/2-1/2 reason agreement") == face.drawn
            await bob.end_search()

            await face.new_game()
            await begin()
            bob.say(BestMove("e7e5"))
            assert await face.answer() == "e7e5"
            await face.resign()
            await bob.hear_line("game 4 over result 0-1 reason resignation")
            assert await engine.end() == 0
        ends = [(game["result"], game["reason"]) for game in finished(server, 4)]
    assert ends == [
        ("1-0", "resignation"), ("1-0", "time"), ("1/2-1/2", "agreement"), ("0-1", "resignation"),
    ]  # fmt: skip


async def test_the_next_ply_survives_lost_lines_and_a_server_that_is_killed(tmp_path):
    with hosting(tmp_path, "60") as server:
        options = ("--opponent", "Bob", "--human", "--name", "Ada")
        async with gui(server, *options) as engine:
            face = Uci(engine)
            async with remote(server) as bob:
                await bob.join()
                await face.start()
                await bob.accept()
                await face.ready()
                await engine.move("e2e4")
                await bob.get_ready()
                await bob.be_asked()
                secret = bob.secret
            # Bob's line is lost; he comes back and moves.
            await engine.hear("info string Bob is away")
            async with remote(server) as bob:
                await come_back(bob, secret)
                bob.say(BestMove("e7e5"))
                assert await face.answer() == "e7e5"
                secret = bob.secret
                address = server.options
                port = server.port()
                server.kill()
            server.options = (address[0], f"tcp://127.0.0.1:{port}", *address[2:])
            # The GUI moves while nobody is there to hear it.
            await engine.move("e2e4 e7e5 g1f3")
            server.start()
            async with remote(server) as bob:
                await come_back(bob, secret)
                bob.say(BestMove("b8c6"))
                assert await face.answer() == "b8c6"
                # And leaves for good: the rule of the absent.
                assert await engine.end() == 0
                await bob.hear_line("game 1 opponent away")
                bob.say(Resign())
                await bob.hear_line("game 1 over")
        [game] = finished(server, 1)
        moves = [move["move"] for move in game["moves"]]
        assert moves == ["e2e4", "e7e5", "g1f3", "b8c6"]
        assert game["white"]["name"] == "Ada"


async def come_back(bob: Remote, secret: str) -> None:
    """Take the seat again, until asked for the move."""
    await bob.introduce(Id("username", "Bob"), Id("feature", "lobby"), Id("resume", secret))
    bob.secret = (await bob.hear_line("welcome")).split()[-1]
    await bob.get_ready()
    await bob.hear(Go)


async def test_the_guis_of_two_play_each_other_from_any_position(tmp_path):
    with hosting(tmp_path, "30") as server:
        async with (
            gui(server, "--color", "white", "--name", "Ada", "--resign-on-quit") as ada,
            gui(server, "--color", "black", "--name", "Bob") as bob,
        ):
            one, other = Uci(ada), Uci(bob)
            await one.start()
            await other.start()
            await one.ready()
            await other.ready()
            await bob.move()  # Bob's GUI wants White's move
            await ada.move("e2e4")
            assert await other.answer() == "e2e4"
            await bob.move("e2e4 c7c5")
            assert await one.answer() == "c7c5"
            await ada.move("e2e4 c7c5 g1f3")
            assert await other.answer() == "g1f3"
            await bob.move("e2e4 c7c5 g1f3 d7d6")
            assert await one.answer() == "d7d6"
            assert await ada.end() == 0
            await bob.move("e2e4 c7c5 g1f3 d7d6")
            assert await other.told_of("0-1 reason resignation") == "bestmove (none)"
            assert await bob.end() == 0
        [game] = finished(server, 1)
    assert (game["result"], game["reason"]) == ("0-1", "resignation")


async def test_chess960_starts_of_the_gui_are_played_and_a_difference_is_told(tmp_path):
    start = "fen bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"
    with hosting(tmp_path, "30") as server:
        async with remote(server) as bob, gui(server, "--opponent", "Bob") as engine:
            await bob.join()
            face = Uci(engine)
            opponent = "UCI_Opponent value none none computer Deep Test"
            await face.start("UCI_Chess960 value true", opponent)
            assert " player Deep_Test kind engine game chess960 " in await bob.accept()
            await face.ready()
            await engine.move(start=start)  # Bob has White here
            await bob.get_ready()
            assert await bob.hear_line("game 1 start white Bob black Deep_Test")
            await bob.move("e1f3")
            assert await face.answer() == "e1f3"
            await engine.move("e1f3 e6e5 a2c3 b7b6", start)
            told = await engine.hear("info string position differs")
            assert told == "info string position differs at ply 2: here e6e5, server nothing yet"
            assert await face.answer() == "(none)"
            await engine.move("e1f3 f6d5", start)
            await bob.move("f3g5")
            assert await face.answer() == "f3g5"
            await engine.say("stop", "isready")
            await engine.hear("readyok")
            bob.say(Resign())
            assert await bob.hear_line("game 1 over result 0-1")
            assert await engine.end() == 0
