"""All formats, played by chance."""

from collections import Counter
from random import Random

import pytest

from ulci_server.tournament import Entrant, GameResult, Pairing

from .play import Evening, field, made

FORMATS = {
    "roundrobin": ('format = "roundrobin"\nrounds = 2', 5),
    "single round robin": ('format = "roundrobin"\ngames = 1\nrounds = 3', 6),
    "gauntlet": ('format = "gauntlet"\nseeds = 2', 7),
    "knockout": ('format = "knockout"', 11),
    "swiss": ('format = "swiss"\nrounds = 5', 12),
    "odd swiss": ('format = "swiss"\nrounds = 5\ngames = 1', 13),
    "sprt": ('format = "sprt"\nrounds = 60\nsprt = { elo0 = 0, elo1 = 10 }', 2),
    "arena": ('format = "arena"\nminutes = 2', 9),
}

every_format = pytest.mark.parametrize("name", FORMATS)
every_seed = pytest.mark.parametrize("seed", range(3))


def evening(name: str, seed: int, voids: float = 0.05) -> Evening:
    settings, count = FORMATS[name]
    return Evening(made(settings, field(count, Random(seed))), seed, voids=voids)


@every_format
@every_seed
def test_it_is_played_to_its_end(name: str, seed: int) -> None:
    here = evening(name, seed)
    for _ in here.play():
        pass
    tournament = here.tournament
    if name not in ("sprt", "arena"):
        assert tournament.open_pairings() == []
    counted = [row for row in tournament.pairings.values() if not row.void and row.black]
    assert tournament.now().finished == len(counted) - len(tournament.open_pairings())


@every_format
@every_seed
def test_nobody_plays_itself_and_pairs_are_whole(name: str, seed: int) -> None:
    here = evening(name, seed)
    for _ in here.play():
        pass
    rows = [row for row in here.tournament.pairings.values() if not row.void]
    assert all(row.white != row.black for row in rows)
    if here.tournament.settings.games == 2 and name != "arena":
        pairs = Counter(row.key for row in rows if row.black is not None)
        assert {*pairs.values()} == {2}
        whites = Counter((row.key, row.white) for row in rows if row.black is not None)
        assert {*whites.values()} == {1}, "colours are swapped"


@every_format
@every_seed
def test_it_decides_the_same_when_it_is_rebuilt_at_any_moment(name: str, seed: int) -> None:
    here = evening(name, seed)
    for count, _ in enumerate(here.play()):
        if count % 7:
            continue
        again = here.rebuilt()
        assert again.open_pairings() == here.tournament.open_pairings()
        free = {n: 1 for n in again.entrants if n not in here.busy}
        assert again.request(here.at, free) == here.tournament.request(here.at, free)
        assert str(again.now()) == str(here.tournament.now()), "some figures are no numbers"


def test_all_meet_as_often_in_a_round_robin() -> None:
    here = evening("roundrobin", 1)
    for _ in here.play():
        pass
    met = Counter(
        frozenset((row.white, row.black))
        for row in here.tournament.pairings.values()
        if not row.void
    )
    assert len(met) == 10
    assert {*met.values()} == {4}


def test_all_encounters_of_a_repetition_have_one_opening() -> None:
    here = evening("roundrobin", 1)
    for _ in here.play():
        pass
    openings = Counter(row.opening for row in here.tournament.pairings.values() if not row.void)
    assert openings == {0: 20, 1: 20}


def test_nobody_meets_twice_in_a_swiss() -> None:
    here = evening("swiss", 2, voids=0)
    for _ in here.play():
        pass
    met = Counter(frozenset((row.white, row.black)) for row in here.tournament.pairings.values())
    assert {*met.values()} == {2}, "the two games of one encounter"


def test_an_odd_swiss_gives_everybody_one_bye_at_most() -> None:
    here = evening("odd swiss", 2, voids=0)
    for _ in here.play():
        pass
    byes = Counter(row.white for row in here.tournament.pairings.values() if row.black is None)
    assert sum(byes.values()) == 5
    assert {*byes.values()} == {1}


def test_who_enters_a_swiss_late_has_half_points_for_what_it_missed() -> None:
    here = evening("swiss", 3, voids=0)
    for _ in here.play():
        if here.tournament.last_round == 2:
            break
    here.tournament.put_entrant(Entrant(13, "late", joined=3))
    for _ in here.play():
        pass
    byes = [
        row for row in here.tournament.pairings.values() if row.white == 13 and row.black is None
    ]
    assert [(row.round, row.score) for row in byes if row.score == "1/2-1/2"] == [
        (1, "1/2-1/2"),
        (2, "1/2-1/2"),
    ]


def test_who_withdraws_from_a_swiss_is_paired_no_more() -> None:
    here = evening("swiss", 4, voids=0)
    for _ in here.play():
        if here.tournament.last_round == 2:
            break
    first = here.tournament.entrants[1]
    here.tournament.put_entrant(Entrant(1, first.name, first.rating, left=3))
    for _ in here.play():
        pass
    rounds = {row.round for row in here.tournament.pairings.values() if 1 in (row.white, row.black)}
    assert max(rounds) == 2


def test_the_better_one_goes_through_a_knockout() -> None:
    tournament = made('format = "knockout"\ngames = 1', field(5))
    here = Evening(tournament, 1)
    while True:
        here.pair_all()
        if not here.on:
            break
        number, pairing = here.on.popitem()
        better = min(pairing.white, pairing.black or 0)
        score = "1-0" if pairing.white == better else "0-1"
        tournament.finish(GameResult(number, score))
    first, second, *_ = tournament.now().entries
    assert (first.name, second.name) == ("p1", "p2")
    assert tournament.is_over(0)


