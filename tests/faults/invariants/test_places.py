"""What was said on a line, and the state of the game to which it belongs."""

import pytest

from .script import GAME, NAMES, Script

pytestmark = pytest.mark.faults


def placed(script: Script, name: str, what: str) -> list[int | None]:
    story = script.case().chronicle.stories[GAME, NAMES]
    return [story.places.of(event) for event in story.events(name, what)]


def test_questions_and_answers_belong_to_the_state_that_was_told_before():
    script = Script()
    script.play("e2e4", "e7e5", "g1f3")
    assert placed(script, "ada", "go") == placed(script, "ada", "answer") == [0, 2]
    assert placed(script, "bob", "go") == placed(script, "bob", "answer") == [1]


def test_the_same_position_after_moves_were_taken_back_is_another_state():
    script = Script()
    script.play("e2e4", "e7e5")
    script.take_back(1)
    script.play("e7e5")
    assert placed(script, "bob", "answer") == [1, 3]
    assert placed(script, "bob", "taken back") == [3]


def test_a_new_line_begins_where_others_have_been_told_to_be():
    script = Script()
    script.play("e2e4", "e7e5")
    script.take_back(1)
    script.ask()
    script.wait(1)
    script.lines[1] = script.dial("bob")
    script.announce(script.lines[1])
    script.ask()
    assert placed(script, "bob", "go") == [1, 3, 3]


def test_what_was_never_stored_belongs_to_no_state():
    script = Script()
    script.tell(script.lines[0], "position startpos moves a2a4")
    assert placed(script, "ada", "position") == [None]


def test_a_new_line_of_a_server_that_knew_less_begins_as_late_as_it_can():
    script = Script()
    script.play("e2e4", "e7e5")
    script.take_back(1)
    script.ask()
    script.wait(1)
    script.lines[1] = script.dial("bob")
    script.lines[1].as_of = 0.0
    script.announce(script.lines[1])
    script.ask()
    assert placed(script, "bob", "go") == [1, 3, 3]
