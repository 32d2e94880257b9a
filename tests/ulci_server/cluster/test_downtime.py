"""For how long a claimed game was played by nobody."""

from datetime import timedelta
from types import SimpleNamespace

import trio

from tests.support.facts import NOON, started
from ulci_server.cluster.downtime import downtime_of
from ulci_server.storage import Claimed, RunInfo, Unfinished

LATER = NOON + timedelta(seconds=10)


class Post:
    """Heard run 4 until 3 s ago, and never any other."""

    def heard_at(self, run: int) -> float | None:
        return trio.current_time() - 3 if run == 4 else None

    def heard_before(self, run: int, at: float) -> float:
        return min(at, trio.current_time() - 12) if run == 4 else at


def claimed(before: RunInfo | None) -> Claimed:
    return Claimed(Unfinished(started(1), NOON, []), 2, before)


async def test_nobody_knows_of_a_run_that_is_not_on_record():
    assert downtime_of(claimed(None), Post(), {}, LATER).ms is None


async def test_it_is_told_by_this_servers_own_clock_if_it_heard_the_other(autojump_clock):
    down = downtime_of(claimed(RunInfo(4, NOON, 17)), Post(), {}, LATER)
    assert (down.ms, down.alive, down.slowest) == (3000, NOON, 17)


async def test_otherwise_by_the_record(autojump_clock):
    assert downtime_of(claimed(RunInfo(5, NOON, 0)), Post(), {}, LATER).ms == 10_000


async def test_a_run_whose_clock_was_ahead_was_not_alive_later_than_now(autojump_clock):
    ahead = RunInfo(5, LATER + timedelta(days=1), 0)
    assert downtime_of(claimed(ahead), Post(), {}, LATER).alive == LATER


async def test_each_player_could_move_until_its_server_and_the_owner_were_heard(autojump_clock):
    tables = {1: SimpleNamespace(players=(4, 5))}
    down = downtime_of(claimed(RunInfo(5, NOON, 0)), Post(), tables, LATER)
    assert down.heard == (NOON - timedelta(seconds=2), NOON)


async def test_where_the_players_of_a_game_were_that_is_unknown_here_holds_nobody_up(
    autojump_clock,
):
    class Silent(Post):
        def heard_before(self, run: int, at: float) -> float:
            return at - 7 if run in (1, 2) else at

    down = downtime_of(claimed(RunInfo(5, NOON, 0)), Silent(), {}, LATER)
    assert down.heard == (NOON, NOON)
