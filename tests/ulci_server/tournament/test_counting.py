"""Games and pairs, counted as they are decided, corrected and void."""

from random import Random

from msgspec.structs import replace

from ulci_server.statistics import Pentanomial, Tally, Trinomial
from ulci_server.tournament.counting import Counting
from ulci_server.tournament.records import SCORES, Pairing

FIRST = Pairing(1, 1, 1, 2, 0)
SECOND = Pairing(2, 1, 2, 1, 0)


def counting(*games: tuple[Pairing, str], by_pairs: bool = True) -> Counting:
    found = Counting(by_pairs=by_pairs)
    for pairing, score in games:
        found.add(pairing, score)
    return found


def test_a_pair_counts_when_both_of_its_games_are_decided() -> None:
    found = counting((FIRST, "1-0"))
    assert found.tally(1) == Tally(Trinomial(wins=1))
    found.add(SECOND, "1/2-1/2")
    assert found.tally(1) == Tally(Trinomial(wins=1, draws=1), Pentanomial(wd=1))
    assert found.tally(2) == found.tally(1).reversed == found.tally_against(2, 1)


def test_what_is_taken_back_leaves_nothing() -> None:
    found = counting((FIRST, "1-0"), (SECOND, "1-0"))
    found.remove(SECOND, "1-0")
    assert found.tally(1) == Tally(Trinomial(wins=1))
    found.remove(FIRST, "1-0")
    assert found.tally(1) == found.tally_against(1, 2) == Tally()
    assert (found.finished, found.halves[1], [*found.met()]) == (0, 0, [])


def test_a_game_that_both_have_lost_brings_neither_a_point() -> None:
    found = counting((FIRST, "0-0"), (SECOND, "0-1"))
    assert found.tally(1) == Tally(Trinomial(wins=1, losses=1), Pentanomial(wl=1))
    assert found.tally(2) == Tally(Trinomial(losses=2), Pentanomial(ll=1))
    assert [*found.met()] == [(1, 2, 2, 0)]


def test_a_bye_has_points_and_is_no_game() -> None:
    found = counting((Pairing(1, 1, 1, None), "1-0"))
    assert found.halves[1] == 2
    assert found.finished == found.tally(1).games.total == 0


def test_without_pairs_only_games_are_counted() -> None:
    found = counting((FIRST, "1-0"), (SECOND, "1-0"), by_pairs=False)
    assert found.tally(1) == Tally(Trinomial(wins=1, losses=1))


def test_any_order_of_the_same_games_counts_the_same() -> None:
    chance = Random(5)
    games: list[tuple[Pairing, str]] = []
    for number in range(0, 60, 2):
        white, black = chance.sample(range(1, 6), 2)
        first = Pairing(number + 1, number, white, black, number)
        again = replace(first, number=number + 2, white=black, black=white)
        games += [(one, chance.choice([*SCORES])) for one in (first, again)]
    known = counting(*games)
    shuffled = chance.sample(games, len(games))
    other = counting(*shuffled)
    for pairing, score in shuffled[:20]:
        other.remove(pairing, score)
        other.add(pairing, score)
    assert [known.tally(n) for n in range(1, 6)] == [other.tally(n) for n in range(1, 6)]
    assert sorted(known.met()) == sorted(other.met())
    assert known.halves == other.halves
