"""A Swiss: whom it asks to be paired, what it gives to those who were not there, and its ties."""

import pytest
from py4swiss.engines.common import PairingError

from tests.ulci_server.tournament.play import Evening, field, made
from ulci_server.hall.tournament.pairing_worker import pair_swiss
from ulci_server.tournament import Entrant, GameResult, Pairing, Tournament


def rounds_of(tournament: Tournament, entrant: int) -> list[tuple[int, str | None]]:
    rows = tournament.pairings.values()
    return [(row.round, row.score) for row in rows if entrant in (row.white, row.black)]


def until_round(evening: Evening, round_: int) -> None:
    """Play on until that round is over."""
    for _ in evening.play():
        if evening.tournament.last_round == round_ and not evening.on:
            return


def swiss(count: int, rounds: int = 5) -> Evening:
    return Evening(made(f'format = "swiss"\nrounds = {rounds}\ngames = 1', field(count)), 1)


def test_who_comes_back_has_nothing_for_the_rounds_it_was_away() -> None:
    evening = swiss(8)
    until_round(evening, 1)
    evening.tournament.put_entrant(Entrant(8, "p8", left=2))
    until_round(evening, 3)
    evening.tournament.put_entrant(Entrant(8, "p8", joined=4))
    for _ in evening.play():
        pass
    assert [round_ for round_, _ in rounds_of(evening.tournament, 8)] == [1, 4, 5]


def test_who_left_before_the_first_round_is_not_paired() -> None:
    evening = swiss(5, rounds=3)
    evening.tournament.put_entrant(Entrant(5, "p5", left=1))
    for _ in evening.play():
        pass
    assert rounds_of(evening.tournament, 5) == []


def test_two_who_have_met_cannot_be_paired_again() -> None:
    evening = swiss(4, rounds=3)
    until_round(evening, 1)
    first = next(iter(evening.tournament.pairings.values()))
    for n in {1, 2, 3, 4} - {first.white, first.black}:
        evening.tournament.put_entrant(Entrant(n, f"p{n}", left=2))
    request = evening.tournament.request(0, {})
    assert request is not None
    with pytest.raises(PairingError, match="can not be paired"):
        pair_swiss(evening.tournament.prepared(request))


def test_buchholz_and_sonneborn_berger_of_a_small_swiss() -> None:
    """p1 beat p2 and p3, p2 beat p4, p3 beat p4. Points: 2, 1, 1, 0."""
    evening = swiss(4, rounds=2)
    for number, (round_, white, black) in enumerate(
        [(1, 1, 2), (1, 3, 4), (2, 1, 3), (2, 2, 4)], 1
    ):
        evening.tournament.put_pairings([Pairing(number, round_, white, black)])
        evening.tournament.finish(GameResult(number, "1-0"))
    found = {one.name: dict(one.ties) for one in evening.tournament.now().entries}
    assert [found[f"p{n}"]["Buchholz"] for n in range(1, 5)] == [2.0, 2.0, 2.0, 2.0]
    assert [found[f"p{n}"]["Buchholz cut 1"] for n in range(1, 5)] == [1.0, 2.0, 2.0, 1.0]
    assert [found[f"p{n}"]["Sonneborn-Berger"] for n in range(1, 5)] == [2.0, 0.0, 0.0, 0.0]
