"""The runs of a server, one after the other."""

from types import SimpleNamespace

import pytest
import trio
from structlog.testing import capture_logs

from tests.support.facts import NOON
from ulci_server.cluster import NameTakenError, OtherVersionError
from ulci_server.cluster import messages as said
from ulci_server.cluster.database_queries import DatabaseQueries
from ulci_server.cluster.server_runs import ALONE, ServerRuns
from ulci_server.storage import FencedError, Journal, MemoryDatabase, StorageError, TakenOverError
from ulci_server.storage.membership import STANDS

pytestmark = pytest.mark.usefixtures("no_threads")


class Server:
    """Named a, in a database of its own."""

    def __init__(self, *, owns: bool = True) -> None:
        self.database = MemoryDatabase()
        self.journal = Journal(self.database)
        self.hall = SimpleNamespace(connected=[])
        self.locked = True
        self.runs = ServerRuns(
            "a",
            "1.0",
            self.hall,
            self.journal,
            DatabaseQueries(),
            self.database.runs,
            now=lambda: NOON,
            check_lock=self._check_lock,
            owns=owns,
        )

    def _check_lock(self) -> None:
        if not self.locked:
            raise TakenOverError("the database")

    def beat(self, run: int):
        return self.database.runs.beat(run, False, NOON)


@pytest.fixture
async def server() -> Server:
    return Server()


async def test_it_begins_at_once_where_nobody_is_in_its_way(server, autojump_clock):
    await server.runs.make_way()
    assert trio.current_time() == 0
    run = await server.runs.begin()
    [state] = server.database.runs.living()
    assert (state.id, state.node, state.speaks, state.version) == (run, "a", said.SPEAKS, "1.0")
    assert server.database.runs.mine == run


@pytest.mark.parametrize("owns", [True, False])
async def test_all_know_whether_it_may_be_given_games(owns):
    server = Server(owns=owns)
    await server.runs.begin()
    [state] = server.database.runs.living()
    assert state.owns is owns


async def test_a_dead_run_of_its_name_is_fenced_first(server, autojump_clock):
    before = server.database.runs.begin(NOON, "a", said.SPEAKS)
    await server.runs.make_way()
    assert trio.current_time() == STANDS
    with pytest.raises(FencedError):
        server.beat(before)


@pytest.mark.parametrize(
    ("name", "speaks", "error"),
    [("a", said.SPEAKS, NameTakenError), ("b", said.SPEAKS + 1, OtherVersionError)],
)
async def test_it_does_not_begin_beside_one_that_lives_and_is_in_its_way(
    server, autojump_clock, nursery, name, speaks, error
):
    before = server.database.runs.begin(NOON, name, speaks)

    async def live() -> None:
        while True:
            server.beat(before)
            await trio.sleep(0.4)

    nursery.start_soon(live)
    with pytest.raises(error):
        await server.runs.make_way()
    nursery.cancel_scope.cancel()


async def test_it_begins_beside_others(server, autojump_clock):
    server.database.runs.begin(NOON, "b", said.SPEAKS)
    await server.runs.make_way()
    assert trio.current_time() == 0


async def test_it_does_not_begin_without_the_lock(server):
    server.locked = False
    with pytest.RaisesGroup(TakenOverError):
        await server.runs.begin()


@pytest.mark.parametrize("by", ["a message", "a commit"])
async def test_a_run_ends_when_it_was_fenced(server, autojump_clock, nursery, by):
    run = await server.runs.begin()
    if by == "a message":
        server.runs.hear_fenced(2, said.Fenced())
    else:
        await server.journal.abandon()
    await server.runs.until_fenced(run)
    assert server.runs.fenced == 1
    assert await server.runs.begin(run) > run
    with trio.move_on_after(60) as waited:
        await server.runs.until_fenced(run)
    assert waited.cancelled_caught


async def test_players_are_sent_elsewhere_while_no_run_can_begin(server, autojump_clock, nursery):
    hung_up, ended = [], []
    returns = SimpleNamespace(
        player=SimpleNamespace(can_return=True),
        connection=SimpleNamespace(hang_up=hung_up.append),
    )
    idle = SimpleNamespace(
        player=SimpleNamespace(can_return=False),
        table=None,
        gone=False,
        disconnect=lambda why, _: ended.append(why),
    )
    plays = SimpleNamespace(player=SimpleNamespace(can_return=False), table=object(), gone=False)
    server.hall.connected = [returns, idle, plays]
    begin, fails = server.database.runs.begin, [True] * 3

    def begin_run(*asked, **owns):
        if fails:
            fails.pop()
            raise StorageError("it is down")
        return begin(*asked, **owns)

    server.database.runs.begin = begin_run
    await server.runs.begin()
    assert trio.current_time() > ALONE
    why = "this server cannot reach its database"
    assert {*hung_up} == {why}
    assert {*ended} == {f"{why}; retry-after 1"}


async def test_a_beat_below_the_last_one_means_that_the_database_is_an_older_copy(server):
    run = await server.runs.begin()
    older = server.beat(run)
    server.runs.check(server.beat(run))
    with capture_logs() as logs, pytest.raises(FencedError):
        server.runs.check(older)
    assert "restored from an older copy" in logs[0]["event"]
    await server.runs.begin(run)
    assert server.runs.set_back
    await server.runs.begin(run + 1)
    assert not server.runs.set_back


async def test_so_does_a_run_that_is_another_servers(server):
    run = await server.runs.begin()
    [state] = server.beat(run)
    stranger = SimpleNamespace(id=run, node="b", beat=state.beat + 1)
    with pytest.raises(FencedError):
        server.runs.check([stranger])


async def test_and_one_that_is_not_on_record(server):
    run = await server.runs.begin()
    server.database.runs.leave = lambda *_: False
    with capture_logs() as logs:
        assert await server.runs.begin(run + 5) == run + 6
    assert server.runs.set_back
    assert "restored from an older copy" in logs[0]["event"]
