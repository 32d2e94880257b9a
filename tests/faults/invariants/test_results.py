"""Results that contradict what was said, and losses on time that were not the loser's own."""

import pytest

from ulci.rules import Reason, Side

from .case import Trouble
from .results import RESULTS, given_up, left_in_the_dark
from .script import GAME, Script

pytestmark = pytest.mark.faults


def played() -> Script:
    script = Script()
    script.play("e2e4", "e7e5")
    return script


def cut(script: Script) -> None:
    """The line of White, who is to move, breaks, and it dials again 1 s later."""
    script.ask()
    script.wait(0.01)
    script.harm(script.lines[0], "cut")
    script.hang_up(script.lines[0])
    script.wait(1)
    script.lines[0] = script.dial("ada")
    script.announce(script.lines[0])


def flag(script: Script) -> None:
    script.end(Reason.TIME, Side.BLACK)


def test_a_resignation():
    script = played()
    script.resign()
    assert script.found(*RESULTS) == []


def test_a_resignation_that_nobody_said():
    script = played()
    script.end(Reason.RESIGNATION, Side.WHITE)
    assert script.found(*RESULTS) == ["result without a cause"]


def test_a_watcher_who_is_told_another_result():
    script = played()
    watcher = script.watch()
    script.tell(watcher, f"lobby game {GAME} over result 1/2-1/2 reason agreement")
    script.hang_up(watcher)
    script.resign()
    assert script.found(*RESULTS) == ["result contradicted"]


def test_who_comes_back_and_is_never_asked_again():
    script = played()
    cut(script)
    script.wait(9)
    flag(script)
    assert script.found(*RESULTS) == ["time, and never asked"]


def test_who_comes_back_and_is_never_asked_again_after_moves_were_taken_back():
    script = played()
    script.play("g1f3")
    script.take_back(1)
    cut(script)
    script.wait(9)
    flag(script)
    assert script.found(*RESULTS) == ["time, and never asked"]


def test_who_is_here_all_the_time_and_never_asked():
    script = played()
    script.wait(10)
    flag(script)
    assert script.found(*RESULTS) == ["time, and never asked"]


def test_who_comes_back_with_its_secret_and_hears_nothing_at_all():
    script = played()
    cut(script)
    script.lines[0].told.pop()
    script.wait(9)
    flag(script)
    assert script.found(*RESULTS) == ["time, and never asked"]


def test_who_comes_back_and_is_asked_again_and_says_nothing():
    script = played()
    cut(script)
    script.ask()
    script.wait(9)
    flag(script)
    assert script.found(*RESULTS) == ["time, on a good line"]


def test_who_does_not_come_back():
    script = played()
    script.ask()
    script.harm(script.lines[0], "cut")
    script.wait(0.01)
    script.hang_up(script.lines[0])
    script.wait(10)
    flag(script)
    assert script.found(*RESULTS) == []


def test_who_comes_back_too_late_to_be_asked():
    script = played()
    script.ask()
    script.harm(script.lines[0], "cut")
    script.hang_up(script.lines[0])
    script.wait(9)
    script.lines[0] = script.dial("ada")
    script.wait(1)
    flag(script)
    assert script.found(*RESULTS) == []


def test_who_comes_back_to_a_server_that_is_frozen():
    script = played()
    cut(script)
    script.troubles = [Trouble("freeze", script.now, script.now + 3)]
    script.wait(9)
    flag(script)
    assert script.found(*RESULTS) == []


def test_who_comes_back_on_a_line_that_breaks_again():
    script = played()
    cut(script)
    script.wait(0.5)
    script.harm(script.lines[0], "black-hole")
    script.wait(9)
    flag(script)
    assert script.found(*RESULTS) == []


def test_who_had_answered_and_lost_on_time():
    script = played()
    script.ask()
    script.wait(0.01)
    script.answer("g1f3")
    script.wait(10)
    flag(script)
    assert script.found(*RESULTS) == ["time, but it had answered"]


