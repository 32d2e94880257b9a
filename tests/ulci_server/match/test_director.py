"""Games of a match: who plays which, when they are over, and what the next run goes on with."""

import pytest
import trio
import trio.testing

from tests.ulci_server.match.conftest import MATES
from ulci.protocol.messages import BestMove, NewGame, Position
from ulci.rules import Reason
from ulci_server.game import EventKind, GameFinished, Happened
from ulci_server.openings import BookError, Opening
from ulci_server.statistics import Hypothesis, Sprt

QUICK_TEST = Sprt(elo0=0, elo1=200, alpha=0.4, beta=0.4)
"""Decided by few pairs."""

SICILIAN = Opening(moves=("e2e4", "c7c5"))
ENDGAME = Opening(start="4k3/8/8/8/8/8/4P3/4K3 b - - 0 1")


def positions(player) -> list[Position]:
    """The first of each of its games."""
    found, fresh = [], False
    for said in player.client.heard:
        fresh = fresh or isinstance(said, NewGame)
        if fresh and isinstance(said, Position):
            found.append(said)
            fresh = False
    return found


async def test_a_pair_is_one_opening_with_colours_swapped(autojump_clock, match):
    openings = [SICILIAN, ENDGAME]
    async with match(rounds=2, openings=openings) as m:
        players = [await m.engine(name) for name in "AB"]
        m.begin()
        await m.over.wait()
        assert m.games == [("A", "B"), ("B", "A")] * 2
        assert [(each.start, each.opening) for each in m.starts] == [
            (each.start, each.moves) for each in (SICILIAN, SICILIAN, ENDGAME, ENDGAME)
        ]
        assert m.encounters == [(1, 1), (2, 2), (3, 3), (4, 4)]
        for player in players:
            assert {(each.start, each.moves[:2]) for each in positions(player)} == {
                (None, ("e2e4", "c7c5")),
                (ENDGAME.start, ()),
            }


async def test_results_are_told_counted_and_kept_in_the_order_of_their_ends(autojump_clock, match):
    async with match(rounds=2) as m:
        await m.engine("A", wins=True)
        await m.engine("B", wins=False)
        m.begin()
        await m.over.wait()
        assert m.events.results == [
            (1, "1-0", "checkmate"),
            (2, "0-1", "checkmate"),
            (3, "1-0", "checkmate"),
            (4, "0-1", "checkmate"),
        ]
        assert m.progress.tally(0, 1).games.wins == 4
        assert m.kept == [(1, 1), (2, 2), (3, 3), (4, 4)]
        assert [game.number for game in m.events.begun] == [1, 2, 3, 4]


async def test_each_move_is_told_with_its_game(autojump_clock, match):
    async with match() as m:
        await m.engine("A", wins=True)
        await m.engine("B", wins=False)
        m.begin()
        await m.over.wait()
        assert m.events.moves == [
            *((1, move) for move in MATES["e2e4"].split()),
            *((2, move) for move in MATES["f2f3"].split()),
        ]


async def test_margins_belong_to_engines_and_not_to_colours(autojump_clock, match):
    async with match(margins=(20, 0)) as m:
        for name in "AB":
            await m.engine(name)
        m.begin()
        await m.over.wait()
        words = [each.conduct.rpartition(",")[2] for each in m.starts]
        assert words == ["white-margin=20", "black-margin=20"]


async def test_three_engines_meet_each_other_and_wait_for_each_other(autojump_clock, match):
    async with match("A B C") as m:
        for name in "ABC":
            await m.engine(name)
        m.begin(boards=2)
        await m.over.wait()
        assert sorted(m.games) == sorted(
            [("A", "B"), ("B", "A"), ("A", "C"), ("C", "A"), ("B", "C"), ("C", "B")]
        )
        assert len(m.events.results) == 6


async def test_a_board_waits_between_two_games(autojump_clock, match):
    async with match(wait=7.0) as m:
        for name in "AB":
            await m.engine(name)
        began = trio.current_time()
        m.begin()
        await m.over.wait()
        assert trio.current_time() - began == 7


async def test_an_engine_from_elsewhere_is_waited_for(autojump_clock, match):
    async with match() as m:
        m.begin()
        await m.engine("A")
        await trio.sleep(500)
        assert m.games == []
        await m.engine("B")
        await m.over.wait()
        assert m.games == [("A", "B"), ("B", "A")]


async def test_an_engine_that_leaves_between_games_is_waited_for_again(autojump_clock, match):
    async with match(wait=10.0) as m:
        for name in "AB":
            await m.engine(name)
        left = next(iter(m.host.present))
        m.begin()
        await trio.sleep(1)
        assert len(m.events.results) == 1
        assert left.profile.name == "A"
        left.disconnect("gone home")
        await trio.sleep(100)
        assert m.games == [("A", "B")]
        await m.engine("A")
        await m.over.wait()
        assert m.games == [("A", "B"), ("B", "A")]
        assert [result[1] for result in m.events.results] == ["1/2-1/2", "1/2-1/2"]


