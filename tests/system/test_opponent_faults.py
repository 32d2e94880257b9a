"""``ulci opponent`` when something breaks: its line, its GUI, its machine, and what GUIs say that
they should not."""

import os
import pty
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio

from tests.support.bridges import wire
from tests.support.guis import OPPONENT, Remote, UciGui, XboardGui, gui, opponent_command, remote
from tests.support.servers import PATIENCE, Server, hosting, until
from ulci.protocol.messages import BestMove, Position, Resign
from ulci.wire_log import conversation

pytestmark = pytest.mark.system

KINDS = pytest.mark.parametrize("kind", [UciGui, XboardGui], ids=["uci", "xboard"])

GAME = (
    *("e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5a4", "g8f6", "e1g1", "f8e7"),
    *("f1e1", "b7b5", "a4b3", "d7d6", "c2c3", "e8g8", "h2h3", "c6a5", "b3c2", "c7c5"),
)


@asynccontextmanager
async def in_game(
    server: Server, kind: type[UciGui], *options: str
) -> AsyncIterator[tuple[UciGui, Remote]]:
    """The GUI's end, which has played 1. e4, and Bob, who is to answer. Bob resigns at the end."""
    ours = ("--opponent", "Bob", "--name", "Ada", "--protocol", kind.protocol, *options)
    async with remote(server) as bob, gui(server, *ours) as engine:
        await bob.join()
        face = kind(engine)
        await face.start()
        await bob.accept()
        await begin(face, bob)
        yield face, bob
        # A server that is to end waits for its games.
        bob.say(Resign())
        while " over " not in await bob.hear_line("game"):
            pass


async def begin(face: UciGui, bob: Remote) -> None:
    """The game that was agreed on, to 1. e4."""
    await face.ready()
    await face.ask("e2e4")
    await bob.get_ready()
    await bob.be_asked()


@KINDS
async def test_a_line_may_break_within_any_word(tmp_path, kind):
    def allowance(call: int) -> int:
        return 900 + 37 * call % 200

    with hosting(tmp_path, "60") as server:
        async with wire(server.port(), allowance) as wired:
            away = ("--server", f"tcp://127.0.0.1:{wired.port}")
            async with in_game(server, kind, *away) as (face, bob):
                bob.say(BestMove(GAME[1]))
                assert await face.answer() == GAME[1]
                for ply in range(2, len(GAME), 2):
                    await face.ask(*GAME[: ply + 1])
                    await bob.move(GAME[ply + 1])
                    assert await face.answer() == GAME[ply + 1]
                assert wired.calls > 2
        [game] = server.finished(1)
    assert [move["move"] for move in game["moves"]] == [*GAME]


@KINDS
async def test_a_suspended_machine_goes_on_with_its_game(tmp_path, kind):
    with hosting(tmp_path, "60") as server:
        async with in_game(server, kind) as (face, bob):
            face.gui.process.send_signal(signal.SIGSTOP)
            bob.say(BestMove("e7e5"))
            await bob.hear(Position)  # the server has told both
            face.gui.process.send_signal(signal.SIGCONT)
            assert await face.answer() == "e7e5"
            await face.ask("e2e4", "e7e5", "g1f3")
            await bob.move("b8c6")
            assert await face.answer() == "b8c6"


@KINDS
@pytest.mark.parametrize("how", ["input", "both"])
async def test_a_gui_that_dies_leaves_a_player_who_is_away(tmp_path, kind, how):
    with hosting(tmp_path, "60") as server:
        async with in_game(server, kind) as (face, bob):
            process = face.gui.process
            assert process.stdin is not None
            assert process.stdout is not None
            if how == "both":
                await process.stdout.aclose()
                bob.say(BestMove("e7e5"))
            await process.stdin.aclose()
            with trio.fail_after(PATIENCE):
                assert await process.wait() == 0
            await bob.hear_line("game 1 opponent away")


@KINDS
async def test_a_game_that_the_gui_drops_is_left_and_another_one_begins(tmp_path, kind):
    with hosting(tmp_path, "60") as server:
        async with in_game(server, kind, "--resign-on-quit") as (face, bob):
            await face.new_game()
            await bob.hear_line("game 1 over result 0-1 reason resignation")
            await bob.end_search()
            await bob.accept()
            await begin(face, bob)
            bob.say(BestMove("e7e5"))
            assert await face.answer() == "e7e5"


async def test_a_gui_that_hurries_and_contradicts_itself_is_answered_and_the_game_goes_on(tmp_path):
    with hosting(tmp_path, "60") as server:
        async with in_game(server, UciGui) as (face, bob):
            engine = face.gui
            asked = "position startpos moves e2e4"
            # Twice at once, and stopped at once.
            await engine.say("go movetime 5", "stop")
            for _ in range(2):
                assert await face.answer() == "(none)"
            # Pondering and analysis do not concern the remote player.
            for go in ("go ponder wtime 1 btime 1", "go infinite"):
                await engine.say(asked, go, "stop")
                assert await face.answer() == "(none)"
            # Back to the start, and on to somewhere else.
            await engine.move("")
            assert await face.answer() == "(none)"
            await engine.move("d2d4 d7d5 c2c4")
            assert await face.answer() == "(none)"
            # Options that are wrong, unknown, or said twice.
            wrong = ("Color value pink", "Hash value 5", "Time value abc", "Opponent value", "")
            await engine.say(*(f"setoption name {option}" for option in wrong * 2), "isready")
            await engine.hear("readyok")
            await engine.move("e2e4")
            bob.say(BestMove("e7e5"))
            assert await face.answer() == "e7e5"


@pytest.mark.parametrize(("signals", "codes"), [(1, {0}), (2, {0, -signal.SIGINT})])
async def test_ctrl_c_in_a_terminal_ends_it_without_a_word(tmp_path, signals, codes):
    """A second one may come when its command has ended already, and ends what is left of it."""
    with hosting(tmp_path, "60") as server:
        master, slave = pty.openpty()
        errors, log = tmp_path / "errors", tmp_path / "log"
        with errors.open("w") as file:
            process = await trio.lowlevel.open_process(
                opponent_command(server, "--opponent", "Bob", "--wire-log", str(log)),
                stdin=slave, stdout=slave, stderr=file, start_new_session=True,
            )  # fmt: skip
        os.close(slave)
        try:
            os.write(master, b"uci\nucinewgame\nisready\n")
            await until(lambda: log.exists() and "no-such-player" in log.read_text(), "it asks")
            for _ in range(signals):
                process.send_signal(signal.SIGINT)
            with trio.fail_after(PATIENCE):
                assert await process.wait() in codes
        finally:
            process.kill()
            os.close(master)
    assert errors.read_text() == ""
    spoken = [(who, entry.event, entry.text) for who, entry in conversation(log)]
    assert spoken.index(("gui", "heard", "ucinewgame")) < spoken.index(("server", "heard", "uci"))
    assert ("gui", "said", "uciok") in spoken
    assert ("gui", "happened", "signal SIGINT") in spoken


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--time", "abc"), "expected a time and what each move adds, such as 5m+3s"),
        (("--opponent", "Ada L"), "expected one word"),
        (("--wire-log", "/nowhere/at/all"), "cannot write the wire log /nowhere/at/all"),
    ],
)
async def test_wrong_terms_are_refused_at_once(options, told):
    done = await trio.run_process(
        [*OPPONENT, *options], capture_stderr=True, capture_stdout=True, check=False
    )
    assert done.returncode == 2
    assert told in done.stderr.decode()
