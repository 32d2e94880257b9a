from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
import trio

from tests.support.fake_server import Line, fake_server
from tests.support.terminal_server import MemoryServer, greeted
from ulci.net import Address, RemoteServer
from ulci.protocol.messages import (
    Accept,
    BestMove,
    Claim,
    Decline,
    Draw,
    Info,
    Position,
    Quit,
    Resign,
    Seek,
    TellPlayer,
    Terms,
    Who,
)
from ulci_client.server_list import Server, ServerList
from ulci_client.terminal.model.confirm import FENCES
from ulci_client.terminal.model.state import ClientState, Exit, Leave, News, NewsKind, Page
from ulci_client.terminal.shell.client import Client
from ulci_client.terminal.shell.plain import (
    FENCE_AGAIN,
    LAST_ANSWER,
    LAST_WORD,
    Plain,
    plain_lines,
)


class Pipe:
    """What is typed into the client, and the lines that it prints."""

    def __init__(self) -> None:
        self._send, self._receive = trio.open_memory_channel[bytes](100)
        self.lines: list[str] = []
        self.broken = False
        self._printed = trio.Event()

    def type(self, text: str) -> None:
        self._send.send_nowait(text.encode())

    def close(self) -> None:
        self._send.close()

    async def read(self) -> bytes:
        try:
            return await self._receive.receive()
        except trio.EndOfChannel:
            return b""

    def write(self, line: str) -> None:
        if self.broken:
            raise BrokenPipeError
        self.lines.append(line)
        self._printed.set()
        self._printed = trio.Event()

    async def printed(self, line: str) -> None:
        with trio.fail_after(600):
            while line not in self.lines:
                await self._printed.wait()


class Program:
    """The client in plain mode, running until the end of the block."""

    def __init__(self, server: Server, *, wanted: Terms | None = None, **options: bool) -> None:
        self.pipe = Pipe()
        self.end: Leave | None = None
        client = Client(ClientState("Ada", "memory", wanted=wanted))
        self._plain = Plain(
            client, ServerList([server]), self.pipe.read, self.pipe.write, **options
        )

    async def run(self) -> None:
        self.end = await self._plain.run()


Test = Callable[[], Awaitable[None]]


async def test_a_game_from_a_pipe_against_a_server_on_a_socket() -> None:
    async with fake_server() as server, trio.open_nursery() as nursery:
        address = Address.parse(str(server.address))
        program = Program(RemoteServer(address), wanted=Terms(time="60+0"), hold=True)
        program.pipe.type("e4\nqh5\nfoo\nresign yes\n")
        program.pipe.close()
        nursery.start_soon(program.run)
        line = await server.line()
        await line.greet()
        line.lobby("welcome name Ada account no resume s3cret")
        assert await line.hear(Seek) == Seek(Terms(time="60+0"))
        await line.begin(42, "Ada", "Bob")
        line.ask()
        assert await line.hear(BestMove) == BestMove("e2e4")
        line.ask("e2e4", "e7e5")
        assert await line.hear(BestMove) == BestMove("d1h5")
        assert await line.hear(Resign) == Resign()
        line.finish(42, "0-1")
        await answer(line)
        assert await line.hear(Quit) == Quit()
        await line.hang_up()
    assert program.end == Leave(Exit.DONE)
    assert program.pipe.lines[1:] == [
        "welcome Ada",
        "you are white against Bob, chess 60+1",
        "your move",
        "move e2e4 (e4)",
        "move e7e5 (e5)",
        "your move",
        "move d1h5 (Qh5)",
        "error 'foo' is neither a move nor a command; help lists the commands",
        "result 0-1 resignation Black wins by resignation",
    ]


