"""The lobby of all servers, as it hears them."""

import pytest
import trio

from tests.support.facts import started
from tests.support.lobby_field import (
    ELSEWHERE,
    HERE,
    THERE,
    Field,
    at_table,
    log_in,
    row,
    running,
    seat,
    table,
)
from ulci.protocol.lobby.lines import write
from ulci.protocol.messages import Accept, Challenge, Invite, Seek, Terms, Unseek, Who
from ulci.rules import Outcome, Reason, Side
from ulci_server.cluster import messages as said
from ulci_server.cluster.lobby_games import BUSY
from ulci_server.cluster.lobby_keeper import LATE
from ulci_server.cluster.lobby_server import NO_DATABASE, RETURNED, TOLD
from ulci_server.cluster.mirrors import kind_of
from ulci_server.game import notices
from ulci_server.hall.member import HostedMember
from ulci_server.storage import LobbyMovedError, secret_hash

pytestmark = pytest.mark.usefixtures("no_threads")

OVER = notices.over(7, Outcome(Side.WHITE, Reason.RESIGNATION))
DRAW = Outcome(None, Reason.AGREEMENT)
SEEK = Seek(Terms(time="60+1", color="white"))
OWNED = said.Owned(started(7, seats=(seat("Ada"), seat("Bob"))), 1)


@pytest.fixture
async def field(nursery) -> Field:
    return Field(nursery)


# The roll


async def test_the_roll_of_all_servers_is_called_when_the_lobby_is_open(field, autojump_clock):
    await field.open(row("Ada", game=7), row("Bob", ELSEWHERE, 3), games=[running(7, "Ada", "Eve")])
    rolls = {run: field.to(run, said.Roll) for run in (HERE, THERE, ELSEWHERE)}
    assert rolls == {
        HERE: [said.Roll(())],
        THERE: [said.Roll(((1, 7),))],
        ELSEWHERE: [said.Roll(((3, 0),))],
    }


async def test_a_long_roll_comes_in_parts_that_leave_out_no_connection(
    field, autojump_clock, monkeypatch
):
    monkeypatch.setattr("ulci_server.cluster.lobby_server.ROLL_PART", 2)
    await field.open(*(row(f"Ada{link}", link=link) for link in (9, 4, 2, 7, 5)))
    assert field.to(THERE, said.Roll) == [
        said.Roll(((2, 0), (4, 0)), 0, 4),
        said.Roll(((5, 0), (7, 0)), 4, 7),
        said.Roll(((9, 0),), 7),
    ]


async def test_who_is_away_is_not_called(field, autojump_clock):
    await at_table(field)
    await field.hear(THERE, said.Left(1, "its line is lost"))
    field.server.call_roll(THERE)
    [roll] = field.to(THERE, said.Roll)
    assert roll.members == ((2, 7),)


async def test_a_command_of_an_unknown_connection_is_answered_by_a_roll_for_it(
    field, autojump_clock
):
    await field.open()
    field.sent.clear()
    await field.hear(THERE, said.Command(5, SEEK, 1))
    assert field.sent == [(THERE, said.Roll((), 4, 5))]


async def test_the_end_of_a_roll_is_answered_and_games_to_begin_are_asked_for_again(
    field, autojump_clock
):
    await paired(field)
    [(owner, asked)] = [one for one in field.sent if isinstance(one[1], said.Open)]
    field.sent.clear()
    await field.hear(owner, said.RollHeard(3))
    assert field.sent == [(owner, asked), (owner, said.Performed(-3))]


async def test_commands_are_performed_once_and_said_to_be(field, autojump_clock):
    await field.open(row("Ada"))
    field.sent.clear()
    await field.hear(THERE, said.Command(1, SEEK, 3))
    assert field.to(THERE, said.Performed) == [said.Performed(3)]
    assert [*field.seeks] == [1]


