import math

import pytest
import trio

from tests.support.fake_server import Line
from tests.support.lobby import lobby_line
from tests.support.terminal_server import MemoryServer, greeted
from ulci.net import DialError
from ulci.protocol.messages import Accept, BestMove, Blame, Go, Position, Quit, Report, Seek, Who
from ulci_client.server_list import NEXT_PAUSE, ServerList
from ulci_client.terminal.model.state import ClientState, Exit, Leave, News, Page
from ulci_client.terminal.shell.client import Client
from ulci_client.terminal.shell.session import (
    DOUBT,
    HELLO,
    HINT,
    LONGEST_PAUSE,
    LONGEST_PAUSE_IN_GAME,
    Session,
)
from ulci_client.terminal.view.status_line import status


class Person:
    """Who sits before a session, and what was told."""

    def __init__(self, *servers: MemoryServer, patience: float = math.inf) -> None:
        self.told: list[str] = []
        self.end: Leave | None = None
        self.client = Client(ClientState("Ada", servers[0].address))
        listed = ServerList(servers, lambda: 1.0)
        self.session = Session(
            self.client, listed, self._hear, patience=patience, chance=lambda: 1.0
        )

    def _hear(self, told: News | Page) -> None:
        self.told.append(told.plain if isinstance(told, News) else told.title)

    async def play(self) -> None:
        self.end = await self.session.run()

    async def told_of(self, start: str) -> str:
        """The first line, told already or yet to come, that begins so."""
        with trio.fail_after(600):
            while True:
                found = [line for line in self.told if line.startswith(start)]
                if found:
                    return found[0]
                await self.session.changed_since(self.session.changes)


async def test_what_is_said_and_typed_goes_both_ways(autojump_clock: trio.abc.Clock) -> None:
    server = MemoryServer()
    person = Person(server)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(person.play)
        line = await greeted(server)
        await person.told_of("welcome")
        person.session.typed("who")
        assert await line.hear(Who) == Who()
        await line.begin(white="Ada", black="Bob")
        line.ask()
        await person.told_of("your move")
        person.session.typed("e4")
        assert await line.hear(BestMove) == BestMove("e2e4")
        person.session.leave()
        assert await line.hear(Quit) == Quit()
        assert await line.end() == []
    assert person.end == Leave(Exit.MID_GAME)


async def test_nobody_there_in_the_first_place_ends_it() -> None:
    person = Person(MemoryServer("cannot reach tcp://x\x1b[2J"))
    await person.play()
    assert person.end == Leave(Exit.NO_SERVER, "cannot reach tcp://x�[2J")
    assert person.told == []


async def test_a_lost_connection_is_dialled_again_with_growing_pauses(
    autojump_clock: trio.abc.Clock,
) -> None:
    server = MemoryServer()
    person = Person(server)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(person.play)
        line = await greeted(server)
        await person.told_of("welcome")
        server.refusals += ["refused"] * 7
        began = trio.current_time()
        await line.hang_up()
        line = await server.line()
        assert trio.current_time() - began == 2 + 4 + 8 + 16 + 4 * LONGEST_PAUSE
        await line.greet()
        assert ("resume", "s3cret") in line.ids
        line.lobby("welcome name Ada account no resume n3w")
        person.session.leave()
    assert person.end == Leave(Exit.DONE)
    assert person.told[2:4] == [
        "lost closed by the other side, trying again in 2 s",
        "lost refused, trying again in 4 s",
    ]


async def test_after_a_disconnection_with_an_open_seek_the_pause_is_short(
    autojump_clock: trio.abc.Clock,
) -> None:
    server = MemoryServer()
    person = Person(server)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(person.play)
        line = await greeted(server)
        await person.told_of("welcome")
        person.session.typed("seek 3m+2s")
        await line.hear(Seek)
        server.refusals += ["refused"] * 14
        began = trio.current_time()
        await line.hang_up()
        line = await server.line()
        soon = 2 + 4 + 11 * LONGEST_PAUSE_IN_GAME
        assert soon - LONGEST_PAUSE_IN_GAME < DOUBT <= soon
        assert trio.current_time() - began == soon + 2 * LONGEST_PAUSE
        person.session.leave()