async def test_a_person_is_answered_at_once(autojump_clock: trio.abc.Clock) -> None:
    server = MemoryServer()
    program = Program(server)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(program.run)
        program.pipe.type("e4\n")
        await program.pipe.printed("error there is no game for a move; seek finds one")
        line = await greeted(server)
        await program.pipe.printed("welcome Ada")
        program.pipe.type("wh")
        program.pipe.type("o\n")
        assert await line.hear(Who) == Who()
        program.pipe.type("quit\n")
        assert await line.hear(Quit) == Quit()
    assert program.end == Leave(Exit.DONE)


async def test_a_piped_line_waits_for_the_connection(
    autojump_clock: trio.abc.Clock,
) -> None:
    server = MemoryServer()
    program = Program(server, hold=True)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(program.run)
        program.pipe.type("who")
        program.pipe.close()  # a last line without a newline counts
        line = await greeted(server)
        assert await line.hear(Who) == Who()
        line.lobby("who 1")
        line.lobby("player Ada kind human state idle")
        await answer(line)
        assert await line.hear(Quit) == Quit()
    assert program.pipe.lines[-2:] == ["Who is here", "  Ada human idle"]
    assert program.end == Leave(Exit.DONE)


async def answer(line: Line) -> None:
    """All that was typed before is answered."""
    line.lobby(f"error no-such-challenge nobody challenged you with {await fence(line)}")


async def fence(line: Line) -> int:
    """The number of the challenge that nobody made."""
    number = (await line.hear(Decline)).id
    assert number >= FENCES
    return number


async def test_a_fence_refused_as_too_fast_is_sent_again(
    autojump_clock: trio.abc.Clock,
) -> None:
    server = MemoryServer()
    program = Program(server, hold=True)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(program.run)
        program.pipe.type("tell Nobody hi\ne4\nquit\n")
        line = await greeted(server)
        await line.hear(TellPlayer)
        for _ in range(2):  # behind the words, and before the move that nobody will want
            await fence(line)
            line.lobby("error too-fast too many commands; retry-after 1")
        for _ in range(2):
            await answer(line)
        assert await line.hear(Quit) == Quit()
        assert trio.current_time() == pytest.approx(FENCE_AGAIN)
    assert program.end == Leave(Exit.DONE)
    assert program.pipe.lines[-1].startswith("error there is no game for a move")


@pytest.mark.parametrize("hold", [False, True], ids=["typed", "piped"])
async def test_the_end_of_the_input_leaves_as_soon_as_all_is_answered(
    hold: bool, autojump_clock: trio.abc.Clock
) -> None:
    server = MemoryServer()
    program = Program(server, hold=hold)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(program.run)
        line = await greeted(server)
        await program.pipe.printed("welcome Ada")
        program.pipe.type("tell Nobody hi\n")
        program.pipe.close()
        assert await line.hear(TellPlayer) == TellPlayer("Nobody", "hi")
        line.lobby('error no-such-player there is no "Nobody" here')
        await answer(line)
        await answer(line)
        assert await line.hear(Quit) == Quit()
    assert program.end == Leave(Exit.DONE)
    assert program.pipe.lines[-1] == 'error there is no "Nobody" here'


async def test_a_lively_lobby_does_not_keep_it_from_leaving_at_the_end_of_the_input(
    autojump_clock: trio.abc.Clock,
) -> None:
    server = MemoryServer()
    program = Program(server, hold=True)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(program.run)
        line = await greeted(server)
        program.pipe.close()
        async with trio.open_nursery() as lobby:
            lobby.start_soon(announce, line)
            while (await line.hear_at()) is not None:  # and it is never answered
                pass
            lobby.cancel_scope.cancel()
    assert program.end == Leave(Exit.DONE)
    assert trio.current_time() == pytest.approx(LAST_ANSWER, abs=0.1)


async def announce(line: Line) -> None:
    """Somebody seeks a game every second."""
    for number in range(1, 3600):
        line.lobby(f"seek {number} player Bob kind engine game chess time 60+0 color random")
        await trio.sleep(1)


