"""Real processes: a scripted engine with every misbehaviour, and a real one where there is one."""

import os
import sys
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest
import trio.testing

from tests.support.engines import STOCKFISH, lines_of, needs_stockfish, scripted
from tests.support.processes import lives
from tests.support.servers import until
from tests.support.spoken import Spoken
from tests.support.wires import HANG
from ulci.engines.errors import EngineError, OptionRejectedError
from ulci.engines.process import MOST_IDS, MOST_OPTIONS, open_engine
from ulci.engines.settings import EngineListener, EngineSettings
from ulci.protocol import Unread
from ulci.protocol.messages import (
    BestMove,
    Go,
    Id,
    Info,
    IsReady,
    NewGame,
    Position,
    ReadyOk,
    SetOption,
)

SOON = 1.5
"""Seconds for what never comes: shorter than any patience of a person."""


@asynccontextmanager
async def ready(settings: EngineSettings, *more, listener: EngineListener | None = None):
    with trio.fail_after(HANG):
        async with open_engine(settings, listener) as engine:
            await engine.prepare(more)
            yield engine


async def refusal(settings: EngineSettings, *more) -> EngineError:
    with pytest.raises(EngineError) as caught:
        async with ready(settings, *more):
            pass
    return caught.value


async def no_uciok(clock: trio.testing.MockClock, transcript: Path, *switches: str) -> str:
    """What is said of a program that is silent once it was asked. The time for its answer is over
    when all that it does say was read, however long it took to begin."""
    clock.rate = 1.0
    settings = scripted("--no-uciok", "--transcript", transcript, *switches, start=60.0)

    async def pass_time() -> None:
        await until(lambda: lines_of(transcript), "it is asked")
        await trio.testing.wait_all_tasks_blocked(0.01)
        clock.jump(60.0)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(pass_time)
        return str(await refusal(settings))


async def test_an_engine_introduces_itself_and_gets_ready():
    async with ready(scripted("--id", "version=1", "--ponder")) as engine:
        assert engine.name == "Scripted 1.0"
        assert engine.ids == [
            Id("name", "Scripted 1.0"),
            Id("author", "Nobody"),
            Id("version", "1"),
        ]
        assert [option.name for option in engine.options] == ["Hash", "Ponder"]


async def test_an_engine_without_a_name_is_called_like_its_file(tmp_path):
    program = tmp_path / "nameless"
    program.write_text(f"#!{sys.executable}\ninput()\nprint('uciok')\ninput()\n")
    program.chmod(0o755)
    with trio.fail_after(HANG):
        async with open_engine(EngineSettings((str(program),))) as engine:
            assert engine.name == "nameless"


async def test_it_is_set_up_as_asked_and_then_as_the_server_had_it(tmp_path):
    transcript = tmp_path / "read"
    options = ("hash=64",)
    switches = ("--transcript", transcript, "--ponder")
    settings = scripted(*switches, options=options, ponder=True, quit=HANG)
    chess960 = SetOption("UCI_Chess960", "true")
    async with ready(settings, chess960, NewGame()):
        pass
    assert lines_of(transcript) == [
        "uci",
        "setoption name Hash value 64",
        "setoption name Ponder value true",
        "setoption name UCI_Chess960 value true",
        "ucinewgame",
        "isready",
        "quit",
    ]


async def test_an_engine_that_offers_no_pondering_is_not_told_to(tmp_path):
    transcript = tmp_path / "read"
    async with ready(scripted("--transcript", transcript, ponder=True, quit=HANG)) as engine:
        assert not engine.can_ponder
    assert lines_of(transcript) == ["uci", "isready", "quit"]


async def test_ulci_has_no_pondering():
    async with (
        ready(scripted("--ponder")) as uci,
        ready(scripted("--ponder", "--id", "version=1")) as ulci,
    ):
        assert uci.can_ponder
        assert not ulci.can_ponder


async def test_what_the_person_set_is_known():
    async with ready(scripted("--ponder", options=("hash=64",))) as engine:
        assert engine.fixed == {"hash": SetOption("Hash", "64")}


HOUSE = (sys.executable, "-m", "ulci_client.cli", "engine", "--dialect")


@pytest.mark.parametrize(("dialect", "named"), [("ulci", "ULCI"), ("ugi", "UGI"), ("uti", "UTI")])
async def test_it_is_spoken_to_in_its_dialect_whatever_it_says_of_itself(dialect, named):
    async with ready(EngineSettings((*HOUSE, dialect), dialect=dialect)) as engine:
        assert engine.name.startswith("House")
        assert not engine.can_ponder
        start = None if dialect != "uti" else "xx1/oo1/3 x 3"
        engine.put(Position(start), Go(depth=1))
        while not isinstance((heard := await engine.receive()).message, BestMove):
            pass
        assert dialect != "uti" or heard.message == BestMove("c3")


