"""A table: effects are performed in order, and nothing is told before it is durable."""

import pytest
import trio
import trio.testing

from ulci.protocol.messages import BestMove, Go, Info, NewGame, Position, Quit, Report, Stop
from ulci.rules import GAMES, Outcome, Reason, Side
from ulci_server.game import Controls, Game, GameFinished, GameStarted, LagRule, MovePlayed
from ulci_server.hall.session.local_player import LocalPlayer
from ulci_server.lobby import Pool, PoolRules


async def test_the_path_of_a_move(autojump_clock, server):
    async with server() as h:
        white, black = await h.engines()
        go = await white.be_asked()
        assert (go.wtime, go.btime, go.winc, go.binc) == (60_000, 60_000, 1000, 1000)
        await trio.sleep(3)
        white.say(Info(depth=5, pv=("e2e4",)), BestMove("e2e4"))
        go = await black.be_asked()
        assert (go.wtime, go.btime) == (58_000, 60_000)
        assert black.heard[-2] == Position(None, ("e2e4",))
        [move] = h.journal.kinds(MovePlayed)
        assert (move.ply, move.side, move.move, move.spent, move.left) == (
            1,
            Side.WHITE,
            "e2e4",
            3000,
            58_000,
        )


async def test_a_move_is_told_to_nobody_before_it_is_durable_and_nobody_pays_for_the_disk(
    autojump_clock, server
):
    async with server() as h:
        white, black = await h.engines()
        await white.be_asked()
        h.journal.hold()
        await trio.sleep(1)
        white.say(BestMove("e2e4"))
        with trio.move_on_after(50) as waited:
            await black.be_asked()
        assert waited.cancelled_caught
        h.journal.release()
        go = await black.be_asked()
        assert (go.wtime, go.btime) == (60_000, 60_000)
        await trio.sleep(2)
        black.say(BestMove("e7e5"))
        assert (await white.be_asked()).btime == 59_000


@pytest.mark.parametrize(
    ("rule", "asked_of"),
    [
        (LagRule.NONE, []),
        (LagRule.QUOTA, ["A", "B", "A"]),
        (LagRule.EQUALISED, ["A", "B", "A", "B", "A", "B"]),
    ],
)
async def test_only_those_lines_are_measured_that_the_rule_needs(
    autojump_clock, server, monkeypatch, rule, asked_of
):
    measured: list[str] = []
    monkeypatch.setattr(LocalPlayer, "round_trip", lambda it: measured.append(it.handle))
    pool = Pool(
        "chess", GAMES["chess"], Controls.parse("60"), (None,), pool_rules=PoolRules(lag=rule)
    )
    async with server(pool) as h:
        white, black = await h.engines()
        await white.move("e2e4")
        await black.move("e7e5")
        await white.be_asked()
        assert measured == asked_of


async def test_a_resignation_while_the_disk_is_slow_comes_after_the_move(autojump_clock, server):
    from ulci.protocol.messages import Resign

    async with server() as h:
        ada, bob = await h.people()
        await ada.be_asked()
        h.journal.hold()
        ada.say(BestMove("e2e4"), Resign())
        await trio.testing.wait_all_tasks_blocked()
        assert not any(isinstance(m, Position) and m.moves for m in bob.heard)
        h.journal.release()
        assert "result 0-1 reason resignation" in await bob.hear_line("game 1 over")
        [move] = h.journal.kinds(MovePlayed)
        [end] = h.journal.kinds(GameFinished)
        assert (move.move, end.outcome) == ("e2e4", Outcome(Side.BLACK, Reason.RESIGNATION))


async def test_a_flag_falls_by_itself_at_its_moment(autojump_clock, server):
    async with server() as h:
        white, black = await h.engines()
        await white.move("e2e4")
        await black.move("e7e5")
        await white.be_asked()
        began = trio.current_time()
        await white.hear(Stop)
        assert round(trio.current_time() - began, 6) == 61
        [end] = h.journal.kinds(GameFinished)
        assert end.outcome == Outcome(Side.BLACK, Reason.TIME)
        white.say(BestMove("g1f3"))
        await trio.testing.wait_all_tasks_blocked()
        assert [move.move for move in h.journal.kinds(MovePlayed)] == ["e2e4", "e7e5"]


