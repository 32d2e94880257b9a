"""The lobby of all servers, as it hears them."""

from math import inf

import pytest
import trio

from tests.support.facts import started
from tests.support.lobby_field import (
    ADDRESS,
    ELSEWHERE,
    HERE,
    THERE,
    Field,
    log_in,
    person,
    row,
    running,
    seat,
    table,
)
from ulci.protocol.lobby.lines import write
from ulci.protocol.messages import Accept, Admin, Seek, Terms
from ulci.rules import Outcome, Reason, Side
from ulci_server.cluster import messages as said
from ulci_server.cluster.lobby_games import BUSY
from ulci_server.cluster.lobby_members import ELSEWHERE as ELSEWHERE_NOW
from ulci_server.cluster.lobby_server import RETURNED, TOLD
from ulci_server.game import notices
from ulci_server.lobby import Profile
from ulci_server.storage import LobbyMovedError, secret_hash

pytestmark = pytest.mark.usefixtures("no_threads")

OVER = notices.over(7, Outcome(Side.WHITE, Reason.RESIGNATION))
SEEK = Seek(Terms(time="60+1", color="white"))
OWNED = said.Owned(started(7, seats=(seat("Ada"), seat("Bob"))), 1)


@pytest.fixture
async def field(nursery) -> Field:
    return Field(nursery)


def unlisted(
    name: str, link: int, *, key: str = "", label: str = "", age: float = inf, **more: object
) -> said.Unlisted:
    """By the secret of the player's row, if no other key is given."""
    profile = more.pop("profile", person(name))
    assert isinstance(profile, Profile)
    return said.Unlisted(
        link,
        profile,
        ADDRESS,
        label or f"{ADDRESS}:{7000 + link}",
        key or secret_hash(f"secret of {name}"),
        age=age,
        **more,  # type: ignore[arg-type]
    )


async def lose(field: Field, run: int) -> None:
    for piece in field.server.lose(run):
        piece()
    field.server.dead(run)
    await trio.sleep(0.1)


async def at_table(field: Field) -> None:
    """Ada and Bob, by the connections 1 and 2, play game 7, which this server knows."""
    field.hall.begin_elsewhere(table(7, "Ada", "Bob"))
    await field.open(
        row("Ada", game=7, playing=True),
        row("Bob", link=2, game=7, side=Side.BLACK, playing=True),
        games=[running(7, "Ada", "Bob")],
    )
    field.sent.clear()


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
    monkeypatch.setattr("ulci_server.cluster.lobby_server.CALLED_AT_ONCE", 2)
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


# Who is not listed


async def test_who_is_not_listed_and_not_known_is_a_member(field, autojump_clock):
    await field.open()
    await field.hear(THERE, unlisted("Ada", 5))
    ada = field.known("Ada")
    assert (ada.run, ada.link, field.state("Ada")) == (THERE, 5, "idle")
    assert field.server.host.registry.of_secret("secret of Ada") is ada
    assert field.members["Ada"].link == 5


async def test_one_that_does_not_seek_waits_for_an_opponent(field, autojump_clock):
    await field.open()
    engine = Profile("Fish", "Fish")
    await field.hear(THERE, unlisted("Fish", 5, profile=engine))
    assert field.state("Fish") == "waiting"


async def test_one_that_plays_plays_at_its_table_or_a_game_that_is_looked_for(
    field, autojump_clock
):
    await field.open()
    known = table(7, "Ada", "Bob")
    field.hall.begin_elsewhere(known)
    await field.hear(THERE, unlisted("Ada", 5, game=7))
    await field.hear(THERE, unlisted("Cora", 6, game=8, side=Side.BLACK))
    assert field.known("Ada").table is known
    assert (field.known("Cora").game, field.known("Cora").side) == (8, Side.BLACK)
    assert field.server.unseen == {8}


async def test_one_that_owes_answers_for_a_game_gets_no_other_one_yet(field, autojump_clock):
    await field.open()
    engine = Profile("Fish", "Fish")
    await field.hear(THERE, unlisted("Fish", 5, profile=engine, draining=True, missed=OVER))
    assert field.state("Fish") == "playing"
    await field.hear(THERE, said.Free(5))
    assert field.state("Fish") == "waiting"


