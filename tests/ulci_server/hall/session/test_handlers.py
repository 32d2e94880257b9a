"""What a client says: introduction, moves, words, and every fault that it can make."""

import pytest
import trio
import trio.testing
from structlog.testing import capture_logs

from tests.support.clients import memory_client
from ulci.net import EmptyLines
from ulci.net.empty_lines import LINES
from ulci.protocol import DIALECTS, Role
from ulci.protocol.messages import (
    BestMove,
    Blame,
    CopyProtection,
    Go,
    Hello,
    Id,
    Info,
    Position,
    Quit,
    Register,
    Registration,
    Report,
    Score,
    Status,
    Unknown,
)
from ulci.rules import GAMES, Reason
from ulci_server.game import Controls, GameFinished, MovePlayed, Reported
from ulci_server.hall.session.connection import ERROR_BURST
from ulci_server.lobby import Pool


async def test_a_client_that_never_says_uciok_is_told_and_closed(autojump_clock, server):
    async with server() as h:
        client = h.connect()
        await client.hear(Hello)
        began = trio.current_time()
        await client.hear_the_end()
        assert client.reports() == ["no uciok within 10 s; retry-after 1"]
        assert trio.current_time() - began >= 10


async def test_a_client_that_says_quit_before_its_uciok_has_its_reason_in_the_log(
    autojump_clock, server
):
    async with server() as h:
        with capture_logs() as logs:
            client = h.connect()
            await client.hear(Hello)
            client.say(Id("name", "Fish"), Quit())
            await trio.testing.wait_all_tasks_blocked()
    [left] = [entry for entry in logs if entry["event"] == "left before its uciok"]
    assert left["why"] == "it said quit"


async def test_a_client_that_was_sent_away_before_its_uciok_has_its_reason_in_the_log(
    autojump_clock, server
):
    async with server() as h:
        with capture_logs() as logs:
            await h.connect().hear_the_end()
    [left] = [entry for entry in logs if entry["event"] == "left before its uciok"]
    assert left["why"] == "no uciok within 10 s; retry-after 1"


async def test_those_who_leave_before_their_uciok_do_not_fill_the_log(autojump_clock, server):
    crowd = 200
    async with server() as h:
        with capture_logs() as logs:
            for _ in range(crowd):
                client = h.connect()
                await client.hear(Hello)
                client.say(Unknown("xyzzy"), Quit())
                await trio.testing.wait_all_tasks_blocked()
            assert sum(entry["log_level"] != "debug" for entry in logs) < crowd / 2
            await trio.sleep(3600)
            logs.clear()
            client = h.connect()
            await client.hear(Hello)
            client.say(Quit())
            await trio.testing.wait_all_tasks_blocked()
    [left] = [entry for entry in logs if entry["event"] == "left before its uciok"]
    assert int(left["left_out"]) > crowd / 2


async def uti_engine(h):
    """An engine at a UTI listener that is ready for its game; it writes what it says as it is."""
    near, client = memory_client()
    near.connection.dialect = DIALECTS["uti"](Role.SERVER)
    h._nursery.start_soon(h._welcome, near, "tictactoe")

    async def write(*lines: str) -> None:
        for line in lines:
            client.peer._write(f"{line}\n".encode())
            await trio.testing.wait_all_tasks_blocked()

    await write("utiok", "readyok")
    return write


async def test_the_words_with_which_a_uti_engine_makes_no_move_are_in_the_record(
    autojump_clock, server
):
    pool = Pool("tictactoe", GAMES["tictactoe"], Controls.parse("60+1"), (None,))
    async with server(pool) as h:
        white, black = await uti_engine(h), await uti_engine(h)
        await white("readyok")
        await black("readyok", *["CommandNotKnowError SetboardIncorrect"] * 6)
        await white(*["CommandNotKnowError SetboardIncorrect"] * 6)
        said = "CommandNotKnowError SetboardIncorrect: the board is incorrect"
        assert f"clienterror {said}" in [fact.text for fact in h.journal.kinds(Reported)]
        [end] = h.journal.kinds(GameFinished)
        assert end.outcome.reason is Reason.ILLEGAL_MOVE
        assert end.detail.endswith(f"; its program said: {said}")


