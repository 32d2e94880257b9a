"""Standings for a spreadsheet."""

import csv

from ulci_server.statistics import Tally, estimate
from ulci_server.tournament import Standings, StandingsEntry
from ulci_server.tournament.spreadsheet import standings_csv


def standings(*names: str) -> Standings:
    found = estimate(Tally().games)
    entries = [
        StandingsEntry(rank, rank - 1, name, 1.5, Tally(), found, (("buchholz", 2.0),), "left")
        for rank, name in enumerate(names, 1)
    ]
    return Standings(0, None, False, False, entries, {})


def test_each_entrant_is_a_row_below_the_names_of_the_columns() -> None:
    head, ada = csv.reader(standings_csv(standings("Ada")).splitlines())
    assert dict(zip(head, ada, strict=True)) == {
        "rank": "1",
        "name": "Ada",
        "points": "1.5",
        "games": "0",
        "wins": "0",
        "draws": "0",
        "losses": "0",
        "buchholz": "2",
        "note": "left",
    }


def test_a_name_cannot_be_a_formula_nor_break_its_row() -> None:
    rows = [*csv.reader(standings_csv(standings("=1+1", 'a,"b')).splitlines())]
    assert [row[1] for row in rows[1:]] == ["'=1+1", 'a,"b']


def test_without_entrants_there_are_only_the_names_of_the_columns() -> None:
    assert standings_csv(standings()).startswith("rank,name,points")
