import random
import subprocess
import sys

import chess.engine
import pytest
import trio
from click.testing import CliRunner

from ulci.engines.options import OptionError
from ulci.net import Peer, open_process
from ulci.protocol import DIALECTS, Connection, Role, TextCodec
from ulci.protocol.messages import BestMove, Go, Hello, HelloOk, IsReady, NewGame, Position, ReadyOk
from ulci.rules import GAMES, Illegal, Side
from ulci_client.house_engine import command as module
from ulci_client.house_engine.command import command, converse
from ulci_client.house_engine.settings import HouseSettings


def test_the_help_names_every_option_and_its_range():
    done = CliRunner().invoke(command, ["--help"])
    assert done.exit_code == 0
    assert "  Depth = 2  (spin, 1 to 64)\n" in done.output
    assert "  UCI_Chess960 = false  (check)\n" in done.output


def test_options_are_handed_to_the_engine(monkeypatch: pytest.MonkeyPatch):
    seen: list[tuple[object, ...]] = []
    monkeypatch.setattr(module, "run_house_engine", lambda *given: seen.append(given))
    for words in ([], ["--dialect", "uti"]):
        done = CliRunner().invoke(command, [*words, "Depth=3", "Move Overhead=100"])
        assert done.exit_code == 0
    options = ("Depth=3", "Move Overhead=100")
    assert seen == [(options, "uci"), (options, "uti")]


def test_an_unknown_dialect_is_wrong_usage():
    done = CliRunner().invoke(command, ["--dialect", "usi"])
    assert done.exit_code == 2
    assert "'ulci', 'uci', 'ugi', 'uti'" in done.output


def test_a_wrong_option_is_wrong_usage():
    done = CliRunner().invoke(command, ["Hash=16"])
    assert done.exit_code == 2
    assert "this engine has no option 'Hash'; it offers: Depth" in done.output


WORDS = """
    position startpos fen moves e2e4 e7e5 go depth 1 infinite stop ponderhit setoption name value
    Depth isready debug on eval ucinewgame 8/8/8 -1 99999999999999999999 searchmoves
"""
COMMAND = [sys.executable, "-m", "ulci_client.house_engine"]


async def talk(*chunks: bytes, dialect: str = "uci", **options: str) -> list[str]:
    """Everything that is said to these bytes and their end."""
    said = bytearray()
    todo = iter(chunks)

    async def read() -> bytes:
        for _ in range(200):  # give it time to think before the next comes
            await trio.lowlevel.checkpoint()
        return next(todo, b"")

    settings = HouseSettings()
    for name, value in options.items():
        settings.set_untrusted(name, value)
    with trio.fail_after(60):
        await converse(settings, read, said.extend, dialect)
    return said.decode().splitlines()


async def test_a_conversation_from_hello_to_bestmove():
    lines = await talk(b"uci\nisready\nucinewgame\nposition startpos moves e2e4\n", b"go depth 2\n")
    assert lines[0].startswith("id name House ")
    assert "option name Depth type spin default 2 min 1 max 64" in lines
    assert lines.index("uciok") < lines.index("readyok")
    assert lines[-2].startswith("info depth 2 score cp ")
    assert " pv " in lines[-2]
    assert lines[-1].startswith("bestmove ")


async def test_bytes_may_come_in_any_pieces_and_with_any_line_ends():
    text = b"  uci \r\n\r\n\t position\tstartpos   moves e2e4\rgo depth 1"
    lines = await talk(*(text[at : at + 1] for at in range(len(text))))
    assert "uciok" in lines
    assert lines[-1].startswith("bestmove ")


async def test_what_is_owed_is_answered_when_the_input_ends():
    lines = await talk(b"uci\ngo infinite\n")
    assert lines[-1].startswith("bestmove ")


async def test_quit_ends_it_at_once():
    lines = await talk(b"uci\ngo infinite\n", b"quit\nisready\n", b"isready\n")
    assert "readyok" not in lines
    assert not lines[-1].startswith("bestmove")


async def test_unknown_words_are_skipped_and_unknown_lines_ignored():
    lines = await talk(b"uci\nsing a song\njoho isready\n")
    assert lines[-2:] == ["uciok", "readyok"]


