"""The lobby, as the sessions of a server know it whose lobby is elsewhere."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
import trio
import trio.testing

from tests.support.clock_field import profile
from ulci.protocol.lobby.lines import OpenSeek, write
from ulci.protocol.messages import Blame, Lobby, Option, OptionType, Seek, Terms
from ulci.rules import Outcome, Reason, Side
from ulci_server.cluster import messages as said
from ulci_server.cluster.edge import Edge
from ulci_server.cluster.lobby_link import FRESH, MOVING, NO_ANSWER, UNREACHABLE, LobbyLink
from ulci_server.game import notices
from ulci_server.hall.lobby_service import LobbyUnreachableError, Roster
from ulci_server.lobby import Profile

LOBBY, NEXT = 9, 10

SEEK = Seek(Terms(time="60+1"))
OVER = notices.over(7, Outcome(Side.WHITE, Reason.RESIGNATION))
BOOK = Option("Book", OptionType.STRING, "")


class Session:
    """A client of this server; without a profile it has not logged in."""

    def __init__(self, name: str, profile: Profile | None) -> None:
        self.profile, self.handle = profile, name
        self.host, self.label, self.key = "192.0.2.1", "192.0.2.1:5000", f"key of {name}"
        self.table: SimpleNamespace | None = None
        self.side = Side.WHITE
        self.gone = self.draining = self.front = False
        self.missed, self.why = None, ""
        self.last_game = 0
        self.errors: list[tuple[str, str]] = []
        self.ended: list[tuple[str, Blame]] = []
        self.hung_up: list[str] = []
        self.can_return = False
        self.connection = SimpleNamespace(hang_up=self.hung_up.append)

    @property
    def player(self) -> "Session":
        return self

    def send_lobby_error(self, code: str, text: str) -> None:
        self.errors.append((code, text))

    def disconnect(self, why: str, blame: Blame) -> None:
        self.ended.append((why, blame))

    def leave_announcements(self) -> None: ...


class Server:
    """It follows the lobby of server 9."""

    run, draining = 1, False
    lobby, reaches_lobby = LOBBY, True

    def __init__(self) -> None:
        self.sent: list[tuple[int, said.AnyMessage]] = []
        self.announced: list[str] = []
        announcer = SimpleNamespace(announce=lambda one: self.announced.append(write(one.line)))
        hall = SimpleNamespace(announcer=announcer)
        self.edge = Edge(hall, self)
        self.link = LobbyLink(self.edge, self, lambda name: name != "book", lambda _: None)

    def send(self, run: int, message: said.AnyMessage) -> None:
        self.sent.append((run, message))

    def client(self, name: str = "ada", **changes: object) -> Session:
        """The first one has link 1, and so on."""
        session = Session(name, profile(name))
        for what, value in changes.items():
            setattr(session, what, value)
        self.edge.number(session)
        return session

    def answers(self, *members: tuple[int, int], **more) -> list[said.AnyMessage]:
        """What is said to the lobby when it calls this roll."""
        self.sent.clear()
        for piece in self.link.answer_roll(LOBBY, said.Roll(members, **more)):
            piece()
        assert {run for run, _ in self.sent} <= {LOBBY}
        return [message for _, message in self.sent]


@pytest.fixture
async def server() -> Server:
    return Server()


ALL = said.RollHeard()


def opened(number: int) -> Lobby:
    return Lobby(OpenSeek(number, "ada", "human", "chess", "60+1", "random", False, "full", 1))


# The roll


async def test_a_roll_in_which_all_is_right_is_only_said_to_be_heard(server):
    server.client()
    server.client("bob", table=SimpleNamespace(id=7))
    assert server.answers((1, 0), (2, 7)) == [ALL]


async def test_only_the_last_part_of_a_roll_is_said_to_be_heard(server):
    server.client()
    assert server.answers((1, 0), until=1) == []


async def test_a_connection_that_is_over_has_left_and_one_that_is_forgotten_as_well(server):
    server.client(gone=True, why="its line is lost", missed=OVER)
    assert server.answers((1, 0), (2, 7)) == [
        said.Left(1, "its line is lost", OVER),
        said.Left(2, "it left"),
        ALL,
    ]
    assert server.answers() == [ALL]


async def test_who_is_not_listed_is_named_with_all_that_a_lobby_needs(server, mock_clock):
    known = replace(profile("ada"), options={"book": BOOK, "hash": BOOK})
    server.client(
        profile=known, table=SimpleNamespace(id=7), side=Side.BLACK, draining=True, missed=OVER
    )
    server.edge.called_at[1] = trio.current_time() - 3
    [unlisted, _] = server.answers()
    assert [*unlisted.profile.options] == ["hash"]
    assert (unlisted.link, unlisted.key, unlisted.age) == (1, "key of ada", 3.0)
    assert (unlisted.host, unlisted.label) == ("192.0.2.1", "192.0.2.1:5000")
    assert (unlisted.game, unlisted.side) == (7, Side.BLACK)
    assert (unlisted.draining, unlisted.missed) == (True, OVER)


async def test_who_is_gone_from_a_game_is_named_with_its_secret(server):
    ada = server.client(gone=True, table=SimpleNamespace(id=7))
    [named, _] = server.answers()
    assert (named.profile, named.key, named.game, named.gone) == (ada.profile, ada.key, 7, True)
    assert server.answers((1, 7))[0] == said.Left(1, "")


async def test_who_waits_for_a_game_that_the_lobby_named_alone_is_named_with_it(server):
    server.client()
    server.edge.hear(LOBBY, said.LoggedIn(1, plays=7))
    [unlisted, _] = server.answers()
    assert unlisted.game == 7


async def test_who_has_not_introduced_itself_is_not_named(server):
    server.client(profile=None)
    assert server.answers() == [ALL]


async def test_only_those_whom_the_part_of_the_roll_concerns_are_named(server):
    for name in ("ada", "bob", "cora", "dan"):
        server.client(name)
    assert [one.link for one in server.answers(after=1, until=3)] == [2, 3]
    assert [one.link for one in server.answers(after=3)[:-1]] == [4]


async def test_who_plays_by_the_roll_and_not_here_has_no_seat(server):
    server.client()
    assert server.answers((1, 7)) == [said.Seatless(1, 7), ALL]


async def test_who_owes_answers_by_the_roll_and_not_here_is_free(server):
    server.client(front=True)
    assert server.answers((1, -7)) == [said.Free(1, front=True, game=7), ALL]


async def test_the_lobby_is_told_whose_table_a_player_has_left(server):
    server.link.free(server.client(last_game=7))
    assert server.sent == [(LOBBY, said.Free(1, left=7))]


async def test_who_owes_answers_by_the_roll_and_still_waits_for_that_game_was_not_told(server):
    server.client()
    server.edge.hear(LOBBY, said.LoggedIn(1, plays=7))
    assert server.answers((1, -7)) == [said.Seatless(1, 7), ALL]
    assert server.answers((1, -8)) == [said.Free(1, game=8), ALL]


@pytest.mark.parametrize("game", [7, -7])
async def test_who_owes_answers_here_is_neither(server, game):
    server.client(draining=True)
    assert server.answers((1, game)) == [ALL]


async def test_a_login_that_is_under_way_is_said_again_with_its_age(server, nursery, mock_clock):
    server.client(profile=None)
    session = server.edge.sessions[1]
    nursery.start_soon(server.link.introduce, session, profile("ada"))
    await trio.testing.wait_all_tasks_blocked()
    [(run, asked)] = server.sent
    assert (run, asked.link, asked.age) == (LOBBY, 1, 0.0)
    mock_clock.jump(3.0)
    for roll in ((), ((1, 0),)):
        [again, _] = server.answers(*roll)
        assert (again.profile, again.age) == (asked.profile, 3.0)
    session.profile = profile("ada")
    server.edge.hear(LOBBY, said.LoggedIn(1))
    await trio.testing.wait_all_tasks_blocked()
    assert server.answers((1, 0)) == [ALL]


async def test_seeks_that_are_gone_are_told(server):
    for number in (1, 2):
        server.edge.hear(LOBBY, said.Announce(opened(number)))
    server.announced.clear()
    assert server.answers(until=5) == []
    assert server.announced == []
    assert server.answers(seeks=(2,), last_seek=2) == [ALL]
    assert server.announced == ["gone 1"]
    server.answers(seeks=(2,), last_seek=2)
    assert server.announced == ["gone 1"]


async def test_a_seek_that_opened_after_the_roll_was_called_is_not_gone(server):
    server.edge.hear(LOBBY, said.Announce(opened(3)))
    server.announced.clear()
    server.answers(seeks=(2,), last_seek=2)
    assert server.announced == []


# Commands


async def test_a_command_that_the_lobby_has_not_heard_is_refused(server):
    ada = server.client()
    server.link.hear(ada, SEEK)
    server.link.hear(ada, SEEK)
    assert server.sent == [(LOBBY, said.Command(1, SEEK, number)) for number in (1, 2)]
    server.link.hear_performed(LOBBY, said.Performed(1))
    assert server.answers((1, 0)) == [said.RollHeard(2)]
    assert ada.errors == []
    server.link.hear_performed(LOBBY, said.Performed(-2))
    assert ada.errors == [("moving", MOVING)]
    server.link.hear_performed(LOBBY, said.Performed(-2))
    assert len(ada.errors) == 1


async def test_so_is_one_that_was_said_before_its_connection_was_named(server):
    ada = server.client()
    answering = server.link.answer_roll(LOBBY, said.Roll(()))
    name = next(answering)
    server.link.hear(ada, SEEK)
    for piece in (name, *answering):
        piece()
    kinds = [type(one) for _, one in server.sent]
    assert kinds == [said.Command, said.Unlisted, said.RollHeard]
    assert server.sent[-1] == (LOBBY, said.RollHeard(1))


async def test_one_that_was_said_after_the_end_of_the_roll_is_not(server):
    ada = server.client()
    assert server.answers((1, 0)) == [ALL]
    server.link.hear(ada, SEEK)
    assert server.answers((1, 0)) == [said.RollHeard(1)]
    server.link.hear_performed(LOBBY, said.Performed(0))  # the answer to the first one
    assert ada.errors == []
    server.link.hear_performed(LOBBY, said.Performed(1))
    server.link.hear_performed(LOBBY, said.Performed(-1))
    assert ada.errors == []


async def test_a_lobby_that_is_not_followed_performs_nothing(server):
    ada = server.client()
    server.link.hear(ada, SEEK)
    server.answers((1, 0))
    server.link.hear_performed(NEXT, said.Performed(-1))
    assert ada.errors == []


async def test_a_command_is_refused_at_once_while_the_lobby_cannot_be_reached(server):
    ada = server.client()
    server.reaches_lobby = False
    server.link.hear(ada, SEEK)
    assert (ada.errors, server.sent) == ([("moving", MOVING)], [])


# Coming and going


async def test_who_logs_in_while_the_lobby_cannot_be_reached_is_sent_away(server):
    ada = server.client(profile=None)
    server.reaches_lobby = False
    await server.link.introduce(ada, profile("ada"))
    assert ada.ended == [(f"{UNREACHABLE}; retry-after 1", Blame.SERVER)]


async def test_who_leaves_a_game_is_known_until_it_is_free(server):
    ada = server.client(gone=True, why="its line is lost", table=SimpleNamespace(id=7))
    server.link.left(ada)
    assert server.sent == [(LOBBY, said.Left(1, "its line is lost"))]
    assert ada in server.edge
    server.link.free(ada)
    assert ada not in server.edge


async def test_who_plays_nothing_is_forgotten_when_it_leaves(server):
    ada = server.client(gone=True)
    server.link.left(ada)
    server.link.left(ada)
    assert (len(server.sent), ada in server.edge) == (1, False)


async def test_a_server_that_drains_gets_no_new_games_for_its_players(server):
    ada = server.client()
    server.draining = True
    server.link.free(ada)
    assert server.sent == []


async def test_who_can_return_is_sent_away_from_a_server_that_is_cut_off(server, nursery):
    ada, bob, cora = server.client(can_return=True), server.client("bob"), server.client("cora")
    nursery.start_soon(server.link.introduce, cora, profile("cora"))
    await trio.testing.wait_all_tasks_blocked()
    for piece in server.link.send_away():
        piece()
    assert (ada.hung_up, bob.hung_up, bob.ended) == ([UNREACHABLE], [], [])
    assert cora.ended == [(f"{UNREACHABLE}; retry-after 1", Blame.SERVER)]


# The list of players


async def test_the_list_of_players_is_asked_for_once_for_a_while(server, nursery, autojump_clock):
    told: list[Roster] = []

    async def ask() -> None:
        told.append(await server.link.players())

    for _ in range(2):
        nursery.start_soon(ask)
    await trio.sleep(FRESH / 2)
    assert server.sent == [(LOBBY, said.ListPlayers())]
    roster = Roster((), 0)
    server.link.hear_players(LOBBY, said.Players(roster))
    await trio.sleep(FRESH / 4)
    await ask()
    assert (told, len(server.sent)) == ([roster] * 3, 1)


async def test_it_is_unknown_where_nobody_answers(server, autojump_clock):
    with pytest.raises(LobbyUnreachableError):
        await server.link.players()
    assert trio.current_time() == NO_ANSWER