async def test_an_engine_that_says_why_it_has_no_move_is_quoted(autojump_clock, server):
    async with server() as h:
        white, black = await h.engines()
        await white.be_asked()
        white.say(Report(Blame.CLIENT, "an old fault"), BestMove("e2e4"))
        await black.move("e7e5")
        await white.be_asked()
        white.say(Report(Blame.CLIENT, "invalid position" * 50), BestMove("0000"))
        await trio.testing.wait_all_tasks_blocked()
        [end] = h.journal.kinds(GameFinished)
        assert "an old fault" not in end.detail
        assert "its program said: invalid position" in end.detail
        assert len(end.detail) < 600


async def test_what_was_said_before_a_move_is_not_in_the_reason(autojump_clock, server):
    async with server() as h:
        white, _ = await h.engines()
        await white.be_asked()
        white.say(Report(Blame.CLIENT, "low memory"), BestMove("e2e5"))
        await trio.testing.wait_all_tasks_blocked()
        [end] = h.journal.kinds(GameFinished)
        assert "low memory" not in end.detail


async def test_a_second_bestmove_is_ignored_and_named(autojump_clock, server):
    async with server() as h:
        ada, bob = await h.people()
        await ada.move("e2e4")
        await bob.be_asked()
        ada.say(Unknown("bestmove d2d4"))
        await trio.testing.wait_all_tasks_blocked()
        bob.say(BestMove("e7e5"))
        await ada.be_asked()
        assert any("bestmove" in text for text in ada.reports())
        assert [move.move for move in h.journal.kinds(MovePlayed)] == ["e2e4", "e7e5"]


async def test_nonsense_without_end_is_closed(autojump_clock, server):
    async with server() as h:
        client = await h.person("Ada")
        for _ in range(30):
            client.say(Unknown("blah blah"))
        heard = await client.hear_the_end()
        assert "in a row" in client.reports()[-1]
        assert heard


async def test_complaints_of_empty_lines_are_no_nonsense(autojump_clock, server):
    async with server() as h:
        session, client = await h.program("Fish")
        lines = session.connection.peer.empty_lines = EmptyLines(trio.current_time())
        assert lines.send(trio.current_time())
        for _ in range(LINES):
            client.say(Unknown("Unknown command:"))
        await trio.testing.wait_all_tasks_blocked()
        assert not session.connection.gone
        for _ in range(30):
            client.say(Unknown("Unknown command:"))
        await client.hear_the_end()
        assert "in a row" in client.reports()[-1]


async def test_an_unknown_word_is_answered_with_those_that_are_known(autojump_clock, server):
    async with server() as h:
        client = await h.person("Ada")
        client.say(Unknown("dance"))
        assert "seek" in await client.hear_line("error unknown-word")


@pytest.mark.parametrize("status", [Status.CHECKING, Status.OK])
async def test_copy_protection_may_be_checked(autojump_clock, server, status):
    async with server() as h:
        client = await h.person("Ada")
        client.say(CopyProtection(status), Registration(Status.CHECKING))
        client.say(Unknown("dance"))
        await client.hear_line("error unknown-word")


async def test_copyprotection_error_is_refused(autojump_clock, server):
    async with server() as h:
        client = await h.engine("A")
        client.say(CopyProtection(Status.ERROR))
        await client.hear_the_end()


async def test_registration_error_is_answered_by_register_later(autojump_clock, server):
    async with server() as h:
        client = await h.engine("A")
        client.say(Registration(Status.ERROR))
        assert await client.hear(Register) == Register()


async def answers(client) -> list[object]:
    """All that it is told until nothing more comes."""
    heard = len(client.heard)
    with trio.move_on_after(1):
        await client.hear(Hello)
    return client.heard[heard:]


async def test_register_later_is_said_once(autojump_clock, server):
    async with server() as h:
        client = await h.engine("A")
        for _ in range(1000):
            client.say(Registration(Status.ERROR))
        assert (await answers(client)).count(Register()) == 1


@pytest.mark.parametrize(
    "faults",
    [("resign",), ("dance", "info depth 1"), ("seek",), ("bestmove e2e4", "info depth 1")],
)
async def test_faults_are_answered_until_there_are_too_many(autojump_clock, server, faults):
    async with server() as h:
        client = await h.person("Ada")
        for _ in range(1000):
            client.say(*map(Unknown, faults))
            await trio.testing.wait_all_tasks_blocked()
        assert ERROR_BURST <= len(await answers(client)) <= 3 * ERROR_BURST