async def test_the_newer_of_two_connections_of_a_player_has_the_seat(field, autojump_clock):
    await at_table(field)
    await field.hear(THERE, unlisted("Ada", 5))
    ada = field.known("Ada")
    assert (ada.link, ada.game, field.members["Ada"].link) == (5, 7, 5)
    assert [one.link for one in field.to(THERE, said.TakeSeat)] == [5]
    assert field.to(THERE, said.Disconnect) == [said.Disconnect(1, ELSEWHERE_NOW, "clienterror")]


async def test_the_older_of_two_is_closed(field, autojump_clock):
    await field.open(row("Ada", link=5))
    await field.hear(THERE, unlisted("Ada", 3))
    assert field.known("Ada").link == 5
    assert field.to(THERE, said.Disconnect) == [said.Disconnect(3, ELSEWHERE_NOW, "clienterror")]


async def test_at_another_server_the_later_login_is_the_newer_one(field, autojump_clock):
    await field.open()
    await log_in(field, "Ada", 5)
    [secret] = field.to(THERE, said.GiveSecret)
    key = secret_hash(secret.secret)
    await trio.sleep(10)
    await field.hear(ELSEWHERE, unlisted("Ada", 3, key=key, age=20.0))
    assert field.known("Ada").run == THERE
    await field.hear(ELSEWHERE, unlisted("Ada", 4, key=key, age=1.0))
    assert field.known("Ada").run == ELSEWHERE


async def test_the_only_connection_of_a_player_who_is_away_has_the_seat(field, autojump_clock):
    await field.open(games=[running(7, "Ada", "Bob")])
    await field.hear(THERE, unlisted("Ada", 5, game=7))
    ada = field.known("Ada")
    assert (ada.run, ada.gone, ada.game) == (THERE, False, 7)
    assert field.to(THERE, said.Disconnect) == []


async def test_one_that_its_server_names_anew_after_it_was_fenced_is_the_same(
    field, autojump_clock
):
    await at_table(field)
    label = field.members["Ada"].label
    await field.hear(ELSEWHERE, unlisted("Ada", 1, label=label, key="none", game=7))
    ada = field.known("Ada")
    assert (ada.run, ada.game) == (ELSEWHERE, 7)
    assert field.to(THERE, said.Disconnect) == field.to(ELSEWHERE, said.Disconnect) == []


async def test_a_stranger_by_the_name_of_a_member_is_closed(field, autojump_clock):
    await field.open(row("Ada", called_at=None))
    await field.hear(ELSEWHERE, unlisted("Ada", 9, key="another"))
    assert field.known("Ada").run == THERE
    assert field.to(ELSEWHERE, said.Disconnect) == [
        said.Disconnect(9, ELSEWHERE_NOW, "clienterror")
    ]


async def test_an_administrator_is_no_member_and_is_heard(field, autojump_clock):
    await field.open(row("Ada"))
    admin = frozenset({"admin"})
    root = person("Root", features=admin, admin=True, token="root-token", account=1)
    await field.hear(THERE, unlisted("Root", 5, profile=root))
    assert field.known("Root") is None
    await field.hear(THERE, said.Command(5, Admin(("kick", "Ada", "rude")), 1))
    assert field.to(THERE, said.Kick) == [said.Kick(1, "Root", False, "rude")]


async def test_who_was_disconnected_and_is_not_listed_is_disconnected_again(field, autojump_clock):
    await field.open(row("Ada"))
    field.server.disconnect(THERE, 1, "why")
    await field.hear(THERE, unlisted("Ada", 1))
    assert field.to(THERE, said.Disconnect) == [said.Disconnect(1, "why", "servererror")] * 2


# Logins


async def test_what_comes_while_the_lobby_is_restored_waits_until_it_is(field, autojump_clock):
    await field.open(*(row(f"Bob{link}", link=link) for link in range(10, 40)), wait=0)
    assert not field.server.ready
    for run in (THERE, ELSEWHERE):
        name = f"Ada{run}"
        field.server.hear(run, said.LogIn(5, person(name), ADDRESS, ADDRESS))
    await lose(field, ELSEWHERE)
    assert field.server.ready
    assert (field.known("Ada2").link, field.known("Ada3")) == (5, None)


async def test_a_login_is_over_when_the_member_is_stored(field, autojump_clock):
    await field.open()
    field.stores = trio.Event()
    await log_in(field, "Ada", 5)
    assert (field.to(THERE, said.LoggedIn), field.told(THERE, 5)) == ([], [])
    field.stores.set()
    await trio.sleep(0.1)
    assert field.members["Ada"].link == 5
    assert field.to(THERE, said.LoggedIn) == [said.LoggedIn(5)]
    [welcome] = field.told(THERE, 5)
    assert welcome.startswith("welcome name Ada ")


