"""What a pool says of games that are decided before they are over."""

from typing import Any

import pytest

from ulci_server.config import ConfigError, load
from ulci_server.game.adjudication import NONE, Adjudication, DrawRule, ResignRule

WHERE = {"paths": ["tables"]}


def adjudication(**keys: Any) -> Adjudication:
    settings = {"pool": [{"name": "it", **keys}], "tablebases": WHERE}
    return load(None, settings).pools()[0].house.adjudication


def fault(where: object = WHERE, /, **keys: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        load(None, {"pool": [{"name": "it", **keys}], "tablebases": where})
    [fault] = caught.value.faults
    return str(fault)


def test_by_default_games_are_played_to_their_end() -> None:
    assert adjudication() == NONE
    assert not NONE
    assert str(NONE) == ""


def test_every_rule_reaches_the_lobby_and_can_be_read_by_the_operator() -> None:
    said = adjudication(
        resign={"moves": 3, "score": 600, "twosided": True},
        draw={"after": 40, "moves": 8, "score": 10},
        max_moves=300,
        tablebases=True,
        adjudicate_people=True,
    )
    assert said == Adjudication(
        ResignRule(3, 600, twosided=True), DrawRule(40, 8, 10), 300, tablebases=True, people=True
    )
    assert str(said) == (
        "resignation after 3 moves at -6.00, both sides agreeing;"
        " draw after 8 moves within 0.10 from move 40 on; draw at 300 moves; tablebases"
    )


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ({"resign": {"moves": 3}}, "pool[0].resign.score: is missing"),
        ({"resign": {"moves": 0, "score": 1}}, "pool[0].resign.moves: expected a number from 1 up"),
        ({"resign": {"moves": 3, "score": -600}}, "pool[0].resign.score: expected a number from 1"),
        ({"resign": 3}, "pool[0].resign: expected a table, found 3"),
        ({"draw": {"moves": 3, "score": 1, "ater": 3, "after": 0}}, "did you mean after?"),
        ({"max_moves": 0}, "pool[0].max_moves: expected a number from 1 up, found 0"),
        ({"tablebases": True, "game": "atomic"}, "there are no tablebases of atomic, only of"),
    ],
)
def test_what_is_wrong_is_said(keys: dict[str, Any], text: str) -> None:
    assert text in fault(**keys)


@pytest.mark.parametrize("where", [{}, {"paths": []}])
def test_a_pool_with_tablebases_needs_to_know_where_they_are(where: object) -> None:
    assert fault(where, tablebases=True) == (
        'pool[0].tablebases: needs to know where they are: [tablebases] paths = ["FOLDER"]'
    )
