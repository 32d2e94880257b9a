"""Which server hosts the lobby, and what becomes of messages to it."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from types import SimpleNamespace

import pytest
import trio

from tests.support.facts import NOON
from tests.support.gradually import Hall
from ulci.rules import Outcome, Reason
from ulci_server.cluster import messages as said
from ulci_server.cluster.database_queries import DatabaseQueries
from ulci_server.cluster.election import ALL_BACK, WITHDRAW, Election
from ulci_server.cluster.nudge import Nudge
from ulci_server.cluster.post_office import CUT_OFF
from ulci_server.game import notices
from ulci_server.lobby import Profile
from ulci_server.storage import MemoryDatabase, RunState, StoredLobby
from ulci_server.storage.membership import Membership

pytestmark = pytest.mark.usefixtures("no_threads")

OVER = notices.over(3, Outcome(None, Reason.SERVER))
ROLL = said.Roll(((7, 0),))
FIRST, SECOND = said.Roll(((7, 0),), 0, 7), said.Roll(((9, 0),), 7)
LOGIN = said.LogIn(7, Profile("Ada", "Ada"), "192.0.2.1", "192.0.2.1:5000")


class Lobby:
    """Stands for the one that this server hosts."""

    def __init__(self) -> None:
        self.heard: list[tuple[int, object]] = []
        self.ended = False
        self.games = SimpleNamespace(go_on=lambda _: None)
        self.unseen = {3}
        self.pieces: list[Callable[[], None]] = []  # of what a death brings

    def hear(self, run: int, message: object) -> None:
        self.heard.append((run, message))

    def call_roll(self, run: int) -> None:
        self.heard.append((run, "roll"))

    def lose(self, run: int):
        self.heard.append((run, "lost"))
        return iter(self.pieces)

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
        self.lists_forgotten = 0
        self.answered: list[tuple[int, said.Roll]] = []
        self.look = Nudge()
        self.look.begin()
        link = SimpleNamespace(
            edge=SimpleNamespace(forget_lists=self._forget_lists),
            answer_roll=self._answer,
        )
        self.hosted: list[Lobby] = []
        self.while_it_reads = lambda: None
        self.taken: list[int] = []
        self.hall = Hall()
        self.election = Election(
            "b",
            self.hall,
            self,
            link,
            None,
            DatabaseQueries(),
            MemoryDatabase().ownership,
            SimpleNamespace(take=self._take),
            self.look,
            now=lambda: NOON,
        )

    def _forget_lists(self) -> None:
        self.lists_forgotten += 1

    def _answer(self, run: int, roll: said.Roll):
        self.answered.append((run, roll))
        return ()

    def _take(self, run: int, _: datetime) -> StoredLobby:
        self.taken.append(run)
        self.while_it_reads()
        return StoredLobby([], [], [], {}, {}, [], 0)

    def lives(self, *runs: int, draining: tuple[int, ...] = ()) -> None:
        states = [
            RunState(run, f"server {run}", 1, said.SPEAKS, run in draining, NOON, 0) for run in runs
        ]
        self.membership.look(states, 0.0)

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


async def test_the_oldest_server_that_stays_hosts_the_lobby_as_it_is_stored(server, autojump_clock):
    await server.election.settle()
    assert (server.hosted, server.taken) == ([], [])
    server.lives(2, 3)
    await server.election.settle()
    assert server.election.lobby_server is server.hosted[0]
    assert server.taken == [2]
    await server.election.settle()
    assert (len(server.hosted), server.taken) == (1, [2])


async def test_what_is_said_of_games_while_it_is_read_is_heard(server, autojump_clock):
    ended = said.Ended(3, 1, OVER)

    def hear() -> None:
        for message in (ended, LOGIN, said.Owns(())):
            server.election.hear(3, message)
        server.election.end_lost(4, OVER)

    server.while_it_reads = hear
    server.lives(2, 3)
    await server.election.settle()
    heard = [(3, ended), (3, said.Owns(())), (2, said.Ended(4, 0, OVER))]
    assert server.hosted[0].heard == heard  # a client that logs in is asked for again by the roll
    server.election.host_no_more()
    server.election.hear(3, ended)
    server.while_it_reads = lambda: None
    await server.election.settle()
    assert server.hosted[1].heard == []


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


async def test_a_host_that_calls_the_roll_is_followed_if_there_is_no_other(server):
    server.election.hear_roll(3, ROLL)
    assert (server.lobby, server.answered, server.lists_forgotten) == (3, [(3, ROLL)], 1)


async def test_a_roll_of_the_host_that_is_followed_is_answered_at_once(server):
    server.election.hear_roll(3, ROLL)
    server.election.hear_roll(3, SECOND)
    assert server.answered == [(3, ROLL), (3, SECOND)]


async def test_a_roll_of_another_host_is_answered_when_the_database_names_it(
    server, autojump_clock
):
    await follow_3_though_1_lives(server)
    server.election.hear_roll(1, FIRST)
    server.election.hear_roll(1, SECOND)
    assert (server.lobby, server.answered) == (3, [(3, ROLL)])
    assert await server.is_nudged()
    server.lives(1, 2)
    await server.election.settle()
    assert (server.lobby, server.answered[1:]) == (1, [(1, FIRST), (1, SECOND)])
    await server.election.settle()
    assert len(server.answered) == 3


async def test_one_that_calls_the_roll_anew_gets_no_answer_to_its_rolls_before(
    server, autojump_clock
):
    await follow_3_though_1_lives(server)
    for roll in (FIRST, SECOND, ROLL, FIRST):
        server.election.hear_roll(1, roll)
    server.lives(1, 2)
    await server.election.settle()
    assert server.answered[1:] == [(1, FIRST)]


async def follow_3_though_1_lives(server) -> None:
    """As the database has just said so."""
    server.election.hear_roll(3, ROLL)
    server.membership.living = {3: server.membership.living[3], **server.membership.living}


async def test_a_lobby_that_began_while_this_server_was_cut_off_ends_the_one_here(
    server, autojump_clock
):
    server.election.lobby_server = lobby = Lobby()
    server.election.hear_roll(1, ROLL)
    assert not lobby.ended
    server.election.apart()
    server.election.hear_roll(1, ROLL)
    assert lobby.ended


async def test_a_new_run_hosts_and_follows_nothing(server, autojump_clock):
    server.election.lobby_server = lobby = Lobby()
    server.election.hear_roll(1, ROLL)
    server.lobby = 0
    server.election.begin_again()
    await server.election.settle()
    assert lobby.ended
    assert server.lobby == 0


async def test_a_lobby_that_died_is_not_followed_any_more(server):
    server.election.hear_roll(1, ROLL)
    server.election.lose(3)
    assert server.lobby == 1
    server.election.lose(1)
    assert server.lobby == 0


async def test_what_is_for_the_lobby_is_dropped_where_it_is_not(server):
    server.election.hear(1, LOGIN)
    server.election.hear(1, said.Owns(()))
    server.election.rejoin(1)
    server.election.meet(1)
    server.election.end_lost(3, OVER)
    assert server.election.unseen == set()


@pytest.mark.parametrize("successor", [True, False])
async def test_a_lobby_whose_server_ends_lets_nobody_in_if_another_one_can(server, successor):
    server.election.lobby_server = lobby = Lobby()
    server.draining = True
    server.lives(*((2, 3) if successor else (2,)), draining=(2,))
    server.election.hear(3, LOGIN)
    left = said.Left(7, "it left")
    server.election.hear(3, left)
    assert lobby.heard == ([] if successor else [(3, LOGIN)]) + [(3, left)]


async def test_the_lobby_hears_of_games_and_deaths(server):
    server.election.lobby_server = lobby = Lobby()
    server.election.hear(1, said.Owns(()))
    server.election.end_lost(3, OVER)
    server.election.lose(1)
    ended = said.Ended(3, 0, OVER)
    assert lobby.heard == [(1, said.Owns(())), (2, ended), (1, "lost"), (1, "dead")]
    assert server.election.unseen == {3}


async def test_all_members_of_a_dead_server_leave_the_first_of_them_at_once(server):
    server.election.lobby_server = lobby = Lobby()
    gone: list[str] = []
    lobby.pieces = [partial(gone.append, name) for name in ("Ada", "Bob", "Cy")]
    server.election.lose(1)
    assert gone == ["Ada"]
    for piece in server.hall.pieces:
        piece()
    assert gone == ["Ada", "Bob", "Cy"]


async def test_the_lobby_calls_the_roll_of_a_new_server_and_after_a_gap(server):
    server.election.lobby_server = lobby = Lobby()
    server.election.meet(1)
    server.election.rejoin(1)
    assert lobby.heard == [(1, "roll")] * 2


async def test_lists_are_asked_for_again_after_a_gap_before_the_lobby(server):
    server.election.hear_roll(3, ROLL)
    server.election.rejoin(1)
    assert server.lists_forgotten == 1
    server.election.rejoin(3)
    assert server.lists_forgotten == 2