async def test_without_a_lobby_the_end_of_the_input_is_waited_for_a_moment(
    autojump_clock: trio.abc.Clock,
) -> None:
    server = MemoryServer()
    program = Program(server)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(program.run)
        line = await server.line()
        await line.greet()
        program.pipe.close()
        assert await line.hear(Quit) == Quit()
        assert trio.current_time() == LAST_WORD
    assert program.end == Leave(Exit.DONE)


async def test_quit_in_a_pipe_does_not_drop_the_answer_to_what_was_asked_before(
    autojump_clock: trio.abc.Clock,
) -> None:
    server = MemoryServer()
    program = Program(server, hold=True)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(program.run)
        program.pipe.type("who\nquit\n")
        line = await greeted(server)
        assert await line.hear(Who) == Who()
        await trio.sleep(3)  # far away
        line.lobby("who 1")
        await answer(line)
        await trio.sleep(3)
        line.lobby("player Ada kind human state idle")
        assert await line.hear(Quit) == Quit()
    assert program.pipe.lines[-2:] == ["Who is here", "  Ada human idle"]


async def test_a_game_is_saved_from_a_pipe_with_the_result_that_the_line_before_it_brings(
    tmp_path: Path, autojump_clock: trio.abc.Clock
) -> None:
    server = MemoryServer()
    program = Program(server, hold=True)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(program.run)
        line = await greeted(server)
        await line.begin(42, "Ada", "Bob")
        program.pipe.type(f"e4\nsave {tmp_path}/one.pgn\nresign yes\nsave {tmp_path}/two.pgn\n")
        program.pipe.close()
        line.ask()
        await line.hear(BestMove)
        await answer(line)
        await trio.sleep(1)
        assert not (tmp_path / "one.pgn").exists()
        line.say(Position(None, ("e2e4",)))
        assert await line.hear(Resign) == Resign()
        await answer(line)  # before the result is written down
        await trio.sleep(1)
        line.finish(42, "0-1")
        await answer(line)
        assert await line.hear(Quit) == Quit()
    assert program.pipe.lines[-3:-1] == [
        f"ok saved {tmp_path}/one.pgn, not over yet",
        "result 0-1 resignation Black wins by resignation",
    ]
    assert program.pipe.lines[-1] == f"ok saved {tmp_path}/two.pgn"
    assert '[Result "0-1"]' in (tmp_path / "two.pgn").read_text()


async def test_a_claim_that_is_refused_keeps_nothing_from_being_saved(
    tmp_path: Path, autojump_clock: trio.abc.Clock
) -> None:
    server = MemoryServer()
    program = Program(server, hold=True)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(program.run)
        line = await greeted(server)
        await line.begin(42, "Ada", "Bob")
        program.pipe.type(f"e4\nclaim draw\nsave {tmp_path}/one.pgn\n")
        line.ask()
        await line.hear(BestMove)
        line.say(Position(None, ("e2e4",)))
        await line.hear(Claim)
        line.lobby("error no-claim there is nothing to claim")
        await answer(line)
        await program.pipe.printed(f"ok saved {tmp_path}/one.pgn, not over yet")
        program.pipe.close()
        await line.hang_up()
        nursery.cancel_scope.cancel()


async def test_moves_that_are_left_when_the_game_is_over_do_not_keep_it_from_leaving(
    autojump_clock: trio.abc.Clock,
) -> None:
    server = MemoryServer()
    program = Program(server, hold=True)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(program.run)
        line = await greeted(server)
        await line.begin(42, "Ada", "Bob")
        program.pipe.type("e4\nd4\n")
        program.pipe.close()
        line.ask()
        await line.hear(BestMove)
        line.finish(42, "1-0")
        for _ in range(2):
            await answer(line)
        assert await line.hear(Quit) == Quit()
    assert program.end == Leave(Exit.DONE)
    assert program.pipe.lines[-1] == "error the game is over: White wins by resignation"


