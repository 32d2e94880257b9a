"""Which pairings of a tournament are on, and of which of them a result may be stored."""

from ulci_server.hall.tournament.running import Running
from ulci_server.tournament import Pairing

FIRST, SECOND = Pairing(1, 1, 1, 2, 0), Pairing(2, 1, 3, 1, 0)


def test_a_game_may_be_over_when_one_of_its_players_owes_nothing_until_its_end_is_known() -> None:
    running = Running()
    running.begin(FIRST, "Ada", "Bob")
    running.begin(SECOND, "Cy", "Ada2")
    running.free("Bob")
    assert running.perhaps_over == {1}
    running.end(1)
    running.free("Ada")
    assert running.perhaps_over == set()
    assert [*running.numbers] == [2]


def test_a_game_that_another_run_began_may_be_over_when_anybody_is_free() -> None:
    running = Running()
    running.begin(FIRST)
    running.begin(SECOND, "Cy", "Ada2")
    running.free("Dee")
    assert running.perhaps_over == {1}
    running.end(1)
    running.free("Dee")
    assert running.perhaps_over == set()


def test_an_entrant_plays_as_many_games_as_are_on() -> None:
    running = Running()
    for pairing in (FIRST, SECOND, SECOND):
        running.begin(pairing)
    assert [running.games_of(one) for one in (1, 2, 3, 4)] == [2, 1, 1, 0]
    running.end(1)
    running.end(1)
    assert [running.games_of(one) for one in (1, 2, 3, 4)] == [1, 0, 1, 0]
    assert (1 in running, 2 in running, len(running)) == (False, True, 1)