async def test_what_may_not_be_said_is_told_and_the_talk_goes_on():
    lines = await talk(b"go depth 1\n\xff\xfe\nuci\nisready\n")
    assert lines[0].startswith("info string error: ")
    assert lines[-1] == "readyok"


async def test_a_server_of_another_protocol_ends_the_program_with_the_reason():
    lines = await talk(b"GET / HTTP/1.1\r\n", b"uci\n")
    assert len(lines) == 1
    assert "HTTP" in lines[0]


async def test_junk_does_no_harm():
    rng = random.Random(5)
    words = WORDS.split()
    lines = [" ".join(rng.choices(words, k=rng.randrange(1, 8))) for _ in range(400)]
    said = await talk(b"uci\n", *(f"{line}\nstop\n".encode() for line in lines), b"isready\n")
    assert said[-1] == "readyok"


async def test_the_longest_game_fits_into_a_line():
    moves = "g1f3 g8f6 f3g1 f6g8 " * 2900
    lines = await talk(f"uci\nposition startpos moves {moves}\ngo depth 1\n".encode())
    assert lines[-1].startswith("bestmove ")
    assert not any("error" in line for line in lines)


def test_a_wrong_setting_is_refused_before_anything_is_read():
    with pytest.raises(OptionError, match="no option 'Hash'"):
        module.run_house_engine(["Hash=16"])


# In other dialects


async def test_in_ulci_it_says_what_it_can_play():
    lines = await talk(b"uci\nposition fen 4/4/4 x 3\ngo depth 2\n", dialect="ulci")
    assert {"id version 1", "id pieces kmqcaehuriwbznxlop"} <= set(lines)
    features = ["boardsize", "pawnmoves", "castling", "multiplekings", "promotion", "friendlyfire"]
    assert [line for line in lines if "feature" in line] == [f"id feature {f}" for f in features]
    assert lines[-1].startswith("bestmove ")


async def test_in_ugi_it_answers_queries_and_honours_every_limit():
    lines = await talk(
        b"ugi\nuginewgame\nposition startpos moves b2\nquery p1turn\nquery gameover\n",
        b"query result\nquery weather\ngo depth 2\n",
        b"isready\n",
        *(f"stop\ngo {limit}\n".encode() for limit in ("nodes 9", "movetime 5", "infinite")),
        b"stop\ngo p1time 100 p2time 100 p1inc 0 p2inc 0\n",
        dialect="ugi",
        UCI_Variant="tictactoe",
    )
    assert lines.index("ugiok") < lines.index("response false")
    answers = [line for line in lines if line.startswith("response ")]
    assert answers == ["response false", "response false", "response none", "response none"]
    assert sum(line.startswith("bestmove ") for line in lines) == 5
    assert not any(
        "score cp" in line and "depth 3" in line for line in lines[: lines.index("readyok")]
    )


async def test_in_uti_it_answers_every_question_of_the_standard():
    lines = await talk(
        b"uti\nid\ninfo\nisready\n",
        b"newgame\nposmoves 1,1;4,2;2,1;5,2 1\n0 depth 3\n",
        b"isready\n",
        b"pos 12--1211- 2\nstop\neval 0\n",
        b"0 winlength 9\n0 level 3\nnonsense\n",
        b"pos ------------------------- 1\nsize 5X5 0 winlength 4 depth 1\n",
        dialect="uti",
        UCI_Variant="tictactoe",
    )
    ok, name, info, ready, win, again, *rest = lines
    assert (ok, ready, again) == ("utiok", "readyok", "readyok")
    assert name.startswith("name House ")
    assert " author " in name
    assert info == "info standard size eval winlength players depth"
    assert win.startswith("3 100 depth ")
    assert rest[0].startswith("0 ")
    assert rest[1:4] == [
        "CommandNotKnowError WinlengthBoardsizeMismatch try winlength=3",
        "CommandNotKnowError LevelNotSupported",
        "CommandNotKnowError",
    ]
    assert 1 <= int(rest[4].split()[0]) <= 25


async def test_in_uti_a_move_may_be_named_and_is_answered():
    lines = await talk(b"uti\nnewgame\n5 depth 2\n", b"isready\n", dialect="uti", UCI_Variant="mnk")
    square = int(next(line for line in lines if "calctime" in line).split()[0])
    assert square in {1, 2, 3, 4, 6, 7, 8, 9}


