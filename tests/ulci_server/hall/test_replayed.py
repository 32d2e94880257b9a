"""The stand-ins of a replay do what the recording says, when it says so."""

from datetime import timedelta

import pytest
import trio
import trio.testing

from tests.support.facts import started
from ulci.protocol import ULCI, Connection, Role, TextCodec
from ulci.protocol.messages import Hello, HelloOk, IsReady, ReadyOk
from ulci_server.hall.door import BannedError, TurnedAwayError
from ulci_server.hall.replayed import (
    BEGIN,
    Drawn,
    ReplayedDoor,
    ReplayedJournal,
    ReplayedPeer,
    VirtualClock,
)
from ulci_server.hall.tape import SERVER, Taped
from ulci_server.lobby import Profile, admin
from ulci_server.storage import StorageError

ADA = Profile("Ada", "Ada")


def drawn(*events: str) -> Drawn:
    """Of ``WHO WHAT REST``."""
    return Drawn(Taped(0.0, *event.split(" ", 2)) for event in events)


def peer(who: str, drawn: Drawn, host: str = "10.0.0.7") -> ReplayedPeer:
    return ReplayedPeer(who, host, Connection(Role.SERVER, TextCodec(), ULCI), drawn)


def test_chance_draws_what_it_drew() -> None:
    chance = drawn("- choose 1 2", "- choose 4 5", "- secret 8f3a")
    assert [chance.choose(2), chance.choose(3), chance.choose(2)] == [1, 1, 0]
    assert [chance.secret(), chance.secret()] == ["8f3a", "undrawn"]


def test_the_process_does_as_it_did() -> None:
    process = drawn("- vitals 3600 17", "- vitals 3601 16")
    assert [process.vitals() for _ in range(3)] == [(3600, 17), (3601, 16), (0, 0)]


def test_a_clock_moves_only_when_it_is_set() -> None:
    clock = VirtualClock()

    async def sleep_for_an_hour() -> float:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.sleep, 3600)
            await trio.testing.wait_all_tasks_blocked()
            before = trio.current_time()
            clock.now = 3600.0
        return before

    assert trio.run(sleep_for_an_hour, clock=clock) == 0.0


async def test_a_client_says_what_it_said_and_was_read_as_late_as_it_was(autojump_clock) -> None:
    one = peer("3", drawn("3 read 2 0.25 0.125"))
    one.put(Hello(), IsReady())
    one.hear(b"uciok\nreadyok\n")
    heard = [await one.receive(), await one.receive()]
    assert [type(each.message) for each in heard] == [HelloOk, ReadyOk]
    assert [(each.at, each.late) for each in heard] == [(trio.current_time(), 0.0), (0.25, 0.125)]
    one.hear("it hung up")
    assert await one.receive() is None
    assert one.why == "it hung up"


def test_round_trips_are_those_that_were_measured() -> None:
    drew = drawn("3 trip 0.021", "3 trip -", "4 trip 0.5")
    three, four = peer("3", drew), peer("4", drew, SERVER)
    assert [three.round_trip() for _ in range(3)] == [0.021, None, None]
    assert four.round_trip() == 0.5
    assert (three.host, four.host) == ("10.0.0.7", "")


async def test_what_was_noted_is_durable_when_the_recording_says_so(autojump_clock) -> None:
    journal = ReplayedJournal(drawn("- durable 1"))
    called: list[str] = []
    await trio.sleep(2)
    now = trio.current_time()
    journal.note(started(7))
    assert journal.when_durable(lambda: called.append("at once"))
    assert not journal.when_durable(lambda: called.append("later"))
    assert called == []
    for _ in range(2):
        journal.settle(2)
    assert called == ["later"]
    [unfinished] = journal.repository.running()
    assert unfinished.started == started(7)
    assert unfinished.at == BEGIN + timedelta(seconds=now)


async def test_the_door_knows_what_it_knew_and_says_it_then(autojump_clock) -> None:
    door = ReplayedDoor()
    let_in: list[Profile] = []

    async def come_in() -> None:
        let_in.append(await door.let_in(Profile("ada", "ada"), "10.0.0.7"))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(come_in)
        await trio.testing.wait_all_tasks_blocked()
        assert let_in == []
        door.answer(Taped(0.0, SERVER, "known", '1 {"name": "Ada", "account": 3}'))
    assert let_in == [Profile("Ada", "ada", account=3)]


async def test_the_door_refuses_as_it_refused(autojump_clock) -> None:
    door = ReplayedDoor()
    for number, (asking, refusal) in enumerate(
        (
            (door.let_in(ADA, ""), TurnedAwayError),
            (door.look_again(ADA, ""), BannedError),
            (door.unban(admin.Unban("Ada", is_address=False)), StorageError),
        ),
        1,
    ):
        door.answer(Taped(0.0, SERVER, "refused", f'{number} "not you"'))
        with pytest.raises(refusal, match="not you"):
            await asking
