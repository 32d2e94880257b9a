"""The members of the lobby, by their connections: they log in, are not listed, and leave."""

from math import inf

import pytest
import trio

from tests.support.lobby_field import (
    ADDRESS,
    ELSEWHERE,
    THERE,
    Field,
    at_table,
    log_in,
    lose,
    person,
    row,
    running,
    seat,
    table,
)
from ulci.protocol.messages import Admin, Blame
from ulci.rules import Outcome, Reason, Side
from ulci_server.cluster import messages as said
from ulci_server.cluster.lobby_members import ELSEWHERE as ELSEWHERE_NOW
from ulci_server.cluster.lobby_rows import profile_text
from ulci_server.cluster.mirrors import kind_of
from ulci_server.game import GameStarted, Seat, notices
from ulci_server.hall.member import HostedMember
from ulci_server.lobby import Profile
from ulci_server.storage import RunningGame, secret_hash

DISCONNECT, GIVE_SECRET = map(kind_of, (HostedMember.disconnect, HostedMember.give_secret))
KICK = kind_of(HostedMember.kick)

pytestmark = pytest.mark.usefixtures("no_threads")

OVER = notices.over(7, Outcome(Side.WHITE, Reason.RESIGNATION))


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


# Who is not listed


@pytest.mark.parametrize(
    ("run", "account", "has_it"),
    [(None, 5, True), (None, 6, False), (None, None, False), (THERE, 5, False)],
)
async def test_who_was_told_a_secret_that_is_not_stored_comes_back_by_it_after_its_line_broke(
    field, autojump_clock, run, account, has_it
):
    owner, shown = (
        person("Fish", kind="engine", account=number) for number in (account and 5, account)
    )
    fish = row("Fish", run, profile=profile_text(owner), game=7, playing=True)
    await field.open(fish, games=[running(7, "Fish", "Bob")])
    gone = unlisted("Fish", 9, key=secret_hash("new"), profile=shown, game=7, gone=True)
    await field.hear(THERE, gone, gone)
    before = field.known("Fish")
    assert (field.server.host.registry.of_secret("new") is before) is has_it
    assert field.server.host.registry.of_secret("secret of Fish") is before
    assert before.gone is (run is None)
    keys = field.members["Fish"].keys
    assert (secret_hash("new") in keys, len(keys)) == (has_it, 1 + has_it)


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
    assert field.to(THERE, DISCONNECT) == [DISCONNECT(1, ELSEWHERE_NOW)]


async def test_who_waits_for_a_seat_has_that_of_its_side_though_its_server_does_not_know_it(
    field, autojump_clock
):
    bob = row("Bob", None, 2, game=7, side=Side.BLACK, playing=True)
    await field.open(bob, games=[running(7, "Ada", "Bob")])
    await field.hear(THERE, unlisted("Bob", 5, game=7, age=1.0))
    assert (field.known("Bob").link, field.known("Bob").side) == (5, Side.BLACK)
    assert field.members["Bob"].side is Side.BLACK


@pytest.mark.parametrize("is_known", [True, False], ids=["a known game", "one that is not"])
async def test_who_waits_for_its_seat_is_seated_once_the_lobby_knows_the_game(
    field, autojump_clock, is_known
):
    if is_known:
        field.hall.begin_elsewhere(table(7, "Ada", "Bob"))
    bob = row("Bob", None, 2, game=7, side=Side.BLACK, playing=True)
    await field.open(bob, games=[running(7, "Ada", "Bob")])
    await field.hear(THERE, unlisted("Bob", 5, game=7, age=1.0, awaits=True))
    seats = [(one.link, one.game, one.side) for one in field.to(THERE, said.TakeSeat)]
    assert seats == ([(5, 7, Side.BLACK)] if is_known else [])


def owned(number: int) -> said.Owned:
    both = seat("Ada"), seat("Bob")
    return said.Owned(GameStarted(number, "chess", "startpos", "60+1", both, False, ""), 1)


async def test_its_side_is_that_of_the_game_though_the_row_was_stored_before_it_began(
    field, autojump_clock
):
    field.hall.begin_elsewhere(table(7, "Ada", "Bob"))
    await field.open(row("Bob", None, 2, playing=True))
    await field.hear(THERE, unlisted("Bob", 5, game=7, age=1.0, awaits=True))
    assert [(one.link, one.side) for one in field.to(THERE, said.TakeSeat)] == [(5, Side.BLACK)]


