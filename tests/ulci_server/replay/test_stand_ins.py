"""The stand-ins of a replay do what the recording says, when it says so."""

from datetime import timedelta
from typing import NoReturn

import pytest
import trio
import trio.testing

from tests.support.facts import started
from ulci.protocol import ULCI, Connection, RemoteProtocolError, Role, TextCodec
from ulci.protocol.messages import Hello, HelloOk, IsReady, ReadyOk
from ulci_server.hall.login.authenticator import BannedError, LoginRefusedError
from ulci_server.lobby import Profile, admin_commands
from ulci_server.replay.stand_ins import (
    BEGIN,
    Measurements,
    MessageTurn,
    OlderAuthenticator,
    ReplayInputs,
    ReplayJournal,
    ReplayPeer,
    ReplayTaskOrder,
    VirtualClock,
)
from ulci_server.replay.tape import SERVER, TapeEvent
from ulci_server.storage import StorageError

ADA = Profile("Ada", "Ada")


def events(*lines: str) -> list[TapeEvent]:
    """Of ``WHO WHAT REST``."""
    return [TapeEvent(0.0, *line.split(" ", 2)) for line in lines]


def peer(who: str, *lines: str, host: str = "10.0.0.7", in_turn: bool = False) -> ReplayPeer:
    connection = Connection(Role.SERVER, TextCodec(), ULCI)
    return ReplayPeer(who, host, connection, Measurements(events(*lines)), in_turn=in_turn)


def never() -> NoReturn:
    raise AssertionError("a replay asks nobody")


def test_what_was_read_is_read_again() -> None:
    inputs = ReplayInputs(events("- choose 1", '- secret "8f3a"', "- choose 0"))
    assert [inputs.read("choose", never) for _ in range(3)] == [1, 0, 0]
    assert [inputs.read("secret", never) for _ in range(2)] == ["8f3a", "unread"]


def test_figures_are_told_as_they_were_whichever_there_are() -> None:
    inputs = ReplayInputs(events('- statistics {"up": 3600, "threads": 9}'))
    told = [inputs.read("statistics", never) for _ in range(2)]
    assert told == [{"up": 3600, "threads": 9}, {}]


async def test_the_database_answers_what_it_answered_and_then(autojump_clock, nursery) -> None:
    inputs, answers = ReplayInputs(()), []

    async def ask() -> None:
        answers.append(await inputs.ask(never))

    nursery.start_soon(ask)
    await trio.testing.wait_all_tasks_blocked()
    assert answers == []
    inputs.answer(TapeEvent(0.0, SERVER, "known", "1 [null, false]"))
    await trio.testing.wait_all_tasks_blocked()
    assert answers == [[None, False]]
    inputs.answer(TapeEvent(0.0, SERVER, "refused", '2 "it is locked"'))
    with pytest.raises(StorageError, match="it is locked"):
        await ask()


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
    one = peer("3", "3 read 2 0.25 0.125")
    one.put(Hello(), IsReady())
    one.hear(b"uciok\nreadyok\n")
    heard = [await one.receive(), await one.receive()]
    assert [type(each.message) for each in heard] == [HelloOk, ReadyOk]
    assert [(each.at, each.late) for each in heard] == [(trio.current_time(), 0.0), (0.25, 0.125)]
    one.hear("it hung up")
    assert await one.receive() is None
    assert one.why == "it hung up"


async def test_a_message_is_dealt_with_when_it_has_a_turn(autojump_clock, nursery) -> None:
    one, heard = peer("3", in_turn=True), []

    async def listen() -> None:
        while (message := await one.receive()) is not None:
            heard.append((type(message.message), message.at, message.late))

    one.put(Hello(), IsReady())
    nursery.start_soon(listen)
    one.hear(b"uciok\nreadyok\n")
    await trio.testing.wait_all_tasks_blocked()
    assert heard == []
    one.call(MessageTurn())
    await trio.testing.wait_all_tasks_blocked()
    assert heard == [(HelloOk, trio.current_time(), 0.0)]
    one.call(MessageTurn(0.25, 0.125))
    await trio.testing.wait_all_tasks_blocked()
    assert heard[1:] == [(ReadyOk, 0.25, 0.125)]
    one.hear(b"bestmove e2e4\n")
    one.call(MessageTurn(end="it hung up"))
    await trio.testing.wait_all_tasks_blocked()
    assert one.why == "it hung up"
    assert len(heard) == 2


async def test_what_was_wrong_with_how_much_was_said_is_wrong_again(autojump_clock) -> None:
    one = peer("3", in_turn=True)
    one.put(Hello())
    one.hear(b"uciok\nreadyok\n")
    for turn in (
        MessageTurn(),
        MessageTurn(fault="readyok: nobody asked"),
        MessageTurn(fault="you say too much"),
    ):
        one.call(turn)
    assert isinstance((await one.receive()).message, HelloOk)
    with pytest.raises(RemoteProtocolError, match="nobody asked"):
        await one.receive()
    with pytest.raises(RemoteProtocolError, match="you say too much") as fault:
        await one.receive()
    assert fault.value.fatal


async def test_turns_are_taken_as_they_are_called(autojump_clock, nursery) -> None:
    task_order, taken = ReplayTaskOrder(), []

    async def wait(ticket: int) -> None:
        await task_order.take(ticket)
        taken.append(ticket)

    tickets = [task_order.ticket() for _ in range(3)]
    task_order.call(tickets[2])
    for ticket in tickets:
        nursery.start_soon(wait, ticket)
    await trio.testing.wait_all_tasks_blocked()
    assert taken == [3]
    for ticket in tickets[:2]:
        task_order.call(ticket)
        await trio.testing.wait_all_tasks_blocked()
    assert taken == [3, 1, 2]


async def test_round_trips_are_those_that_were_measured(autojump_clock) -> None:
    trips = ("3 trip 0.021", "3 trip -", "4 trip 0.5")
    three, four = peer("3", *trips), peer("4", *trips, host=SERVER)
    assert [three.round_trip() for _ in range(3)] == [0.021, None, None]
    assert four.round_trip() == 0.5
    assert (three.host, four.host) == ("10.0.0.7", "")


async def test_what_an_older_server_measured_at_moves_of_the_opponent_is_passed_over(
    autojump_clock,
) -> None:
    measured = Measurements(
        TapeEvent(at, "3", "trip", f"{at / 100}") for at in (1.0, 2.0, 3.0, 4.0)
    )
    trips = []
    for _ in range(2):
        await trio.sleep(2)
        trips.append(measured.trip("3"))
    assert trips == [0.02, 0.04]


async def test_what_was_noted_is_durable_when_the_recording_says_so(autojump_clock) -> None:
    journal = ReplayJournal(events("- durable 1"))
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


async def test_what_an_older_server_decided_is_decided_again(autojump_clock) -> None:
    inputs = ReplayInputs(())
    authenticator = OlderAuthenticator(inputs)
    inputs.answer(TapeEvent(0.0, SERVER, "known", '1 {"name": "Ada", "account": 3}'))
    known = await authenticator.authenticate(Profile("ada", "ada"), "10.0.0.7")
    assert known == Profile("Ada", "ada", account=3)
    for number, (asking, refusal) in enumerate(
        (
            (authenticator.authenticate(ADA, ""), LoginRefusedError),
            (authenticator.recheck_admin(ADA, ""), BannedError),
            (authenticator.unban(admin_commands.Unban("Ada", is_address=False)), StorageError),
        ),
        2,
    ):
        inputs.answer(TapeEvent(0.0, SERVER, "refused", f'{number} "not you"'))
        with pytest.raises(refusal, match="not you"):
            await asking
