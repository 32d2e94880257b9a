"""Which server hosts the lobby, and what becomes of messages to it."""

from types import SimpleNamespace

import pytest
import trio

from tests.support.facts import NOON
from tests.support.gradually import Hall
from ulci_server.cluster import messages as said
from ulci_server.cluster.database_queries import DatabaseQueries
from ulci_server.cluster.election import ALL_BACK, WITHDRAW, Election
from ulci_server.cluster.nudge import Nudge
from ulci_server.cluster.post_office import CUT_OFF
from ulci_server.lobby import Profile
from ulci_server.storage import MemoryDatabase, RunState
from ulci_server.storage.membership import Membership

pytestmark = pytest.mark.usefixtures("no_threads")

LOGIN = said.LogIn(7, Profile("Ada", "Ada"), "192.0.2.1", "192.0.2.1:5000")


class Lobby:
    """Stands for the one that this server hosts."""

    def __init__(self) -> None:
        self.heard: list[tuple[int, object]] = []
        self.ended = False
        self.games = SimpleNamespace(go_on=lambda _: None)
        self.unseen = {3}

    def hear(self, run: int, message: object) -> None:
        self.heard.append((run, message))

    hear_of_game = hear

    def doubt(self, run: int) -> None:
        self.heard.append((run, "doubted"))

    def lose(self, run: int):
        self.heard.append((run, "lost"))
        return iter([])

    def dead(self, run: int) -> None:
        self.heard.append((run, "dead"))

    def end(self) -> None:
        self.ended = True


class Server:
    """Run 2 of three, as its election sees it."""

    def __init__(self) -> None:
        self.run, self.lobby = 2, 0
        self.draining, self.silence = False, 0.0
        self.membership = Membership(2)
        self.lives(1, 2, 3)
        self.sent: list[tuple[int, object]] = []
        self.named = 0  # how often its members were named to a lobby
        self.look = Nudge()
        self.look.begin()
        link = SimpleNamespace(
            edge=SimpleNamespace(forget_lists=lambda: None, results=None), register=self._name
        )
        self.hosted: list[Lobby] = []
        self.election = Election(
            "b",
            Hall(),
            self,
            SimpleNamespace(register=lambda: ()),
            link,
            SimpleNamespace(failed=False),
            None,
            DatabaseQueries(),
            MemoryDatabase().ownership,
            self.look,
        )

    def _name(self):
        self.named += 1
        return ()

    def lives(self, *runs: int, draining: tuple[int, ...] = ()) -> None:
        states = [
            RunState(run, f"server {run}", 1, said.SPEAKS, run in draining, NOON, 0) for run in runs
        ]
        self.membership.look(states, 0.0)

    def send(self, run: int, message: object) -> None:
        self.sent.append((run, message))

    def send_all(self, message: object) -> None:
        self.sent.append((0, message))

    def silence_of(self, _: int) -> float:
        return 0.0

    async def is_nudged(self) -> bool:
        before = trio.current_time()
        await self.look.wait(1)
        return trio.current_time() == before


@pytest.fixture
async def server(monkeypatch) -> Server:
    made = Server()

    def host(*_: object) -> Lobby:
        lobby = Lobby()
        lobby.host = SimpleNamespace(resumes=None)
        made.hosted.append(lobby)
        return lobby

    monkeypatch.setattr("ulci_server.cluster.election.LobbyServer", host)
    return made


async def test_the_oldest_server_that_stays_hosts_the_lobby_and_says_so(server, autojump_clock):
    await server.election.settle()
    assert server.hosted == []
    server.lives(2, 3)
    await server.election.settle()
    assert server.election.lobby_server is server.hosted[0]
    assert server.sent == [(0, said.Register())]


async def test_one_that_ends_leaves_it_to_the_next(server, autojump_clock):
    server.lives(1, 2, 3, draining=(1,))
    await server.election.settle()
    assert server.hosted
    server.lives(2, 3, draining=(2,))
    await server.election.settle()
    assert server.hosted[0].ended
    assert server.election.lobby_server is None


async def test_one_that_others_do_not_hear_waits(server, autojump_clock):
    server.lives(2, 3)
    server.silence = CUT_OFF
    await server.election.settle()
    assert server.hosted == []
    server.lives(2)  # there are no others
    await server.election.settle()
    assert server.hosted


