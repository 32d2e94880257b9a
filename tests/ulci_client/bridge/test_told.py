"""What a server tells an engine between searches."""

import pytest

from ulci.protocol import Bench, Debug, Eval, NewGame, Perft, Position, SetOption
from ulci_client.bridge.told import Told

CHESS960 = SetOption("UCI_Chess960", "true")
AFTER_E4 = Position(None, ("e2e4",))


@pytest.mark.parametrize("question", [Eval(), Perft(3)])
def test_a_question_about_a_position_brings_it_along(question):
    told = Told()
    assert told.say(question) == [Position(), question]
    told.position = AFTER_E4
    assert told.say(question) == [AFTER_E4, question]


@pytest.mark.parametrize("message", [CHESS960, NewGame(), Debug(on=True), Bench()])
def test_anything_else_is_said_as_it_is(message):
    assert Told().say(message) == [message]


def test_a_fresh_engine_is_told_the_last_of_every_setting_and_that_a_game_began():
    told = Told()
    told.say(NewGame())
    told.say(SetOption("Hash", "16"))
    told.say(CHESS960)
    told.say(SetOption("hash", "32"))
    assert told.settings == (NewGame(), SetOption("hash", "32"), CHESS960)


def test_a_new_game_is_the_last_word():
    told = Told()
    told.say(NewGame())
    told.say(CHESS960)
    told.say(NewGame())
    assert told.settings == (CHESS960, NewGame())


def test_questions_leave_nothing_that_a_fresh_engine_must_know():
    told = Told()
    told.say(Eval())
    told.say(Debug(on=True))
    assert told.settings == ()
