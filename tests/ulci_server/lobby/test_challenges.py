"""Who asked whom for a game."""

import pytest

from ulci.rules import GAMES
from ulci_server.game import Controls
from ulci_server.lobby import Profile, StandingSeek
from ulci_server.lobby.seeks import Challenges, StandingChallenge


def seek(number: int, by: str) -> StandingSeek:
    game = GAMES["chess"]
    return StandingSeek(number, Profile(by, by), game, Controls.parse("60"), (None,), "chess")


def numbers(found: list[StandingChallenge]) -> list[int]:
    return [directed.seek.id for directed in found]


@pytest.fixture
def challenges() -> Challenges:
    """Ada asks Bob twice and Eve once; Bob asks Ada."""
    challenges = Challenges()
    for number, (by, to) in enumerate(
        [("Ada", "Bob"), ("Bob", "Ada"), ("Ada", "Eve"), ("Ada", "Bob")], 1
    ):
        challenges.add(seek(number, by), to)
    return challenges


def test_only_who_is_asked_finds_a_challenge_by_its_number(challenges):
    found = challenges.to("Bob", 1)
    assert (found.by, found.to, found.seek) == ("Ada", "Bob", seek(1, "Ada"))
    assert challenges.to("Ada", 1) is None
    assert challenges.to("Eve", 1) is None
    assert challenges.to("Bob", 99) is None


def test_what_one_sent_comes_oldest_first(challenges):
    assert numbers(challenges.by("Ada")) == [1, 3, 4]
    assert numbers(challenges.by("Bob")) == [2]
    assert challenges.by("Eve") == []


def test_between_two_the_oldest_counts_and_the_direction(challenges):
    assert challenges.between("Ada", "Bob") == challenges.to("Bob", 1)
    assert challenges.between("Bob", "Ada") == challenges.to("Ada", 2)
    assert challenges.between("Eve", "Ada") is None


def test_a_player_is_concerned_by_what_was_sent_and_what_was_asked(challenges):
    assert numbers(challenges.concerning("Ada")) == [1, 2, 3, 4]
    assert numbers(challenges.concerning("Bob")) == [1, 2, 4]
    assert numbers(challenges.concerning("Eve")) == [3]
    assert challenges.concerning("Dan") == []


def test_what_is_removed_is_gone_and_the_next_comes_up(challenges):
    challenges.remove(challenges.between("Ada", "Bob"))
    assert challenges.to("Bob", 1) is None
    assert numbers(challenges.by("Ada")) == [3, 4]
    assert challenges.between("Ada", "Bob") == challenges.to("Bob", 4)