async def test_who_waits_for_its_seat_in_a_game_that_is_over_at_once_is_told_the_result(
    field, autojump_clock
):
    bob = row("Bob", None, 2, game=7, side=Side.BLACK, playing=True)
    await field.open(bob, games=[running(7, "Ada", "Bob")])
    await field.hear(THERE, unlisted("Bob", 5, game=7, age=1.0, awaits=True))
    known = table(7, "Ada", "Bob")
    field.hall.begin_elsewhere(known)
    await field.hear(ELSEWHERE, owned(7))
    field.hall.end_elsewhere(known)
    await field.hear(ELSEWHERE, said.Ended(7, 1, OVER))
    await trio.sleep(1)
    assert field.to(THERE, said.Roll)[-1].members == ((5, 7),)
    await field.hear(THERE, said.Seatless(5, 7))
    assert [one.missed for one in field.to(THERE, said.TellMissed)] == [OVER]
    assert field.state("Bob") == "idle"


async def test_who_comes_back_by_its_account_has_its_game_of_which_only_the_number_is_known(
    field, autojump_clock
):
    mine = person("Root", account=1, token="root-token")
    gone = row("Root", None, profile=profile_text(mine), game=7, side=Side.BLACK, playing=True)
    await field.open(gone, games=[running(7, "Ada", "Root")])
    await field.hear(
        THERE, said.LogIn(5, person("Root", token="root-token"), ADDRESS, f"{ADDRESS}:5005")
    )
    root = field.known("Root")
    assert (root.link, root.game, root.side) == (5, 7, Side.BLACK)
    assert field.to(THERE, said.LoggedIn) == [said.LoggedIn(5, 7)]
    assert field.members["Root"].game == 7


async def test_who_comes_back_by_its_secret_keeps_the_game_from_a_login_by_its_account(
    field, autojump_clock
):
    mine = person("Root", account=1, token="root-token")
    before = row("Root", profile=profile_text(mine), game=7, playing=True)
    await field.open(before, games=[running(7, "Ada", "Root")])
    by_account = said.LogIn(5, person("Root", token="root-token"), ADDRESS, f"{ADDRESS}:5005")
    await field.hear(THERE, by_account)  # the connection of before is asked whether it lives
    assert len(field.to(THERE, said.ProveAlive)) == 1
    await log_in(field, "Root", 6, resume="secret of Root")
    await trio.sleep(10)
    assert (field.known("Root").link, field.known("Root").game) == (6, 7)
    assert field.known("Root-2").link == 5


async def test_the_older_of_two_is_closed(field, autojump_clock):
    await field.open(row("Ada", link=5))
    await field.hear(THERE, unlisted("Ada", 3))
    assert field.known("Ada").link == 5
    assert field.to(THERE, DISCONNECT) == [DISCONNECT(3, ELSEWHERE_NOW)]


async def test_at_another_server_the_later_login_is_the_newer_one(field, autojump_clock):
    await field.open()
    await log_in(field, "Ada", 5)
    [secret] = field.to(THERE, GIVE_SECRET)
    key = secret_hash(secret.secret)
    await trio.sleep(10)
    await field.hear(ELSEWHERE, unlisted("Ada", 3, key=key, age=20.0))
    assert field.known("Ada").run == THERE
    await field.hear(ELSEWHERE, unlisted("Ada", 4, key=key, age=1.0))
    assert field.known("Ada").run == ELSEWHERE


@pytest.mark.parametrize("account", [5, 6])
async def test_who_came_back_by_an_account_keeps_the_seat_though_the_new_secret_was_not_stored(
    field, autojump_clock, account
):
    field.hall.begin_elsewhere(table(7, "Ada", "Bob"))
    before = profile_text(person("Ada", account=5))
    ada = row("Ada", None, game=7, playing=True, profile=before)
    await field.open(ada, games=[running(7, "Ada", "Bob")])
    profile = person("Ada", account=account)
    came = unlisted("Ada", 4, key=secret_hash("new"), profile=profile, game=7, age=1.0)
    await field.hear(ELSEWHERE, came)
    has_it = account == 5
    assert (field.known("Ada").run == ELSEWHERE) is has_it
    assert bool(field.to(ELSEWHERE, DISCONNECT)) is not has_it
    if has_it:
        assert secret_hash("new") in field.members["Ada"].keys