async def test_a_command_is_performed_when_what_it_changed_is_stored(field, autojump_clock):
    await field.open(row("Ada"), row("Bob", link=2))
    field.sent.clear()
    field.stores = trio.Event()
    await field.hear(THERE, said.Command(1, SEEK, 1), said.Command(2, Who(), 2))
    assert field.to(THERE, said.Performed) == [said.Performed(2)]
    await field.hear(THERE, said.RollHeard(2))
    assert field.to(THERE, said.Performed) == [said.Performed(2)], "or 1 would be refused"
    field.stores.set()
    await trio.testing.wait_all_tasks_blocked()
    assert field.to(THERE, said.Performed) == [said.Performed(n) for n in (2, 1, -2)]


INVITE = Invite("Q3vXb0kPZlJ7mTn2RyEwsA", Terms(time="60+1"))
CHALLENGE = Challenge("Bob", Terms(time="60+1"))


TELL = kind_of(HostedMember.tell)


def told(field: Field) -> list[tuple[int, str]]:
    """The lines to members there, with their connections."""
    return [(one.link, write(line.line)) for one in field.to(THERE, TELL) for line in one.messages]


@pytest.mark.parametrize(
    ("command", "links"), [(INVITE, [1]), (CHALLENGE, [2, 1])], ids=["invitation", "challenge"]
)
async def test_what_one_offers_to_another_is_announced_when_it_is_stored(
    field, autojump_clock, command, links
):
    await field.open(row("Ada"), row("Bob", link=2))
    field.stores = trio.Event()
    await field.hear(THERE, said.Command(1, command, 1))
    assert told(field) == []
    field.stores.set()
    await trio.testing.wait_all_tasks_blocked()
    assert [link for link, _ in told(field)] == links
    assert [*field.seeks] == [1]


async def test_what_is_withdrawn_before_it_is_stored_is_announced_before_it_is_gone(
    field, autojump_clock
):
    await field.open(row("Ada"), row("Bob", link=2))
    field.stores = trio.Event()
    await field.hear(THERE, said.Command(1, INVITE, 1), said.Command(1, Unseek(), 2))
    await field.hear(THERE, said.Command(1, CHALLENGE, 3), said.Left(2, "it left"))
    assert told(field) == []
    field.stores.set()
    await trio.testing.wait_all_tasks_blocked()
    words = [line.split()[:2] for link, line in told(field) if link == 1]
    assert words == [["inviting", "1"], ["gone", "1"], ["challenging", "2"], ["gone", "2"]]
    assert field.seeks == {}


async def test_nothing_is_begun_while_the_database_does_not_answer(field, autojump_clock):
    await field.open(row("Ada"))
    field.stores = trio.Event()
    await field.hear(THERE, said.Command(1, INVITE, 1))
    await trio.sleep(LATE + 0.1)
    field.sent.clear()
    await field.hear(THERE, said.Command(1, SEEK, 2), said.Command(1, Unseek(), 3))
    assert told(field) == [(1, f"error closed {NO_DATABASE}")]
    assert field.to(THERE, said.Performed) == [said.Performed(2)]
    field.stores.set()
    await trio.testing.wait_all_tasks_blocked()
    await field.hear(THERE, said.Command(1, SEEK, 4))
    assert field.to(THERE, said.Performed)[-1] == said.Performed(4)
    assert [*field.seeks] == [2]


# Games


async def paired(field: Field) -> None:
    """Ada and Bob, who accepts her seek."""
    await field.open(row("Ada"), row("Bob", link=2))
    await field.hear(THERE, said.Command(1, SEEK, 1), said.Command(2, Accept(1), 2))


async def test_a_game_begins_when_it_is_stored_that_its_players_are_paired(field, autojump_clock):
    await field.open(row("Ada"), row("Bob", link=2))
    field.stores = trio.Event()
    await field.hear(THERE, said.Command(1, SEEK, 1), said.Command(2, Accept(1), 2))
    assert field.to(THERE, said.Open) == []
    field.stores.set()
    await trio.sleep(0.1)
    [asked] = field.to(THERE, said.Open)
    assert (asked.game, asked.white.link, asked.black.link) == (100, 1, 2)
    assert field.members["Ada"].playing
    assert field.seeks == {}


