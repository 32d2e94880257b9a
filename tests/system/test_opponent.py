"""``ulci opponent`` with GUIs whose every line is written here: what happens beside the moves."""

import pytest

from tests.support.guis import Remote, UciGui, XboardGui, gui, remote
from tests.support.servers import hosting
from ulci.protocol.messages import BestMove, Draw, Go, Resign

pytestmark = pytest.mark.system


@pytest.mark.parametrize("kind", [UciGui, XboardGui], ids=["uci", "xboard"])
async def test_every_end_of_a_game_is_told_in_the_words_that_the_protocol_has(tmp_path, kind):
    options = ("--opponent", "Bob", "--games", "4", "--protocol", kind.protocol)
    with hosting(tmp_path, "10") as server:
        async with remote(server) as bob, gui(server, *options) as engine:
            await bob.join()
            face = kind(engine)
            await face.start()
            assert "color later" in await bob.accept()

            async def begin() -> None:
                """1. e4 by the GUI; Bob is asked."""
                await face.ready()
                await face.ask("e2e4")
                await bob.get_ready()
                await bob.be_asked()

            await begin()
            bob.say(Resign())
            assert await face.told_of("1-0 reason resignation") == face.resigned
            await bob.end_search()

            await face.new_game()
            await begin()
            bob.say(BestMove("e7e5"))
            assert await face.answer() == "e7e5"
            await face.ask("e2e4", "e7e5", "g1f3")  # and Bob's clock runs out
            assert await face.told_of("1-0 reason time") == face.flagged
            await bob.end_search()

            await face.new_game()
            await begin()
            await face.offer_draw()
            await bob.hear_line("game 3 offer draw")
            bob.say(Draw())
            assert await face.told_of("1/2-1/2 reason agreement") == face.drawn
            await bob.end_search()

            await face.new_game()
            await begin()
            bob.say(BestMove("e7e5"))
            assert await face.answer() == "e7e5"
            await face.resign()
            await bob.hear_line("game 4 over result 0-1 reason resignation")
            assert await engine.end() == 0
        ends = [(game["result"], game["reason"]) for game in server.finished(4)]
    assert ends == [
        ("1-0", "resignation"), ("1-0", "time"), ("1/2-1/2", "agreement"), ("0-1", "resignation"),
    ]  # fmt: skip


async def test_the_next_ply_survives_lost_lines_and_a_server_that_is_killed(tmp_path):
    with hosting(tmp_path, "60") as server:
        options = ("--opponent", "Bob", "--human", "--name", "Ada")
        async with gui(server, *options) as engine:
            face = UciGui(engine)
            async with remote(server) as bob:
                await bob.join()
                await face.start()
                await bob.accept()
                await face.ready()
                await engine.move("e2e4")
                await bob.get_ready()
                await bob.be_asked()
                secret = bob.secret
            # Bob's line is lost; he comes back and moves.
            await engine.hear("info string Bob is away")
            async with remote(server) as bob:
                await come_back(bob, secret)
                bob.say(BestMove("e7e5"))
                assert await face.answer() == "e7e5"
                secret = bob.secret
                server.kill()
            # The GUI moves while nobody is there to hear it.
            await engine.move("e2e4 e7e5 g1f3")
            server.start_again()
            async with remote(server) as bob:
                await come_back(bob, secret)
                bob.say(BestMove("b8c6"))
                assert await face.answer() == "b8c6"
                # And leaves for good: the rule of the absent.
                assert await engine.end() == 0
                await bob.hear_line("game 1 opponent away")
                bob.say(Resign())
                await bob.hear_line("game 1 over")
        [game] = server.finished(1)
        moves = [move["move"] for move in game["moves"]]
        assert moves == ["e2e4", "e7e5", "g1f3", "b8c6"]
        assert game["white"]["name"] == "Ada"


async def come_back(bob: Remote, secret: str) -> None:
    """Take the seat again, until asked for the move."""
    bob.secret = await bob.come_back("Bob", secret)
    await bob.get_ready()
    await bob.hear(Go)


@pytest.mark.parametrize(
    ("white", "black"),
    [(UciGui, UciGui), (XboardGui, XboardGui), (UciGui, XboardGui), (XboardGui, UciGui)],
    ids=["uci-uci", "xboard-xboard", "uci-xboard", "xboard-uci"],
)
async def test_the_guis_of_two_play_each_other(tmp_path, white, black):
    ours = ("--color", "white", "--name", "Ada", "--protocol", white.protocol, "--resign-on-quit")
    theirs = ("--color", "black", "--name", "Bob", "--protocol", black.protocol)
    if white is black:  # they seek; the others challenge each other
        ours, theirs = (*ours, "--opponent", "Bob"), (*theirs, "--opponent", "Ada")
    with hosting(tmp_path, "30") as server:
        async with gui(server, *ours) as ada, gui(server, *theirs) as bob:
            one, other = white(ada), black(bob)
            await one.start()
            await other.start()
            await one.ready()
            await other.ready()
            await other.ask()  # Bob's GUI wants White's move
            await one.ask("e2e4")
            assert await other.answer() == "e2e4"
            await other.ask("e2e4", "c7c5")
            assert await one.answer() == "c7c5"
            await one.ask("e2e4", "c7c5", "g1f3")
            assert await other.answer() == "g1f3"
            await other.ask("e2e4", "c7c5", "g1f3", "d7d6")
            assert await one.answer() == "d7d6"
            assert await ada.end() == 0
            assert await other.told_of("0-1 reason resignation") == other.resigned
            assert await bob.end() == 0
        [game] = server.finished(1)
    assert (game["result"], game["reason"]) == ("0-1", "resignation")


async def test_two_guis_that_both_wait_for_their_color_are_told_so(tmp_path):
    with hosting(tmp_path, "30") as server:
        async with (
            gui(server, "--opponent", "Bob", "--name", "Ada") as ada,
            gui(server, "--name", "Bob") as bob,
        ):
            await UciGui(bob).start()
            await UciGui(ada).start()
            told = await ada.hear("info string no opponent: Bob declines the challenge")
            assert "give one side --color white or black" in told


async def test_chess960_starts_of_the_gui_are_played_and_a_difference_is_told(tmp_path):
    start = "fen bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"
    with hosting(tmp_path, "30") as server:
        async with remote(server) as bob, gui(server, "--opponent", "Bob") as engine:
            await bob.join()
            face = UciGui(engine)
            opponent = "UCI_Opponent value none none computer Deep Test"
            await face.start("UCI_Chess960 value true", opponent)
            assert " player Deep_Test kind engine game chess960 " in await bob.accept()
            await face.ready()
            await engine.move(start=start)  # Bob has White here
            await bob.get_ready()
            assert await bob.hear_line("game 1 start white Bob black Deep_Test")
            await bob.move("e1f3")
            assert await face.answer() == "e1f3"
            await engine.move("e1f3 e6e5 a2c3 b7b6", start)
            told = await engine.hear("info string position differs")
            assert told == "info string position differs at ply 2: here e6e5, server nothing yet"
            assert await face.answer() == "(none)"
            await engine.move("e1f3 f6d5", start)
            await bob.move("f3g5")
            assert await face.answer() == "f3g5"
            await engine.say("stop", "isready")
            await engine.hear("readyok")
            bob.say(Resign())
            assert await bob.hear_line("game 1 over result 0-1")
            assert await engine.end() == 0