async def test_who_is_closed_for_too_many_faults_is_told_so_all_the_same(autojump_clock, server):
    async with server() as h:
        client = await h.person("Ada")
        for _ in range(ERROR_BURST):
            client.say(Unknown("dance"), Info(depth=1))
            await trio.testing.wait_all_tasks_blocked()
        for _ in range(30):
            client.say(Unknown("blah blah"))
        await client.hear_the_end()
        assert "in a row" in client.reports()[-1]


@pytest.mark.parametrize("word", ["resign", "draw", "abort"])
async def test_words_for_a_game_need_one(autojump_clock, server, word):
    async with server() as h:
        client = await h.person("Ada")
        client.say(Unknown(word))
        await client.hear_line("error no-game")


async def test_hanging_up_in_the_middle_of_the_introduction_is_no_event(autojump_clock, server):
    async with server() as h:
        client = h.connect()
        await client.hear(Hello)
        client.say(Id("name", "A"))
        await client.peer.aclose()
        await trio.testing.wait_all_tasks_blocked()
        assert h.hall.tables == {}


async def test_quit_during_the_introduction_ends_it(autojump_clock, server):
    async with server() as h:
        client = h.connect()
        await client.hear(Hello)
        client.say(Quit())
        await client.hear_the_end()


async def test_an_answer_to_an_earlier_go_is_never_played(autojump_clock, server):
    async with server() as h:
        ada, bob = await h.people()
        await ada.be_asked()
        ada.say(BestMove("e2e5"))
        await ada.be_asked()
        assert isinstance(ada.heard[-1], Go)
        assert h.journal.kinds(MovePlayed) == []
        ada.say(BestMove("e2e4"))
        await bob.be_asked()


async def test_of_several_variations_the_first_is_stored(autojump_clock, server):
    async with server() as h:
        white, _ = await h.engines()
        await white.be_asked()
        for number, score in ((1, 30), (2, -50)):
            white.say(Info(depth=9, multipv=number, score=Score(cp=score), pv=("e2e4",)))
        white.say(BestMove("e2e4"))
        await trio.testing.wait_all_tasks_blocked()
        [played] = h.journal.kinds(MovePlayed)
        assert played.info.score == Score(cp=30)


async def hang_up_in_the_middle(client, said: str) -> None:
    """These are the last bytes of its line."""
    client.peer._write(said.encode())
    await client.peer.aclose()
    await trio.testing.wait_all_tasks_blocked()


async def test_a_move_that_may_have_been_cut_off_is_not_played_if_its_player_can_come_back(
    autojump_clock, server
):
    async with server() as h:
        ada, bob = await h.people()
        await ada.be_asked()
        await hang_up_in_the_middle(ada, "bestmove e2e4")
        assert h.journal.kinds(MovePlayed) == []
        await bob.hear_line("game 1 opponent away")
        again = h.connect()
        await again.introduce(
            Id("username", "Ada"), Id("feature", "lobby"), Id("resume", ada.secret)
        )
        await again.get_ready()
        await again.move("e2e4")
        await bob.be_asked()
        assert [move.move for move in h.journal.kinds(MovePlayed)] == ["e2e4"]


async def test_neither_is_a_word_to_the_opponent(autojump_clock, server):
    async with server() as h:
        ada, bob = await h.people()
        await ada.move("e2e4")
        await bob.be_asked()
        await hang_up_in_the_middle(ada, "givetime 1")
        await bob.hear_line("game 1 opponent away")
        assert not any("givetime" in str(message) for message in bob.heard)


async def test_the_last_move_of_who_cannot_come_back_counts_as_it_came(autojump_clock, server):
    async with server() as h:
        white, black = await h.engines()
        await white.be_asked()
        await hang_up_in_the_middle(white, "bestmove e2e4")
        await black.hear(Position)
        assert [move.move for move in h.journal.kinds(MovePlayed)] == ["e2e4"]


async def test_the_whole_last_line_of_a_connection_is_played(autojump_clock, server):
    async with server() as h:
        ada, bob = await h.people()
        await ada.be_asked()
        await hang_up_in_the_middle(ada, "bestmove e2e4\n")
        await bob.be_asked()
        assert [move.move for move in h.journal.kinds(MovePlayed)] == ["e2e4"]
