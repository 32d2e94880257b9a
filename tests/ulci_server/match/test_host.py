"""The lobby of a match: who has a place in it, and what can be asked for there."""

import pytest
import trio
import trio.testing

from tests.ulci_server.match.conftest import CONTROL
from ulci.protocol.messages import (
    Accept,
    Challenge,
    Go,
    Id,
    Ignore,
    NewGame,
    Option,
    OptionType,
    PlayerCommand,
    Quit,
    Rematch,
    Seek,
    TellPlayer,
    Terms,
    Unseek,
    Who,
)
from ulci.rules import Side
from ulci_server.game import GameStarted
from ulci_server.match import POOL, MatchEngine
from ulci_server.match.host import NO_LOBBY

ASKED = (
    Seek(),
    Seek(Terms(color="white")),
    Unseek(),
    Accept(1),
    Challenge("B.2", Terms()),
    Rematch(),
    TellPlayer("B.2", "hello"),
    Ignore("B.2"),
    Who(),
)


async def dismissed(client) -> str:
    """What the client was told before it was disconnected."""
    heard = await client.hear_the_end()
    assert isinstance(heard[-1], Quit)
    return client.reports()[-1]


async def test_a_stranger_is_dismissed_and_learns_why(autojump_clock, match):
    async with match() as m:
        stranger = await m.join("C")
        assert "C has no place in this match" in await dismissed(stranger)
        assert not m.host.present
        for name in "AB":
            await m.engine(name)
        m.begin()
        await m.over.wait()
        assert m.games == [("A", "B"), ("B", "A")]


async def test_an_engine_that_does_not_know_the_game_is_dismissed(autojump_clock, match):
    async with match(game="atomic") as m:
        far = await m.join("A")
        assert "A does not offer the option UCI_Variant" in await dismissed(far)
        variant = Option("UCI_Variant", OptionType.COMBO, "chess", vars=("chess", "atomic"))
        await m.join("A", variant)
        assert [member.profile.name for member in m.host.present] == ["A"]


async def test_an_engine_from_elsewhere_has_the_name_of_the_match(autojump_clock, match):
    engines = [MatchEngine("X", None, CONTROL, remote="far"), MatchEngine("B", None, CONTROL)]
    async with match(engines) as m:
        for name in ("far", "B"):
            await m.engine(name)
        assert [member.handle for member in m.host.present] == ["X.1", "B.2"]
        assert "X has no place" in await dismissed(await m.join("X"))
        m.begin()
        await m.over.wait()
        assert m.games == [("X", "B"), ("B", "X")]


async def test_processes_of_one_engine_have_handles_of_their_own(autojump_clock, match):
    async with match() as m:
        for _ in range(3):
            await m.join("A")
        assert [member.handle for member in m.host.present] == ["A.1", "A.2", "A.3"]
        assert {member.profile.name for member in m.host.present} == {"A"}


@pytest.mark.parametrize("command", ASKED, ids=lambda command: type(command).__name__)
async def test_nothing_can_be_asked_for(autojump_clock, match, command: PlayerCommand):
    async with match() as m:
        far = await m.join("A", Id("feature", "lobby"))
        await m.join("B", Id("feature", "lobby"))
        far.say(command)
        assert await far.hear_line("error") == f"error not-allowed {NO_LOBBY}"
        assert m.games == []
        assert {member.table for member in m.host.present} == {None}


async def test_no_connection_takes_the_seat_of_another_by_a_secret(autojump_clock, match):
    async with match() as m:
        far = await m.join("A", Id("feature", "lobby"))
        await m.engine("B")
        m.begin()
        await far.get_ready()
        await far.be_asked()
        started = m.journal.kinds(GameStarted)[0]
        assert all(seat.key for seat in started.seats)
        for secret in ("secret", started.seats[0].key):
            thief = await m.join("A", Id("feature", "lobby"), Id("resume", secret))
            await trio.testing.wait_all_tasks_blocked()
            assert not {Go, NewGame} & {type(said) for said in thief.heard}
        table = m.hall.tables[1]
        assert [member.handle for member in m.host.present if member.table is table] == [
            "A.1",
            "B.2",
        ]


async def test_who_is_here_and_what_they_play_can_be_listed(autojump_clock, match):
    async with match() as m:
        await m.engine("A", hangs=0)
        await m.engine("B", hangs=0)
        await m.join("B")
        m.begin()
        await trio.sleep(1)
        roster = await m.host.players()
        assert roster.count == 3
        assert [(entry.name, entry.game) for entry in roster.players] == [
            ("A.1", 1),
            ("B.2", 1),
            ("B.3", None),
        ]


async def test_absent_players_are_known_until_their_seats_are_taken(autojump_clock, match, rematch):
    async with match() as m:
        for name in "AB":
            await m.engine(name, hangs=1)
        m.begin()
        await trio.sleep(1)
        await m.pause()
    async with rematch(m) as again:
        absent = [again.host.absent(1, side) for side in Side]
        assert [each.profile.name for each in absent] == ["A", "B"]
        assert again.host.absent(2, Side.WHITE) is None
        for name in "AB":
            await again.engine(name)
        again.begin()
        await again.over.wait()
        assert [again.host.absent(1, side) for side in Side] == [None, None]
        assert {member.handle for member in again.host.present} == {"A.1", "B.2"}


async def test_the_rules_of_the_match_are_those_of_its_only_pool(autojump_clock, match):
    async with match() as m:
        assert m.host.pool_rules_of(POOL).conduct.forfeit
        assert [*m.host.close("the end")] == [*m.host.reopen()] == []