async def test_an_engine_of_ugi_that_has_a_version_does_not_speak_ulci():
    script = "input(); print('id version 1'); print('ugiok'); print('info string', input())"
    settings = EngineSettings((sys.executable, "-c", script), dialect="ugi")
    with trio.fail_after(HANG):
        async with open_engine(settings) as engine:
            engine.put(NewGame())
            heard = await engine.receive()
    assert heard.message == Info(string="uginewgame")


async def test_a_message_that_the_dialect_cannot_express_ends_the_engine():
    async with ready(EngineSettings((*HOUSE, "uti"), dialect="uti")) as engine:
        engine.put(Position(None, ("e2e4",)), Go(depth=1))
        with pytest.raises(EngineError, match="no position of a game that UTI can speak of") as at:
            await engine.receive()
    assert at.value.hopeless


async def test_what_is_chosen_from_a_list_leaves_the_server_no_choice():
    variant = "name UCI_Variant type combo default chess var chess var atomic"
    options = ("UCI_Variant=atomic", "Hash=64")
    async with ready(scripted("--option", variant, options=options)) as engine:
        offered = {option.name: option for option in engine.offered}
        assert offered["UCI_Variant"].vars == ("atomic",)
        assert offered["UCI_Variant"].default == "atomic"
        assert offered["Hash"].default == "16"


async def test_a_program_of_another_dialect_is_told_what_was_expected_of_it():
    error = await refusal(scripted(dialect="ugi", start=SOON))
    assert "does not answer `ugi` with `ugiok` as UGI engines do: no ugiok within" in str(error)


async def test_it_searches():
    async with ready(scripted()) as engine:
        engine.put(Position(None, ("e2e4",)), Go(depth=1))
        analysis = await engine.receive()
        assert analysis is not None
        assert analysis.message == Unread("info depth 1 score cp 1 nodes 1 pv g8f6")
        answer = await engine.receive()
        assert answer is not None
        assert answer.message == BestMove("g8f6")
        assert answer.at <= trio.current_time()


async def test_everything_said_and_heard_is_told_to_who_wants_to_know():
    spoken = Spoken()
    async with ready(scripted(), listener=EngineListener(partial(spoken.follow, name="engine"))):
        pass
    assert [line.split()[1:3] for line in spoken.lines[1:]] == [
        [">", "uci"],
        *(["<", word] for word in ("id", "id", "option", "uciok")),
        [">", "isready"],
        ["<", "readyok"],
        [">", "quit"],
        ["-", "closed"],
    ]


# What goes wrong before it is ready


async def test_a_program_that_is_not_there_is_named():
    error = await refusal(EngineSettings(("no-such-engine",)))
    assert "cannot start 'no-such-engine'" in str(error)
    assert error.hopeless


async def test_a_folder_that_is_not_there_is_named(tmp_path):
    error = await refusal(scripted(cwd=tmp_path / "missing"))
    assert "does not exist" in str(error)


async def test_it_is_started_in_the_folder_that_was_asked_for(tmp_path):
    async with ready(scripted("--transcript", "read", cwd=tmp_path)):
        pass
    assert lines_of(tmp_path / "read")[0] == "uci"


async def test_a_program_that_says_no_uciok_is_quoted(tmp_path, mock_clock):
    said = ("--first-line", "Hello, I am a pager", "--stderr", "what?")
    error = await no_uciok(mock_clock, tmp_path / "read", *said)
    assert "does not answer `uci` with `uciok`" in error
    assert "no uciok within 60 s" in error
    assert "its first lines:\n    Hello, I am a pager" in error
    assert "its stderr says:\n    what?" in error


async def test_a_program_that_ends_before_uciok_is_quoted_with_its_exit_code():
    error = await refusal(scripted("--die-before-uciok", "--stderr", "no license"))
    assert "ended with exit code 3" in str(error)
    assert "no license" in str(error)
    assert error.hopeless


async def test_a_long_quotation_is_cut(tmp_path, mock_clock):
    lines = [part for n in range(9) for part in ("--first-line", f"{n} {'x' * 500}")]
    error = await no_uciok(mock_clock, tmp_path / "read", *lines)
    assert "\n    4 xxx" in error
    assert "\n    5 xxx" not in error
    assert max(map(len, error.splitlines())) < 200


