"""Time that is stolen, told wrong, or does not add up."""

import pytest

from tests.faults.record import Fault, Wire

from .case import Trouble
from .clocks import CLOCKS, FEW, charged, moves_cost_what_they_took
from .script import Script

pytestmark = pytest.mark.faults

KNIGHTS = ("g1f3", "g8f6", "f3g1", "f6g8")


def all_of_it(script: Script) -> list[str]:
    """Also what only all moves together show."""
    case = script.case()
    [story] = case.chronicle.stories.values()
    found = [v for check in CLOCKS for v in check(case, story)]
    return [v.kind for v in (*found, *moves_cost_what_they_took(case))]


def test_moves_that_cost_what_they_took():
    script = Script()
    script.play(*KNIGHTS * (FEW // 4))
    assert all_of_it(script) == []


def test_200_ms_that_are_stolen_from_each_move():
    script = Script()
    script.play(*KNIGHTS * (FEW // 4), took=0.01, charged=210)
    assert all_of_it(script) == ["time charged for nothing"]


def test_100_ms_that_are_stolen_from_every_tenth():
    script = Script()
    for _ in range(10):
        script.play(*KNIGHTS[:3], took=0.01, charged=10)
        script.play(KNIGHTS[3], *KNIGHTS, *KNIGHTS[:2], took=0.01, charged=10)
        script.play(*KNIGHTS[2:], took=0.01, charged=110)
    assert all_of_it(script) == ["time charged for nothing"]


def test_a_second_that_is_stolen_once():
    script = Script()
    script.play("e2e4")
    script.play("e7e5", charged=1010)
    assert script.found(*CLOCKS) == ["time charged for nothing"]


def test_a_second_that_is_stolen_from_a_move_after_others_were_taken_back():
    script = Script()
    script.play("e2e4", "e7e5")
    script.take_back(1)
    script.play("e7e5", charged=1010)
    assert script.found(*CLOCKS) == ["time charged for nothing"]


def test_the_time_in_which_there_was_no_server():
    script = Script()
    script.ask()
    script.troubles = [Trouble("kill", script.now, script.now + 2)]
    script.wait(2)
    script.answer("e2e4")
    script.store("e2e4", 2000)
    assert script.found(*CLOCKS) == ["time charged for nothing"]


@pytest.mark.parametrize(
    ("elsewhere", "found"), [(False, ["time charged for nothing"]), (True, [])]
)
def test_who_was_at_another_server_when_its_turn_began_pays_for_its_own_absence(elsewhere, found):
    script = Script()
    script.lines[0].server = "a"
    script.troubles = [Trouble("kill", script.now, script.now + 9, "a")]
    script.hang_up(script.lines[0])
    if elsewhere:
        there = script.dial("ada")
        there.server = "b"
        script.announce(there)
        script.play("e2e4")
        script.play("e7e5")
        script.harm(there, "reset")
        script.hang_up(there)
    script.wait(2)
    back = script.dial("ada")
    script.announce(back)
    script.ask(back)
    script.answer("g1f3" if elsewhere else "e2e4", back)
    script.store("g1f3" if elsewhere else "e2e4", 2000)
    assert script.found(*CLOCKS) == found


def test_who_was_away_already_when_the_server_died_that_it_called_pays_for_all_of_it():
    script = Script()
    script.play("e2e4")
    script.play("e7e5")
    script.harm(script.lines[0], "reset")
    script.hang_up(script.lines[0])
    script.wait(0.5)
    called = script.dial("ada")
    called.server, called.heard, called.told = "b", called.heard[:2], []
    script.troubles = [Trouble("kill", script.now, script.now + 9, "b")]
    script.hang_up(called)
    script.wait(1.5)
    back = script.dial("ada")
    script.announce(back)
    script.ask(back)
    script.answer("g1f3", back)
    script.store("g1f3", 2000)
    assert script.found(*CLOCKS) == []


@pytest.mark.parametrize(("kind", "found"), [("kill", ["time charged for nothing"]), ("term", [])])
def test_who_loses_its_line_before_an_ending_server_sends_it_away_pays(kind, found):
    script = Script()
    script.play("e2e4")
    script.play("e7e5")
    script.lines[0].server = "a"
    script.troubles = [Trouble(kind, script.now, script.now + 9, "a")]
    script.wait(0.1)
    script.harm(script.lines[0], "reset-there")
    script.hang_up(script.lines[0])
    script.wait(2)
    back = script.dial("ada")
    script.announce(back)
    script.ask(back)
    script.answer("g1f3", back)
    script.store("g1f3", 2100)
    assert script.found(*CLOCKS) == found


def test_who_answers_before_an_ending_server_sends_it_away_pays():
    script = Script()
    script.play("e2e4")
    script.lines[1].server = "a"
    script.ask()
    script.troubles = [Trouble("term", script.now, script.now + 9, "a")]
    script.wait(1)
    script.answer("e7e5")
    script.store("e7e5", 1000)
    assert script.found(*CLOCKS) == []


def welcomed_elsewhere() -> tuple[Script, Wire]:
    """The server of White, who is to move, was killed, and another one welcomed it: its line to
    that one."""
    script = Script()
    script.play("e2e4")
    script.play("e7e5")
    script.lines[0].server = "a"
    script.troubles = [Trouble("kill", script.now, script.now + 9, "a")]
    script.hang_up(script.lines[0])
    script.wait(0.3)
    there = script.dial("ada")
    script.announce(there)
    return script, there


@pytest.mark.parametrize(("harmed", "found"), [(False, ["time charged for nothing"]), (True, [])])
def test_who_is_welcomed_elsewhere_and_loses_that_line_pays_from_then_on(harmed, found):
    script, there = welcomed_elsewhere()
    if harmed:
        script.harm(there, "black-hole")
    script.hang_up(there)
    script.wait(1)
    back = script.dial("ada")
    script.announce(back)
    script.ask(back)
    script.answer("g1f3", back)
    script.store("g1f3", 1000)
    assert script.found(*CLOCKS) == found


def test_whose_line_elsewhere_was_half_closed_before_its_welcome_pays_from_that_on():
    script, there = welcomed_elsewhere()
    there.faults.append(Fault("half-close", there.opened, there.welcomed))
    script.hang_up(there)
    script.wait(1)
    back = script.dial("ada")
    script.announce(back)
    script.ask(back)
    script.answer("g1f3", back)
    script.store("g1f3", 1000)
    assert script.found(*CLOCKS) == []


@pytest.mark.parametrize(("harmed", "found"), [(False, ["time charged for nothing"]), (True, [])])
def test_who_is_welcomed_elsewhere_pays_for_what_that_line_holds_back(harmed, found):
    script, there = welcomed_elsewhere()
    if harmed:
        script.harm(there, "delay", 1)
    script.wait(1)
    script.ask(there)
    script.answer("g1f3", there)
    script.store("g1f3", 1000)
    assert script.found(*CLOCKS) == found


def test_20_ms_that_are_given_back_for_a_line_that_takes_none():
    script = Script()
    script.play("e2e4")
    script.play("e7e5", took=0.02, charged=20, lag=20)
    assert script.found(*CLOCKS) == ["time given for nothing"]


def test_a_pause_of_the_proxy_in_which_the_question_may_have_come():
    script = Script()
    script.play("e2e4")
    before = script.now
    script.wait(0.6)
    script.play("e7e5", charged=610)
    assert script.found(*CLOCKS) == ["time charged for nothing"]
    script.pauses = [(before, before + 0.55)]
    assert script.found(*CLOCKS) == []


def test_moves_taken_back_stay_paid_and_gifts_are_kept():
    script = Script()
    script.play("e2e4", "e7e5")
    script.give(5000)
    script.take_back(2)
    script.play("e2e4", "e7e5", "g1f3")
    assert script.found(*CLOCKS) == []


def test_a_gift_that_is_lost():
    script = Script()
    script.play("e2e4", "e7e5")
    script.give(5000)
    script.left[0] -= 5000
    script.play("g1f3")
    assert script.found(*CLOCKS) == ["clock does not add up"]


def test_a_clock_that_is_told_wrong_to_who_is_to_move():
    script = Script()
    script.play("e2e4", "e7e5")
    script.left[0] -= 1000
    script.ask()
    script.left[0] += 1000
    script.wait(0.01)
    script.answer("g1f3")
    script.store("g1f3", 10)
    assert script.found(*CLOCKS) == ["clock told wrong"]


def test_a_clock_of_the_opponent_that_is_told_wrong_after_time_was_given():
    script = Script()
    script.play("e2e4", "e7e5")
    script.give(5000)
    script.left[1] -= 100
    script.ask()
    script.left[1] += 100
    assert script.found(*CLOCKS) == ["clock told wrong"]


def test_what_moves_cost_for_people():
    assert charged([0.001] * 10 + [0.02] * 9 + [0.3]) == "median 10 ms, 95 % 34 ms, most 300 ms"
    assert charged([0.005]) == "median 5 ms, 95 % 5 ms, most 5 ms"
