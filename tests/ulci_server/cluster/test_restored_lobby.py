"""A lobby that goes on with what another one stored."""

from datetime import timedelta

import msgspec
import pytest
from structlog.testing import capture_logs

from tests.support.facts import NOON, started
from tests.support.lobby_field import (
    DEAD,
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
from ulci.protocol.messages import Seek, Terms
from ulci.rules import Outcome, Reason, Side
from ulci_server.cluster import messages as said
from ulci_server.cluster.lobby_rows import profile_text
from ulci_server.cluster.lobby_server import TOLD
from ulci_server.game import notices
from ulci_server.lobby import KeptMatch, KeptSeek
from ulci_server.storage import LobbyMatch, LobbySeek, secret_hash

pytestmark = pytest.mark.usefixtures("no_threads")

WON = Outcome(Side.WHITE, Reason.RESIGNATION)
OVER = "game 7 over result 1-0 reason resignation"
BLITZ = KeptSeek("chess", "60+1", "chess")
KEY = secret_hash("secret of Ada")


@pytest.fixture
async def field(nursery) -> Field:
    return Field(nursery)


def stored_seek(
    number: int, handle: str, kept: KeptSeek = BLITZ, asked: str | None = None
) -> LobbySeek:
    return LobbySeek(number, handle, asked, msgspec.json.encode(kept).decode())


def match(number: int, first: str, second: str, *, white: str, free: tuple[str, ...] = ()):
    terms = msgspec.structs.replace(BLITZ, games=4)
    kept = KeptMatch((first, second), (terms, terms), 1, white, free)
    return LobbyMatch(number, msgspec.json.encode(kept).decode())


# Members


async def test_a_member_whose_server_lives_is_there_with_its_secret(field, autojump_clock):
    before = row("Ada", called_at=NOON - timedelta(seconds=9))
    await field.open(before)
    ada = field.known("Ada")
    assert (ada.run, ada.link, ada.gone, ada.called_at) == (THERE, 1, False, -9.0)
    assert field.server.host.registry.of_key(KEY) is ada
    assert field.members == {"Ada": before}


async def test_whose_server_is_dead_and_who_plays_is_away(field, autojump_clock):
    await field.open(row("Ada", None, game=7), games=[running(7, "Ada", "Bob")])
    ada = field.known("Ada")
    assert (ada.run, ada.gone, ada.game, field.state("Ada")) == (0, True, 7, "playing")
    assert field.members["Ada"].run is None


@pytest.mark.parametrize("playing", [True, False], ids=["paired by its row", "by no row"])
async def test_a_player_of_two_games_plays_the_newer_one_as_the_end_of_the_other_was_missed(
    field, autojump_clock, playing
):
    field.hall.begin_elsewhere(table(7, "Ada", "Eve"))
    rows = [row("Ada", None, playing=True)] if playing else []
    await field.open(*rows, games=[running(9, "Bob", "Ada")])
    ada = field.known("Ada")
    assert (ada.game, ada.side) == (9, Side.BLACK)
    await field.hear(THERE, said.Ended(7, 1, notices.over(7, WON)))
    assert field.known("Ada") is ada
    assert field.server.host.registry.of_key(KEY) is ada
    assert KEY not in field.missed


async def test_whose_server_is_dead_and_who_plays_nothing_is_gone_with_its_seeks(
    field, autojump_clock
):
    await field.open(
        row("Ada", None), row("Bob"), seeks=[stored_seek(1, "Ada"), stored_seek(2, "Bob")]
    )
    assert field.known("Ada") is None
    assert (*field.members, *field.seeks) == ("Bob", 2)
    assert field.server.host.lobby.kept.open_seeks == [2]


async def test_so_is_one_of_a_run_that_the_database_names_and_this_server_does_not(
    field, autojump_clock
):
    await field.open(row("Ada", DEAD))
    assert field.known("Ada") is None


async def test_whose_server_is_dead_and_whose_game_is_over_has_missed_the_result(
    field, autojump_clock
):
    await field.open(row("Ada", None, game=7), outcomes={7: WON})
    assert (field.known("Ada"), field.members) == (None, {})
    assert field.missed == {KEY: 7}
    await log_in(field, "Ada", 5, resume="secret of Ada")
    assert [*map(write, [one.missed.line for one in field.to(THERE, said.TellMissed)])] == [OVER]
    assert field.missed == {}


async def test_whose_game_is_in_no_database_has_missed_that_it_was_aborted(field, autojump_clock):
    await field.open(row("Ada", None, game=7))
    assert write(field.server.host.registry.missed_of(KEY).line) == (
        "game 7 over result * reason aborted"
    )


async def test_a_result_that_was_missed_before_is_told_as_well(field, autojump_clock):
    await field.open(missed={KEY: 7}, outcomes={7: WON})
    assert field.missed == {KEY: 7}
    await log_in(field, "Ada", 5, resume="secret of Ada")
    assert len(field.to(THERE, said.TellMissed)) == 1


async def test_whose_server_lives_owes_answers_for_a_game_that_is_over_until_it_says_otherwise(
    field, autojump_clock
):
    await field.open(row("Ada", game=7), outcomes={7: WON})
    [roll] = field.to(THERE, said.Roll)
    assert roll.members == ((1, -7),)
    assert field.state("Ada") == "idle"
    await field.hear(THERE, said.Free(1))
    assert not field.known("Ada").draining


async def test_who_owes_answers_when_the_lobby_moves_owes_them_to_the_next_one(
    nursery, autojump_clock
):
    first, second = Field(nursery), Field(nursery)
    first.hall.begin_elsewhere(table(7, "Ada", "Bob"))
    await first.open(row("Ada", game=7, playing=True))
    over = notices.over(7, WON)
    await first.hear(THERE, said.Ended(7, 1, over))
    await second.open(*first.members.values(), outcomes={7: WON}, wait=2 * TOLD)
    ada = second.known("Ada")
    assert (ada.draining, ada.missed, second.state("Ada")) == (True, over, "playing")
    assert second.told(THERE, 1) == []
    await second.hear(THERE, said.Free(1))
    assert second.state("Ada") == "idle"


async def test_of_two_with_one_secret_the_one_in_a_game_has_it(field, autojump_clock):
    members = [
        row("Bob", ELSEWHERE, 3, secret="shared"),
        row("Ada", secret="shared", game=7),
    ]
    with capture_logs() as logs:
        await field.open(*members, games=[running(7, "Ada", "Eve")])
    assert field.server.host.registry.of_secret("shared") is field.known("Ada")
    assert field.known("Bob") is not None
    [noted] = [log for log in logs if log["event"] == "two members had one secret"]
    assert (noted["kept"], noted["other"]) == ("Ada", "Bob")


async def test_a_member_of_another_version_is_left_out_and_deleted(field, autojump_clock):
    with capture_logs() as logs:
        await field.open(row("Ada", profile='{"name": 7}'), row("Bob", link=2))
    assert (field.known("Ada"), [*field.members]) == (None, ["Bob"])
    [noted] = [log for log in logs if log["log_level"] == "warning"]
    assert noted["client"] == "Ada"


async def test_of_two_whose_names_look_the_same_one_is_called_another_way(field, autojump_clock):
    await field.open(row("Ada", link=1), row("ADA", link=2))
    assert {*field.members} == {"Ada", "ADA-2"}
    [introduced] = field.to(THERE, said.Introduce)[-1:]
    assert (introduced.link, introduced.profile.handle) == (2, "ADA-2")


async def test_who_has_called_by_a_clock_that_is_ahead_called_at_an_unknown_time(
    field, autojump_clock
):
    await field.open(row("Ada", called_at=NOON + timedelta(seconds=9)))
    assert field.known("Ada").called_at == float("-inf")


async def test_rows_of_which_nothing_changes_are_not_stored_again(field, autojump_clock):
    await field.open(
        row("Ada", game=7, playing=True),
        row("Bob", link=2, game=7, side=Side.BLACK, playing=True),
        row("Cora", link=3),
        row("Dan", link=4, game=6),
        games=[running(7, "Ada", "Bob")],
        outcomes={6: WON},
        seeks=[stored_seek(1, "Cora")],
        missed={KEY: 6},
    )
    assert field.transactions == 0


# Games


async def test_a_player_of_a_running_game_without_a_row_has_the_seat_of_its_key(
    field, autojump_clock
):
    await field.open(games=[running(7, "Ada", "Bob")])
    ada = field.known("Ada")
    assert (ada.gone, ada.game, ada.side) == (True, 7, Side.WHITE)
    assert field.members["Ada"].run is None
    assert field.members["Bob"].side is Side.BLACK
    await log_in(field, "Ada", 5, resume="secret of Ada")
    assert field.to(THERE, said.LoggedIn) == [said.LoggedIn(5, 7)]
    assert field.known("Ada").game == 7


async def test_one_whose_row_does_not_say_so_yet_plays_it_and_seeks_nothing(field, autojump_clock):
    await field.open(row("Ada"), seeks=[stored_seek(1, "Ada")], games=[running(7, "Ada", "Bob")])
    assert (field.known("Ada").game, field.state("Ada")) == (7, "playing")
    assert (field.members["Ada"].game, field.seeks) == (7, {})


async def test_a_game_that_this_server_knows_is_played_at_its_table(field, autojump_clock):
    known = table(7, "Ada", "Bob")
    field.hall.begin_elsewhere(known)
    await field.open(row("Ada", game=7), row("Bob", link=2), games=[running(7, "Ada", "Bob")])
    assert field.known("Ada").table is field.known("Bob").table is known
    assert field.server.unseen == set()


async def test_one_that_it_has_not_heard_of_is_looked_for(field, autojump_clock):
    await field.open(row("Ada", game=7), row("Bob", link=2, game=7), games=[running(7, "A", "B")])
    assert field.server.unseen == {7}


async def test_a_game_that_is_known_here_and_not_stored_yet_is_played(field, autojump_clock):
    field.hall.begin_elsewhere(table(7, "Ada", "Bob"))
    await field.open(row("Ada", playing=True), row("Bob", link=2, playing=True))
    assert {field.members[name].game for name in ("Ada", "Bob")} == {7}


async def test_who_was_paired_and_hears_of_no_game_is_told_so_and_is_free(field, autojump_clock):
    await field.open(row("Ada", playing=True), row("Bob", link=2, playing=True))
    await field.hear(THERE, wait=TOLD - 1)
    assert (field.state("Ada"), field.told(THERE, 1)) == ("playing", [])
    await field.hear(THERE, wait=1)
    for name, link in (("Ada", 1), ("Bob", 2)):
        why = "the game cannot begin: the lobby moved to another server"
        assert field.told(THERE, link) == [f"error no-game {why}"]
        assert field.state(name) == "idle"
        assert not field.members[name].playing


async def test_who_was_paired_and_is_away_has_its_secret_until_its_game_should_have_begun(
    field, autojump_clock
):
    await field.open(row("Ada", DEAD, playing=True), row("Bob", link=2, playing=True))
    assert field.known("Ada").gone
    await field.hear(THERE, wait=TOLD)
    assert (field.known("Ada"), [*field.members]) == (None, ["Bob"])


async def test_one_that_comes_back_before_that_has_its_seat(field, autojump_clock):
    await field.open(row("Ada", DEAD, playing=True), row("Bob", link=2, playing=True))
    await log_in(field, "Ada", 5, resume="secret of Ada")
    field.hall.begin_elsewhere(table(7, "Ada", "Bob"))
    owned = said.Owned(started(7, seats=(seat("Ada"), seat("Bob"))), 1)
    await field.hear(HERE, owned, wait=TOLD)
    assert 5 in {one.link for one in field.to(THERE, said.TakeSeat) if one.game == 7}


async def test_who_hears_of_its_game_in_time_is_told_nothing(field, autojump_clock):
    await field.open(row("Ada", playing=True), row("Bob", link=2, playing=True))
    known = table(7, "Ada", "Bob")
    field.hall.begin_elsewhere(known)
    owned = said.Owned(started(7, seats=(seat("Ada"), seat("Bob"))), 1)
    await field.hear(HERE, owned, wait=TOLD + 1)
    assert field.known("Ada").table is known
    assert field.told(THERE, 1) == []


# What they want


async def test_seeks_go_on_with_their_numbers_and_none_is_given_twice(field, autojump_clock):
    await field.open(row("Ada"), seeks=[stored_seek(3, "Ada")], last_seek=5)
    assert field.server.host.lobby.kept.open_seeks == [3]
    await field.hear(THERE, said.Command(1, Seek(Terms(time="3+2")), 1))
    assert {*field.seeks} == {3, 6}
    field.server.call_roll(THERE)
    rolls = field.to(THERE, said.Roll)
    assert [(roll.seeks, roll.last_seek) for roll in rolls] == [((3,), 5), ((3, 6), 6)]


async def test_a_seek_of_a_game_that_this_version_does_not_know_ends_with_a_line(
    field, autojump_clock
):
    kept = msgspec.structs.replace(BLITZ, game="go", pool="go")
    await field.open(row("Ada"), seeks=[stored_seek(3, "Ada", kept)])
    assert field.told(THERE, 1) == [
        "error no-such-game your seek of go has ended: it cannot be played here any more"
    ]
    assert field.seeks == {}


async def test_what_cannot_be_read_ends_with_a_line_in_the_log_and_is_deleted(
    field, autojump_clock
):
    with capture_logs() as logs:
        await field.open(
            row("Ada"),
            seeks=[LobbySeek(3, "Ada", None, "{}")],
            matches=[LobbyMatch(4, '{"handles": 7}')],
        )
    assert (field.seeks, field.matches) == ({}, {})
    noted = [log["event"] for log in logs if log["log_level"] == "warning"]
    assert noted == ["a match of another version has ended", "a seek of another version has ended"]


async def test_a_challenge_to_who_is_gone_ends(field, autojump_clock):
    await field.open(row("Ada"), row("Bob", None), seeks=[stored_seek(3, "Ada", asked="Bob")])
    assert (field.told(THERE, 1), field.seeks) == (["gone 3"], {})


async def test_a_match_goes_on_with_the_colors_of_the_game_that_is_on(field, autojump_clock):
    await field.open(
        row("Ada", game=7, playing=True),
        row("Bob", link=2, game=7, side=Side.BLACK, playing=True),
        matches=[match(4, "Ada", "Bob", white="Bob", free=("Ada", "Bob"))],
        games=[running(7, "Ada", "Bob")],
    )
    kept = field.server.host.lobby.kept.match(4)
    assert (kept.played, kept.white, kept.free) == (2, "Ada", ())
    assert field.matches[4].terms == msgspec.json.encode(kept).decode()


async def test_a_match_whose_players_are_free_goes_on_with_its_next_game(field, autojump_clock):
    await field.open(
        row("Ada", playing=True),
        row("Bob", link=2, playing=True),
        matches=[match(4, "Ada", "Bob", white="Bob", free=("Ada", "Bob"))],
    )
    asked, *again = [one for _, one in field.sent if isinstance(one, said.Open)]
    assert (asked.white.profile.handle, asked.black.profile.handle) == ("Ada", "Bob")
    assert again in ([], [asked])


async def test_a_match_ends_with_a_player_who_is_gone(field, autojump_clock):
    await field.open(
        row("Ada", playing=True), row("Bob", None), matches=[match(4, "Ada", "Bob", white="Ada")]
    )
    [over] = field.told(THERE, 1)
    assert over.startswith("match 4 over")
    assert field.matches == {}


async def test_who_does_not_seek_waits_for_an_opponent_again(field, autojump_clock):
    engine = profile_text(person("Fish", kind="engine", features=frozenset()))
    await field.open(row("Ada"), row("Fish", link=2, profile=engine))
    assert (field.state("Ada"), field.state("Fish")) == ("idle", "waiting")


async def test_the_side_of_a_player_is_that_of_its_game_whatever_the_row_says(field):
    wrong = row("Bob", THERE, 5, game=7, side=Side.WHITE, playing=True)
    await field.open(wrong, games=[running(7, "Ada", "Bob")])
    assert (field.known("Bob").side, field.members["Bob"].side) == (Side.BLACK, Side.BLACK)
