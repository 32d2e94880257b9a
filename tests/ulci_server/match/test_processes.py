"""Processes of a match's engines: how many are started, where they run, and when they end.

Programs in memory stand for them, which come in as `engines.run_engine` lets processes in.
"""

from collections import Counter
from functools import partial

import pytest
import trio
import trio.testing

from tests.support.clients import program_client
from tests.ulci_server.match.conftest import CONTROL, Player
from ulci.engines.settings import EngineSettings
from ulci_server.lobby import Profile
from ulci_server.match import EngineFailedError, MatchEngine
from ulci_server.match.engines import Place


class Programs:
    """Starts programs. `started`: the name of each; `running`: processors, by program. `dies`:
    called with a program that is ready."""

    def __init__(self) -> None:
        self.started: list[str] = []
        self.running: dict[Place, tuple[int, ...]] = {}
        self.most = 0
        self.dies = lambda _: False

    async def run(self, hall, number, engine: MatchEngine, *_, task_status) -> None:
        """As `run_engine` does."""
        near, client = await program_client()
        async with trio.open_nursery() as nursery:
            host = partial(hall.host_program, near, Profile(engine.name, ""))
            place = Place(number, await nursery.start(host))
            self.started.append(engine.name)
            self.running[place] = engine.settings.processors
            self.most = max(self.most, len(self.running))
            task_status.started(place)
            if self.dies(engine.name):
                client.peer.cut("crashed")
            else:
                nursery.start_soon(Player(client, wins=None, hangs=None).play)
            await place.until_ended()
            del self.running[place]
            nursery.cancel_scope.cancel()


@pytest.fixture
def programs(monkeypatch) -> Programs:
    found = Programs()
    monkeypatch.setattr("ulci_server.match.director.run_engine", found.run)
    return found


def engines(names: str, **changes) -> list[MatchEngine]:
    return [MatchEngine(name, EngineSettings((name,)), CONTROL, **changes) for name in names]


async def test_a_process_plays_all_games_of_its_board(autojump_clock, match, programs):
    async with match(engines("AB"), rounds=4) as m:
        await m.play(boards=2)
        assert sorted(programs.started) == ["A", "A", "B", "B"]
        assert [score for _, score, _ in m.events.results] == ["1/2-1/2"] * 8
        assert programs.running == {}


async def test_each_game_has_processes_of_its_own_where_engines_are_restarted(
    autojump_clock, match, programs
):
    async with match(engines("AB", restart=True), rounds=2) as m:
        await m.play()
        assert Counter(programs.started) == {"A": 4, "B": 4}
        assert programs.most <= 4


async def test_a_process_ends_when_its_board_needs_another_engine(autojump_clock, match, programs):
    async with match(engines("ABC")) as m:
        await m.play()
        # A-B, A-C, B-C: A and C stay for the second encounter, C for the third.
        assert programs.started == ["A", "B", "C", "B"]
        assert programs.most <= 3


async def test_processes_share_processors_evenly(autojump_clock, match, programs):
    seen = []
    async with match(engines("AB"), rounds=4, processors=[2, 3, 5, 7]) as m:
        m.events.over = lambda: seen.append([*programs.running.values()]) is None
        await m.play(boards=2)
        assert sorted(seen[-2]) == [(2,), (3,), (5,), (7,)]


async def test_a_processor_is_free_again_when_its_process_ends(autojump_clock, match, programs):
    seen = []
    async with match(engines("AB", restart=True), rounds=3, processors=[0, 1]) as m:
        m.events.over = lambda: seen.append(sorted(programs.running.values())) is None
        await m.play()
        assert seen == [[(0,), (1,)]] * 6


async def test_an_engine_that_ends_before_its_game_is_started_again(
    autojump_clock, match, programs
):
    programs.dies = lambda name: name == "B" and programs.started.count("B") < 3
    async with match(engines("AB")) as m:
        await m.play()
        assert Counter(programs.started) == {"A": 1, "B": 3}
        assert [score for _, score, _ in m.events.results] == ["1/2-1/2"] * 2


async def test_an_engine_that_always_ends_before_its_game_ends_the_match(
    autojump_clock, match, programs
):
    programs.dies = lambda name: name == "B"
    async with match(engines("AB")) as m:
        with pytest.RaisesGroup(
            pytest.RaisesExc(EngineFailedError, match="it ended 3 times before its game"),
            flatten_subgroups=True,
        ):
            await m.play()
        assert Counter(programs.started) == {"A": 1, "B": 3}
        assert m.games == []