async def test_an_engine_that_never_gets_ready_hangs():
    error = await refusal(scripted("--hang-at-ready", 1, "--stderr", "loading", ping=SOON))
    assert "Scripted 1.0 hangs: no readyok within 1.5 s" in str(error)
    assert "loading" in str(error)
    assert not error.hopeless


async def test_an_engine_that_dies_before_it_is_ready_says_how():
    settings = scripted("--option", "name Bomb type button", options=("bomb",))
    script = settings.argv[1]
    bomb = (
        "import runpy, sys; from builtins import input\n"
        f"sys.argv = [{script!r}, '--option', 'name Bomb type button']\n"
        f"module = runpy.run_path({script!r})\n"
        "engine = module['Engine'](module['parsed']())\n"
        "engine.hear_setoption = lambda _: sys.exit('boom')\n"
        "engine.run()\n"
    )
    error = await refusal(EngineSettings((sys.executable, "-c", bomb), options=("bomb",)))
    assert "ended before readyok" in str(error)
    assert "ended with exit code 1" in str(error)
    assert "its last words on stderr:\n    boom" in str(error)


async def test_an_unknown_option_is_a_setting_error():
    error = await refusal(scripted(options=("Hsah=1",)))
    assert isinstance(error, OptionRejectedError)
    assert str(error) == "Scripted 1.0: this engine has no option 'Hsah'; did you mean 'Hash'?"
    assert error.hopeless


async def test_a_line_of_ten_megabytes_does_no_harm():
    noticed = []
    settings = scripted("--long-line", 10_000_000)
    async with ready(settings, listener=EngineListener(noticed=noticed.append)) as engine:
        assert engine.name == "Scripted 1.0"
    assert "longer than" in noticed[0]


async def test_an_unlisted_combo_value_is_sent_with_a_warning(tmp_path):
    transcript, noticed = tmp_path / "read", []
    combo = "name Greed type combo default none"
    settings = scripted(
        "--option", combo, "--transcript", transcript, options=("greed=mostcaptures",)
    )
    async with ready(settings, listener=EngineListener(noticed=noticed.append)):
        pass
    assert "setoption name Greed value mostcaptures" in lines_of(transcript)
    assert noticed == [
        "Scripted 1.0 does not list the values of 'Greed' (a combo without var); sending"
        " 'mostcaptures', which it may not know"
    ]


# UCI, copyprotection and registration


async def test_an_engine_with_a_copyprotection_error_is_not_used():
    error = await refusal(scripted("--copyprotection", "error"))
    assert "copyprotection error" in str(error)
    assert error.hopeless


async def test_an_engine_whose_copy_is_in_order_is_used():
    async with ready(scripted("--copyprotection", "ok")) as engine:
        assert engine.name == "Scripted 1.0"


async def test_an_engine_that_never_finishes_its_check_is_not_waited_for():
    error = await refusal(scripted("--copyprotection", "checking", ping=SOON))
    assert "no copy protection check to end within 1.5 s" in str(error)


async def test_an_unregistered_engine_gets_register_later_and_a_warning_is_shown(tmp_path):
    transcript, noticed = tmp_path / "read", []
    settings = scripted("--registration", "error", "--transcript", transcript)
    async with ready(settings, listener=EngineListener(noticed=noticed.append)) as engine:
        for _ in range(3):  # it answers `register later` as it began
            engine.put(IsReady())
            assert (await engine.receive()).message == ReadyOk()
    assert lines_of(transcript).count("register later") == 1
    assert noticed == ["Scripted 1.0 is not registered; some of its features may be disabled"]


# How it ends


async def test_an_engine_that_dies_leaves_its_last_words():
    async with ready(scripted("--die-at-go", 1)) as engine:
        engine.put(Position(), Go(depth=1))
        assert await engine.receive() is None
        assert "ended with exit code 7" in engine.last_words()
        assert "its last words on stderr:\n    what a pity" in engine.last_words()


async def test_an_engine_that_crashes_is_reported_with_its_signal_in_words():
    async with ready(scripted("--crash-at-go", 1)) as engine:
        engine.put(Position(), Go(depth=1))
        assert await engine.receive() is None
        assert "was killed by SIGSEGV (segmentation fault)" in engine.last_words()


async def test_nothing_of_an_engine_stays_behind():
    settings = scripted("--orphan", "--ignore-quit", quit=0.2)
    with trio.fail_after(HANG):
        async with open_engine(settings) as engine:
            await engine.prepare()
            pid = engine.pid
            engine.put(Position(), Go(depth=1))
        assert not lives(pid)