async def test_one_that_was_cut_off_waits_until_all_may_be_back(server, autojump_clock):
    server.lives(2, 3)
    server.election.apart()
    await server.election.settle()
    assert server.hosted == []
    await trio.sleep(ALL_BACK + 0.1)
    await server.election.settle()
    assert server.hosted


async def test_the_lobby_stays_where_it_is_while_the_bus_is_down_for_all(server, autojump_clock):
    server.lives(2, 3)
    await server.election.settle()
    server.lives(1, 2, 3)
    server.silence = (CUT_OFF + WITHDRAW) / 2
    await server.election.settle()
    assert not server.hosted[0].ended
    server.silence = WITHDRAW
    await server.election.settle()
    assert server.hosted[0].ended


async def test_a_host_that_says_so_is_followed_if_there_is_no_other(server):
    server.election.hear_register(3, said.Register())
    assert (server.lobby, server.named) == (3, 1)


async def test_another_one_is_followed_when_the_database_names_it(server, autojump_clock):
    server.lives(3, 2)
    server.election.hear_register(3, said.Register())
    server.lives(1, 2, 3)
    assert server.lobby == 3
    server.membership.living = {3: server.membership.living[3], **server.membership.living}
    server.election.hear_register(1, said.Register())
    assert server.lobby == 3
    assert await server.is_nudged()
    server.lives(1, 2)
    await server.election.settle()
    assert (server.lobby, server.named) == (1, 2)


async def test_a_lobby_that_began_while_this_server_was_cut_off_ends_the_one_here(
    server, autojump_clock
):
    server.election.lobby_server = lobby = Lobby()
    server.election.hear_register(1, said.Register())
    assert not lobby.ended
    server.election.apart()
    server.election.hear_register(1, said.Register())
    assert lobby.ended


async def test_a_new_run_hosts_and_follows_nothing(server, autojump_clock):
    server.election.lobby_server = lobby = Lobby()
    server.election.hear_register(1, said.Register())
    server.lobby = 0
    server.election.begin_again()
    await server.election.settle()
    assert lobby.ended
    assert server.lobby == 0


async def test_a_lobby_that_died_is_not_followed_any_more(server):
    server.election.hear_register(1, said.Register())
    server.election.lose(3)
    assert server.lobby == 1
    server.election.lose(1)
    assert server.lobby == 0


async def test_what_is_for_the_lobby_is_dropped_where_it_is_not(server):
    server.election.hear(1, LOGIN)
    server.election.hear_of_game(1, said.Owns(()))
    server.election.hear_forget(1, said.Forget())
    server.election.rejoin(1)
    server.election.meet(1)
    assert (server.election.unseen, server.sent) == (set(), [])


@pytest.mark.parametrize("successor", [True, False])
async def test_a_lobby_whose_server_ends_lets_nobody_in_if_another_one_can(server, successor):
    server.election.lobby_server = lobby = Lobby()
    server.draining = True
    server.lives(*((2, 3) if successor else (2,)), draining=(2,))
    server.election.hear(3, LOGIN)
    left = said.Left(7, "it left")
    server.election.hear(3, left)
    assert lobby.heard == ([] if successor else [(3, LOGIN)]) + [(3, left)]


async def test_the_lobby_hears_of_games_gaps_and_deaths(server):
    server.election.lobby_server = lobby = Lobby()
    server.election.hear_of_game(1, said.Owns(()))
    server.election.hear_forget(1, said.Forget())
    server.election.lose(1)
    assert lobby.heard == [(1, said.Owns(())), (1, "doubted"), (1, "lost"), (1, "dead")]
    assert server.election.unseen == {3}


async def test_after_a_gap_the_lobby_is_named_again_and_its_members_are(server):
    server.election.hear_register(3, said.Register())
    server.election.rejoin(1)
    assert (server.sent, server.named) == ([], 1)
    server.election.rejoin(3)
    assert (server.sent, server.named) == ([(3, said.Forget())], 2)
    server.election.lobby_server = Lobby()
    server.election.rejoin(1)
    server.election.meet(1)
    assert server.sent[1:] == [(1, said.Register())] * 2