async def test_in_uti_a_stop_is_answered_at_once():
    lines = await talk(b"uti\nnewgame\n0\n", b"stop\n", dialect="uti", UCI_Variant="tictactoe")
    assert 1 <= int(lines[-1].split()[0]) <= 9


# As a process


def run(text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments], input=text, text=True, capture_output=True, timeout=60, check=False
    )


@pytest.mark.system
def test_it_runs_as_a_program():
    done = run("uci\nquit\n", "Depth=3", "Seed = 9")
    assert (done.returncode, done.stderr) == (0, "")
    assert "option name Depth type spin default 3 min 1 max 64" in done.stdout
    assert "option name Seed type spin default 9 min 0 max 2147483647" in done.stdout


@pytest.mark.system
def test_it_speaks_another_dialect_and_then_plays_its_game():
    done = run("uti\nid\nnewgame\n0 depth 1\n", "--dialect", "uti", "Seed=1")
    assert (done.returncode, done.stderr) == (0, "")
    ok, name, answer = done.stdout.splitlines()
    assert (ok, name[:11]) == ("utiok", "name House ")
    assert 1 <= int(answer.split()[0]) <= 9


@pytest.mark.system
def test_a_wrong_argument_is_told_in_one_line():
    done = run("", "Depth=many")
    assert done.returncode == 2
    assert done.stderr.endswith(
        "Error: option 'Depth' takes a whole number, not 'many' (spin, 1 to 64)\n"
    )


@pytest.mark.system
def test_it_ends_quietly_when_nobody_listens():
    with subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as engine:
        assert engine.stdin
        assert engine.stdout
        assert engine.stderr
        engine.stdout.close()
        engine.stdin.write(b"uci\n")
        engine.stdin.flush()
        assert engine.wait(timeout=60) == 0
        assert engine.stderr.read() == b""


@pytest.mark.system
@pytest.mark.parametrize("chess960", [False, True])
def test_a_stranger_can_play_a_game_with_it(chess960: bool):
    """python-chess speaks UCI as GUIs do, and complains about every fault."""
    board = chess.Board.from_chess960_pos(77) if chess960 else chess.Board()
    with chess.engine.SimpleEngine.popen_uci(COMMAND, timeout=60) as engine:
        engine.configure({"Seed": 3})
        for _ in range(30):
            if board.is_game_over():
                break
            played = engine.play(board, chess.engine.Limit(white_clock=9, black_clock=9))
            assert played.move in board.legal_moves
            board.push(played.move)
        # Not the last position: how deep it looks in 9 s, and so what it plays, varies, and where
        # there is a mate in one it looks no deeper.
        board = chess.Board.from_chess960_pos(77) if chess960 else chess.Board()
        analysis = engine.analyse(board, chess.engine.Limit(depth=2))
        assert analysis["depth"] == 2
        assert board.is_legal(analysis["pv"][0])


@pytest.mark.system
@pytest.mark.parametrize("dialect", ["ulci", "uci", "ugi", "uti"])
async def test_a_server_can_play_a_game_with_it_in_every_dialect(dialect: str):
    connection = Connection(Role.SERVER, TextCodec(), DIALECTS[dialect](Role.SERVER))
    argv = [*COMMAND, "--dialect", dialect, "UCI_Variant=tictactoe", "Seed=1"]
    game = GAMES["mnk"].new("4/4/4 x 3")
    with trio.fail_after(60):
        async with open_process(argv, connection) as peer:
            peer.put(Hello())
            await until(peer, HelloOk)
            while game.outcome() is None:
                peer.put(NewGame(), IsReady())
                await until(peer, ReadyOk)
                peer.put(Position(game.start, tuple(game.moves)), Go(depth=2))
                answer = await until(peer, BestMove)
                assert not isinstance(game.play_untrusted(answer.move), Illegal)
    assert game.outcome().winner is Side.WHITE  # three in a line are easy on twelve squares


async def until(peer: Peer, kind: type):
    """The next message of this kind."""
    while (heard := await peer.receive()) is not None:
        if isinstance(heard.message, kind):
            return heard.message
    raise AssertionError(peer.why)
