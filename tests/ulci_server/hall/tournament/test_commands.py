"""What players ask of tournaments."""

from dataclasses import replace

import pytest
import trio
from trio.testing import MockClock

from ulci.protocol.messages import Enter, Standings, Tournaments, Withdraw
from ulci_server.hall.tournament.commands import MOST_ENTERED
from ulci_server.lobby import Profile
from ulci_server.storage import StorageError, TournamentChangedError, TournamentState

from .conftest import LOBBY, Evening

OPEN = 'format = "roundrobin"\nopen = true\ngames = 1'


def guest(name: str) -> Profile:
    return Profile(name, name, features=LOBBY)


def player(evening: Evening, name: str) -> Profile:
    return Profile(name, name, account=evening.account(name), features=LOBBY)


def said(evening: Evening, handle: str) -> str:
    """The last thing that the client was told."""
    return str(evening.lobby.told[handle][-1].line)


async def test_a_player_enters_and_is_paired(autojump_clock: MockClock, evening: Evening) -> None:
    evening.create(OPEN, "Ada", start=False)
    await trio.sleep(2)
    evening.come("Ada")
    evening.arrive(player(evening, "Bob"))
    assert evening.say("Bob", Enter("CUP")) == []
    await trio.sleep(1)
    assert evening.heard("Bob") == ["Entered"]
    assert [row.name for row in evening.stored().entrants] == ["Ada", "Bob"]


async def test_who_is_listed_is_there_at_once(autojump_clock: MockClock, evening: Evening) -> None:
    evening.create('format = "roundrobin"', "Ada", "Bob", start=False)
    await trio.sleep(2)
    evening.arrive(player(evening, "Ada"))
    assert evening.say("Ada", Enter("cup")) == ["Entered"]
    assert evening.lobby.clients["Ada"].enters == ("cup",)


async def test_a_guest_cannot_enter(autojump_clock: MockClock, evening: Evening) -> None:
    evening.create(OPEN, "Ada")
    await trio.sleep(2)
    evening.arrive(guest("Gus"))
    assert evening.say("Gus", Enter("cup")) == ["ErrorLine"]
    assert "with an account" in said(evening, "Gus")


async def test_there_may_be_no_such_tournament(autojump_clock: MockClock, evening: Evening) -> None:
    evening.arrive(player(evening, "Ada"))
    for command in (Enter("cup"), Withdraw("cup"), Standings("cup")):
        assert evening.say("Ada", command) == ["ErrorLine"]
        assert "there is no tournament cup now" in said(evening, "Ada")


async def test_a_closed_tournament_takes_only_its_own(
    autojump_clock: MockClock, evening: Evening
) -> None:
    evening.create('format = "roundrobin"', "Ada", "Bob")
    await trio.sleep(2)
    evening.arrive(player(evening, "Cyd"))
    assert evening.say("Cyd", Enter("cup")) == ["ErrorLine"]
    assert "entered by its organizer" in said(evening, "Cyd")
    assert evening.lobby.clients["Cyd"].enters == ()


async def test_nobody_enters_a_round_robin_late(
    autojump_clock: MockClock, evening: Evening
) -> None:
    evening.create(OPEN, "Ada", "Bob")
    evening.come("Ada", "Bob")
    await trio.sleep(2)
    evening.arrive(player(evening, "Cyd"))
    evening.say("Cyd", Enter("cup"))
    assert "nobody enters a roundrobin late" in said(evening, "Cyd")


async def test_a_tournament_may_be_for_one_kind(
    autojump_clock: MockClock, evening: Evening
) -> None:
    evening.create(f'{OPEN}\nkind = "human"', "Ada", start=False)
    await trio.sleep(2)
    evening.arrive(player(evening, "Bot"))
    evening.say("Bot", Enter("cup"))
    assert "of kind human" in said(evening, "Bot")


async def test_who_withdraws_plays_no_more_and_may_come_back_before_it_begins(
    autojump_clock: MockClock, evening: Evening
) -> None:
    evening.create(OPEN, "Ada", start=False)
    await trio.sleep(2)
    evening.come("Ada")
    assert evening.say("Ada", Withdraw("cup")) == ["Withdrawn"]
    await trio.sleep(1)
    assert evening.stored().entrants[0].left == 1
    assert evening.say("Ada", Withdraw("cup")) == ["ErrorLine"]
    evening.say("Ada", Enter("cup"))
    await trio.sleep(1)
    assert evening.heard("Ada") == ["Entered"]
    assert evening.stored().entrants[0].left is None


async def test_who_withdraws_and_comes_back_at_once_is_in(
    autojump_clock: MockClock, evening: Evening
) -> None:
    evening.create(OPEN, "Ada", start=False)
    await trio.sleep(2)
    evening.come("Ada")
    assert evening.say("Ada", Withdraw("cup")) == ["Withdrawn"]
    assert evening.say("Ada", Enter("cup")) == []  # until it is stored
    await trio.sleep(1)
    assert evening.heard("Ada") == ["Entered"]
    assert evening.stored().entrants[0].left is None
    assert evening.say("Ada", Withdraw("cup")) == ["Withdrawn"]
    await trio.sleep(1)
    assert evening.stored().entrants[0].left == 1


