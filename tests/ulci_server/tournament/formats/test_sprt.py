"""When a test of two is decided."""

from tests.ulci_server.tournament.play import field, made
from ulci_server.tournament import GameResult, Pairing, Tournament, pair

SETTINGS = 'format = "sprt"\nrounds = 200\nconcurrency = 40\nsprt = { elo0 = 0, elo1 = 50 }'


def fresh() -> Tournament:
    tournament = made(SETTINGS, field(2))
    begin(tournament)
    return tournament


def begin(tournament: Tournament) -> None:
    while (request := tournament.request(0, {})) is not None:
        tournament.put_pairings(pair(request))


def finish(tournament: Tournament, pairing: Pairing, first: str) -> None:
    """first: whether the first entrant wins (+), loses (-) or draws (=)."""
    if first == "=":
        score = "1/2-1/2"
    else:
        score = "1-0" if (pairing.white == 1) == (first == "+") else "0-1"
    tournament.finish(GameResult(pairing.number, score))


def decide(tournament: Tournament) -> None:
    """The first one scores better until that is known."""
    while not tournament.is_over(0):
        begin(tournament)
        for one in tournament.open_pairings()[:2]:
            finish(tournament, one, "+" if one.white == 1 else "=")


def test_a_decision_stands_whatever_the_games_bring_that_were_on() -> None:
    tournament = fresh()
    decide(tournament)
    before = tournament.now().test
    assert tournament.open_pairings()
    for one in tournament.open_pairings():
        finish(tournament, one, "-")
    test = tournament.now().test
    assert test is not None
    assert test.accepted is not None
    assert test.accepted.value == "H1"
    assert test == before
    assert tournament.is_over(0)
    assert tournament.request(0, {}) is None


def test_the_games_that_were_on_count_in_the_standings() -> None:
    tournament = fresh()
    decide(tournament)
    games = tournament.now().entries[0].tally.games.total
    finish(tournament, tournament.open_pairings()[0], "-")
    assert tournament.now().entries[0].tally.games.total == games + 1


def test_a_game_lost_by_absence_says_nothing_of_strength() -> None:
    tournament = fresh()
    forfeited = [
        Pairing(one.number, one.round, one.white, one.black, one.opening, "1-0", "did not come")
        for one in tournament.open_pairings()
    ]
    tournament.put_pairings(forfeited)
    test = tournament.now().test
    assert test is not None
    assert (test.llr, test.accepted) == (0.0, None)


def test_a_corrected_result_is_tested_as_it_counts_now() -> None:
    tournament, other = fresh(), fresh()
    for number in range(1, 9):
        one = tournament.pairings[number]
        finish(tournament, one, "+" if one.white == 1 else "=")
        finish(other, one, "+" if one.white == 1 and number > 2 else "=")
    one = tournament.pairings[1]
    corrected = Pairing(1, one.round, one.white, one.black, one.opening, "1/2-1/2", "a slip")
    assert tournament.now().test != other.now().test
    tournament.put_pairings([corrected])
    assert tournament.now().test == other.now().test


def test_who_leaves_ends_the_test() -> None:
    tournament = fresh()
    gone = tournament.entrants[2]
    tournament.put_entrant(type(gone)(2, gone.name, left=2))
    assert tournament.is_over(0)


def test_the_course_goes_to_what_is_known_now() -> None:
    tournament = fresh()
    decide(tournament)
    now = tournament.now()
    assert [point.games for point in now.course[:3]] == [2, 4, 6]
    assert now.test is not None
    assert now.course[-1].llr == now.test.llr
