"""What makes two command lines the same match."""

import pytest

from ulci_server.cli.match import MatchSettings, parse
from ulci_server.cli.match.identity import identity

WORDS = "-engine cmd=a -engine cmd=b -each tc=10+0.1 -rounds 5"


def of(words: str) -> str:
    asked = parse(words.split(), 8)
    assert isinstance(asked, MatchSettings)
    return identity(asked)


@pytest.mark.parametrize(
    "more",
    ["-concurrency 4", "-pgnout file=a.pgn", "-ratinginterval 5", "-recover", "-db other.db"],
)
def test_how_it_is_shown_and_spread_may_change(more: str) -> None:
    assert of(f"{WORDS} {more}") == of(WORDS)


@pytest.mark.parametrize(
    "other",
    [
        f"{WORDS} -rounds 6",
        f"{WORDS} -srand 5",
        f"{WORDS} -openings file=a.epd format=epd",
        f"{WORDS} -sprt elo0=0 elo1=5 alpha=0.05 beta=0.05",
        f"{WORDS} -resign movecount=3 score=400",
        WORDS.replace("cmd=b", "cmd=c"),
        WORDS.replace("cmd=b", "cmd=b option.Hash=64"),
        WORDS.replace("10+0.1", "9+0.1"),
        WORDS.replace("10+0.1", "10+0.1 timemargin=20"),
    ],
)
def test_who_plays_from_where_by_which_rules_may_not(other: str) -> None:
    assert of(other) != of(WORDS)


@pytest.mark.parametrize("more", ["-tbpieces 4", "-tbignore50", "-tbadjudicate DRAW"])
def test_which_results_of_tables_count_may_not(more: str) -> None:
    assert of(f"{WORDS} -tb /a {more}") != of(f"{WORDS} -tb /a")
