"""Who meets whom among those who are free."""

import pytest

from tests.ulci_server.tournament.play import field, made
from ulci_server.tournament import Entrant, GameResult, Pairing, Tournament, pair
from ulci_server.tournament.formats.ladder import REMATCH


def ladder(count: int, *last: tuple[int, int]) -> Tournament:
    """Entrants who have met last as is said, with a draw."""
    tournament = made('format = "ladder"\ngames = 1', field(count))
    for number, (white, black) in enumerate(last, 1):
        tournament.put_pairings([Pairing(number, number, white, black, number)])
        tournament.finish(GameResult(number, "1/2-1/2"))
    return tournament


def paired(tournament: Tournament, free: list[int], at: float = 0) -> set[frozenset[int | None]]:
    request = tournament.request(at, dict.fromkeys(free, 1))
    if request is None:
        return set()
    return {frozenset((one.white, one.black)) for one in pair(request)}


def test_two_who_met_last_wait_for_nobody() -> None:
    assert paired(ladder(2, (1, 2)), [1, 2]) == {frozenset((1, 2))}


@pytest.mark.parametrize("settings", ['format = "ladder"', 'format = "arena"\nminutes = 9'])
def test_two_who_met_last_wait_for_others_while_these_play(settings) -> None:
    tournament = made(f"{settings}\ngames = 1", field(6))
    tournament.put_pairings([Pairing(n, 1, 2 * n - 1, 2 * n, n) for n in (1, 2, 3)])
    tournament.finish(GameResult(1, "1/2-1/2"))
    assert paired(tournament, [1, 2], at=10) == set()
    assert tournament.wakes_at() == 10 + REMATCH
    assert paired(tournament, [1, 2], at=9.9 + REMATCH) == set()
    tournament.finish(GameResult(2, "1/2-1/2"))
    others = {frozenset((1, 3)), frozenset((2, 4))}
    assert paired(tournament, [1, 2, 3, 4], at=9.9 + REMATCH) == others


def test_they_meet_again_if_nobody_else_comes_for_a_while() -> None:
    tournament = made('format = "ladder"\ngames = 1', field(4))
    tournament.put_pairings([Pairing(1, 1, 1, 2), Pairing(2, 1, 3, 4)])
    tournament.finish(GameResult(1, "1/2-1/2"))
    assert paired(tournament, [1, 2], at=10) == set()
    assert paired(tournament, [1, 2], at=10 + REMATCH) == {frozenset((1, 2))}
    assert tournament.wakes_at() is None


def test_the_last_opponent_is_avoided_while_another_one_is_free() -> None:
    assert paired(ladder(3, (1, 2)), [1, 2, 3]) == {frozenset((1, 3))}


def test_the_last_two_exchange_opponents_with_a_pair_near_them() -> None:
    found = paired(ladder(4, (3, 4)), [1, 2, 3, 4])
    assert len(found) == 2
    assert frozenset((3, 4)) not in found


def test_who_has_left_or_is_unknown_is_not_paired() -> None:
    tournament = ladder(3)
    tournament.put_entrant(Entrant(2, "p2", left=1))
    assert paired(tournament, [1, 2, 3, 99]) == {frozenset((1, 3))}


def test_who_has_a_game_to_be_played_is_not_paired_again() -> None:
    tournament = ladder(4)
    tournament.put_pairings([Pairing(1, 1, 1, 2)])
    assert paired(tournament, [1, 2, 3, 4]) == {frozenset((3, 4))}


def test_colours_follow_what_each_has_had() -> None:
    tournament = ladder(2, (1, 2))
    request = tournament.request(0, {1: 1, 2: 1})
    assert request is not None
    assert [(one.white, one.black) for one in pair(request)] == [(2, 1)]


def test_a_void_game_is_not_played_again() -> None:
    tournament = ladder(2)
    tournament.put_pairings([Pairing(1, 1, 1, 2)])
    tournament.put_pairings([Pairing(1, 1, 1, 2, void=True)])
    assert tournament.request(0, {}) is None