async def test_who_never_moves_aborts_the_game_when_its_flag_falls_and_the_other_plays_on(
    autojump_clock, server
):
    async with server() as h:
        silent, ready = await h.engines()
        waiting = await h.engine("C")
        await silent.be_asked()
        await ready.get_ready()  # after this game
        await ready.get_ready()  # before the next
        await waiting.get_ready()
        await trio.testing.wait_all_tasks_blocked()
        names = [{seat.name for seat in fact.seats} for fact in h.journal.kinds(GameStarted)]
        assert names == [{"A", "B"}, {"B", "C"}]
        [end] = h.journal.kinds(GameFinished)
        assert end.outcome == Outcome(None, Reason.ABORTED)
        assert end.detail == (
            "the flag of White (A) fell at ply 1, after 60.000 s, and it had made no move"
        )


async def test_the_last_analysis_is_kept_with_the_move(autojump_clock, server):
    from ulci.protocol.messages import Score

    async with server() as h:
        white, black = await h.engines()
        await white.be_asked()
        white.say(
            Info(depth=9, score=Score(cp=31), nodes=1000, time=20, pv=("d2d4", "d7d5")),
            Info(currmove="e2e4", currmovenumber=2),
            BestMove("d2d4"),
        )
        await black.be_asked()
        [move] = h.journal.kinds(MovePlayed)
        assert (move.info.depth, move.info.score, move.info.nodes) == (9, Score(cp=31), 1000)
        black.say(BestMove("d7d5"))
        await white.be_asked()
        assert h.journal.kinds(MovePlayed)[1].info is None


async def test_an_illegal_move_loses_for_an_engine(autojump_clock, server):
    async with server() as h:
        white, black = await h.engines()
        await white.move("e2e5")
        for player in (white, black):
            await player.get_ready()
        await white.hear(NewGame)  # they go on with the next game
        [end] = h.journal.kinds(GameFinished)
        assert end.outcome == Outcome(Side.BLACK, Reason.ILLEGAL_MOVE)
        assert "e2e5" in end.detail


async def test_a_person_is_told_and_asked_again(autojump_clock, server):
    async with server() as h:
        ada, bob = await h.people()
        await ada.move("e2e5")
        go = await ada.be_asked()
        assert go.wtime is not None
        assert any("e2e5" in text for text in ada.reports())
        ada.say(BestMove("e2e4"))
        await bob.be_asked()
        assert [move.move for move in h.journal.kinds(MovePlayed)] == ["e2e4"]


async def test_a_bug_ends_its_table_and_no_other(
    autojump_clock, server, monkeypatch, errors_logged
):
    async with server() as h:
        white, _black = await h.engines()
        await white.be_asked()
        broken, move = h.hall.tables[1].game, Game.move
        monkeypatch.setattr(
            Game, "move", lambda game, answered: None if game is broken else move(game, answered)
        )
        other_white, other_black = await h.engine("C"), await h.engine("D")
        await other_white.get_ready()
        await other_black.get_ready()
        await other_white.be_asked()
        white.say(BestMove("e2e4"))
        await trio.testing.wait_all_tasks_blocked()
        [end] = h.journal.kinds(GameFinished)
        assert (end.game, end.outcome.reason) == (1, Reason.SERVER)
        assert end.detail == "a fault of the server"
        other_white.say(BestMove("e2e4"))
        await other_black.be_asked()
        assert 2 in h.hall.tables
        assert 1 not in h.hall.tables
    [error] = errors_logged.take()
    assert "table failed" in error


async def test_a_started_game_is_noted_before_anybody_is_asked(autojump_clock, server):
    async with server() as h:
        h.journal.hold()
        white, _ = await h.engines()
        with trio.move_on_after(10):
            await white.be_asked()
        assert not any(isinstance(m, Go) for m in white.heard)
        assert len(h.journal.kinds(GameStarted)) == 1
        h.journal.release()
        await white.be_asked()


async def test_a_player_who_quits_loses(autojump_clock, server):
    async with server() as h:
        white, black = await h.engines()
        await white.be_asked()
        black.say(Quit())
        await white.hear(Stop)
        [end] = h.journal.kinds(GameFinished)
        assert end.outcome.reason is Reason.ABORTED  # nobody had moved


async def test_complaints_are_kept_with_the_game_but_not_without_end(autojump_clock, server):
    from ulci.protocol.messages import Blame
    from ulci_server.game import Reported

    async with server() as h:
        white, _black = await h.engines()
        await white.be_asked()
        for number in range(150):
            white.say(Report(Blame.ERROR, f"complaint {number}"))
        await trio.testing.wait_all_tasks_blocked()
        reports = h.journal.kinds(Reported)
        assert len(reports) == 100
        assert (reports[0].source, reports[0].text) == ("player", "error complaint 0")