async def test_a_script_gives_up_after_a_while(autojump_clock: trio.abc.Clock) -> None:
    server = MemoryServer()
    person = Person(server, patience=20.0)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(person.play)
        line = await greeted(server)
        await person.told_of("welcome")
        server.refusals += ["refused"] * 9
        await line.hang_up()
    assert person.end == Leave(Exit.NO_SERVER, "refused")
    assert trio.current_time() < 60


async def test_leaving_while_disconnected_is_immediate(autojump_clock: trio.abc.Clock) -> None:
    server = MemoryServer()
    person = Person(server)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(person.play)
        line = await greeted(server)
        await person.told_of("welcome")
        await line.hang_up()
        await person.told_of("lost")
        began = trio.current_time()
        person.session.typed("quit")
    assert person.end == Leave(Exit.DONE)
    assert trio.current_time() == began


async def test_nonsense_is_told_and_the_talk_goes_on(autojump_clock: trio.abc.Clock) -> None:
    server = MemoryServer()
    person = Person(server)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(person.play)
        line = await greeted(server)
        line.peer._write(b"lobby say Bob \x1b[2J\n")
        line.lobby("say Bob hi")
        await person.told_of("say Bob hi")
        assert (await person.told_of("error from the server")).isprintable()
        person.session.leave()


async def test_a_server_that_cannot_be_understood_at_all_is_told_so_and_left(
    autojump_clock: trio.abc.Clock,
) -> None:
    server = MemoryServer()
    person = Person(server)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(person.play)
        line = await server.line()
        line.peer._write(b"\x15\x03\x03\x00\x02\x02\x28")
        assert "dial the port with tls://" in (await line.hear(Report)).text
        assert (await line.hear_at()) is None
    assert person.told[-1].startswith("error from the server: this is a TLS alert")
    assert person.end is not None
    assert person.end.code is Exit.NO_SERVER
    assert "does not answer like a ULCI server: this is a TLS alert" in person.end.why


async def test_a_rejection_before_the_lobby_is_shown_and_final(
    autojump_clock: trio.abc.Clock,
) -> None:
    server = MemoryServer()
    person = Person(server)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(person.play)
        line = await server.line()
        await line.greet()
        line.peer.put(Report(Blame.CLIENT, "too many of you; retry-after 3"))
        await line.hang_up()
        line = await server.line()
        await line.greet()
        line.peer.put(Report(Blame.CLIENT, "you are banned here: spam"))
        await line.hang_up()
    assert person.end == Leave(
        Exit.REJECTED,
        "memory rejects you: you are banned here: spam",
    )


async def test_a_rejection_is_shown_and_final_even_during_a_game(
    autojump_clock: trio.abc.Clock,
) -> None:
    server = MemoryServer()
    person = Person(server)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(person.play)
        line = await greeted(server)
        await line.begin(white="Ada", black="Bob")
        line.ask()
        line.peer.put(Report(Blame.CLIENT, "you were kicked by Boss: rude"), Quit())
        await line.hang_up()
    assert person.end is not None
    assert person.end.code is Exit.REJECTED
    assert "you were kicked by Boss: rude" in person.end.why
    assert "error you were kicked by Boss: rude" in person.told


async def test_after_a_complaint_during_a_game_a_broken_connection_is_not_a_rejection(
    autojump_clock: trio.abc.Clock,
) -> None:
    server = MemoryServer()
    person = Person(server)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(person.play)
        line = await greeted(server)
        await line.begin(white="Ada", black="Bob")
        line.ask()
        line.peer.put(Report(Blame.CLIENT, "illegal move e2e5"))
        await line.hang_up()
        line = await server.line()
        await line.greet()
        person.session.leave()
    assert person.end == Leave(Exit.MID_GAME)
    assert "lost closed by the other side, trying again in 2 s" in person.told


