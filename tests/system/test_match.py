"""``ulci-server match``, as a script runs it: real processes, a real database, files for others."""

import gzip
import re
import shlex
import shutil
import signal
import subprocess
import sys
import zlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import chess.pgn
import pytest

from tests.support import processes, scripted_engine
from ulci_server.storage import SchemaStatus, open_database, schema_state

pytestmark = pytest.mark.system

ENGINE = f"{sys.executable} {scripted_engine.__file__}"


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "ulci_server.cli", "match", *words]


def run(folder: Path, *words: str) -> tuple[int, list[str]]:
    """The exit code, and the lines that were printed."""
    done = subprocess.run(
        command(*words), cwd=folder, capture_output=True, text=True, timeout=250, check=False
    )
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


def engine(name: str, switches: str = "") -> list[str]:
    return [
        "-engine",
        f"name={name}",
        f"cmd={sys.executable}",
        f"args={scripted_engine.__file__} {switches}",
    ]


def games(path: Path) -> list[chess.pgn.Game]:
    with path.open() as file:
        found = []
        while (game := chess.pgn.read_game(file)) is not None:
            assert game.errors == []
            found.append(game)
        return found


def verified(folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "ulci_server.cli", "verify", "--database", "sqlite:///match.db"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    return done.stdout


def test_a_match_prints_its_games_and_an_answer_and_writes_pgn(tmp_path: Path) -> None:
    code, said = run(
        tmp_path,
        *engine("A"),
        *engine("B"),
        *("-each", "tc=60+1", "-rounds", "2", "-repeat", "-concurrency", "2"),
        *("-pgnout", "file=games.pgn", "-epdout", "file=games.epd"),
    )
    assert code == 0
    assert "Started game 1 of 4 (A vs B)" in said
    assert "Finished game 2 (B vs A): 1/2-1/2 {Draw by 3-fold repetition}" in said
    assert "Games: 4, Wins: 0, Losses: 0, Draws: 4, Points: 2.0 (50.00 %)" in said
    assert "Ptnml(0-2): [0, 0, 2, 0, 0], WL/DD Ratio: 0.00" in said
    assert "Finished match" in said
    written = games(tmp_path / "games.pgn")
    assert Counter(game.headers["White"] for game in written) == {"A": 2, "B": 2}
    assert len((tmp_path / "games.epd").read_text().splitlines()) == 4
    assert "4 games" in verified(tmp_path)
    assert "all agree" in verified(tmp_path)


def test_a_match_that_is_over_is_not_played_again(tmp_path: Path) -> None:
    words = [*engine("A"), *engine("B"), "-each", "tc=60+1", "-rounds", "1"]
    assert run(tmp_path, *words)[0] == 0
    code, said = run(tmp_path, *words, "-concurrency", "2")
    assert code == 0
    assert not [line for line in said if line.startswith("Started")]
    code, said = run(tmp_path, *engine("A"), *engine("C"), "-each", "tc=60+1")
    assert code == 1
    assert "-db" in said[-1]


def test_a_crash_ends_the_match_unless_it_may_recover(tmp_path: Path) -> None:
    words = [*engine("A"), *engine("B", "--crash-at-go 3"), "-each", "tc=60+1", "-rounds", "2"]
    code, said = run(tmp_path, *words, "-db", "one.db")
    assert code == 1
    assert "Finished game 1 (A vs B): 1-0 {Black disconnects}" in said
    assert any("no recover option set" in line for line in said)
    code, said = run(tmp_path, *words, "-recover", "-db", "two.db")
    assert code == 0
    assert "Finished game 4 (B vs A): 0-1 {White disconnects}" in said
    assert "  Crashed: 4" in said


BAD = {
    "--illegal-at-go 2": "makes an illegal move",
    "--close-at-go 2": "disconnects",
    "--orphan --crash-at-go 2": "disconnects",
    "--ignore-quit --orphan --die-at-go 2": "disconnects",
    "--flood-at-go 2": "loses on time",
    "--hang-at-go 2": "loses on time",
    "--hang-at-ready 2": "connection stalls",
}
"""What a bad engine does, and how its games end."""


@pytest.mark.parametrize(("switches", "end"), BAD.items(), ids=BAD)
def test_the_games_of_a_bad_engine_end_and_it_leaves_nothing_behind(
    tmp_path: Path, switches: str, end: str
) -> None:
    patient = "timemargin=10000"  # on a busy machine nobody else loses on time
    patience = "2000" if "stalls" in end else "60000"
    code, said = run(
        tmp_path,
        *(*engine("A"), patient),
        *engine("B", f"{switches} --transcript {tmp_path}/heard"),
        *([] if end == "loses on time" else [patient]),
        *("-each", "tc=1+0.1", "restart=on", "-rounds", "1", "-recover"),
        *("-concurrency", "2", "-ping-ms", patience, "-ucinewgame-ms", patience),
    )
    assert code == 0, said
    finished = [line for line in said if line.startswith("Finished game")]
    assert len(finished) == 2
    assert all(end in line for line in finished), said
    assert "Games: 2, Wins: 2, Losses: 0, Draws: 0, Points: 2.0 (100.00 %)" in said
    assert processes.with_word(f"{tmp_path}/heard") == []


def test_an_engine_that_is_none_is_named(tmp_path: Path) -> None:
    code, said = run(tmp_path, *engine("A"), *engine("B", "--no-uciok"), "-each", "tc=1+0")
    assert code == 1
    assert any(line.startswith('Fatal; B engine startup failure: "') for line in said)
    code, said = run(tmp_path, *engine("A"), "-engine", "cmd=nosuch", "-each", "tc=1+0")
    assert code == 1  # a match without games is in nobody's way
    assert any(line.startswith("Fatal; nosuch engine startup failure") for line in said)


def test_an_engine_from_elsewhere_has_a_place(tmp_path: Path) -> None:
    words = [*engine("A"), "-engine", "remote=far", "-each", "tc=60+1", "-rounds", "1"]
    with subprocess.Popen(
        command(*words), cwd=tmp_path, stdout=subprocess.PIPE, text=True
    ) as match:
        assert match.stdout is not None
        waiting = next(line for line in match.stdout if line.startswith("Waiting for far: "))
        port = re.search(r":([0-9]+) --name far ", waiting)[1]
        bridge = [sys.executable, "-m", "ulci_client.cli", "bridge", "--name", "far"]
        bridge += ["--server", f"tcp://127.0.0.1:{port}", "--", *shlex.split(ENGINE)]
        with subprocess.Popen(bridge, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as far:
            said = match.communicate(timeout=200)[0].splitlines()
            far.terminate()
            far.communicate(timeout=60)
    assert match.returncode == 0
    assert "Finished game 2 (far vs A): 1/2-1/2 {Draw by 3-fold repetition}" in said


def test_a_link_of_another_runners_name_runs_matches(tmp_path: Path) -> None:
    link = tmp_path / "fastchess-ob"
    link.symlink_to(Path(sys.executable).with_name("ulci-server"))
    done = subprocess.run(
        [link, "-engine", "cmd=nosuch"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "engines" in done.stdout


@pytest.mark.skipif(shutil.which("stockfish") is None, reason="stockfish is not installed")
def test_a_match_that_was_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    (tmp_path / "book.epd").write_text(
        "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2\n"
        "rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 0 2\n"
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2\n"
    )
    words = [
        *("-engine", "cmd=stockfish", "name=A", "-engine", "cmd=stockfish", "name=B"),
        *("-each", "tc=0.3+0.02", "-rounds", "3", "-repeat", "-concurrency", "2"),
        *("-openings", "file=book.epd", "format=epd", "order=random", "-pgnout", "file=g.pgn"),
    ]
    for kills in range(3):
        stopped_after(tmp_path, words, signal.SIGKILL, moves=40 * (kills + 1))
    code, said = run(tmp_path, *words)
    assert code == 0, said
    assert "6 games" in verified(tmp_path)
    assert "all agree" in verified(tmp_path)
    written = games(tmp_path / "g.pgn")
    assert len(written) == 6
    of_pairs = Counter((game.headers["Round"], game.headers["FEN"]) for game in written)
    assert [*of_pairs.values()] == [2, 2, 2]
    seats = {(game.headers["Round"], game.headers["White"]) for game in written}
    assert len(seats) == 6
    points = re.findall(r"^Games: .* Points: ([0-9.]+)", "\n".join(said), re.MULTILINE)[-1]
    assert float(points) == sum(score(game, "A") for game in written)


def test_ctrl_c_pauses_all_games_and_none_is_begun_again(tmp_path: Path) -> None:
    waiting = engine("B", f"--hang-at-go 3 --once {tmp_path}/once")  # in one game of the first run
    words = [
        *engine("A"),
        *waiting,
        *("-each", "tc=600+1", "-rounds", "4", "-concurrency", "4", "-force-concurrency"),
        *("-crc32", "pgn=true", "-pgnout", "file=g.pgn"),
    ]
    said = stopped_after(tmp_path, words, signal.SIGINT, moves=20)
    assert "Tournament was interrupted. To go on with it, run the same command again." in said
    code, said = run(tmp_path, *words)
    assert code == 0, said
    assert "8 games" in verified(tmp_path)
    assert "all agree" in verified(tmp_path)
    written = games(tmp_path / "g.pgn")
    assert len(written) == 8
    assert "*" not in {game.headers["Result"] for game in written}
    assert f"File g.pgn has CRC32: {zlib.crc32((tmp_path / 'g.pgn').read_bytes()):#x}" in said


@pytest.mark.skipif(shutil.which("stockfish") is None, reason="stockfish is not installed")
def test_a_test_ends_by_itself_and_games_that_still_run_are_left_out(tmp_path: Path) -> None:
    words = [
        *("-engine", "cmd=stockfish", "name=A", "nodes=2000"),
        *("-engine", "cmd=stockfish", "name=B", "nodes=1"),
        *("-sprt", "elo0=0", "elo1=60", "alpha=0.2", "beta=0.2", "-concurrency", "3"),
        *("-each", "option.Hash=1", "-force-concurrency", "-pgnout", "file=g.pgn"),
    ]
    code, said = run(tmp_path, *words)
    assert code == 0, said
    assert "SPRT ([0.00, 60.00]) completed - H1 was accepted" in said
    played = re.findall(r"^Games: (\d+)", "\n".join(said), re.MULTILINE)[-1]
    written = games(tmp_path / "g.pgn")
    assert int(played) <= len(written) <= int(played) + 2  # of pairs that are not complete
    assert "*" not in {game.headers["Result"] for game in written}
    assert "all agree" in verified(tmp_path)


def test_a_match_whose_lines_nobody_reads_any_more_ends_and_can_go_on(tmp_path: Path) -> None:
    words = [*engine("A"), *engine("B"), "-each", "tc=60+1", "-rounds", "50"]
    with subprocess.Popen(
        command(*words), cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as match:
        assert match.stdout is not None
        match.stdout.readline()
        match.stdout.close()
        assert match.stderr is not None
        assert match.stderr.read() == ""
        assert match.wait(100) == 1
    code, said = run(tmp_path, *words, "-concurrency", "2")
    assert code == 0, said
    assert "all agree" in verified(tmp_path)


def test_an_engine_that_ends_between_games_is_started_again(tmp_path: Path) -> None:
    dying = engine("B", f"--die-after-move 4 --once {tmp_path}/once")
    words = [*engine("A"), *dying, "-each", "tc=60+1", "-rounds", "2"]
    code, said = run(tmp_path, *words)
    assert code == 0, said
    assert "Games: 4, Wins: 0, Losses: 0, Draws: 4, Points: 2.0 (50.00 %)" in said


def test_a_clock_may_be_overstepped_by_its_margin(tmp_path: Path) -> None:
    quick = [*engine("A"), "timemargin=10000"]  # on a busy machine, too
    slow = engine("B", "--think 0.1")
    words = ["-each", "tc=0.05+0.05", "-rounds", "1"]
    code, said = run(tmp_path, *quick, *slow, *words, "-db", "strict.db")
    assert code == 0, said
    assert "  Timeouts: 2" in said
    code, said = run(tmp_path, *quick, *slow, "timemargin=10000", *words)
    assert code == 0, said
    assert "Games: 2, Wins: 0, Losses: 0, Draws: 2, Points: 1.0 (50.00 %)" in said
    assert "all agree" in verified(tmp_path)


TALKATIVE = (
    "--info 'string eval 4' --info 'depth 3 seldepth 7 score cp 9 time 0 nodes 20 nps 800 hashfull"
    " 2 tbhits 1' --info 'string the end'"
)


def test_moves_are_written_with_all_that_is_asked_for(tmp_path: Path) -> None:
    keys = ("nodes", "seldepth", "nps", "hashfull", "tbhits", "timeleft", "latency")
    details = [f"{key}=true" for key in keys]
    code, said = run(
        tmp_path,
        *engine("A", TALKATIVE),
        *engine("B"),
        *("-each", "tc=60+1", "-rounds", "1", "-games", "1", "-show-latency"),
        *("-pgnout", "file=g.pgn", *details, "match_line=eval", "match_line=^info string"),
    )
    assert code == 0, said
    [game] = games(tmp_path / "g.pgn")
    first, second, *_ = [node.comment for node in game.mainline()]
    assert re.fullmatch(
        r"\+0\.09/3 [0-9.]+s, tl=[0-9.]+s, latency=[0-9.]+s, n=20, sd=7, nps=800, hashfull=2,"
        r' tbhits=1, line="info string eval 4", line="info string the end"',
        first,
    )
    assert re.fullmatch(r"\+0\.01/1 [0-9.]+s, tl=[0-9.]+s, n=1", second)
    pattern = r"Latency of A: [0-9.]+ ms on average, [0-9]+ ms at most \([0-9]+ moves\)"
    assert any(re.fullmatch(pattern, each) for each in said)


def test_a_log_has_what_is_printed_and_what_engines_say_and_hear(tmp_path: Path) -> None:
    words = [*engine("A"), *engine("B"), "-each", "tc=60+1", "-rounds", "1"]
    logged = ["file=m.log", "level=info", "engine=true"]
    assert run(tmp_path, *words, "-log", *logged)[0] == 0
    lines = (tmp_path / "m.log").read_text().splitlines()
    assert {line[:9] for line in lines} == {"[INFO  ] ", "[WARN  ] ", "[Engine] "}
    texts = [line.partition("> ")[2] for line in lines]
    assert "ulci-server --- Started game 1 of 2 (A vs B)" in texts
    assert " B ---> bestmove g8f6" in texts
    assert texts.index(" A <--- uci") < texts.index(" A ---> uciok")
    run(tmp_path, *words, "-log", "file=m.log", "compress=true", "engine=true", "-db", "other.db")
    [compressed] = tmp_path.glob("m.log*.gz")
    assert b" A ---> uciok\n" in gzip.decompress(compressed.read_bytes())


@pytest.mark.skipif(shutil.which("stockfish") is None, reason="stockfish is not installed")
def test_the_compliance_of_an_engine_is_what_a_doctor_finds(tmp_path: Path) -> None:
    code, said = run(tmp_path, "--compliance", "stockfish")
    assert code == 0, said
    assert "  ok     introduces itself" in said
    assert said[-1] == "Engine passed all compliance checks."
    code, said = run(tmp_path, "--compliance", sys.executable, "-c pass")
    assert code == 1
    assert "Engine passed all compliance checks." not in said


def test_variations_that_cannot_be_played_are_warned_of(tmp_path: Path) -> None:
    odd = engine("B", "--info 'depth 2 score mate 3 pv g8f6' --info 'depth 3 score cp 9 pv a1a8'")
    words = [*engine("A"), *odd, "-each", "tc=60+1", "-rounds", "1", "-games", "1"]
    code, said = run(tmp_path, *words, "-check-mate-pvs")
    assert code == 0
    at = said.index("Warning; Illegal PV move - move a1a8 from B")
    assert said[at + 1 : at + 4] == [
        "Info; info depth 3 score cp 9 pv a1a8",
        "Position; startpos",
        "Moves; g1f3",
    ]
    assert "Warning; Incomplete mating PV - from B" in said
    code, said = run(tmp_path, *words, "-testEnv", "-strict", "-db", "other.db")
    assert code == 1
    warning = (
        "Warning; Illegal PV move - move a1a8 from B :: Info; info depth 3 score cp 9 pv a1a8"
        " :: Position; startpos :: Moves; "
    )
    told = [line for line in said if line.startswith("Warning;")]
    assert told[0] == f"{warning}g1f3"
    assert len({*told}) == len(told)


def score(game: chess.pgn.Game, name: str) -> float:
    white = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}[game.headers["Result"]]
    return white if game.headers["White"] == name else 1.0 - white


def stopped_after(folder: Path, words: Sequence[str], by: signal.Signals, moves: int) -> str:
    """Send that signal once so many moves are in the record, or the match has ended. Returns what
    it said after that."""
    with subprocess.Popen(command(*words), cwd=folder, stdout=subprocess.PIPE, text=True) as match:
        assert match.stdout is not None
        while match.poll() is None and stored(folder) < moves:
            match.stdout.readline()
        match.send_signal(by)
        return match.stdout.read()


def stored(folder: Path) -> int:
    """Moves in the record."""
    url = f"sqlite:///{folder}/match.db"
    # The match makes the file first, and then its tables.
    if not (folder / "match.db").exists() or schema_state(url).standing is SchemaStatus.EMPTY:
        return 0
    database = open_database(url, migrating=False, writing=False)
    try:
        return sum(database.games.plies([game.id for game in database.games.find()]).values())
    finally:
        database.close()