async def test_the_only_connection_of_a_player_who_is_away_has_the_seat(field, autojump_clock):
    await field.open(games=[running(7, "Ada", "Bob")])
    await field.hear(THERE, unlisted("Ada", 5, game=7))
    ada = field.known("Ada")
    assert (ada.run, ada.gone, ada.game) == (THERE, False, 7)
    assert field.to(THERE, DISCONNECT) == []


async def test_one_that_its_server_names_anew_after_it_was_fenced_is_the_same(
    field, autojump_clock
):
    await at_table(field)
    label = field.members["Ada"].label
    await field.hear(ELSEWHERE, unlisted("Ada", 1, label=label, key="none", game=7))
    ada = field.known("Ada")
    assert (ada.run, ada.game) == (ELSEWHERE, 7)
    assert field.to(THERE, DISCONNECT) == field.to(ELSEWHERE, DISCONNECT) == []


@pytest.mark.parametrize(("game", "has_it"), [(7, True), (8, False), (0, False)])
async def test_who_has_no_secret_and_plays_the_game_of_a_seat_without_a_player_has_that_seat(
    field, autojump_clock, game, has_it
):
    seats = seat("Ada"), Seat("Fish", "engine", handle="Fish")
    await field.open(games=[RunningGame(7, ELSEWHERE, 1, seats)])
    engine = Profile("Fish", "Fish")
    await field.hear(THERE, said.Unlisted(5, engine, ADDRESS, f"{ADDRESS}:7005", game=game))
    fish = field.known("Fish")
    assert (fish.gone, fish.game, fish.side) == (not has_it, 7, Side.BLACK)
    assert bool(field.to(THERE, DISCONNECT)) is not has_it


async def test_a_stranger_by_the_name_of_a_member_is_closed(field, autojump_clock):
    await field.open(row("Ada", called_at=None))
    await field.hear(ELSEWHERE, unlisted("Ada", 9, key="another"))
    assert field.known("Ada").run == THERE
    assert field.to(ELSEWHERE, DISCONNECT) == [DISCONNECT(9, ELSEWHERE_NOW)]


async def test_an_administrator_is_no_member_and_is_heard(field, autojump_clock):
    await field.open(row("Ada"))
    admin = frozenset({"admin"})
    root = person("Root", features=admin, admin=True, token="root-token", account=1)
    await field.hear(THERE, unlisted("Root", 5, profile=root))
    assert field.known("Root") is None
    await field.hear(THERE, said.Command(5, Admin(("kick", "Ada", "rude")), 1))
    assert field.to(THERE, KICK) == [KICK(1, "Root", for_good=False, why="rude")]


async def test_who_was_disconnected_and_is_not_listed_is_disconnected_again(field, autojump_clock):
    await field.open(row("Ada"))
    field.server.disconnect(THERE, 1, "why")
    await field.hear(THERE, unlisted("Ada", 1))
    assert field.to(THERE, DISCONNECT) == [DISCONNECT(1, "why", Blame.SERVER)] * 2


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
    [secret] = field.to(THERE, GIVE_SECRET)
    assert field.members["Ada"].keys == (secret_hash(secret.secret),)


async def test_it_has_its_seat_again_by_the_secret_that_it_showed(field, autojump_clock):
    await at_table(field)
    await log_in(field, "Ada", 1, resume="secret of Ada")
    assert field.known("Ada").game == 7
    assert [(one.link, one.game) for one in field.to(THERE, said.TakeSeat)] == [(1, 7)]
    assert field.to(THERE, DISCONNECT) == []
    assert field.members["Ada"].keys == (secret_hash("secret of Ada"),)


async def test_a_login_that_began_before_the_one_that_has_the_seat_is_refused(
    field, autojump_clock
):
    await field.open()
    await log_in(field, "Ada", 5)
    [given] = field.to(THERE, GIVE_SECRET)
    profile = person("Ada", resume=given.secret)
    late = said.LogIn(3, profile, ADDRESS, ADDRESS, age=60.0)
    for times in (1, 2):  # the word of that may be lost
        await field.hear(ELSEWHERE, late)
        assert field.known("Ada").run == THERE
        assert [one.link for one in field.to(ELSEWHERE, DISCONNECT)] == [3] * times


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