async def test_it_does_not_if_one_of_them_has_left_meanwhile(field, autojump_clock):
    await field.open(row("Ada"), row("Bob", link=2))
    field.stores = trio.Event()
    await field.hear(THERE, said.Command(1, SEEK, 1), said.Command(2, Accept(1), 2))
    await field.hear(THERE, said.Left(1, "it left"))
    field.stores.set()
    await trio.sleep(0.1)
    assert field.to(THERE, said.Open) == []
    assert field.told(THERE, 2)[-1] == (
        "error no-game the game cannot begin: the opponent has left"
    )
    assert field.state("Bob") == "idle"


async def test_players_of_a_game_that_could_not_begin_are_free(field, autojump_clock):
    await paired(field)
    await field.hear(THERE, said.NotOpened(100, "it drains"), wait=2 * BUSY)
    for name, link in (("Ada", 1), ("Bob", 2)):
        assert field.told(THERE, link)[-1] == "error no-game the game cannot begin: it drains"
        assert (field.state(name), field.members[name].playing) == ("idle", False)


async def begun(field: Field) -> None:
    """Their game has number 100."""
    known = table(100, "Ada", "Bob")
    field.hall.begin_elsewhere(known)
    owned = said.Owned(started(100, seats=(seat("Ada"), seat("Bob"))), 1)
    await field.hear(THERE, owned)
    assert field.known("Ada").table is known


async def test_a_game_that_has_begun_is_in_the_rows_of_its_players(field, autojump_clock):
    await paired(field)
    await begun(field)
    assert [field.members[name].game for name in ("Ada", "Bob")] == [100, 100]
    assert field.to(THERE, said.TakeSeat) == []  # its server has told them


async def test_who_is_on_another_connection_by_then_is_told_to_take_the_seat(field, autojump_clock):
    await paired(field)
    await log_in(field, "Ada", 5, resume="secret of Ada")
    await begun(field)
    assert [(one.link, one.game) for one in field.to(THERE, said.TakeSeat)] == [(5, 100)]


async def test_who_came_back_before_the_game_was_known_here_is_seated_soon(field, autojump_clock):
    await field.open(row("Ada"), row("Bob", link=2), seeks=[])
    await field.hear(THERE, said.Command(1, SEEK, 1))
    field.hall.begin_elsewhere(table(7, "Ada", "Bob"))
    await field.hear(ELSEWHERE, OWNED)
    assert (field.state("Ada"), field.seeks) == ("playing", {})
    assert field.to(THERE, said.TakeSeat) == []
    await trio.sleep(RETURNED)
    assert {one.link for one in field.to(THERE, said.TakeSeat)} == {1, 2}


async def test_who_leaves_before_its_game_is_known_here_has_its_seat_when_it_comes_back(
    field, autojump_clock
):
    await paired(field)
    await field.hear(THERE, said.Left(1, "its line is lost"))
    assert (field.members["Ada"].run, field.members["Ada"].playing) == (None, True)
    await log_in(field, "Ada", 5, resume="secret of Ada")
    assert field.known("Ada").link == 5
    await begun(field)
    assert [(one.link, one.game) for one in field.to(THERE, said.TakeSeat)] == [(5, 100)]


async def test_who_is_away_when_its_game_is_heard_of_has_its_seat_when_it_comes_back(
    field, autojump_clock
):
    await paired(field)
    await field.hear(THERE, said.Left(1, "its line is lost"))
    await begun(field)
    assert field.to(THERE, said.TakeSeat) == []
    await log_in(field, "Ada", 5, resume="secret of Ada")
    assert [(one.link, one.game) for one in field.to(THERE, said.TakeSeat)] == [(5, 100)]


async def test_who_leaves_is_gone_when_its_game_does_not_begin(field, autojump_clock):
    await paired(field)
    await field.hear(THERE, said.Left(1, "its line is lost"))
    await field.hear(THERE, said.NotOpened(100, "it drains"), wait=2 * BUSY)
    assert (field.known("Ada"), [*field.members]) == (None, ["Bob"])
    assert field.state("Bob") == "idle"


