"""The stand-ins of a replay do what the recording says, when it says so."""

from datetime import timedelta

import pytest
import trio
import trio.testing

from tests.support.facts import started
from ulci.protocol import ULCI, Connection, RemoteProtocolError, Role, TextCodec
from ulci.protocol.messages import Hello, HelloOk, IsReady, ReadyOk
from ulci_server.hall.door import BannedError, TurnedAwayError
from ulci_server.hall.replayed import (
    BEGIN,
    Drawn,
    ReplayedDoor,
    ReplayedJournal,
    ReplayedPeer,
    ReplayedTurns,
    Turn,
    VirtualClock,
)
from ulci_server.hall.tape import SERVER, Taped
from ulci_server.lobby import Profile, admin
from ulci_server.storage import StorageError

ADA = Profile("Ada", "Ada")


def drawn(*events: str) -> Drawn:
    """Of ``WHO WHAT REST``."""
    return Drawn(Taped(0.0, *event.split(" ", 2)) for event in events)


def peer(who: str, drawn: Drawn, host: str = "10.0.0.7", *, in_turn: bool = False) -> ReplayedPeer:
    connection = Connection(Role.SERVER, TextCodec(), ULCI)
    return ReplayedPeer(who, host, connection, drawn, in_turn=in_turn)


def test_chance_draws_what_it_drew() -> None:
    chance = drawn("- choose 1 2", "- choose 4 5", "- secret 8f3a")
    assert [chance.choose(2), chance.choose(3), chance.choose(2)] == [1, 1, 0]
    assert [chance.secret(), chance.secret()] == ["8f3a", "undrawn"]


def test_the_process_does_as_it_did() -> None:
    process = drawn("- vitals 3600 17 2", "- vitals 3601 16")
    felt = [process.vitals() for _ in range(3)]
    assert felt == [(3600, 17, 2), (3601, 16, None), (0, 0, None)]


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


async def test_a_message_is_dealt_with_when_it_has_a_turn(autojump_clock, nursery) -> None:
    one, heard = peer("3", drawn(), in_turn=True), []

    async def listen() -> None:
        while (message := await one.receive()) is not None:
            heard.append((type(message.message), message.at, message.late))

    one.put(Hello(), IsReady())
    nursery.start_soon(listen)
    one.hear(b"uciok\nreadyok\n")
    await trio.testing.wait_all_tasks_blocked()
    assert heard == []
    one.call(Turn())
    await trio.testing.wait_all_tasks_blocked()
    assert heard == [(HelloOk, trio.current_time(), 0.0)]
    one.call(Turn(0.25, 0.125))
    await trio.testing.wait_all_tasks_blocked()
    assert heard[1:] == [(ReadyOk, 0.25, 0.125)]
    one.hear(b"bestmove e2e4\n")
    one.call(Turn(end="it hung up"))
    await trio.testing.wait_all_tasks_blocked()
    assert one.why == "it hung up"
    assert len(heard) == 2


async def test_what_was_wrong_with_how_much_was_said_is_wrong_again(autojump_clock) -> None:
    one = peer("3", drawn(), in_turn=True)
    one.put(Hello())
    one.hear(b"uciok\nreadyok\n")
    for turn in (Turn(), Turn(fault="readyok: nobody asked"), Turn(fault="you say too much")):
        one.call(turn)
    assert isinstance((await one.receive()).message, HelloOk)
    with pytest.raises(RemoteProtocolError, match="nobody asked"):
        await one.receive()
    with pytest.raises(RemoteProtocolError, match="you say too much") as fault:
        await one.receive()
    assert fault.value.fatal


async def test_turns_are_taken_as_they_are_called(autojump_clock, nursery) -> None:
    turns, taken = ReplayedTurns(), []

    async def wait(ticket: int) -> None:
        await turns.take(ticket)
        taken.append(ticket)

    tickets = [turns.ticket() for _ in range(3)]
    turns.call(tickets[2])
    for ticket in tickets:
        nursery.start_soon(wait, ticket)
    await trio.testing.wait_all_tasks_blocked()
    assert taken == [3]
    for ticket in tickets[:2]:
        turns.call(ticket)
        await trio.testing.wait_all_tasks_blocked()
    assert taken == [3, 1, 2]


async def test_round_trips_are_those_that_were_measured(autojump_clock) -> None:
    drew = drawn("3 trip 0.021", "3 trip -", "4 trip 0.5")
    three, four = peer("3", drew), peer("4", drew, SERVER)
    assert [three.round_trip() for _ in range(3)] == [0.021, None, None]
    assert four.round_trip() == 0.5
    assert (three.host, four.host) == ("10.0.0.7", "")


async def test_what_an_older_server_measured_at_moves_of_the_opponent_is_passed_over(
    autojump_clock,
) -> None:
    events = (Taped(at, "3", "trip", f"{at / 100}") for at in (1.0, 2.0, 3.0, 4.0))
    three = peer("3", Drawn(events))
    trips = []
    for _ in range(2):
        await trio.sleep(2)
        trips.append(three.round_trip())
    assert trips == [0.02, 0.04]


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
