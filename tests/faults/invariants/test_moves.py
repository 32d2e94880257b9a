"""Moves that are missing, doubled, invented or told to spectators only."""

import pytest

from ulci.rules import Side

from .moves import MOVES
from .places import Unheard
from .script import GAME, Script

pytestmark = pytest.mark.faults


def played() -> Script:
    script = Script()
    script.play("e2e4", "e7e5", "g1f3")
    return script


def test_a_game_as_it_should_be():
    script = played()
    watcher = script.watch()
    script.tell(watcher, script.position)
    script.play("b8c6")
    script.tell(watcher, script.position)
    script.resign()
    assert script.found(*MOVES) == []


def test_a_move_that_was_told_and_is_not_stored():
    script = played()
    script.tell(script.lines[1], f"{script.position} b8c6")
    assert script.found(*MOVES) == ["told and not stored"]


def test_a_watcher_who_is_told_a_move_that_is_not_stored():
    script = played()
    script.tell(script.watch(), f"{script.position} a1a1")
    assert script.found(*MOVES) == ["told and not stored"]


def test_a_watcher_who_is_told_an_older_position_after_a_newer_one():
    script = played()
    watcher, before = script.watch(), script.position
    script.play("b8c6")
    script.tell(watcher, script.position, before)
    assert script.found(*MOVES) == ["protocol"]


def test_a_new_line_on_which_a_position_is_told_that_others_were_told_to_be_past():
    script = played()
    before = script.position
    script.play("b8c6")
    script.ask()
    script.wait(1)
    script.tell(script.watch(), before)
    assert script.found(*MOVES) == ["protocol"]


# How many s before the owner died the last word to a player was, whether the next owner was heard
# before the line was opened, and to which server that leads.
BEHIND = {
    "by the last word of an owner that died": (0.1, False, "c", []),
    "by more": (1.0, False, "c", ["protocol"]),
    "though the next owner was heard": (0.1, True, "c", ["protocol"]),
    "though a player was told it there": (0.1, False, "a", ["protocol"]),
}


@pytest.mark.parametrize(("before", "heard", "server", "found"), BEHIND.values(), ids=BEHIND)
def test_who_begins_to_watch_at_another_server_may_know_less(before, heard, server, found):
    script = played()
    for line, of_player in zip(script.lines, "ab", strict=True):
        line.server = of_player
    known = script.position
    script.play("b8c6")
    script.ask()
    script.wait(before)
    died = script.now
    script.wait(1)
    script.unheard = [Unheard(died, script.now - 0.5 if heard else script.now)]
    watcher = script.watch()
    watcher.server = server
    script.tell(watcher, known)
    assert script.found(*MOVES) == found


def test_a_watcher_of_an_owner_that_lives_knows_no_less_than_players():
    script = played()
    known = script.position
    script.play("b8c6")
    script.ask()
    script.wait(1)
    watcher = script.watch()
    watcher.server = "c"
    script.tell(watcher, known)
    assert script.found(*MOVES) == ["protocol"]


def test_a_player_who_is_told_a_wrong_move_after_time_was_given():
    script = played()
    script.give(5000)
    script.tell(script.lines[0], f"{script.position} a1a1")
    assert script.found(*MOVES) == ["told and not stored"]


def test_moves_that_are_taken_back_and_made_again():
    script = played()
    script.take_back(1)
    script.play("g1f3", "b8c6")
    script.take_back(2)
    script.play("d2d4")
    script.resign()
    assert script.found(*MOVES) == []


def test_a_position_from_before_the_moves_were_taken_back():
    script = played()
    before = script.position
    script.take_back(2)
    script.play("d7d5")
    script.tell(script.lines[1], before)
    assert script.found(*MOVES) == ["protocol"]


def test_a_take_back_that_doubles_a_move():
    """It was told, and is taken back in the record, and stands in the game all the same."""
    script = played()
    taken = script.stand[-1]
    script.take_back(1)
    script.stand.append(taken)
    script.play("b8c6")
    assert script.found(*MOVES) == [
        "protocol",
        "moves do not add up",
        "moves out of order",
        "a move nobody made",
    ]


def test_a_move_that_was_made_once_and_is_played_again_after_it_was_taken_back():
    script = played()
    script.take_back(1)
    script.ask()
    script.store("g1f3", 10)
    assert script.found(*MOVES) == ["a move nobody made"]


def test_a_take_back_of_which_players_are_told_something_else():
    script = played()
    script.take_back(1, told=1)
    assert script.found(*MOVES) == ["told and not stored"]


def test_a_move_that_its_player_never_made():
    script = played()
    script.ask()
    script.answer("b8c6")
    script.store("g8f6", 10)
    assert script.found(*MOVES) == ["a move nobody made"]


def test_a_move_that_is_stored_twice():
    script = played()
    script.store("g1f3", 10, Side.WHITE)
    assert script.found(*MOVES) == ["moves out of order", "a move nobody made"]


def test_an_illegal_move():
    script = played()
    script.play("e5e4")
    assert script.found(*MOVES) == ["illegal move stored"]


def test_who_is_asked_and_is_not_to_move():
    script = played()
    script.ask(script.lines[0])
    assert script.found(*MOVES) == ["protocol"]


def test_that_nobody_takes_the_moves_of_a_watched_game_for_those_of_the_own():
    script = played()
    watcher = script.watch()
    script.tell(watcher, script.position, f"lobby game {GAME} over result 1-0 reason resignation")
    [story] = script.case().chronicle.stories.values()
    assert [event.what for event in story.watched["eve"]] == ["position", "over"]
    assert "eve" not in story.told
