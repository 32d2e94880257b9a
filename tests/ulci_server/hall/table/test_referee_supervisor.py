"""The referee of a game that nobody here knows: a real program, that may die or hang."""

import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path

import pytest
import trio
import trio.testing
from structlog.testing import capture_logs

from tests.support import nim, processes
from tests.support.servers import until
from ulci.rules import Illegal, Outcome, Reason, Side
from ulci.rules.refereed import Fatal, Question, RefereedRules, Ruling, Standing, Unanswered
from ulci_server.hall.table import referee_supervisor as module
from ulci_server.hall.table.referee_process import RefereeSettings
from ulci_server.hall.table.referee_supervisor import MAX_DEATHS, Referee, RefereeError

PATIENCE = 60  # a hang guard


class Desk:
    """A referee and somebody who asks it."""

    def __init__(self, referee: Referee) -> None:
        self.referee = referee

    async def rule(self, *moves: str, start: str | None = None, asked: Side = Side.WHITE) -> Ruling:
        rulings: list[Ruling] = []
        answered = trio.Event()

        def then(ruling: Ruling) -> None:
            rulings.append(ruling)
            answered.set()

        self.referee.ask(Question(start, moves, asked), then)
        with trio.fail_after(PATIENCE):
            await answered.wait()
        return rulings[0]


def settings(*options: str, **kwargs: object) -> RefereeSettings:
    return RefereeSettings((sys.executable, nim.__file__, *options), start=PATIENCE, **kwargs)


@asynccontextmanager
async def refereeing(
    *options: str, starts: tuple[str | None, ...] = (None,), **kwargs: object
) -> AsyncIterator[Desk]:
    rules = RefereedRules("nim", starts)
    referee = Referee(rules, settings(*options, **{"answer": float(PATIENCE), **kwargs}))
    async with trio.open_nursery() as nursery:
        await nursery.start(referee.run)
        yield Desk(referee)
        nursery.cancel_scope.cancel()


def patient(*argv: str) -> RefereeSettings:
    return RefereeSettings(argv, start=PATIENCE, answer=PATIENCE)


@pytest.fixture(autouse=True)
def at_once(monkeypatch) -> None:
    """No test waits for a program that died."""
    monkeypatch.setattr(module, "BACK_OFF", (0.0,) * len(module.BACK_OFF))
    monkeypatch.setattr(module, "SUSPECTS_BACK_OFF", (0.0,))


async def test_every_start_of_the_game_is_asked_about_before_anybody_plays():
    async with refereeing(starts=(None, "1,1 2")) as desk:
        assert desk.referee.rules.known == {
            None: Standing(Side.WHITE),
            "1,1 2": Standing(Side.BLACK),
        }


async def test_a_move_is_judged_by_what_the_game_looks_like_after_it():
    async with refereeing() as desk:
        assert await desk.rule("a3") == Standing(Side.BLACK)
        assert await desk.rule("a3", "b4", asked=Side.BLACK) == Standing(Side.WHITE)
        won = Outcome(Side.WHITE, Reason.GAME_RULE)
        assert await desk.rule("a3", "b4", "c5") == Standing(Side.BLACK, won)
        assert await desk.rule("b1", start="0,1 1") == Standing(Side.BLACK, won)
        assert desk.referee.service.questions == 5
        assert desk.referee.service.starts == 3  # one to check the starts, and a spare


@pytest.mark.parametrize("illegal", ["ignore", "complain", "die"])
async def test_a_move_that_it_does_not_take_is_illegal(illegal: str):
    async with refereeing("--illegal", illegal) as desk:
        with capture_logs():
            assert isinstance(await desk.rule("a9"), Illegal)
        assert await desk.rule("a3") == Standing(Side.BLACK)


async def test_whoever_says_what_it_dies_of_does_not_stop_an_honest_game():
    async with refereeing("--illegal", "die") as desk:
        assert await desk.rule("a1") == Standing(Side.BLACK)
        honest = trio.Event()

        def answered(_: Ruling) -> None:
            honest.set()

        with capture_logs():
            for _ in range(4):
                desk.referee.ask(Question(None, ("zz",), Side.WHITE), lambda _: None)
            desk.referee.ask(Question(None, ("a1", "b1"), Side.BLACK), answered)
            with trio.fail_after(PATIENCE):
                await honest.wait()
            assert await desk.rule("zz") == Fatal("the referee cannot take it")
        # For the starts of the game, the main process and its spare, and a new spare.
        assert desk.referee.service.starts == 4


async def test_who_asks_what_a_process_is_slow_at_does_not_slow_the_next_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(module, "SLOW", 0.01)
    log = tmp_path / "log"
    async with refereeing("--illegal", "hang", "--log", str(log)) as desk:
        for _ in range(4):
            desk.referee.ask(Question(None, ("a9",), Side.WHITE), lambda _: None)
        assert await desk.rule("a3") == Standing(Side.BLACK)
        assert log.read_text().count("moves a9\n") == 1


async def test_an_answer_too_many_is_none_to_the_next_question(tmp_path: Path):
    program = tmp_path / "chatty.py"
    program.write_text(
        "import sys\n"
        "said = {'ugi': 'ugiok', 'isready': 'readyok', 'query gameover': 'response false'}\n"
        "for line in map(str.strip, sys.stdin):\n"
        "    if line.startswith('position'):\n"
        "        first = str(len(line.split()) % 2 == 1).lower()\n"
        "        said['query p1turn'] = f'response {first}'\n"
        "    if line.endswith('junk'):\n"
        "        print('response false\\nresponse false', flush=True)\n"
        "    if line in said:\n"
        "        print(said[line], flush=True)\n"
    )
    referee = Referee(RefereedRules("odd", ()), patient(sys.executable, str(program)))
    async with trio.open_nursery() as nursery:
        await nursery.start(referee.run)
        desk = Desk(referee)
        referee.ask(Question(None, ("junk",), Side.WHITE), lambda _: None)
        assert await desk.rule("a1", "b1", asked=Side.BLACK) == Standing(Side.WHITE)
        nursery.cancel_scope.cancel()