async def test_it_reconnects_after_the_pause_that_the_server_asks_for(
    autojump_clock: trio.abc.Clock,
) -> None:
    server = MemoryServer()
    person = Person(server, patience=20.0)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(person.play)
        line = await greeted(server)
        await person.told_of("welcome")
        line.peer.put(Report(Blame.CLIENT, "you send too much; retry-after 300"))
        began = trio.current_time()
        await line.hang_up()
        await person.told_of("lost")
        assert status(person.client.state, began + 290) == (
            "The server asks you to wait; trying again in 10 s.",
            "status-bad",
        )
        line = await server.line()
        assert trio.current_time() - began == 300
        await line.greet()
        person.session.leave()
    assert person.end == Leave(Exit.DONE)
    assert person.told[-2] == (
        "lost closed by the other side, trying again in 300 s, as it asks, for 320 s more"
    )


async def test_a_first_call_that_is_refused_for_a_while_is_tried_again(
    autojump_clock: trio.abc.Clock,
) -> None:
    server = MemoryServer(DialError("this server is full", 10, 503))
    person = Person(server)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(person.play)
        line = await server.line()
        assert trio.current_time() == 10
        await line.greet()
        person.session.leave()
    assert person.told[0] == "lost this server is full, trying again in 10 s, as it asks"
    assert person.client.state.news[0].text == "Not connected yet: this server is full."


async def test_a_server_that_answers_401_or_403_is_not_dialled_again(
    autojump_clock: trio.abc.Clock,
) -> None:
    server = MemoryServer()
    person = Person(server)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(person.play)
        line = await greeted(server)
        await person.told_of("welcome")
        server.refusals.append(DialError("access denied (HTTP 403)", None, 403))
        await line.hang_up()
    assert person.end is not None
    assert person.end.code is Exit.REJECTED


async def test_whoever_waits_for_a_change_sees_one_that_has_been() -> None:
    person = Person(MemoryServer())
    seen = person.session.changes
    person.session.perform([])
    assert await person.session.changed_since(seen) == seen + 1


async def test_an_ignored_announcement_still_wakes_the_screen() -> None:
    person = Person(MemoryServer())
    seen = person.session.changes
    person.session.perform(person.client.hear(lobby_line("player Bob kind human"), 0.0))
    assert person.session.changes == seen + 1


async def seated(line: Line, *moves: str, wtime: int) -> None:
    """The same game again, as the server gives it back, and Ada to move."""
    assert ("resume", "s3cret") in line.ids
    line.lobby("welcome name Ada account no resume s3cret")
    assert await line.hear(Accept) == Accept(0)  # is the game still on?
    await line.begin(white="Ada", black="Bob")
    line.say(Position(None, moves), Go(wtime=wtime, btime=290_000))


async def test_a_game_survives_two_disconnections_and_a_server_restart(
    autojump_clock: trio.abc.Clock,
) -> None:
    server = MemoryServer()
    person = Person(server)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(person.play)
        line = await greeted(server)
        await line.begin(white="Ada", black="Bob")
        line.say(Position(None, ()), Go(wtime=300_000, btime=300_000))
        await person.told_of("your move")
        person.session.typed("e4")
        assert await line.hear(BestMove) == BestMove("e2e4")
        await line.hang_up()  # the first break

        line = await server.line()
        await line.greet()
        await seated(line, "e2e4", "e7e5", wtime=280_123)
        await person.told_of("move e7e5")
        server.refusals += ["refused"] * 5  # the second: the server is started again
        began = trio.current_time()
        await line.hang_up()

        silent = await server.line()  # it takes calls before it can speak
        assert trio.current_time() - began == 4 + 5 * LONGEST_PAUSE_IN_GAME
        began = trio.current_time()
        assert await silent.hear_at() is None
        assert trio.current_time() - began == HELLO

        line = await server.line()
        await line.greet()
        await seated(line, "e2e4", "e7e5", wtime=270_456)
        line.lobby("game 1 resumed downtime 12300")
        await person.told_of("server resumed after 0:13")
        game = person.client.state.game
        assert game is not None
        assert game.clocks is not None
        assert [ply.san for ply in game.plies] == ["e4", "e5"]
        assert game.clocks.left == (270_456, 290_000)
        person.session.typed("Nf3")
        assert await line.hear(BestMove) == BestMove("g1f3")
        line.lobby("game 1 over result 1-0 reason resignation")
        await person.told_of("result 1-0")
        person.session.leave()
    assert person.end == Leave(Exit.DONE)
    assert [line for line in person.told if line.startswith("back")] == ["back at game 1"] * 2