async def test_an_engine_that_leaves_while_it_waits_gets_no_seat(autojump_clock, match):
    async with match() as m:
        gone = await m.join("A")
        gone.peer.cut("gone")
        await trio.testing.wait_all_tasks_blocked()
        for name in "AB":
            await m.engine(name)
        m.begin()
        await m.over.wait()
        assert [result[1] for result in m.events.results] == ["1/2-1/2", "1/2-1/2"]


async def test_an_engine_that_leaves_a_game_loses_it(autojump_clock, match):
    async with match() as m:
        await m.engine("A")
        far = await m.join("B")
        m.begin()
        await far.get_ready()
        await far.be_asked()
        far.peer.cut("crashed")
        await m.engine("B")
        await m.over.wait()
        assert m.events.results == [(1, "1-0", "disconnect"), (2, "1/2-1/2", "repetition")]


async def test_an_illegal_move_loses_and_so_does_who_never_moves(autojump_clock, match):
    async with match() as m:
        await m.engine("A")
        far = await m.join("B")
        m.begin()
        await far.get_ready()
        await far.be_asked()
        far.say(BestMove("a1a8"))
        await far.get_ready()  # for whatever comes
        await far.get_ready()
        await far.be_asked()
        await m.over.wait()
        assert m.events.results == [(1, "1-0", "illegal-move"), (2, "0-1", "time")]


async def test_who_leaves_while_its_opponent_is_waited_for_is_waited_for_too(autojump_clock, match):
    async with match() as m:
        gone = await m.engine("A")
        m.begin()
        await trio.sleep(1000)
        gone.client.peer.cut("gone home")
        await m.engine("B")
        await trio.sleep(1000)
        assert m.games == []
        await m.engine("A")
        await m.over.wait()
        assert [result[1] for result in m.events.results] == ["1/2-1/2", "1/2-1/2"]


async def test_boards_do_not_wait_for_each_other_where_each_engine_comes_once(
    autojump_clock, match
):
    async with match(rounds=3) as m:
        for name in "AB":
            await m.engine(name)
        m.begin(boards=2)
        await m.over.wait()
        assert [result[1] for result in m.events.results] == ["1/2-1/2"] * 6


async def test_a_test_that_is_decided_stops_the_rest(autojump_clock, match):
    async with match(rounds=50, sprt=QUICK_TEST) as m:
        for wins in (True, False):
            name = "A" if wins else "B"
            await m.engine(name, wins=wins)
            await m.engine(name, wins=wins)
        # At a third board sits one that never moves.
        await m.engine("B", hangs=0)
        await m.engine("A", hangs=0)
        m.begin(boards=3)
        await m.over.wait()
        assert m.progress.accepted is Hypothesis.H1
        told = [number for number, *_ in m.events.results]
        assert len(told) == m.progress.finished
        assert sorted(number for number, _ in m.kept) == sorted(told)
        assert m.progress.llr(0, 1) >= QUICK_TEST.upper
        stopped = [each for each in m.journal.kinds(GameFinished) if each.outcome.score == "*"]
        assert [each.outcome.reason for each in stopped] == [Reason.SERVER] * len(stopped)
        assert stopped
        assert stopped[0].detail == "the match is over"
        assert len(m.games) - len(told) - len(stopped) in (0, 1)  # one that ended with the last
        assert not m.hall.tables


async def test_a_decided_match_does_not_wait_for_players_of_another_game(autojump_clock, match):
    async with match(rounds=50, sprt=QUICK_TEST) as m:
        await m.engine("A", wins=True)
        await m.engine("B", wins=False)
        m.begin(boards=2)  # the second one waits for the places of the first
        await m.over.wait()
        assert m.progress.accepted is Hypothesis.H1
        assert len(m.games) == len(m.events.results) == m.progress.finished


async def test_a_match_that_is_stopped_begins_no_game_that_was_about_to_begin(
    autojump_clock, match
):
    async with match() as m:
        for name in "AB":
            await m.engine(name)
        m.draws = trio.Event()  # an opening that takes its time
        m.begin()
        await trio.testing.wait_all_tasks_blocked()
        m.director.stop()
        m.draws.set()
        await m.over.wait()
        assert m.games == []
        assert m.progress.begin().number == 1, "it is still to be played"


async def test_a_stopped_match_plays_to_the_end_what_runs(autojump_clock, match):
    async with match(rounds=2) as m:
        for name in "AB":
            await m.engine(name)
        m.events.played = lambda *_: m.director.stop()
        m.begin()
        await m.over.wait()
        assert m.events.results == [(1, "1/2-1/2", "repetition")]
        assert m.kept == [(1, 1)]


async def test_who_hears_of_a_game_can_end_the_match(autojump_clock, match):
    async with match(rounds=3) as m:
        for name in "AB":
            await m.engine(name)
        m.events.over = lambda: len(m.events.results) < 2
        m.begin()
        await m.over.wait()
        assert len(m.games) == len(m.kept) == 2
        assert not m.progress.is_over


