"""Which server is asked to begin a game, and what becomes of that."""

from types import SimpleNamespace

import pytest
import trio

from tests.support.facts import started
from ulci.rules import GAMES, Side
from ulci_server.cluster import messages as said
from ulci_server.cluster.lobby_games import BUSY, REOPENED, LobbyGames
from ulci_server.cluster.questions import Questions
from ulci_server.cluster.remote_member import RemoteMember
from ulci_server.game import Controls
from ulci_server.lobby import Agreement, Profile

HERE, THERE, ELSEWHERE = 1, 2, 3

BLITZ = Agreement(GAMES["chess"], Controls.parse("3+2"), None, rated=False, pool="blitz")


class Field:
    """Three servers, and what they were asked."""

    def __init__(self, nursery: trio.Nursery) -> None:
        self.sent: list[tuple[int, said.Open]] = []
        self.failed: list[str] = []
        self.owners = [HERE, THERE, ELSEWHERE]
        hall = SimpleNamespace(start=nursery.start_soon)
        self.games = LobbyGames(hall, self, lambda: self.owners)  # type: ignore[arg-type]

    def send(self, run: int, message: said.Open) -> None:
        self.sent.append((run, message))

    def member(self, run: int, name: str) -> RemoteMember:
        member = RemoteMember(self, Questions[bool](), lambda _: None, run, 7, "", "")
        member.profile = Profile(name, name)
        return member

    def begin(self, number: int = 1, white: int = HERE, black: int = THERE) -> None:
        pair = self.member(white, "Ada"), self.member(black, "Bob")
        self.games.begin(number, BLITZ, pair, self.failed.append)

    def own(self, run: int, number: int, epoch: int = 1) -> None:
        self.games.known(number, run, epoch, started(number).seats)


@pytest.fixture
async def field(nursery) -> Field:
    return Field(nursery)


async def test_whites_server_is_asked_unless_it_plays_far_more_games(field) -> None:
    field.begin()
    for number in range(10, 20):
        field.own(HERE, number)
    field.begin(2)
    assert [run for run, _ in field.sent] == [HERE, THERE]
    assert (field.sent[0][1].white.profile.name, field.sent[0][1].control) == ("Ada", "3+2")


@pytest.mark.parametrize(
    ("owners", "asked"), [([THERE, ELSEWHERE], THERE), ([ELSEWHERE], ELSEWHERE)]
)
async def test_a_server_that_is_given_no_games_is_not_asked(field, owners, asked) -> None:
    field.owners = owners
    field.begin()
    assert [run for run, _ in field.sent] == [asked]


async def test_where_no_server_takes_games_none_begins(field, autojump_clock) -> None:
    field.owners = []
    field.begin()
    await trio.sleep(BUSY + 0.1)
    assert field.failed == ["no server can take it now; try again"]


async def test_a_game_without_a_number_begins_when_there_are_some(field) -> None:
    for _ in range(2):
        field.begin(0)
    numbers = iter((5, 0))
    field.games.go_on(lambda: next(numbers))
    assert [asked.game for _, asked in field.sent] == [5]


async def test_a_game_that_has_begun_is_asked_for_no_more(field) -> None:
    field.begin()
    field.games.ask_again(THERE)
    field.games.ask_again(HERE)
    assert [run for run, _ in field.sent] == [HERE, HERE]
    opening = field.games.begun(HERE, said.Owned(started(1), 1))
    assert opening is not None
    assert opening.seats(HERE, field.member(HERE, "Ada"), Side.WHITE)
    assert not opening.seats(HERE, field.member(ELSEWHERE, "Ada"), Side.WHITE)
    assert not opening.seats(THERE, field.member(HERE, "Ada"), Side.WHITE)
    field.games.ask_again(HERE)
    assert len(field.sent) == 2


async def test_one_that_cannot_begin_is_told_why_after_a_moment(field, autojump_clock) -> None:
    field.begin()
    field.games.not_opened(said.NotOpened(1, "the opponent has left"))
    await trio.sleep(BUSY / 2)
    assert field.failed == []
    await trio.sleep(BUSY)
    assert field.failed == ["the opponent has left"]


async def test_what_a_dead_server_was_to_begin_may_have_begun(field, autojump_clock) -> None:
    field.begin(1)
    field.begin(2)
    field.games.dead(HERE)
    field.games.begun(THERE, said.Owned(started(2), 2))
    await trio.sleep(REOPENED + 0.1)
    assert field.failed == ["its server died"]


async def test_a_game_is_of_its_last_owner_until_it_is_over(field) -> None:
    field.own(HERE, 4)
    field.own(THERE, 4, epoch=2)
    assert (field.games.of(HERE), field.games.of(THERE)) == ([], [4])
    assert 4 in field.games
    assert field.games.over(4) == tuple(seat.handle for seat in started(4).seats)
    assert 4 not in field.games
    assert field.games.over(4) == ()


async def test_one_that_is_over_before_it_was_heard_of_does_not_begin(field) -> None:
    field.begin()
    assert field.games.over(1) == ()
    assert field.failed == ["it is over"]


async def test_a_server_that_plays_a_little_more_than_the_other_does_not_get_the_game(
    field,
) -> None:
    for number in range(20):
        field.own(HERE if number < 12 else THERE, 10 + number)
    field.begin()
    assert [run for run, _ in field.sent] == [THERE]