async def test_a_player_of_a_game_whom_nobody_knows_has_the_seat_of_its_key(field, autojump_clock):
    await field.open(row("Bob", link=2))
    field.hall.begin_elsewhere(table(7, "Ada", "Bob"))
    await field.hear(ELSEWHERE, OWNED)
    ada = field.known("Ada")
    assert (ada.gone, ada.game, field.members["Ada"].game) == (True, 7, 7)
    await log_in(field, "Ada", 5, resume="secret of Ada")
    assert [(one.link, one.side) for one in field.to(THERE, said.TakeSeat) if one.link == 5] == [
        (5, Side.WHITE)
    ]


async def test_a_stranger_who_has_taken_the_name_of_a_player_does_not_get_the_seat(
    field, autojump_clock
):
    await field.open(row("Ada", secret="another one"), row("Bob", link=2))
    field.hall.begin_elsewhere(table(7, "Ada", "Bob"))
    await field.hear(ELSEWHERE, OWNED)
    await trio.sleep(RETURNED)
    assert {one.link for one in field.to(THERE, said.TakeSeat)} == {2}
    assert (field.state("Ada"), field.known("Ada").game) == ("idle", 0)


async def test_who_is_away_at_the_end_of_a_game_has_missed_it(field, autojump_clock):
    await at_table(field)
    await field.hear(THERE, said.Left(1, "its line is lost"))
    await field.hear(THERE, said.Ended(7, 1, OVER))
    assert (field.known("Ada"), [*field.members]) == (None, ["Bob"])
    assert field.missed == {secret_hash("secret of Ada"): 7}
    await log_in(field, "Ada", 5, resume="secret of Ada")
    assert [write(one.missed.line) for one in field.to(THERE, said.TellMissed)] == [
        write(OVER.line)
    ]


async def test_who_is_there_is_free_when_it_says_so(field, autojump_clock):
    await at_table(field)
    await field.hear(THERE, said.Ended(7, 1, OVER))
    assert field.state("Ada") == "playing"
    await field.hear(THERE, said.Free(1))
    assert (field.state("Ada"), field.members["Ada"].game) == ("idle", None)


async def test_a_game_that_its_server_does_not_name_is_over(field, autojump_clock):
    await at_table(field)
    await field.hear(THERE, OWNED, said.Owns((7,)))
    assert field.known("Ada").game == 7
    await field.hear(THERE, said.Owns(()))
    assert field.known("Ada").draining


async def test_whose_server_does_not_know_its_seat_takes_it_unless_the_game_is_about_to_end(
    field, autojump_clock
):
    await at_table(field)
    await field.hear(THERE, said.Seatless(1, 7))
    assert [one.link for one in field.to(THERE, said.TakeSeat)] == [1]


async def test_whose_game_has_just_begun_is_seated_after_a_while(field, autojump_clock):
    await paired(field)
    await begun(field)
    await field.hear(THERE, said.Seatless(1, 100), wait=TOLD - 1)
    assert field.to(THERE, said.TakeSeat) == []
    await trio.sleep(1.5)
    assert [one.link for one in field.to(THERE, said.TakeSeat)] == [1]


async def test_whose_game_is_over_is_told_so_and_is_free(field, autojump_clock):
    await at_table(field)
    await field.hear(THERE, said.Ended(7, 1, OVER))
    await field.hear(THERE, said.Seatless(1, 7))
    assert field.to(THERE, said.TellMissed) == [said.TellMissed(1, OVER)]
    assert field.state("Ada") == "idle"


async def test_so_is_one_whose_game_ended_nobody_knows_how(field, autojump_clock):
    await at_table(field)
    await field.hear(THERE, OWNED, said.Owns(()), said.Seatless(1, 7))
    assert field.state("Ada") == "idle"