async def test_an_opening_that_cannot_be_played_ends_the_match(autojump_clock, match):
    async with match(openings=[Opening(start="8/8/8/8/8/8/8/8 w - - 0 1")]) as m:
        for name in "AB":
            await m.engine(name)
        with pytest.RaisesGroup(BookError, flatten_subgroups=True) as caught:
            await m.play()
        [error] = caught.value.exceptions
        while isinstance(error, BaseExceptionGroup):
            [error] = error.exceptions
        assert "game 1 of the match cannot begin" in str(error)


# Pauses


async def paused(m, boards: int = 2) -> None:
    """Pause it while all its boards play, at the third ply of games 1 and 2."""
    for name in "AB":
        for _ in range(boards):
            await m.engine(name, hangs=2)
    m.begin(boards)
    await trio.sleep(5)
    await m.pause()
    await m.over.wait()


async def test_a_pause_keeps_all_games_and_the_next_run_goes_on_with_them(
    autojump_clock, match, rematch
):
    async with match(rounds=2) as m:
        await paused(m)
        assert m.events.results == m.kept == []
        assert [each.what for each in m.journal.kinds(Happened)] == [EventKind.PAUSED] * 2
        assert len(m.games) == 2
    async with rematch(m, rounds=2) as again:
        assert again.resumed == 2
        assert sorted(again.past.running) == sorted(again.past.running.values()) == [1, 2]
        players = [await again.engine(name) for name in "AABB"]
        again.begin(boards=2)
        await again.over.wait()
        assert sorted(number for number, _ in again.kept) == [1, 2, 3, 4]
        assert sorted(due.number for due in again.events.begun) == [3, 4]
        assert {game for _, game in again.kept} == {1, 2, 3, 4}
        moves = {each.moves for player in players for each in player.positions[:1]}
        assert ("g1f3", "g8f6") in moves


async def test_players_that_are_not_back_are_absent_and_others_do_not_take_their_seats(
    autojump_clock, match, rematch
):
    async with match() as m:
        await paused(m)
    async with rematch(m) as again:
        assert [member.gone for member in again.host.present] == [True] * 4
        again.begin(boards=1)
        await again.engine("A")
        await again.engine("B")
        await again.over.wait()
        # One board: while it plays the first game, nobody comes back to the other.
        scores = {number: score for number, score, _ in again.events.results}
        assert scores[1] == "1/2-1/2"
        assert sorted(scores) == [1, 2]


async def test_a_game_that_is_over_before_a_board_resumes_it_is_counted(
    autojump_clock, match, rematch
):
    async with match() as m:
        await paused(m)
    async with rematch(m) as again:
        table = again.hall.tables[2]
        again.begin(boards=1)
        await trio.sleep(200)  # longer than anyone may be away
        assert 2 not in again.hall.tables
        assert table.game.ending is not None
        await again.engine("A")
        await again.engine("B")
        await again.over.wait()
        score = table.game.ending.outcome.score
        told = [(number, score) for number, score, _ in again.events.results]
        assert (2, score) in told
        assert again.progress.is_over


async def test_a_game_that_could_not_be_resumed_is_played_again(autojump_clock, match, rematch):
    async with match() as m:
        await paused(m, boards=1)
    async with rematch(m) as again:
        again.hall.tables[1].stop("it could not be resumed")
        for name in "AB":
            await again.engine(name)
        again.begin()
        await again.over.wait()
        assert again.events.results[0] == (1, "*", "server")
        assert [due.number for due in again.events.begun] == [1, 2]
        assert again.kept == [(1, 2), (2, 3)]


async def test_what_the_hall_could_not_even_take_up_is_played_again(autojump_clock, match):
    async with match() as m:
        await paused(m, boards=1)
        m.save()
    async with match(database=m.database) as again:  # which resumes nothing
        assert dict(again.past.running) == {1: 1}
        for name in "AB":
            await again.engine(name)
        again.begin()
        await again.over.wait()
        assert again.events.results[0] == (1, "*", "server")
        assert [due.number for due in again.events.begun] == [1, 2]


async def test_a_match_that_was_over_before_ends_at_once(autojump_clock, match, rematch):
    async with match() as m:
        for name in "AB":
            await m.engine(name)
        m.begin()
        await m.over.wait()
    async with rematch(m) as again:
        began = trio.current_time()
        await again.play()
        assert trio.current_time() == began
        assert again.games == []


async def test_games_of_earlier_runs_are_not_played_again(autojump_clock, match, rematch):
    async with match(rounds=2) as m:
        await m.engine("A", wins=True)
        await m.engine("B", wins=False)
        m.events.over = lambda: len(m.events.results) < 3
        m.begin()
        await m.over.wait()
    async with rematch(m, rounds=2) as again:
        assert [number for number, _ in again.past.ended] == [1, 2, 3]
        await again.engine("A", wins=True)
        await again.engine("B", wins=False)
        again.begin()
        await again.over.wait()
        assert [due.number for due in again.events.begun] == [4]
        assert again.progress.tally(0, 1).games.wins == 4
