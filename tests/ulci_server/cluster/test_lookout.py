"""A server shows that it lives, and sees who else does."""

from types import SimpleNamespace

import pytest
import trio
from structlog.testing import capture_logs

from tests.support.facts import NOON
from tests.support.gradually import Hall
from ulci_server.cluster import messages as said
from ulci_server.cluster.database_queries import DatabaseQueries
from ulci_server.cluster.lookout import Lookout
from ulci_server.cluster.nudge import Nudge
from ulci_server.storage import FencedError, MemoryDatabase, StorageError
from ulci_server.storage.membership import BEAT, LOOKS, STANDS, Membership

pytestmark = pytest.mark.usefixtures("no_threads")


class Server:
    """Run 1, whose parts note what they are told; beside others in one database."""

    def __init__(self) -> None:
        self.noted: list[tuple[str, int]] = []
        self.runs = MemoryDatabase().runs
        self.run = self.runs.begin(NOON, "a", said.SPEAKS)
        self.draining = self.is_cut_off = self.fenced = False
        self.membership = Membership(self.run)
        self.look = Nudge()
        self.queries = DatabaseQueries()
        self.parted = 0
        hall = Hall()
        self.lookout = Lookout(
            hall,
            self,
            SimpleNamespace(greet=self._pieces("greet"), lose=self._pieces("lose")),
            SimpleNamespace(follow_moves=lambda _: None, orphan=self._note("orphan")),
            self,
            SimpleNamespace(soon=lambda: self.noted.append(("claim", 0))),
            SimpleNamespace(notice=lambda: None, see_to=self._nothing, lose=self._note("cut")),
            SimpleNamespace(slowest=0.0),
            self.queries,
            self.runs,
            self.look,
            SimpleNamespace(check=lambda _: None, be_fenced=self._be_fenced),
            now=lambda: NOON,
        )

    def _note(self, what: str):
        return lambda run, *_: self.noted.append((what, run))

    def _pieces(self, what: str):
        def pieces(run: int, *_):
            self.noted.append((what, run))
            return ()

        return pieces

    async def _nothing(self) -> None: ...

    settle = _nothing

    def _be_fenced(self) -> None:
        self.fenced = True

    def apart(self) -> None:
        self.parted += 1

    # The post, and the election

    def add(self, run: int) -> None:
        self.noted.append(("add", run))

    def tell_fenced(self, run: int) -> None:
        self.noted.append(("tell", run))

    async def forget(self, run: int) -> None: ...

    def silence_of(self, _: int) -> float:
        return 0.0

    def meet(self, run: int) -> None:
        self.noted.append(("meet", run))

    def lose(self, run: int) -> None:
        self.noted.append(("lobby", run))

    async def run_for(self, seconds: float) -> None:
        with trio.move_on_after(seconds):
            await self.lookout.run()


@pytest.fixture
async def server() -> Server:
    return Server()


def beat(server: Server) -> int:
    [state] = [one for one in server.runs.living() if one.id == server.run]
    return state.beat


async def test_it_beats_as_long_as_it_lives(server, autojump_clock):
    await server.run_for(10.5 * BEAT)
    assert beat(server) == 11


async def test_it_meets_a_server_that_is_new(server, autojump_clock):
    other = server.runs.begin(NOON, "b", said.SPEAKS)
    await server.run_for(BEAT / 2)
    assert server.noted == [("add", other), ("greet", other), ("meet", other)]


async def test_but_none_of_another_version(server, autojump_clock, errors_logged):
    server.runs.begin(NOON, "b", said.SPEAKS + 1)
    await server.run_for(BEAT / 2)
    assert server.noted == []
    assert "another version" in errors_logged.take()[0]


async def test_a_server_that_stands_still_is_fenced_and_its_games_are_claimed(
    server, autojump_clock
):
    other = server.runs.begin(NOON, "b", said.SPEAKS)
    with capture_logs() as logs:
        await server.run_for(STANDS + 3 * BEAT)
    assert server.lookout.fences == 1
    assert [state.id for state in server.runs.living()] == [server.run]
    lost = {"tell", "cut", "lose", "orphan", "lobby"}
    assert {what for what, run in server.noted if run == other} >= lost
    assert server.noted[-1] == ("claim", 0)
    assert "server fenced: its beat stood still" in [log["event"] for log in logs]


async def test_one_that_beats_is_not(server, autojump_clock, nursery):
    other = server.runs.begin(NOON, "b", said.SPEAKS)

    async def live() -> None:
        while True:
            server.runs.beat(other, False, NOON)
            await trio.sleep(STANDS / LOOKS)

    nursery.start_soon(live)
    await server.run_for(5 * STANDS)
    assert server.lookout.fences == 0
    nursery.cancel_scope.cancel()


async def test_while_the_database_does_not_answer_nobody_is_lost(server, autojump_clock):
    other = server.runs.begin(NOON, "b", said.SPEAKS)
    await server.run_for(BEAT / 2)

    def fail(*_: object) -> None:
        raise StorageError("it is down")

    works, server.runs.beat = server.runs.beat, fail
    await server.run_for(5 * STANDS)
    server.runs.beat = works
    await server.run_for(BEAT / 2)
    assert other in server.membership.living
    assert server.lookout.fences == 0


async def test_it_finds_out_that_it_was_fenced_itself(server, autojump_clock):
    def fail(*_: object) -> None:
        raise FencedError("it was")

    server.runs.beat = fail
    await server.run_for(BEAT / 2)
    assert server.fenced


async def test_a_nudge_has_it_look_at_once(server, autojump_clock, nursery):
    nursery.start_soon(server.lookout.run)
    await trio.sleep(BEAT / 4)
    server.look.give()
    await trio.sleep(BEAT / 4)
    assert beat(server) == 2
    nursery.cancel_scope.cancel()


async def test_it_says_when_it_has_looked(server, autojump_clock, nursery):
    nursery.start_soon(server.lookout.run)
    await trio.sleep(BEAT / 4)
    await server.lookout.looked()
    assert trio.current_time() == BEAT
    nursery.cancel_scope.cancel()


@pytest.mark.parametrize("why", ["draining", "is_cut_off"])
async def test_the_database_hears_that_it_can_get_no_games(server, autojump_clock, why):
    setattr(server, why, True)
    await server.run_for(BEAT / 2)
    [state] = server.runs.living()
    assert state.draining
    assert server.parted == 1
