"""Figures and ranks, as other runners print them."""

from pathlib import Path

from ulci_server.cli.match import Entrant, report
from ulci_server.cli.match.report import Setting
from ulci_server.game import Limit
from ulci_server.statistics import Hypothesis, Pentanomial, Sprt, Tally, Trinomial

TALLY = Tally(Trinomial(4, 2, 4), Pentanomial(ld=1, wl=1, dd=1, wd=1, ww=1))


def test_a_matchup_names_what_both_engines_have() -> None:
    settings = Setting("0.5+0.02", "1", "1"), Setting("0.5+0.02", "", "128")
    assert report.matchup(("A", "B"), settings, Path("books/book.epd")) == (
        "Results of A vs B (0.5+0.02, 1t - NULL, 1MB - 128MB, book.epd):"
    )
    both = Setting("10 nodes", "2", "16")
    assert report.matchup(("A", "B"), (both, both), None) == (
        "Results of A vs B (10 nodes, 2t, 16MB):"
    )


def test_a_setting_is_made_of_what_the_engine_has() -> None:
    entrant = Entrant(name="A", command="a", control=Limit("depth", 3))
    assert Setting.of(entrant, {"Hash": "16"}) == Setting("3 plies", "", "16")


def test_figures_of_pairs() -> None:
    assert report.figures(TALLY, by_pairs=True) == [
        "Elo: 70.44 +/- 177.57, nElo: 96.36 +/- 215.34",
        "LOS: 80.98 %, DrawRatio: 40.00 %, PairsRatio: 2.00",
        "Games: 10, Wins: 4, Losses: 2, Draws: 4, Points: 6.0 (60.00 %)",
        "Ptnml(0-2): [0, 1, 2, 1, 1], WL/DD Ratio: 1.00",
    ]


def test_figures_of_games() -> None:
    assert report.figures(TALLY, by_pairs=False) == [
        "Elo: 70.44 +/- 185.84, nElo: 92.86 +/- 215.34",
        "LOS: 80.10 %, DrawRatio: 40.00 %",
        "Games: 10, Wins: 4, Losses: 2, Draws: 4, Points: 6.0 (60.00 %)",
    ]


def test_all_pairs_won_are_figures_too() -> None:
    """As programs that read them expect: numbers of floating point."""
    lines = report.figures(Tally(Trinomial(4), Pentanomial(ww=2)), by_pairs=True)
    assert lines[0] == "Elo: inf +/- nan, nElo: inf +/- nan"
    assert lines[1] == "LOS: 100.00 %, DrawRatio: 0.00 %, PairsRatio: inf"
    assert lines[3] == "Ptnml(0-2): [0, 0, 0, 0, 2], WL/DD Ratio: nan"


def test_ranks_are_a_table() -> None:
    tallies = {"A": TALLY, "B": TALLY.reversed, "Nobody": Tally()}
    assert report.ranks(tallies, by_pairs=True, penta=True) == [
        "Rank Name                             Elo        +/-       nElo        +/-      Games"
        "      Score       Draw           Ptnml(0-2)",
        "   1 A                              70.44     177.57      96.36     215.34         10"
        "      60.0%      40.0%      [0, 1, 2, 1, 1]",
        "   2 B                             -70.44     177.57     -96.36     215.34         10"
        "      40.0%      40.0%      [1, 1, 2, 1, 0]",
        "   3 Nobody                           nan        nan        nan        nan          0"
        "       nan%       nan%      [0, 0, 0, 0, 0]",
    ]


def test_a_long_name_widens_the_table() -> None:
    head, row = report.ranks({"x" * 40: TALLY}, by_pairs=False, penta=False)
    assert len(head) == len(row) == 4 + 1 + 40 + 7 * 11


def test_a_test_is_told_with_its_bounds() -> None:
    sprt = Sprt(0, 5)
    assert report.test(sprt, 0.04) == "LLR: 0.04 (1.4%) (-2.94, 2.94) [0.00, 5.00]"
    assert report.test(sprt, -1.5) == "LLR: -1.50 (-50.9%) (-2.94, 2.94) [0.00, 5.00]"
    assert report.decided(sprt, Hypothesis.H1) == (
        "SPRT ([0.00, 5.00]) completed - H1 was accepted"
    )


def test_the_lines_of_cutechess() -> None:
    assert report.cutechess_score("A", "B", Tally(Trinomial(1))) == (
        "Score of A vs B: 1 - 0 - 0  [1.000] 1"
    )
    assert report.cutechess_figures(TALLY) == (
        "Elo difference: 70.44 +/- 185.84, LOS: 80.10 %, DrawRatio: 40.00 %"
    )
    sprt = Sprt(0, 5)
    assert report.cutechess_test(sprt, -1.5) == (
        "SPRT: llr -1.50 (50.9%), lbound -2.94, ubound 2.94"
    )
    assert report.cutechess_test(sprt, 3).endswith("ubound 2.94 - H1 was accepted")
