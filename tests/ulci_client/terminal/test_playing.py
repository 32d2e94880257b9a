"""What a person may do in a game beside moving."""

import pytest

from tests.support.terminal import lobby, playing, sent, to_move, told
from ulci.protocol import Claim, GiveTime, Message, Takeback
from ulci.rules import Side
from ulci_client.terminal.model import Model


def answer(model: Model, text: str) -> list[str]:
    return told(model.typed(text, 0.0))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("takeback", Takeback()),
        ("takeback 2", Takeback(2)),
        ("/takeback  1", Takeback(1)),
        ("givetime 15", GiveTime(15_000)),
        ("givetime 0.5", GiveTime(500)),
    ],
)
def test_what_is_asked_of_a_game_is_sent(text: str, message: Message) -> None:
    assert sent(to_move("e2e4", "e7e5").typed(text, 0.0)) == [message]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("takeback 0", 'error "takeback 0": it takes the number of half-moves'),
        ("takeback 3", "error only 2 half-moves can be taken back"),
        ("givetime", 'error "givetime": it takes seconds'),
        ("givetime lots", 'error "givetime lots": it takes seconds'),
        ("claim", 'error "claim": it does not say what is claimed; use: claim win|draw'),
        ("claim win", "error Bob is not away, so no win can be claimed"),
    ],
)
def test_what_cannot_be_is_refused_at_once(text: str, why: str) -> None:
    effects = to_move("e2e4", "e7e5").typed(text, 0.0)
    assert sent(effects) == []
    assert told(effects)[0].startswith(why)


def test_nothing_is_taken_back_before_anybody_moved() -> None:
    assert answer(to_move(), "takeback") == [
        "error nobody has moved yet, so there is nothing to take back"
    ]


def test_a_takeback_is_granted_in_as_many_ways_as_it_can_be_said() -> None:
    for text in ("takeback", "takeback 2", "accept"):
        model = to_move("e2e4", "e7e5")
        assert told(lobby(model, "game 42 offer takeback 2 from Bob")) == [
            "offer takeback 2 from Bob"
        ]
        effects = model.typed(text, 0.0)
        assert told(effects) == ["ok takeback accepted"]
        assert sent(effects) == [Takeback(2)]


def test_another_number_would_be_taken_for_a_yes() -> None:
    model = to_move("e2e4", "e7e5")
    lobby(model, "game 42 offer takeback 2 from Bob")
    effects = model.typed("takeback 1", 0.0)
    assert told(effects) == ["error Bob asks 2 half-moves back: takeback grants just that"]
    assert sent(effects) == []


def test_two_offers_are_told_apart() -> None:
    model = to_move("e2e4", "e7e5")
    lobby(model, "game 42 offer takeback 2 from Bob", "game 42 offer draw from Bob")
    assert answer(model, "accept") == ["error which? write draw, or takeback"]
    assert answer(model, "decline") == ["error an offer is declined by making a move"]


def test_to_move_declines_a_takeback() -> None:
    model = to_move("e2e4", "e7e5")
    lobby(model, "game 42 offer takeback 2 from Bob")
    model.typed("d4", 0.0)
    assert model.state.game is not None
    assert model.state.game.offers == set()


def test_a_game_is_claimed_when_the_opponent_has_been_away_for_long_enough() -> None:
    model = playing("e2e4")
    lobby(model, "game 42 opponent away claim-in 30000", at=0.0)
    early = model.typed("claim win", 29.5)
    assert (told(early), sent(early)) == (["error not yet: Bob has 1 s to come back"], [])
    assert sent(model.typed("claim win", 30.0)) == [Claim("win")]
    assert sent(model.typed("claim draw", 30.0)) == [Claim("draw")]


def test_a_draw_by_the_rules_is_the_servers_to_judge() -> None:
    assert sent(to_move("e2e4", "e7e5").typed("claim draw", 0.0)) == [Claim("draw")]


def test_who_is_gone_need_not_be_away_first() -> None:
    model = playing("e2e4")
    lobby(model, "game 42 opponent gone")
    assert sent(model.typed("claim win", 0.0)) == [Claim("win")]


def test_where_the_clock_decides_nothing_is_claimed() -> None:
    model = playing("e2e4")
    lobby(model, "game 42 opponent away")
    assert answer(model, "claim win") == [
        "error not yet: Bob may stay away until the clock runs out"
    ]


def test_time_is_given_where_there_are_clocks() -> None:
    model = playing("e2e4")
    assert answer(model, "givetime 15") == ["error there are no clocks in this game"]
    model = to_move()
    assert model.state.game is not None
    assert model.state.game.clocks is not None
    assert told(lobby(model, "game 42 givetime 15000 to black from Ada")) == [
        "givetime 0:15 to black from Ada"
    ]
    assert model.state.game.clocks.remaining(Side.BLACK, 0.0) == 315_000
    assert model.state.game.clocks.remaining(Side.WHITE, 0.0) == 300_000