def test_a_drawn_encounter_is_broken_by_further_pairs_and_then_by_the_seed() -> None:
    tournament = made('format = "knockout"', field(2))
    here = Evening(tournament, 1)
    while True:
        here.pair_all()
        if not here.on:
            break
        number, _ = here.on.popitem()
        tournament.finish(GameResult(number, "1/2-1/2"))
    assert len(tournament.pairings) == 8
    assert len({row.opening for row in tournament.pairings.values()}) == 4
    assert tournament.now().entries[0].name == "p1"


def test_a_test_ends_as_soon_as_it_knows() -> None:
    tournament = made('format = "sprt"\nrounds = 5000\nsprt = { elo0 = 0, elo1 = 50 }', field(2))
    here = Evening(tournament, 1)
    while not tournament.is_over(0):
        here.pair_all()
        number, pairing = here.on.popitem()
        tournament.finish(GameResult(number, "1-0" if pairing.white == 1 else "1/2-1/2"))
    test = tournament.now().test
    assert test is not None
    assert test.accepted is not None
    assert test.accepted.value == "H1"
    assert tournament.request(0, {}) is None


def test_arena_points_double_from_the_third_win_in_a_row_on() -> None:
    tournament = made('format = "arena"\nminutes = 60', field(2))
    scores = ["1-0", "1-0", "1-0", "1/2-1/2", "1-0"]
    for number, score in enumerate(scores, 1):
        tournament.put_pairings([Pairing(number, 1, 1, 2, number - 1)])
        tournament.finish(GameResult(number, score, (20, 20)))
    points = {entry.name: entry.points for entry in tournament.now().entries}
    assert points["p1"] == 2 + 2 + 4 + 2 + 2
    assert points["p2"] == 1


def test_who_has_not_been_paired_in_an_arena_has_no_points() -> None:
    tournament = made('format = "arena"\nminutes = 60', field(3))
    tournament.put_pairings([Pairing(1, 1, 1, 2, 0)])
    tournament.finish(GameResult(1, "1/2-1/2", (20, 20)))
    found = [(entry.name, entry.points, entry.note) for entry in tournament.now().entries]
    assert found == [("p1", 1, ""), ("p2", 1, ""), ("p3", 0, "")]


def test_a_win_with_half_the_time_has_a_point_more_after_seven_moves() -> None:
    for moves, points in (((7, 6), 3.0), ((6, 7), 2.0)):
        tournament = made('format = "arena"\nminutes = 60', field(2))
        tournament.put_pairings([Pairing(1, 1, 1, 2, 0)])
        tournament.finish(GameResult(1, "1-0", moves, berserk=(True, False)))
        assert tournament.now().entries[0].points == points


def test_an_arena_pairs_others_than_the_last_opponent_while_others_wait() -> None:
    tournament = made('format = "arena"\nminutes = 60', field(4))
    here = Evening(tournament, 1)
    here.pair_all()
    first = {frozenset((p.white, p.black)) for p in here.on.values()}
    for number in [*here.on]:
        tournament.finish(GameResult(number, "1/2-1/2", (20, 20)))
    here.on.clear()
    here.pair_all()
    second = {frozenset((p.white, p.black)) for p in here.on.values()}
    assert first.isdisjoint(second)


def test_nobody_is_paired_in_an_arena_that_is_over() -> None:
    tournament = made('format = "arena"\nminutes = 1', field(2))
    assert tournament.request(60.0, {1: 1, 2: 1}) is None
    assert tournament.wakes_at() == 60.0
    assert tournament.is_over(60.0)


def test_a_ladder_goes_on_for_ever() -> None:
    here = Evening(made('format = "ladder"\ngames = 1', field(6)), 1)
    for _ in range(200):
        here.pair_all()
        here.end_one()
    assert not here.tournament.is_over(10**9)


def test_a_correction_counts_in_place_of_the_game() -> None:
    tournament = made('format = "roundrobin"\ngames = 1', field(2))
    tournament.put_pairings([Pairing(1, 1, 1, 2, 0)])
    tournament.finish(GameResult(1, "1-0"))
    tournament.put_pairings([Pairing(1, 1, 1, 2, 0, "0-1", "the flag had fallen")])
    points = {entry.name: entry.points for entry in tournament.now().entries}
    assert points == {"p1": 0, "p2": 1}


def test_ties_of_a_round_robin_are_broken_by_direct_encounter_first() -> None:
    tournament = made('format = "roundrobin"\ngames = 1', field(4))
    results = [
        (1, 2, "1-0"),
        (1, 3, "0-1"),
        (1, 4, "1-0"),
        (2, 3, "1-0"),
        (2, 4, "1-0"),
        (3, 4, "0-1"),
    ]
    for number, (white, black, score) in enumerate(results, 1):
        tournament.put_pairings([Pairing(number, 1, white, black, 0)])
        tournament.finish(GameResult(number, score))
    entries = tournament.now().entries
    assert [(entry.rank, entry.name) for entry in entries] == [
        (1, "p1"),
        (2, "p2"),
        (3, "p4"),
        (4, "p3"),
    ]
    assert dict(entries[0].ties)["Sonneborn-Berger"] == 3.0