@pytest.mark.parametrize(("away", "found"), [(2, ["lost by disconnect"]), (8, [])])
def test_who_lost_by_an_absence(away, found):
    script = played()
    script.ask()
    script.harm(script.lines[0], "cut")
    script.hang_up(script.lines[0])
    script.wait(away)
    script.dial("ada")
    script.end(Reason.DISCONNECT, Side.BLACK)
    assert script.found(*RESULTS) == found


def test_who_came_back_and_was_not_ready():
    script = played()
    script.harm(script.lines[0], "cut")
    script.hang_up(script.lines[0])
    late = script.dial("ada")
    late.heard.pop()
    script.wait(8)
    script.hear(late, "readyok")
    script.end(Reason.DISCONNECT, Side.BLACK)
    assert script.found(*RESULTS) == []


@pytest.mark.parametrize(("fault", "found"), [("split", ["aborted for nothing"]), ("cut", [])])
def test_a_game_that_is_aborted_after_a_fault(fault, found):
    script = Script()
    script.harm(script.lines[0], fault)
    script.wait(8)
    script.end(Reason.ABORTED, None)
    assert script.found(*RESULTS) == found


@pytest.mark.parametrize(("said", "found"), [("quit", []), ("unseek", ["aborted for nothing"])])
def test_a_game_that_is_aborted_as_somebody_wants_no_more_games(said, found):
    script = Script()
    script.hear(script.lines[0], said)
    script.hang_up(script.lines[0])
    script.end(Reason.ABORTED, None)
    assert script.found(*RESULTS) == found


@pytest.mark.parametrize(("seconds", "found"), [(3, ["aborted for nothing"]), (7, [])])
def test_a_game_that_is_aborted_as_the_players_of_this_process_stood_still(seconds, found):
    script = Script()
    script.pauses = [(script.now, script.now + seconds)]
    script.wait(8)
    script.end(Reason.ABORTED, None)
    assert script.found(*RESULTS) == found


def test_a_game_that_is_aborted_after_a_trouble():
    script = Script()
    script.troubles = [Trouble("kill", script.now, script.now + 1)]
    script.wait(8)
    script.end(Reason.ABORTED, None)
    assert script.found(*RESULTS) == []


@pytest.mark.parametrize(("before", "found"), [(9.0, ["given up"]), (0.0, [])])
def test_a_game_that_its_player_believed_to_be_over(before, found):
    """And that went on for so many seconds after that."""
    script = played()
    script.play("g1f3")
    at = script.now
    script.wait(before)
    script.resign()
    chronicle = script.case().chronicle
    assert [v.kind for v in given_up(chronicle, [("ada", GAME, at)])] == found


def test_a_game_that_its_player_believed_to_be_over_until_it_was_asked_for_a_move():
    script = played()
    at = script.now
    script.wait(9)
    script.resign()
    assert [*given_up(script.case().chronicle, [("ada", GAME, at)])] == []


def dark(script: Script) -> list[str]:
    """Of Ada, who has heard nothing of her game for 30 s."""
    at = script.now
    return [v.kind for v in left_in_the_dark(script.case(), [("ada", GAME, at)], 30.0)]


def test_a_player_who_hears_nothing_of_its_game_on_a_good_line():
    script = played()
    script.wait(31)
    assert dark(script) == ["left in the dark"]


def test_a_player_whose_server_is_hardly_ever_well():
    script = played()
    for _ in range(6):
        script.wait(2)
        since = script.now
        script.wait(2)
        script.troubles.append(Trouble("freeze", since, script.now))
        script.wait(2)
    assert dark(script) == []
    script.wait(3.1)
    assert dark(script) == ["left in the dark"]


def test_a_player_whose_line_was_lost_and_who_called_a_server_that_was_killed():
    script = played()
    script.wait(1)
    script.harm(script.lines[0], "black-hole")
    script.wait(20)
    line = script.dial("ada")
    script.wait(2)
    script.hang_up(line)
    script.wait(9)
    assert dark(script) == []