async def test_what_was_said_of_an_earlier_game_ends_no_later_one(field, autojump_clock):
    await at_table(field)
    await field.hear(THERE, said.Seatless(1, 6), said.Free(1, game=6))
    assert (field.known("Ada").game, field.to(THERE, said.TakeSeat)) == (7, [])
    await field.hear(THERE, said.Ended(7, 1, OVER))
    await field.hear(THERE, said.Seatless(1, 6), said.Free(1, game=6))
    assert field.known("Ada").draining
    await field.hear(THERE, said.Free(1, game=7))
    assert field.state("Ada") == "idle"


async def test_who_leaves_the_table_of_an_earlier_game_keeps_its_seat_in_the_later_one(
    field, autojump_clock
):
    await at_table(field)
    await field.hear(THERE, said.Free(1, left=6))  # its server was frozen while that game ended
    assert (field.state("Ada"), field.known("Ada").game) == ("playing", 7)
    assert field.to(THERE, said.Roll) == [said.Roll(((1, 7),), 0, 1)]
    await field.hear(THERE, said.Seatless(1, 7))  # what told it to take its seat was lost
    assert [(one.link, one.game) for one in field.to(THERE, said.TakeSeat)] == [(1, 7)]
    await field.hear(THERE, said.Ended(7, 1, OVER))
    await field.hear(THERE, said.Free(1, left=6))
    assert field.known("Ada").draining
    await field.hear(THERE, said.Free(1, left=7))
    assert field.state("Ada") == "idle"


async def test_who_leaves_its_table_before_the_lobby_hears_of_the_end_is_free(
    field, autojump_clock
):
    await at_table(field)
    await field.hear(THERE, said.Free(1, left=7))
    assert (field.state("Ada"), field.members["Ada"].game) == ("idle", None)


async def test_who_leaves_the_table_of_a_later_game_than_the_lobby_knows_is_free(
    field, autojump_clock
):
    await field.open(row("Ada", game=7, playing=True), games=[running(7, "Ada", "Eve")])
    await field.hear(ELSEWHERE, said.Owned(started(8, seats=(seat("Ada"), seat("Bob"))), 1))
    field.server.end_unseen(7, OVER)  # its end was not stored when this lobby was restored
    await field.hear(ELSEWHERE, said.Ended(8, 1, notices.over(8, DRAW)))
    field.sent.clear()
    await field.hear(THERE, said.Free(1, left=8))
    assert field.to(THERE, said.Roll) == [said.Roll(((1, -7),), 0, 1)]
    await field.hear(THERE, said.Free(1, game=7))
    assert (field.state("Ada"), field.members["Ada"].game) == ("idle", None)
    assert field.to(THERE, said.TellMissed) == []


async def test_a_game_that_no_server_has_told_of_and_that_is_over_is_told_so(field, autojump_clock):
    await field.open(row("Ada", game=7), row("Bob", None, game=7), games=[running(7, "Ada", "Bob")])
    field.server.end_unseen(7, OVER)
    await trio.sleep(0.1)
    assert field.to(THERE, said.Roll)[1:] == [said.Roll(((1, 7),), 0, 1)]
    await field.hear(THERE, said.Seatless(1, 7))
    assert field.to(THERE, said.TellMissed) == [said.TellMissed(1, OVER)]
    assert (field.state("Ada"), field.known("Bob")) == ("idle", None)
    assert field.missed == {secret_hash("secret of Bob"): 7}


async def test_who_was_told_so_by_its_own_server_is_free_when_that_says_so(field, autojump_clock):
    await known_by_its_row(field)
    await field.hear(HERE, said.Ended(7, 1, OVER))
    assert field.state("Ada") == "playing"  # its answers to the game may be still to come
    await field.hear(THERE, said.Free(1))
    assert (field.state("Ada"), field.members["Ada"].game) == ("idle", None)
    assert field.to(THERE, said.TellMissed) == []


