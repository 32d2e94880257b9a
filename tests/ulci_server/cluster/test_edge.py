"""The connections of a server whose lobby is elsewhere."""

import math
from types import SimpleNamespace

import pytest
import trio

from tests.support.clock_field import Line, profile
from ulci.protocol.messages import Blame, Lobby
from ulci.rules import Side
from ulci_server.cluster import messages as said
from ulci_server.cluster.edge import UNKNOWN, Edge
from ulci_server.cluster.mirrors import kind_of
from ulci_server.hall.member import HostedMember
from ulci_server.lobby import lobby_lines

LOBBY = 9


class Session(Line):
    """Notes what it is told to do."""

    is_member = True

    def __init__(self) -> None:
        super().__init__("bob", 0, 1)
        self.done: list[tuple[object, ...]] = []

    async def prove_alive(self, seconds: float) -> bool:
        await trio.sleep(seconds / 2)
        return True

    def __getattr__(self, name: str):
        if name.startswith("_"):
            raise AttributeError(name)

        def do(*given: object, **named: object) -> None:
            self.done.append((name, *given, *named.values()))
            self.gone |= name in {"cut", "refuse", "disconnect"}

        return do


class Field:
    """An edge with one session."""

    def __init__(self, nursery: trio.Nursery) -> None:
        self.sent: list[said.AnyMessage] = []
        self.announced: list[Lobby] = []
        announcer = SimpleNamespace(announce=self.announced.append)
        hall = SimpleNamespace(
            announcer=announcer, start=nursery.start_soon, find_table=lambda _: None
        )
        self.edge = Edge(hall, SimpleNamespace(run=1, lobby=LOBBY, send=self._send))
        self.session = Session()
        self.link = self.edge.number(self.session)

    def _send(self, run: int, message: said.AnyMessage) -> None:
        assert run == LOBBY
        self.sent.append(message)


@pytest.fixture
def field(nursery) -> Field:
    return Field(nursery)


async def test_the_lobby_is_told_whether_a_player_is_alive(field, autojump_clock) -> None:
    field.edge.hear(LOBBY, said.ProveAlive(field.link, 5, 3.0))
    assert field.sent == []
    await trio.sleep(2.0)
    assert field.sent == [said.Alive(5, True)]


async def test_only_the_server_that_hosts_the_lobby_is_heard(field) -> None:
    kick = kind_of(HostedMember.kick)(field.link, "admin", for_good=True, why="why")
    field.edge.hear(2, kick)
    assert field.session.done == []
    field.edge.hear(LOBBY, kick)
    assert field.session.done == [("kick", "admin", True, "why")]


@pytest.mark.parametrize(
    ("how", "blame", "done"),
    [
        (HostedMember.cut, (), ("cut", "why")),
        (HostedMember.refuse, (), ("refuse", "why")),
        (HostedMember.disconnect, (Blame.SERVER,), ("disconnect", "why", Blame.SERVER)),
        (HostedMember.disconnect, (), ("disconnect", "why", Blame.CLIENT)),
    ],
)
async def test_the_lobby_says_how_a_connection_ends_and_its_login_is_over(
    field, how, blame, done
) -> None:
    field.edge.logged_in[field.link] = over = trio.Event()
    field.edge.hear(LOBBY, kind_of(how)(field.link, "why", *blame))
    assert field.session.done == [done]
    assert over.is_set()


async def test_a_login_is_over_when_the_lobby_says_so_unless_the_name_was_lost(field) -> None:
    field.edge.logged_in[field.link] = over = trio.Event()
    field.session.profile = None
    field.edge.hear(LOBBY, said.LoggedIn(field.link))
    assert not over.is_set()
    field.session.profile = profile("bob")
    field.edge.hear(LOBBY, said.LoggedIn(field.link))
    assert over.is_set()


async def test_a_list_is_told_when_its_last_part_has_come(field) -> None:
    line = lobby_lines.error("no-game", "it is over")
    for ends in (False, True):
        field.edge.hear(LOBBY, said.TellList(field.link, "games", (line,), ends))
    [(_, what, lines)] = field.session.done
    count, told = lines()
    assert (what, count, [*told]) == ("games", 2, [line, line])
    assert field.edge.lists == {}


async def test_a_connection_keeps_its_number_until_it_is_forgotten(field) -> None:
    edge, session = field.edge, field.session
    assert (edge.number(session), edge.session_of(session), session in edge) == (1, session, True)
    edge.called_at[1] = 0.0
    edge.forget(session)
    assert (edge.session_of(session), session in edge, edge.called_at) == (None, False, {})
    assert edge.number(session) == 2


async def test_the_lobby_hears_of_a_seat_in_a_game_that_nobody_knows(field, autojump_clock) -> None:
    field.edge.hear(LOBBY, said.TakeSeat(field.link, 7, Side.WHITE, 0.0))
    assert field.edge.awaited(field.link) == 7
    await trio.sleep(UNKNOWN - 0.1)
    assert field.sent == []
    await trio.sleep(0.2)
    assert field.sent == [said.Seatless(field.link, 7)]


async def test_a_line_for_all_members_is_announced(field) -> None:
    line = lobby_lines.error("no-game", "it is over")
    field.edge.hear(LOBBY, said.Announce(line))
    assert field.announced == [line]


async def test_what_a_lobby_announces_that_is_not_followed_is_not_heard(field) -> None:
    field.edge.hear(LOBBY + 1, said.Announce(lobby_lines.gone(7)))
    assert field.announced == []


async def test_an_introduction_keeps_the_options_that_only_this_server_knows(field) -> None:
    known = profile("bob")
    field.edge.introduced[field.link] = known
    field.edge.hear(LOBBY, said.Introduce(field.link, profile("bob-2")))
    [(what, introduced)] = field.session.done
    assert (what, introduced.handle, introduced.options) == ("introduce", "bob-2", known.options)


async def test_one_that_was_seated_waits_for_its_game_no_more(field, autojump_clock) -> None:
    table = SimpleNamespace(id=7, over=None)
    field.edge.hear(LOBBY, said.TakeSeat(field.link, 7, Side.WHITE, 0.0))
    field.edge._hall.find_table = lambda _: table
    field.edge.seat_waiting(7)
    assert field.edge.awaited(field.link) == 0
    assert [done[:3] for done in field.session.done] == [("take_seat", table, Side.WHITE)]


async def test_one_that_takes_its_seat_again_was_not_kept_waiting_since_its_login(
    field, autojump_clock
) -> None:
    field.edge.waits_since[field.link] = trio.current_time()
    table = SimpleNamespace(id=7, over=None)
    field.edge._hall.find_table = lambda _: table
    waited = []
    for _ in range(2):
        await trio.sleep(2.0)
        field.edge.hear(LOBBY, said.TakeSeat(field.link, 7, Side.WHITE, 0.0))
        _, _, _, spans = field.session.done[-1]
        waited.append(sum(end - begin for begin, end in spans()))
    assert waited == [2.0, 0.0]


async def test_when_a_login_began_is_known_of_connections_that_others_know(field) -> None:
    field.edge.called_at[field.link] = 3.0
    assert field.edge.called_at_of(field.session) == 3.0
    assert field.edge.called_at_of(Session()) == -math.inf