async def test_who_was_removed_does_not_come_back(
    autojump_clock: MockClock, evening: Evening
) -> None:
    evening.create(OPEN, "Ada", "Bob", start=False)
    row = evening.stored().entrants[0]
    evening.store.change(1, evening.now(), entrants=[row._replace(left=1, why="cheated")])
    await trio.sleep(2)
    evening.arrive(player(evening, "Ada"))
    evening.say("Ada", Enter("cup"))
    assert "you are out of cup: cheated" in said(evening, "Ada")


async def test_a_client_plays_in_so_many_tournaments_at_most(
    autojump_clock: MockClock, evening: Evening
) -> None:
    evening.create(OPEN, "Ada", start=False)
    await trio.sleep(2)
    words = tuple(f"t{n}" for n in range(MOST_ENTERED))
    evening.arrive(
        Profile("Bob", "Bob", account=evening.account("Bob"), enters=words, features=LOBBY)
    )
    evening.say("Bob", Enter("cup"))
    assert f"you play in {MOST_ENTERED} tournaments" in said(evening, "Bob")


async def test_standings_are_listed_from_the_first_rank_on(
    autojump_clock: MockClock, evening: Evening
) -> None:
    evening.create('format = "ladder"\nopen = true\ngames = 1', "Ada", "Bob")
    evening.come("Ada", "Bob")
    await trio.sleep(2)
    white, _ = evening.on[0]
    evening.end(1)
    await trio.sleep(1)
    evening.say("Ada", Standings("cup"))
    evening.say("Ada", Standings("cup"))
    await trio.sleep(1)
    assert evening.heard("Ada") == ["StandingsLine"] * 2, "what is asked twice comes once"
    first = evening.lobby.told["Ada"][0].line
    assert (first.rank, first.player, first.games) == (1, white, 1)


async def test_a_program_at_the_listener_of_a_tournament_enters_by_its_name(
    autojump_clock: MockClock, evening: Evening
) -> None:
    evening.create(OPEN, "Ada", start=False)
    await trio.sleep(2)
    profile = Profile("Toga II", "Toga_II", tournament="cup")
    evening.lobby.clients["Toga_II"] = profile
    assert evening.host.freed(profile), "it waits in no pool"
    await trio.sleep(1)
    row = evening.stored().entrants[1]
    assert (row.name, row.remote, row.account) == ("Toga II", "Toga II", None)
    evening.store.change(1, evening.now(), state=TournamentState.RUNNING)
    evening.come("Ada")
    await trio.sleep(3)
    assert {*evening.lobby.begun[0]} == {"Ada", "Toga_II"}


async def test_both_are_told_beforehand_whom_they_meet(
    autojump_clock: MockClock, evening: Evening
) -> None:
    evening.create('format = "roundrobin"\ngames = 1', "Ada", "Bob")
    evening.come("Ada", "Bob")
    await trio.sleep(2)
    assert "NextPairing" in evening.heard("Ada")
    assert "NextPairing" in evening.heard("Bob")


async def test_the_list_says_whether_one_may_enter(
    autojump_clock: MockClock, evening: Evening
) -> None:
    evening.create(OPEN, "Ada", start=False)
    await trio.sleep(2)
    evening.arrive(guest("Gus"))
    assert evening.say("Gus", Tournaments()) == ["ListedTournament"]
    listed = evening.lobby.told["Gus"][-1].line
    assert (listed.name, listed.format, listed.state) == ("cup", "roundrobin", "created")
    assert (listed.entrants, listed.open, listed.time) == (1, True, "60+1")


async def test_who_enters_while_the_database_fails_is_entered_later(
    autojump_clock: MockClock, evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    evening.create(OPEN, "Ada", start=False)
    await trio.sleep(2)
    evening.arrive(player(evening, "Bob"))
    failing = [StorageError("it is down"), TournamentChangedError("somebody was quicker")]
    save = evening.store.save

    def save_later(*row: object, **rows: object) -> None:
        if failing:
            raise failing.pop()
        save(*row, **rows)

    monkeypatch.setattr(evening.store, "save", save_later)
    evening.say("Bob", Enter("cup"))
    await trio.sleep(5)
    assert evening.heard("Bob") == ["Entered"]
    assert [row.name for row in evening.stored().entrants] == ["Ada", "Bob"]


async def test_two_connections_of_one_account_that_enter_at_once_are_one_entrant(
    autojump_clock: MockClock, evening: Evening
) -> None:
    evening.create(OPEN, "Ada", start=False)
    await trio.sleep(2)
    for handle in ("Bob", "Bob-2"):
        evening.arrive(replace(player(evening, "Bob"), handle=handle))
    for handle in ("Bob", "Bob-2"):
        evening.say(handle, Enter("cup"))
    await trio.sleep(1)
    assert [evening.heard(handle) for handle in ("Bob", "Bob-2")] == [["Entered"]] * 2
    assert [row.name for row in evening.stored().entrants] == ["Ada", "Bob"]
    assert evening.host.directors["cup"].presence.handles_of(2) == ["Bob", "Bob-2"]


async def test_a_program_cannot_enter_under_the_name_of_another_entrant(
    autojump_clock: MockClock, evening: Evening
) -> None:
    evening.create(OPEN, "Ada", start=False)
    await trio.sleep(2)
    evening.arrive(Profile("ADA", "ADA", tournament="cup"))
    await trio.sleep(1)
    assert [row.name for row in evening.stored().entrants] == ["Ada"]