async def test_a_move_at_which_it_hangs_each_time_is_illegal(
    tmp_path: Path, mock_clock: trio.testing.MockClock
):
    log, answer = tmp_path / "log", 10.0
    mock_clock.rate = 1.0

    async def hang() -> None:
        """Until its time is over, whenever it is asked about that move."""
        for times in count(1):
            await until(lambda n=times: log.read_text().count("moves a9\n") == n, "it hangs")
            mock_clock.jump(answer)

    async with (
        refereeing("--illegal", "hang", "--log", str(log), answer=answer) as desk,
        trio.open_nursery() as nursery,
    ):
        nursery.start_soon(hang)
        with capture_logs() as logs:
            assert await desk.rule("a9") == Fatal("the referee cannot take it")
        nursery.cancel_scope.cancel()
    assert log.read_text().count("moves a9\n") == 3
    # The last one may be told of after the answer.
    assert {log["why"] for log in logs} == {"no answer within 10 s"}


async def test_where_a_side_may_move_twice_the_turn_says_nothing():
    async with refereeing("--twice", "--illegal", "complain", twice=True) as desk:
        assert await desk.rule("a1") == Standing(Side.WHITE)
        assert await desk.rule("a2") == Standing(Side.BLACK)
        assert isinstance(await desk.rule("a7"), Illegal)


async def test_one_that_forgets_the_position_at_isready_is_not_made_to():
    async with refereeing("--forgetful") as desk:
        assert await desk.rule("a3") == Standing(Side.BLACK)


async def test_one_that_is_killed_between_two_questions_is_started_again(tmp_path: Path):
    async with refereeing("--log", str(tmp_path / "log")) as desk:
        assert await desk.rule("a3") == Standing(Side.BLACK)
        with capture_logs() as logs:
            for child in children():
                os.kill(child, signal.SIGKILL)
            assert await desk.rule("a2") == Standing(Side.BLACK)
            await until(lambda: logs, "it is told")
    assert {log["log_level"] for log in logs} == {"warning"}
    assert "position startpos moves a2" in (tmp_path / "log").read_text()
    assert children() == []


async def test_what_cannot_be_said_of_a_game_that_is_over_is_not_the_movers_fault(tmp_path: Path):
    program = tmp_path / "odd.py"
    program.write_text(
        "import sys\n"
        "said = {'ugi': 'ugiok', 'isready': 'readyok', 'query gameover': 'response true',\n"
        "        'query p1turn': 'response true', 'query result': 'response none'}\n"
        "for line in sys.stdin:\n"
        "    if line.strip() in said:\n"
        "        print(said[line.strip()], flush=True)\n"
    )
    referee = Referee(RefereedRules("odd", ()), patient(sys.executable, str(program)))
    async with trio.open_nursery() as nursery:
        await nursery.start(referee.run)
        assert isinstance(await Desk(referee).rule("x"), Unanswered)
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize(
    ("argv", "starts", "why", "tries"),
    [
        (("/nowhere/nim",), (None,), "/nowhere/nim", 1),
        ((sys.executable, "-c", "print('hello')"), (None,), "exit", MAX_DEATHS),
        ((sys.executable, nim.__file__), ("0,x 1",), "the start 0,x 1", 1),
        ((sys.executable, nim.__file__), ("0,0 1",), "the start 0,0 1: the game is over there", 1),
    ],
)
async def test_a_program_that_cannot_judge_is_refused(argv, starts, why, tries):
    referee = Referee(RefereedRules("nim", starts), patient(*argv))
    with pytest.raises(RefereeError, match="referee of nim") as caught:
        await referee.run()
    assert why in str(caught.value)
    assert referee.service.starts == tries


async def test_one_that_is_killed_while_its_starts_are_asked_about_is_started_again(tmp_path: Path):
    killed_once = (
        "import os, pathlib, runpy, signal\n"
        f"mark = pathlib.Path({str(tmp_path / 'killed')!r})\n"
        "if not mark.exists():\n"
        "    mark.touch()\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        f"runpy.run_path({nim.__file__!r}, run_name='__main__')\n"
    )
    argv = (sys.executable, "-c", killed_once)
    referee = Referee(RefereedRules("nim"), patient(*argv))
    async with trio.open_nursery() as nursery:
        with capture_logs() as logs:
            await nursery.start(referee.run)
        nursery.cancel_scope.cancel()
    assert [log["event"] for log in logs] == ["referee ended at its start"]
    assert "SIGKILL" in logs[0]["why"]
    assert referee.rules.known == {None: Standing(Side.WHITE)}


async def test_a_program_that_says_nothing_is_refused_in_its_time():
    silent = (sys.executable, "-c", "import sys; sys.stdin.read()")
    referee = Referee(RefereedRules("nim"), RefereeSettings(silent, start=0.1))
    with pytest.raises(RefereeError, match="no ugiok within"):
        await referee.run()


def children() -> list[int]:
    """Our child processes that still run."""
    return processes.children("self")