@pytest.mark.parametrize(
    ("address", "hint"),
    [
        ("tcp://here:1", " If that port is encrypted, quit and use tls://here:1; if it is for"
         " WebSocket, ws://here:1."),
        ("tls://here:1", " If that port is for WebSocket, quit and use wss://here:1."),
        ("ws://here:1", ""),
    ],
)  # fmt: skip
async def test_a_silent_port_is_soon_reported_with_a_hint(
    address: str, hint: str, autojump_clock: trio.abc.Clock
) -> None:
    server = MemoryServer()
    person = Person(server)
    person.client.state.server = address
    async with trio.open_nursery() as nursery:
        nursery.start_soon(person.play)
        line = await server.line()
        assert await person.told_of("server silent") == f"server silent so far.{hint}"
        assert trio.current_time() == HINT
        assert await line.hear_at() is None
        assert trio.current_time() == HELLO
    assert person.end == Leave(
        Exit.NO_SERVER,
        f"{address} does not answer like a ULCI server: no `uci` within {HELLO:g} s; check the"
        " port and the scheme (tcp, tls, ws, wss)",
    )


async def test_it_is_told_how_long_a_script_keeps_trying(autojump_clock: trio.abc.Clock) -> None:
    server = MemoryServer()
    person = Person(server, patience=20.0)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(person.play)
        line = await greeted(server)
        await person.told_of("welcome")
        await line.hang_up()
        assert (await person.told_of("lost")).endswith("trying again in 2 s, for 20 s more")
        person.session.leave()


async def test_while_the_first_server_is_down_one_plays_at_the_next(
    autojump_clock: trio.abc.Clock,
) -> None:
    down, up = MemoryServer("cannot reach one", address="one"), MemoryServer(address="two")
    person = Person(down, up)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(person.play)
        await greeted(up)
        await person.told_of("welcome")
        assert trio.current_time() == NEXT_PAUSE
        person.session.leave()
    assert person.told[:2] == ["lost cannot reach one, trying two in 1 s", "connected two"]


async def test_without_any_server_in_the_first_place_it_ends_after_each_was_tried(
    autojump_clock: trio.abc.Clock,
) -> None:
    person = Person(MemoryServer("cannot reach one"), MemoryServer("cannot reach two"))
    await person.play()
    assert person.end == Leave(Exit.NO_SERVER, "cannot reach two")


@pytest.mark.parametrize(("secret", "known"), [("s3cret", True), ("other", False)])
async def test_a_game_goes_on_at_another_server_if_that_knows_the_seat(
    secret: str, known: bool, autojump_clock: trio.abc.Clock
) -> None:
    one, two = MemoryServer(address="one"), MemoryServer(address="two")
    person = Person(one, two)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(person.play)
        line = await greeted(one)
        await person.told_of("welcome")
        await line.begin(white="Ada", black="Bob")
        line.ask()
        await person.told_of("your move")
        await line.hang_up()
        line = await two.line()
        await line.greet()
        assert ("resume", "s3cret") in line.ids
        line.lobby(f"welcome name Ada account no resume {secret}")
        await line.hear(Accept)
        person.session.leave()
    strange = [told for told in person.told if "two does not know the seat" in told]
    assert strange == [] if known else " kept at one: only servers of one cluster" in strange[0]
