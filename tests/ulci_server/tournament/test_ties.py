"""The figures that break ties in a Swiss."""

import pytest

from ulci_server.tournament import Entrant, GameResult, Pairing, Tournament, parse_tournament

SETTINGS = 'name = "Open"\nformat = "swiss"\nrounds = 5\ngames = 1\npool = "chess"\nopen = true\n'

PLAYED = """
1  1 5 =   1  6 2 =   1  3 7 =   1 8 4 +   1 9 bye
2  9 8 +   2  7 1 -   2  2 3 =   2 5 6 =   2 4 bye
3  1 9 =   3  8 2 +   3  4 5 +   3 6 7 =
1 10 late  2 10 late  3 10 late
4  9 4 -   4  8 1 =   4 10 6 -   4 2 5 -   4 7 bye
5  4 1 +   5  6 9 +   5  5 8 forfeit   5 7 2 =
"""
"""The round, White and Black, and what White had. 3 left after two rounds, 10 came in the fourth
and left after it, and 5 did not come to the last game."""

FIGURES = {
    1: (2.5, 12.5, 14.5, 6.5),
    2: (1.5, 12.0, 14.0, 4.25),
    3: (1.0, 6.0, 7.0, 2.0),
    4: (4.0, 11.0, 13.0, 9.5),
    5: (2.0, 11.5, 13.5, 4.5),
    6: (3.5, 9.0, 10.5, 7.5),
    7: (2.5, 11.0, 12.5, 6.25),
    8: (3.5, 11.0, 12.5, 8.75),
    9: (2.5, 13.5, 16.0, 7.25),
    10: (1.5, 8.0, 9.5, 2.25),
}
"""Points, Buchholz cut 1, Buchholz and Sonneborn-Berger, as Otto Milvang's TieBreakServer finds
them in our report of this tournament."""


def played() -> Tournament:
    words = iter(PLAYED.split())
    pairings, results = [], []
    for number, round_ in enumerate(words, 1):
        white, second = next(words), next(words)
        if second in ("bye", "late"):
            score = {"bye": "1-0", "late": "1/2-1/2"}[second]
            pairings.append(Pairing(number, int(round_), int(white), None, 0, score))
            continue
        ended = next(words)
        decided = "0-1" if ended == "forfeit" else None
        pairings.append(Pairing(number, int(round_), int(white), int(second), 0, decided))
        if decided is None:
            score = {"+": "1-0", "-": "0-1", "=": "1/2-1/2"}[ended]
            results.append(GameResult(number, score))
    joined, left = {10: 4}, {3: 3, 10: 5}
    entrants = [
        Entrant(n, f"p{n}", 2000.0 - n, joined=joined.get(n, 1), left=left.get(n)) for n in FIGURES
    ]
    return Tournament(parse_tournament(SETTINGS), 1, entrants, pairings, results)


@pytest.mark.parametrize("entrant", FIGURES)
def test_rounds_that_were_not_played_count_as_fide_says(entrant: int) -> None:
    (entry,) = (one for one in played().now().entries if one.number + 1 == entrant)
    ties = dict(entry.ties)
    names = "Buchholz cut 1", "Buchholz", "Sonneborn-Berger"
    assert (entry.points, *(ties[name] for name in names)) == FIGURES[entrant]


def test_a_round_counts_when_it_has_been_played() -> None:
    tournament = played()
    new = [(1, 2), (4, 6), (7, 8), (9, 5)]
    tournament.put_pairings([Pairing(100 + n, 6, *both, 0) for n, both in enumerate(new)])
    (entry,) = (one for one in tournament.now().entries if one.name == "p4")
    ties = dict(entry.ties)
    assert (ties["Buchholz cut 1"], ties["Buchholz"], ties["Sonneborn-Berger"]) == FIGURES[4][1:]