async def test_a_move_waits_for_the_game_that_the_line_before_it_asks_for(
    autojump_clock: trio.abc.Clock,
) -> None:
    server = MemoryServer()
    program = Program(server, hold=True)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(program.run)
        line = await greeted(server)
        program.pipe.type("accept 17\ne4\nresign yes\n")
        program.pipe.close()
        assert await line.hear(Accept) == Accept(17)
        number = await fence(line)
        line.lobby("game 1 start white Ada black Bob game chess time 60+1 rated no")
        line.lobby(f"error no-such-challenge nobody challenged you with {number}")
        line.ask()
        assert await line.hear(BestMove) == BestMove("e2e4")
        assert await line.hear(Resign) == Resign()
        line.finish(1, "0-1")
        await answer(line)
        assert await line.hear(Quit) == Quit()


async def test_an_open_question_at_the_end_of_the_input_ends_the_program(
    autojump_clock: trio.abc.Clock,
) -> None:
    server = MemoryServer()
    program = Program(server, hold=True)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(program.run)
        line = await greeted(server)
        await line.begin(42, "Ada", "Bob")
        program.pipe.type("e4\nresign\n")
        program.pipe.close()
        line.ask()
        await line.hear(BestMove)
        await answer(line)
        assert await line.hear(Quit) == Quit()
    assert program.end == Leave(Exit.MID_GAME)


async def test_after_the_last_line_the_opponents_answer_is_awaited(
    autojump_clock: trio.abc.Clock,
) -> None:
    server = MemoryServer()
    program = Program(server, hold=True)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(program.run)
        line = await greeted(server)
        await line.begin(1, "Ada", "Bob")  # or else the move may seem to belong to no game
        program.pipe.type("e4\ndraw\n")
        program.pipe.close()
        line.ask()
        await line.hear(BestMove)
        assert await line.hear(Draw) == Draw()
        await trio.sleep(100)
        line.ask("e2e4", "e7e5")
        await answer(line)
        assert await line.hear(Quit) == Quit()
    assert program.end == Leave(Exit.MID_GAME)


async def test_moves_are_told_in_words_to_who_hears_them(autojump_clock: trio.abc.Clock) -> None:
    server = MemoryServer()
    program = Program(server, spoken=True)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(program.run)
        line = await greeted(server)
        await line.begin(1, "Bob", "Ada")
        line.ask("e2e4")
        await program.pipe.printed("your move")
        assert "White: pawn e2 to e4." in program.pipe.lines
        line.say(Info(string="result 1-0 reason time"))
        # Until this is said, to leave is to leave the game, which asks whether one is sure.
        await program.pipe.printed("result 1-0 time White wins on time")
        program.pipe.type("quit\n")
        await line.end()


async def test_it_leaves_when_its_output_is_closed(autojump_clock: trio.abc.Clock) -> None:
    server = MemoryServer()
    program = Program(server)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(program.run)
        line = await greeted(server)
        await program.pipe.printed("welcome Ada")
        program.pipe.broken = True
        line.lobby("say Bob hello?")
        assert await line.hear(Quit) == Quit()
    assert program.end == Leave(Exit.DONE)


async def test_an_unreachable_server_ends_it() -> None:
    program = Program(MemoryServer("nobody there"))
    await program.run()
    assert program.end == Leave(Exit.NO_SERVER, "nobody there")


def test_pages_are_printed_indented_under_their_title() -> None:
    assert [*plain_lines(Page("Moves", ("1. e4",)))] == ["Moves", "  1. e4"]
    assert [*plain_lines(News(NewsKind.OK, "Fine."))] == ["ok Fine."]
    move = News(NewsKind.MOVE, "White: pawn e2 to e4.", "move e2e4 (e4)")
    assert [*plain_lines(move)] == ["move e2e4 (e4)"]
    assert [*plain_lines(move, spoken=True)] == ["move e2e4 (e4)", "White: pawn e2 to e4."]