async def test_a_login_that_is_said_again_is_answered_again(field, autojump_clock):
    await field.open()
    await log_in(field, "Ada", 5)
    await log_in(field, "Ada", 5)
    first, second = field.told(THERE, 5)
    assert first == second
    assert field.to(THERE, said.LoggedIn) == [said.LoggedIn(5)] * 2
    assert [*field.members] == ["Ada"]


async def test_one_whose_login_at_a_lobby_before_was_lost_logs_in_anew(field, autojump_clock):
    await field.open(row("Ada", link=5))
    await log_in(field, "Ada", 5)
    assert field.known("Ada").link == 5
    [secret] = field.to(THERE, said.GiveSecret)
    assert field.members["Ada"].keys == (secret_hash(secret.secret),)


async def test_it_has_its_seat_again_by_the_secret_that_it_showed(field, autojump_clock):
    await at_table(field)
    await log_in(field, "Ada", 1, resume="secret of Ada")
    assert field.known("Ada").game == 7
    assert [(one.link, one.game) for one in field.to(THERE, said.TakeSeat)] == [(1, 7)]
    assert field.to(THERE, said.Disconnect) == []
    assert field.members["Ada"].keys == (secret_hash("secret of Ada"),)


async def test_a_login_that_began_before_the_one_that_has_the_seat_is_refused(
    field, autojump_clock
):
    await field.open()
    await log_in(field, "Ada", 5)
    [given] = field.to(THERE, said.GiveSecret)
    profile = person("Ada", resume=given.secret)
    late = said.LogIn(3, profile, ADDRESS, ADDRESS, age=60.0)
    for times in (1, 2):  # the word of that may be lost
        await field.hear(ELSEWHERE, late)
        assert field.known("Ada").run == THERE
        assert [one.link for one in field.to(ELSEWHERE, said.Disconnect)] == [3] * times


# Leaving


async def test_who_leaves_has_no_row_any_more(field, autojump_clock):
    await field.open(row("Ada"))
    await field.hear(THERE, said.Left(1, "it left"))
    assert (field.known("Ada"), field.members) == (None, {})


async def test_who_leaves_without_having_read_a_result_has_missed_it(field, autojump_clock):
    await field.open(row("Ada"))
    await field.hear(THERE, said.Left(1, "it left", OVER))
    assert field.missed == {secret_hash("secret of Ada"): 7}


async def test_when_a_server_dies_its_players_are_away_and_others_are_gone(field, autojump_clock):
    await at_table(field)
    await log_in(field, "Cora", 5)
    await lose(field, THERE)
    assert (field.known("Ada").gone, field.members["Ada"].run) == (True, None)
    assert (field.known("Cora"), {*field.members}) == (None, {"Ada", "Bob"})


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


async def test_a_game_that_no_server_has_told_of_and_that_is_over_is_told_so(field, autojump_clock):
    await field.open(row("Ada", game=7), row("Bob", None, game=7), games=[running(7, "Ada", "Bob")])
    field.server.end_unseen(7, OVER)
    await trio.sleep(0.1)
    assert field.to(THERE, said.TellMissed) == [said.TellMissed(1, OVER)]
    assert (field.state("Ada"), field.known("Bob")) == ("idle", None)
    assert field.missed == {secret_hash("secret of Bob"): 7}


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


async def test_who_takes_its_seat_back_does_not_wait_until_that_is_kept(field, autojump_clock):
    await field.open(row("Ada", game=7), games=[running(7, "Ada", "Eve")])
    field.stores = trio.Event()
    await log_in(field, "Ada", 5, resume="secret of Ada")
    assert field.to(THERE, said.LoggedIn) == [said.LoggedIn(5, 7)]
    await log_in(field, "Bob", 6)
    assert len(field.to(THERE, said.LoggedIn)) == 1
    field.stores.set()
    await trio.sleep(0.1)
    assert field.to(THERE, said.LoggedIn)[1:] == [said.LoggedIn(6)]


async def test_the_end_of_a_game_that_is_known_from_its_row_alone_is_told(field, autojump_clock):
    await field.open(row("Ada", game=7), row("Bob", None, game=7), games=[running(7, "Ada", "Bob")])
    await field.hear(ELSEWHERE, said.Ended(7, 1, OVER))
    assert field.to(THERE, said.TellMissed) == [said.TellMissed(1, OVER)]
    assert (field.state("Ada"), field.known("Bob")) == ("idle", None)
