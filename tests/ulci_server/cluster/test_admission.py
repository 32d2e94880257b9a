"""Who is seated at the tables of a server."""

from types import SimpleNamespace

import pytest
import trio

from tests.support.clock_field import Field, Line, in_field, profile
from ulci.rules import GAMES, Side
from ulci_server.cluster import messages as said
from ulci_server.cluster.admission import Admission
from ulci_server.cluster.post import TOLD_LATE
from ulci_server.cluster.remote_player import RemotePlayer
from ulci_server.lobby import PoolRules

LOBBY = 9


def opening(**changes) -> said.Open:
    white, black = (said.Link(run, run, profile(f"p{run}")) for run in (1, 2))
    known = {"rules": "chess", "control": "60", "white": white, "black": black}
    return said.Open(**{"game": 5, "start": None, "rated": False, "pool": ""} | known | changes)


def admission(**changes):
    """Whose game can begin, unless something of the post is otherwise."""
    begun, sent = [], []
    session = Line("p1", 1, 1)
    edge = SimpleNamespace(sessions={1: session})
    hall = SimpleNamespace(begin_game=lambda *given: begun.append(given))
    send = lambda run, one: sent.append((run, one))  # noqa: E731
    post = {"run": 1, "draining": False, "owns": True, "send": send} | changes
    of_server = Admission(hall, SimpleNamespace(**post), GAMES, lambda _: PoolRules(), edge)
    return of_server, session, begun, sent


async def test_a_game_begins_once_with_players_here_and_elsewhere() -> None:
    of_server, session, begun, sent = admission()
    for _ in range(2):
        of_server.open(LOBBY, opening())
    [(number, agreement, (white, black), _)] = begun
    assert (number, str(agreement.control), white) == (5, "60", session)
    assert isinstance(black, RemotePlayer)
    assert sent == []


@pytest.mark.parametrize(
    ("changes", "post", "why"),
    [
        ({"rules": "go"}, {}, "does not know go"),
        ({"control": "?"}, {}, "cannot read its terms"),
        ({"white": said.Link(1, 8, profile("left"))}, {}, "the opponent has left"),
        ({}, {"draining": True}, "is shutting down"),
        ({}, {"owns": False}, "plays no games"),
    ],
)
async def test_the_lobby_is_told_why_a_game_does_not_begin_and_may_ask_again(
    changes, post, why
) -> None:
    of_server, _, begun, sent = admission(**post)
    for _ in range(2):
        of_server.open(LOBBY, opening(**changes))
    assert begun == []
    assert [(run, one.game, why in one.why) for run, one in sent] == 2 * [(LOBBY, 5, True)]


@pytest.mark.parametrize(
    ("later", "again", "gone", "seated"),
    [
        (0.0, False, False, True),  # the lobby gave it the seat
        (-2 * TOLD_LATE, False, False, False),  # but the one before is the newer login
        (0.0, True, False, False),  # it may be an old word
        (2 * TOLD_LATE, True, False, True),
        (0.0, True, True, False),
    ],
)
def test_a_line_elsewhere_takes_the_seat_unless_the_one_before_keeps_it(
    later, again, gone, seated
) -> None:
    def scenario(field: Field) -> None:
        field.pass_by(5.0)
        player = said.Link(3, 77, profile("bob"), "bob", age=5.0 - later)
        before = field.table.seats[Side.BLACK]
        expect = said.Expect(1, 1, Side.BLACK, player, again=again, gone=gone)
        field.servers[1].owner.hear(3, expect)
        now = field.table.seats[Side.BLACK]
        assert (now is not before) == seated
        assert now.turn.returns == seated

    in_field(scenario)


def test_who_has_left_gives_its_seat_to_an_open_line_that_had_it_before() -> None:
    def scenario(field: Field) -> None:
        field.leaves()
        field.pass_by(0.0)
        player = said.Link(3, 77, profile("bob"), "bob", age=trio.current_time())
        field.servers[1].owner.hear(3, said.Expect(1, 1, Side.BLACK, player, again=True))
        assert field.table.seats[Side.BLACK].run == 3

    in_field(scenario)


@pytest.mark.parametrize(("later", "seated"), [(2 * TOLD_LATE, 3), (0.0, 2)])
def test_a_line_that_says_again_that_it_has_the_seat_does_not_take_it_from_a_later_login(
    later, seated
) -> None:
    """A new owner hears both: of the line that is about to be closed, it may hear last."""

    def scenario(field: Field) -> None:
        field.pass_by(5.0)
        field.table.seats[Side.BLACK].gone = True  # as is everybody, for a new owner
        owner = field.servers[1].owner
        for run, age in ((3, 5.0 - later), (2, 5.0)):
            player = said.Link(run, 70 + run, profile("bob"), "bob", age=age)
            owner.hear(run, said.Expect(1, 1, Side.BLACK, player, again=True))
        assert field.table.seats[Side.BLACK].run == seated

    in_field(scenario)
