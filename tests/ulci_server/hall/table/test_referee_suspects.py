"""Nobody waits for what a referee died of but who said it: the processes are made up, and so is
the time that they take."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
import trio
import trio.testing
from structlog.testing import capture_logs

from tests.support.clients import Client
from ulci.protocol.messages import BestMove, Id, Option, OptionType, Quit
from ulci.rules import Illegal, Outcome, Reason, Side
from ulci.rules.refereed import Fatal, Question, RefereedRules, Ruling, Standing, Unanswered
from ulci_server.game import Controls, GameFinished, MovePlayed
from ulci_server.hall.table import referee_supervisor as module
from ulci_server.hall.table.referee_process import DownError, EndedError, RefereeSettings
from ulci_server.hall.table.referee_queue import TRIES
from ulci_server.hall.table.referee_supervisor import (
    IDLE_TIMEOUT,
    MAX_STARTS,
    MAX_SUSPECTS,
    MIN_UPTIME,
    SLOW,
    SUSPECTS_BACK_OFF,
    Referee,
)
from ulci_server.lobby import Pool

NIM = Option("UCI_Variant", OptionType.COMBO, "chess", vars=("chess", "nim"))

START = 1.6
ANSWER = 0.01
HANGS = 5.0
HANG = 3600

FATAL = Fatal("the referee cannot take it")
TAKEN = Standing(Side.BLACK)


class Process:
    """Dies of every word with a ``z``, unless it is told to die of something else."""

    def __init__(self, program: "Program") -> None:
        self.asked: list[Question] = []
        self._program = program
        self._killed = trio.Event()

    async def rule(self, question: Question) -> Ruling:
        self.asked.append(question)
        await trio.sleep(self._program.takes.get("".join(question.moves[-1:]), ANSWER))
        if self._program.hangs(question):
            await trio.sleep(HANGS)
            raise DownError("it hangs")
        if self._program.dies(question):
            raise DownError("it died")
        if self._program.alternates:
            return Standing(Side(len(question.moves) % 2))
        return TAKEN

    async def listen(self) -> None:
        await self._killed.wait()
        raise EndedError("it was killed")

    def kill(self) -> None:
        self._killed.set()


class Program:
    """All processes that were started, in this order: the one that looked at the starts, the main
    one, its spare, and then those that were needed."""

    def __init__(self) -> None:
        self.processes: list[Process] = []
        self.next = trio.Event()
        self.alternates = False
        self.takes: dict[str, float] = {}
        self.hangs: Callable[[Question], bool] = lambda _: False
        self.dies: Callable[[Question], bool] = lambda question: any(
            "z" in word for word in (question.start or "", *question.moves[-1:])
        )

    @asynccontextmanager
    async def open(self, _: RefereeSettings) -> AsyncIterator[Process]:
        process = Process(self)
        self.processes.append(process)
        self.next.set()
        self.next = trio.Event()
        await trio.sleep(START)
        yield process

    def saw(self, word: str) -> list[int]:
        """Which processes were shown that move or start, as often as they were."""
        return [
            number
            for number, process in enumerate(self.processes)
            for question in process.asked
            if word in (question.start, *question.moves[-1:])
        ]


class Desk:
    """Where questions are asked; `answers` has what came, and how long it took."""

    def __init__(self, referee: Referee, program: Program) -> None:
        self.referee = referee
        self.program = program
        self.answers: dict[str, tuple[Ruling, float]] = {}
        self._came = trio.lowlevel.ParkingLot()

    def ask(self, *moves: str, start: str | None = None, suspect: bool = False) -> None:
        began, name = trio.current_time(), moves[-1] if moves else str(start)

        def then(ruling: Ruling) -> None:
            self.answers[name] = ruling, trio.current_time() - began
            self._came.unpark_all()

        self.referee.ask(Question(start, moves, Side.WHITE), then, suspect=suspect)

    async def answer(self, *moves: str, start: str | None = None, suspect: bool = False) -> Ruling:
        self.ask(*moves, start=start, suspect=suspect)
        return await self.answered(moves[-1] if moves else str(start))

    async def answered(self, name: str) -> Ruling:
        with trio.fail_after(HANG):
            while name not in self.answers:
                await self._came.park()
        return self.answers[name][0]


@pytest.fixture
async def desk(nursery, monkeypatch) -> AsyncIterator[Desk]:
    program = Program()
    monkeypatch.setattr(module, "open_referee", program.open)
    referee = Referee(RefereedRules("nim"), RefereeSettings(("nim",)))
    with capture_logs():
        await nursery.start(referee.run)
        await trio.sleep(2 * START + ANSWER)
        yield Desk(referee, program)


async def test_the_same_junk_of_many_does_not_stop_an_honest_game(autojump_clock, desk) -> None:
    for _ in range(8):
        desk.ask("zz")
    desk.ask("a1")
    assert await desk.answered("a1") == TAKEN
    assert desk.answers["a1"][1] == pytest.approx(2 * ANSWER)
    assert await desk.answered("zz") == FATAL
    assert desk.referee.service.starts == 4  # for the starts, the main one, its spare, a new spare
    assert len(desk.program.saw("zz")) == 3  # the main process, and two that were there for it


async def test_junk_now_and_then_stops_no_honest_game(autojump_clock, desk) -> None:
    for number in range(20):
        desk.ask(f"z{number}")
        desk.ask(f"a{number}")
        assert await desk.answered(f"a{number}") == TAKEN
        assert desk.answers[f"a{number}"][1] == pytest.approx(2 * ANSWER)
        await trio.sleep(START + ANSWER)  # a new spare is ready


async def test_nor_does_what_it_hangs_at(autojump_clock, desk) -> None:
    desk.program.hangs = lambda question: "zz" in question.moves
    desk.ask("zz")
    for number in range(50):
        desk.ask(f"a{number}")
    for number in range(50):
        assert await desk.answered(f"a{number}") == TAKEN
        assert desk.answers[f"a{number}"][1] <= SLOW + (number + 2) * ANSWER
    assert await desk.answered("zz") == FATAL


async def test_a_slow_answer_is_waited_for_and_holds_up_nobody(autojump_clock, desk) -> None:
    desk.program.takes["slow"] = 4.0
    began = len(desk.program.processes)
    for again in range(3):
        desk.ask("slow", f"s{again}")
        desk.ask("slow")
        desk.ask("a1")
        assert await desk.answered("a1") == TAKEN
        assert desk.answers["a1"][1] <= SLOW + 3 * ANSWER
        assert await desk.answered("slow") == TAKEN
        desk.answers.clear()
        await trio.sleep(1)
    assert len(desk.program.processes) == began


async def test_a_spare_that_was_killed_is_replaced_and_takes_no_turn(autojump_clock, desk) -> None:
    for number in range(3):
        await trio.sleep(MIN_UPTIME + START)
        desk.program.processes[-1].kill()  # the youngest is the spare
        await trio.sleep(START)
        assert await desk.answer(f"a{number}") == TAKEN
        assert desk.answers[f"a{number}"][1] == pytest.approx(ANSWER)


async def test_nor_does_all_sort_of_junk_stop_a_game_that_has_been_going_on(
    autojump_clock, desk
) -> None:
    played = ["b1", "c1"]
    for number in range(20):
        for pair in range(4):
            desk.ask(f"z{number}-{pair}")
        played.append(f"a{number}")
        desk.ask(*played)
        assert await desk.answered(played[-1]) == TAKEN
        assert desk.answers[played[-1]][1] < 2 * START + 10 * ANSWER


async def test_guests_who_play_junk_cost_an_honest_game_no_time_and_hardly_a_wait(
    autojump_clock, server, desk
) -> None:
    desk.program.alternates = True
    desk.referee.rules.known[None] = Standing(Side.WHITE)
    pool = Pool("nim", desk.referee.rules, Controls.parse("60+1"), (None,))
    async with server(pool, referees=(desk.referee,)) as h:

        async def pair(name: str) -> list[Client]:
            clients = [await h.engine(f"{name}{number}", NIM) for number in range(2)]
            for client in clients:
                await client.get_ready()
            return clients

        white, black = await pair("Honest")
        await white.move("a1")
        await black.move("b1")
        for number in range(4):
            guest, _ = await pair(f"Guest{number}")
            await guest.move(f"z{number}")
        await white.move("a2")
        await black.be_asked()
        honest = [fact for fact in h.journal.kinds(MovePlayed) if fact.game == 1]
        assert [fact.spent for fact in honest] == [0, 0, 0]
        black.say(BestMove("b2"))
        await white.be_asked()
        held = [fact.held for fact in h.journal.kinds(MovePlayed) if fact.game == 1]
        assert max(held) <= 1000 * (START + 3 * ANSWER)
        await trio.sleep(50)
        ended = [fact.outcome for fact in h.journal.kinds(GameFinished)]
        assert ended == [Outcome(Side.BLACK, Reason.ILLEGAL_MOVE)] * 4


async def test_a_guest_who_comes_again_does_not_kill_the_main_process_again(
    autojump_clock, server, desk
) -> None:
    desk.program.alternates = True
    desk.referee.rules.known[None] = Standing(Side.WHITE)
    pool = Pool("nim", desk.referee.rules, Controls.parse("60+1"), (None,))
    async with server(pool, referees=(desk.referee,)) as h:
        for number in range(4):
            guest, other = (h.connect(host) for host in ("198.51.100.7", "198.51.100.8"))
            for client, name in ((guest, "Guest"), (other, "Other")):
                await client.introduce(Id("name", f"{name}{number}"), NIM)
                await trio.testing.wait_all_tasks_blocked()
            for client in (guest, other):
                await client.get_ready()
            await guest.move(f"z{number}")
            await guest.get_ready()
            for client in (guest, other):
                client.say(Quit())
        assert len(h.journal.kinds(GameFinished)) == 4
    first = {process for number in range(4) for process in desk.program.saw(f"z{number}")[:1]}
    assert len(first & {1, 2}) == 1  # the first time only; either may have been up before the other
    assert desk.referee.service.starts == 4


async def test_a_game_that_has_just_begun_waits_for_one_start_for_each_other_that_has(
    autojump_clock, desk
) -> None:
    for pair in range(4):
        desk.ask(f"z{pair}")
    desk.ask("a1")
    assert await desk.answered("a1") == TAKEN
    assert desk.answers["a1"][1] < 4 * START + 10 * ANSWER


async def test_one_that_comes_while_the_main_process_is_started_is_first(
    autojump_clock, desk
) -> None:
    for pair in range(4):
        desk.ask(f"z{pair}")
    await trio.sleep(START / 2)
    desk.ask("a1", "b1", "a2")
    assert await desk.answered("a2") == TAKEN
    assert desk.answers["a2"][1] < START


async def test_without_a_death_whoever_asked_first_is_first(autojump_clock, desk) -> None:
    desk.ask("b1")
    desk.ask("a1", "b1", "a2")
    desk.ask("c1")
    for name in ("b1", "a2", "c1"):
        await desk.answered(name)
    assert [desk.answers[name][1] for name in ("b1", "a2", "c1")] == pytest.approx(
        [ANSWER, 2 * ANSWER, 3 * ANSWER]
    )


async def test_what_was_fatal_once_costs_nothing_the_next_time(autojump_clock, desk) -> None:
    assert desk.referee.recall(Question(None, ("zz",))) is None
    assert await desk.answer("zz") == FATAL
    started = len(desk.program.processes)
    assert desk.referee.recall(Question(None, ("zz",), Side.WHITE)) == FATAL
    for suspect in (True, False):
        del desk.answers["zz"]
        assert await desk.answer("zz", suspect=suspect) == FATAL
    assert len(desk.program.processes) == started
    assert desk.referee.recall(Question(None, ("a1", "zz"))) is None
    assert desk.referee.recall(Question("1,1 1", ("zz",))) is None


async def test_only_so_much_of_what_was_fatal_is_remembered(
    autojump_clock, desk, monkeypatch
) -> None:
    monkeypatch.setattr(module, "MAX_FATAL", 2)
    for move in ("z1", "z2", "z3"):
        assert await desk.answer(move) == FATAL
    known = [desk.referee.recall(Question(None, (move,))) for move in ("z1", "z2", "z3")]
    assert known == [None, FATAL, FATAL]


async def test_a_move_at_which_it_was_killed_by_chance_is_judged_all_the_same(
    autojump_clock, desk
) -> None:
    deaths = iter([True, True])  # of the main process, and of the second
    desk.program.dies = lambda question: "a1" in question.moves and next(deaths, False)
    assert await desk.answer("a1") == TAKEN
    assert len({*desk.program.saw("a1")}) == 3


async def test_a_referee_that_takes_no_position_at_all_makes_no_move_illegal(
    autojump_clock, desk
) -> None:
    desk.program.dies = lambda _: len(desk.program.processes) < 20
    assert await desk.answer("a1") == TAKEN
    assert desk.program.saw("a1")[1:] == [19]


async def test_a_position_at_which_it_always_fails_ends_its_game_and_holds_up_no_other(
    autojump_clock, desk
) -> None:
    """As one whose answer takes longer with every move of the game."""
    desk.program.dies = lambda question: "long" in question.moves
    desk.ask("long", "a1")
    await trio.sleep(START)
    desk.ask("b1", suspect=True)
    desk.ask(start="2,2")
    assert await desk.answered("b1") == TAKEN
    assert await desk.answered("2,2") == TAKEN
    assert desk.answers["b1"][1] < 3 * (START + max(SUSPECTS_BACK_OFF))
    ruling = await desk.answered("a1")
    assert isinstance(ruling, Unanswered)
    assert "the position before" in ruling.why
    assert desk.referee.recall(Question(None, ("long", "a1"))) is None


async def test_what_comes_after_junk_waits_in_turn_for_the_second_process(
    autojump_clock, desk
) -> None:
    for move in ("z1", "z2"):
        desk.ask(move, suspect=True)
    desk.ask("a1", suspect=True)
    assert await desk.answered("a1") == TAKEN
    assert desk.referee.service.starts == 3
    assert desk.program.saw("a1") == [5]
    assert desk.program.saw("z1") == [3]
    assert desk.program.saw("z2") == [4]


async def test_whoever_has_asked_what_was_fatal_never_harms_the_main_process_again(
    autojump_clock, desk
) -> None:
    for number in range(30):
        assert await desk.answer(f"z{number}", suspect=True) == FATAL
    assert desk.referee.service.starts == 3
    took = [seconds for _, seconds in desk.answers.values()]
    assert took[-1] > 5  # more and more slowly
    assert await desk.answer("a1") == TAKEN
    assert desk.answers["a1"][1] < 2 * ANSWER


async def test_the_second_process_is_as_quick_as_ever_once_it_has_answered(
    autojump_clock, desk
) -> None:
    for number in range(10):
        await desk.answer(f"z{number}", suspect=True)
    await desk.answer("a1", suspect=True)
    assert desk.answers["a1"][1] > 5
    await desk.answer("z", suspect=True)
    await desk.answer("a2", suspect=True)
    assert desk.answers["a2"][1] < START + 1


async def test_a_start_that_a_player_chose_is_no_danger_to_the_main_process(
    autojump_clock, desk
) -> None:
    assert await desk.answer(start="zero heaps") == FATAL
    assert await desk.answer(start="1,2 1") == TAKEN
    assert desk.program.saw("zero heaps") == [3]
    assert desk.referee.service.starts == 3


async def test_only_so_many_starts_wait_to_be_looked_at(autojump_clock, desk) -> None:
    for number in range(MAX_STARTS):
        assert desk.referee.recall(Question(f"z{number}")) is None
        desk.ask(start=f"z{number}")
    refused = desk.referee.recall(Question("1,2 1"))
    assert "10 other starts" in refused.why
    assert desk.referee.recall(Question("z3")) is None
    assert desk.referee.recall(Question(None, ("a1",))) is None
    await desk.answered(f"z{MAX_STARTS - 1}")
    assert desk.referee.recall(Question("1,2 1")) is None


async def test_however_much_junk_there_is_few_questions_wait_for_the_second_process(
    autojump_clock, desk
) -> None:
    junk = [f"z{number}" for number in range(3 * MAX_SUSPECTS)]
    for move in junk:
        desk.ask(move)
    await trio.sleep((TRIES * len(junk) + 1) * (START + ANSWER))
    assert desk.referee.service.starts <= 2 + TRIES * len(junk)
    assert len(junk) - len(desk.answers) <= MAX_SUSPECTS
    assert len(desk.program.saw(junk[-1])) == TRIES  # of the main process
    for move in junk:
        assert await desk.answered(move) == FATAL


async def test_whoever_is_suspect_is_not_heard_while_too_many_are(autojump_clock, desk) -> None:
    for number in range(MAX_SUSPECTS):
        desk.ask(f"z{number}", suspect=True)
    refused = await desk.answer("a1", suspect=True)
    assert isinstance(refused, Illegal)
    assert not isinstance(refused, Fatal)
    assert desk.answers["a1"][1] < START
    await desk.answered(f"z{MAX_SUSPECTS - 1}")
    assert await desk.answer("a2", suspect=True) == TAKEN


async def test_the_second_process_ends_when_it_is_not_needed_and_comes_again(
    autojump_clock, desk
) -> None:
    await desk.answer("a1", suspect=True)
    await trio.sleep(IDLE_TIMEOUT / 2)
    await desk.answer("a2", suspect=True)
    assert desk.referee.suspects.starts == 1
    await trio.sleep(2 * IDLE_TIMEOUT)
    await desk.answer("a3", suspect=True)
    assert desk.referee.suspects.starts == 2


async def test_a_main_process_that_lived_long_is_started_at_once_however_often(
    autojump_clock, desk
) -> None:
    for number in range(10):
        await trio.sleep(MIN_UPTIME + START)
        desk.program.processes[-1].kill()
        await trio.testing.wait_all_tasks_blocked()
        await desk.answer(f"a{number}")
        assert desk.answers[f"a{number}"][1] < 2 * START


async def test_one_that_will_not_stay_is_started_less_and_less_quickly(
    autojump_clock, desk
) -> None:
    before = trio.current_time()
    for _ in range(6):
        await trio.sleep(START)
        desk.program.processes[-1].kill()
        await desk.program.next.wait()
    assert trio.current_time() - before > 0.5 + 1 + 2 + 5 + 10 + 30
