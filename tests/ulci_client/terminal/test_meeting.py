"""How somebody to play with is found."""

import pytest

from tests.support.terminal import lobby, sent, to_move, told, welcomed
from ulci.protocol import Accept, Decline, Draw, Terms
from ulci_client.terminal.model import Model

CHALLENGE = "challenge 18 player Bob kind human game chess time 60+0 color white rated no"


def answer(model: Model, text: str) -> list[str]:
    return told(model.typed(text, 0.0))


def test_accept_takes_the_only_thing_that_is_offered() -> None:
    model = to_move()
    assert answer(model, "accept") == ["error nothing was offered"]
    lobby(model, "game 42 offer draw from Bob")
    assert sent(model.typed("accept", 0.0)) == [Draw()]
    model = welcomed()
    lobby(model, CHALLENGE)
    assert sent(model.typed("accept", 0.0)) == [Accept(18)]
    assert sent(model.typed("decline", 0.0)) == [Decline(18)]
    assert model.state.challenges == {}


def test_a_seek_is_remembered_until_it_is_taken_back() -> None:
    model = welcomed()
    model.typed("seek 60+0", 0.0)
    assert model.state.wanted == Terms(time="60+0")
    model.typed("unseek", 0.0)
    assert model.state.wanted is None


def test_a_challenge_that_is_declined_is_gone_and_that_is_said() -> None:
    model = welcomed()
    lobby(model, CHALLENGE)
    assert answer(model, "decline 18") == ["ok declined 18"]
    assert model.state.challenges == {}


def test_a_challenge_is_declined_in_a_game_too() -> None:
    model = to_move()
    lobby(model, CHALLENGE, "game 42 offer draw from Bob")
    assert sent(model.typed("decline", 0.0)) == [Decline(18)]
    assert answer(model, "decline") == ["error an offer is declined by making a move"]


@pytest.mark.parametrize("text", ["seek pink", "challenge Bob pink"])
def test_terms_that_say_nothing_are_not_sent(text: str) -> None:
    model = welcomed()
    effects = model.typed(text, 0.0)
    assert sent(effects) == []
    assert told(effects)[0].startswith("error pink says nothing about a game")
    assert model.state.wanted is None
