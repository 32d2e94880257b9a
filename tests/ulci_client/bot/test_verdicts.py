"""When it resigns, and what it thinks of a draw."""

from typing import Any

import pytest

from ulci_client.bot.sections import Config
from ulci_client.bot.verdicts import OFFER_EVERY, Verdicts

USUAL = Config()


def config(**tables: dict[str, Any]) -> Config:
    return Config.model_validate(tables)


def after(*scores: int | None, rules: Config = USUAL, before: int = 0) -> Verdicts:
    """After so many moves that it liked, and then moves with these scores."""
    verdicts = Verdicts(rules)
    for score in [300] * before + [*scores]:
        verdicts.moved(score)
    return verdicts


@pytest.mark.parametrize(
    ("score", "before", "agreed"),
    [
        (10, 32, True),
        (-10, 32, True),
        (11, 32, False),
        (0, 31, False),
        (-100, 0, True),
        (-99, 0, False),
        (-100_000, 0, True),
        (100_000, 40, False),
        (None, 40, False),
    ],
)
def test_it_agrees_to_a_draw_late_when_level_and_early_only_when_behind(
    score: int | None, before: int, agreed: bool
) -> None:
    assert after(*[score] * 8, before=before).agrees_to_draw() is agreed
    never = config(draw={"accept": False})
    assert not after(*[score] * 8, rules=never, before=before).agrees_to_draw()


def test_one_better_moment_is_enough_to_play_on() -> None:
    assert not after(*[-300] * 8, 20).agrees_to_draw()
    assert not after(*[-300] * 7).agrees_to_draw()


def test_it_resigns_after_so_many_hopeless_moves_in_a_row_if_it_is_told_to() -> None:
    rules = config(resign={"moves": 3, "score": 500})
    assert after(-500, -900, -100_000, rules=rules).resigns()
    assert not after(-500, -499, -900, rules=rules).resigns()
    assert not after(-900, -900, rules=rules).resigns()
    assert not after(-900, None, -900, rules=rules).resigns()
    assert not after(*[-900] * 20).resigns()


def test_it_offers_a_draw_when_level_and_not_at_every_move() -> None:
    rules = config(draw={"offer": True, "after": 5, "moves": 3})
    verdicts = after(0, 5, -5, -5, rules=rules)
    assert not verdicts.offers_draw()  # too early
    offered = []
    for _ in range(2 * OFFER_EVERY):
        verdicts.moved(0)
        offered.append(verdicts.offers_draw())
    assert offered == [at % OFFER_EVERY == 0 for at in range(2 * OFFER_EVERY)]
    assert not after(*[-20] * 9, rules=rules).offers_draw()
    assert not after(*[0] * 50).offers_draw()
