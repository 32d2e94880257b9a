"""Games that only a referee can judge."""

import pytest

from ulci.rules import Illegal, Side, StartError
from ulci.rules.refereed import (
    LONGEST_MOVE,
    LONGEST_START,
    MOST_KNOWN,
    Question,
    RefereedRules,
    Standing,
)

BLACK = Standing(Side.BLACK)


def test_starts_that_players_chose_never_replace_those_of_the_configuration() -> None:
    rules = RefereedRules("nim", known={f"{heap} 2": BLACK for heap in range(2 * MOST_KNOWN)})
    for heap in range(2 * MOST_KNOWN):
        rules.learn(f"1,{heap} 2", BLACK)
    assert rules.new(f"{0} 2").turn is Side.BLACK
    assert rules.new(f"{2 * MOST_KNOWN - 1} 2").turn is Side.BLACK
    assert len(rules.known) == 3 * MOST_KNOWN
    assert rules.new(f"1,{MOST_KNOWN} 2").turn is Side.BLACK
    assert rules.new(f"1,{MOST_KNOWN - 1} 2").turn is Side.WHITE


def test_a_start_is_asked_for_in_one_spelling() -> None:
    assert RefereedRules("nim").new("  1,2 \t 1 ").start == "1,2 1"
    assert RefereedRules("nim").new("startpos").start is None


@pytest.mark.parametrize("start", ["1" * (LONGEST_START + 1), "1 moves a1", "1\x1b[2J"])
def test_an_impossible_start_is_refused_unless_the_referee_knows_it(start: str) -> None:
    rules = RefereedRules("nim")
    with pytest.raises(StartError, match="start position"):
        rules.new(start)
    rules.known[start] = BLACK
    assert rules.new(start).turn is Side.BLACK


@pytest.mark.parametrize("move", ["", " ", "a b", "a\nb", "\x00", "a" * (LONGEST_MOVE + 1)])
def test_an_impossible_move_is_illegal_without_asking_the_referee(move: str) -> None:
    assert isinstance(RefereedRules("nim").new().asks_untrusted(move), Illegal)


def test_every_other_move_is_judged_by_the_referee() -> None:
    position = RefereedRules("nim").new()
    longest = "a" * LONGEST_MOVE
    assert position.asks_untrusted(longest) == Question(None, (longest,), Side.WHITE)