async def test_a_child_of_an_engine_does_not_outlive_it():
    spoken = Spoken()
    listener = EngineListener(partial(spoken.follow, name="engine"))
    async with ready(scripted("--orphan"), listener=listener):
        pass
    [child] = [int(line.split()[-1]) for line in spoken.lines if " string child " in line]
    with trio.fail_after(HANG):
        while lives(child):
            await trio.testing.wait_all_tasks_blocked(0.01)


async def test_an_engine_that_hangs_can_be_killed():
    async with ready(scripted("--wait", "--ignore-stop", quit=60)) as engine:
        pid = engine.pid
        engine.kill()
        assert await engine.receive() is None
    assert not lives(pid)


@needs_stockfish
async def test_a_real_engine_plays():
    settings = EngineSettings((STOCKFISH,), options=("Hash=1", "threads=1"), ponder=True)
    async with ready(settings) as engine:
        assert engine.name.startswith("Stockfish")
        assert engine.can_ponder
        engine.put(Position(None, ("e2e4",)), Go(depth=3))
        while not isinstance((heard := await engine.receive()).message, BestMove):
            pass
        assert len(heard.message.move) == 4


@needs_stockfish
async def test_a_real_engine_refuses_what_it_does_not_offer():
    error = await refusal(EngineSettings((STOCKFISH,), options=("Hash=0",)))
    assert "option 'Hash' cannot be 0 (spin, 1 to " in str(error)


async def test_a_program_that_speaks_something_else_altogether_is_told_apart():
    error = await refusal(scripted("--first-line", "HTTP/1.1 400 Bad Request"))
    assert "this is an HTTP answer" in str(error)


async def test_unreadable_output_of_an_engine_is_reported_once():
    noticed = []
    lines = ("--option", "type spin", "--option", "name X type nonsense")
    async with ready(scripted(*lines), listener=EngineListener(noticed=noticed.append)) as engine:
        assert [option.name for option in engine.options] == ["Hash"]
    assert len(noticed) == 1


async def test_options_without_end_are_read_as_far_as_any_engine_has_them(tmp_path):
    noticed: list[str] = []
    many = tmp_path / "many.py"
    many.write_text(
        "for number in range(5000):\n"
        "    print(f'option name Option {number} type check default false')\n"
        "    print(f'id key{number} value')\n"
        "print('uciok')\n"
        "while input() != 'quit': print('readyok')\n"
    )
    settings = EngineSettings((sys.executable, str(many)), start=HANG)
    async with open_engine(settings, EngineListener(noticed=noticed.append)) as engine:
        assert len([*engine.options]) == MOST_OPTIONS
        assert len(engine.ids) == MOST_IDS
        assert "has more than 2000 options; the rest are not used" in noticed[0]


HELP = ("Blunder", "", "Commands:", "    * uci", "    * isready", "    * quit", "type: quit")


async def test_an_engine_whose_help_names_quit_is_heard_to_its_uciok():
    switches = [word for line in HELP for word in ("--first-line", line)]
    async with ready(scripted(*switches)) as engine:
        assert engine.name == "Scripted 1.0"


async def test_an_engine_that_says_quit_is_ended_with_that_reason():
    with pytest.raises(EngineError, match="says `quit`, so it will say nothing more"):
        async with ready(scripted("--first-line", "quit")):
            pass


REPORT = """
import os, threading
threading.Thread(target=threading.Event().wait, daemon=True).start()
input()
print("id name", os.environ["COLOUR"], os.environ.get("ULCI_TOKEN"))
print("uciok")
input()
print("readyok")
input()
mine = [sorted(os.sched_getaffinity(int(task))) for task in os.listdir("/proc/self/task")]
print("info string", mine)
"""


async def test_it_runs_on_the_processors_and_in_the_environment_that_were_asked_for(monkeypatch):
    monkeypatch.setenv("ULCI_TOKEN", "secret")
    processor = min(os.sched_getaffinity(0))
    settings = EngineSettings(
        (sys.executable, "-c", REPORT),
        environment=(("COLOUR", "blue"),),
        processors=(processor,),
        start=HANG,
    )
    async with ready(settings) as engine:
        assert engine.name == "blue None"
        engine.put(NewGame())
        heard = await engine.receive()
    assert heard.message == Info(string=str([[processor]] * 2))


async def test_a_processor_that_the_machine_lacks_is_an_error():
    error = await refusal(scripted(processors=(9999,)))
    assert error.hopeless
    assert "it cannot run on the processors 9999: " in str(error)