@pytest.mark.parametrize("heard_late", [True, False])
async def test_the_end_of_the_game_of_its_row_does_not_take_a_player_from_its_next_one(
    field, autojump_clock, heard_late
):
    await known_by_its_row(field)
    await field.hear(THERE, said.Free(1))  # its server has heard of the end
    assert (field.state("Ada"), field.known("Ada").game) == ("idle", 0)
    await field.hear(THERE, said.Command(1, SEEK, 1), said.Command(2, Accept(1), 2))
    await begun(field)
    if heard_late:
        await field.hear(HERE, said.Ended(7, 1, OVER))
    field.server.end_unseen(7, OVER)
    assert (field.state("Ada"), field.known("Ada").game) == ("playing", 100)
    await field.hear(THERE, said.Left(1, "its line is lost"))
    assert field.known("Ada").game == 100
    assert secret_hash("secret of Ada") not in field.missed


async def test_who_leaves_before_it_is_told_of_the_end_has_missed_it(field, autojump_clock):
    await known_by_its_row(field)
    await field.hear(HERE, said.Ended(7, 1, OVER))
    await field.hear(THERE, said.Left(1, "its line is lost"))
    assert field.known("Ada") is None
    assert field.missed[secret_hash("secret of Ada")] == 7


async def test_who_was_not_told_before_the_lobby_moved_again_is_told_by_the_next(
    field, nursery, autojump_clock
):
    await known_by_its_row(field)
    await field.hear(HERE, said.Ended(7, 1, OVER))  # what the lobby asks about Ada is lost with it
    following = Field(nursery)
    await following.open(
        *field.members.values(), outcomes={7: Outcome(Side.WHITE, Reason.RESIGNATION)}
    )
    assert following.to(THERE, said.Roll) == [said.Roll(((1, -7), (2, 0)))]
    await following.hear(THERE, said.Seatless(1, 7))  # Ada still waits for that game
    assert following.to(THERE, said.TellMissed) == [said.TellMissed(1, OVER)]
    assert (following.state("Ada"), following.members["Ada"].game) == ("idle", None)
    await following.hear(THERE, said.Seatless(1, 7), said.Free(1, game=7))
    assert len(following.to(THERE, said.TellMissed)) == 1


async def known_by_its_row(field: Field) -> None:
    """Ada plays Eve by what is stored alone: this server has not heard of their game."""
    games = [running(7, "Ada", "Eve")]
    await field.open(row("Ada", game=7), row("Bob", link=2), games=games)


# The end


async def test_a_lobby_that_has_ended_stores_nothing_and_pairs_nobody(field, autojump_clock):
    await field.open(row("Ada"), row("Bob", link=2))
    field.server.end()
    await field.hear(THERE, said.Command(1, SEEK, 1), said.Command(2, Accept(1), 2))
    assert (field.seeks, field.to(THERE, said.Open)) == ({}, [])


async def test_one_that_another_server_hosts_says_so(field, autojump_clock):
    async def moved(_: object) -> None:
        raise LobbyMovedError("run 9 hosts the lobby no more")

    field._store = moved
    await field.open(row("Ada"))
    assert not field.moved
    await field.hear(THERE, said.Command(1, SEEK, 1))
    assert field.moved


async def test_one_that_ends_while_it_is_restored_calls_no_roll(field, autojump_clock):
    await field.open(*(row(f"Bob{link}", link=link) for link in range(40)), wait=0)
    field.server.end()
    await trio.sleep(1)
    assert field.to(THERE, said.Roll) == []
    assert not field.server.ready


async def test_the_end_of_a_game_that_is_known_from_its_row_alone_is_told(field, autojump_clock):
    await field.open(row("Ada", game=7), row("Bob", None, game=7), games=[running(7, "Ada", "Bob")])
    await field.hear(ELSEWHERE, said.Ended(7, 1, OVER))
    await field.hear(THERE, said.Seatless(1, 7))
    assert field.to(THERE, said.TellMissed) == [said.TellMissed(1, OVER)]
    assert (field.state("Ada"), field.known("Bob")) == ("idle", None)


async def test_one_without_a_seat_that_nobody_knows_is_not_heard(field, autojump_clock):
    await at_table(field)
    await field.hear(THERE, said.Seatless(99, 7))
    assert field.to(THERE, said.TakeSeat) == []
