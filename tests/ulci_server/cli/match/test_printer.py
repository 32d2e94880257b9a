"""Which lines are printed when."""

from ulci.rules import Outcome, Reason, Side
from ulci_server.cli.match import MatchSettings, Printer, parse
from ulci_server.tournament import Progress

OUTCOMES = {
    "1-0": Outcome(Side.WHITE, Reason.CHECKMATE),
    "0-1": Outcome(Side.BLACK, Reason.CHECKMATE),
    "1/2-1/2": Outcome(None, Reason.STALEMATE),
    "*": Outcome(None, Reason.SERVER),
}
REPORTS = "Results of", "Rank", "Elo difference"


class Match:
    """A match whose games end as the test says."""

    def __init__(self, line: str, engines: str = "AB") -> None:
        argv = [word for name in engines for word in ("-engine", f"cmd={name}", "st=1")]
        settings = parse([*argv, *line.split()], 4)
        assert isinstance(settings, MatchSettings)
        self.progress = Progress(settings.schedule, settings.sprt, by_pairs=settings.by_pairs)
        self.printer = Printer(settings, self.progress)
        self.games = [settings.schedule.game(n) for n in range(1, settings.schedule.total + 1)]

    def end(self, number: int, score: str) -> list[str]:
        self.progress.finish(number, score)
        return self.printer.ended(self.games[number - 1], OUTCOMES[score])

    def reports(self, scores: str) -> list[int]:
        """The numbers of the games after which there is a report, if games end in order."""
        return [
            number
            for number, score in enumerate(scores.split(), 1)
            if any(line.startswith(REPORTS) for line in self.end(number, score))
        ]


DRAWS = "1/2-1/2 " * 10


def test_a_game_is_told_at_its_start_and_end() -> None:
    match = Match("-rounds 3")
    assert match.printer.started(match.games[1]) == ["Started game 2 of 6 (B vs A)"]
    assert match.end(2, "0-1") == ["Finished game 2 (B vs A): 0-1 {Black mates}"]


def test_a_match_of_pairs_is_reported_as_other_runners_do() -> None:
    match = Match("-rounds 2 -ratinginterval 1 -sprt elo0=0 elo1=5 -openings file=x/book.epd")
    match.printer.introduced(0, {"Threads": "1", "Hash": "1"})
    match.printer.introduced(1, {"Hash": "128"})
    match.end(1, "1-0")
    assert match.end(2, "0-1") == [
        "Finished game 2 (B vs A): 0-1 {Black mates}",
        "--------------------------------------------------",
        "Results of A vs B (1/move, 1t - NULL, 1MB - 128MB, book.epd):",
        "Elo: inf +/- nan, nElo: inf +/- nan",
        "LOS: 100.00 %, DrawRatio: 0.00 %, PairsRatio: inf",
        "Games: 2, Wins: 2, Losses: 0, Draws: 0, Points: 2.0 (100.00 %)",
        "Ptnml(0-2): [0, 0, 0, 0, 1], WL/DD Ratio: nan",
        "LLR: 0.02 (0.7%) (-2.94, 2.94) [0.00, 5.00]",
        "--------------------------------------------------",
    ]


def test_pairs_are_reported_by_the_interval_and_at_the_end() -> None:
    assert Match("-rounds 5 -ratinginterval 2").reports(DRAWS) == [4, 8, 10]
    assert Match("-rounds 5").reports(DRAWS) == [10]
    assert Match("-rounds 5 -ratinginterval 0").reports(DRAWS) == [10]


def test_games_are_reported_by_the_interval_where_they_make_no_pairs() -> None:
    match = Match("-rounds 5 -ratinginterval 2 -report penta=false")
    assert match.reports(DRAWS) == [2, 4, 6, 8, 10]


def test_a_report_waits_for_the_end_of_a_pair_that_ends_out_of_order() -> None:
    match = Match("-rounds 2 -ratinginterval 1")
    assert len(match.end(1, "1-0")) == len(match.end(3, "1-0")) == 1
    assert len(match.end(2, "1-0")) > 1


def test_a_game_without_a_result_is_told_and_not_counted() -> None:
    match = Match("-rounds 1 -ratinginterval 1 -report penta=false")
    assert match.end(1, "*") == ["Finished game 1 (A vs B): * {Game interrupted}"]


def test_a_decided_test_is_told_once() -> None:
    match = Match("-rounds 100 -ratinginterval 1 -sprt elo0=-150 elo1=150")
    number, said = 0, []
    while not match.progress.is_over:
        number += 1
        said = match.end(number, "1-0" if number % 2 else "0-1")
    assert said[-1] == "SPRT ([-150.00, 150.00]) completed - H1 was accepted"
    assert said.count("-" * 50) == 2
    later = match.end(number + 1, "1-0")
    assert later == [f"Finished game {number + 1} (A vs B): 1-0 {{White mates}}"]


def test_three_engines_have_a_table_of_all_their_games() -> None:
    match = Match("-rounds 1 -ratinginterval 3", engines="ABC")
    scores = ["1-0", "0-1", "1/2-1/2", "1/2-1/2", "1-0", "0-1"]
    said = [match.end(number, score) for number, score in enumerate(scores, 1)][-1]
    assert said[2].startswith("Rank Name ")
    assert [line.split()[:2] for line in said[3:6]] == [["1", "A"], ["2", "B"], ["3", "C"]]


def test_cutechess_has_a_score_after_each_game_and_a_line_of_elo() -> None:
    match = Match("-rounds 2 -output format=cutechess -ratinginterval 2")
    assert match.end(1, "1-0") == [
        "Finished game 1 (A vs B): 1-0 {White mates}",
        "Score of A vs B: 1 - 0 - 0  [1.000] 1",
    ]
    assert match.end(2, "1/2-1/2")[1:] == [
        "Score of A vs B: 1 - 0 - 1  [0.750] 2",
        "Elo difference: 190.85 +/- inf, LOS: 92.14 %, DrawRatio: 50.00 %",
    ]


def test_cutechess_tells_scores_by_the_interval() -> None:
    match = Match("-rounds 2 -output format=cutechess -scoreinterval 3 -ratinginterval 0")
    said = [match.end(number, "1/2-1/2") for number in range(1, 5)]
    assert [len(lines) for lines in said] == [1, 1, 2, 3]


def test_cutechess_tells_of_a_test_and_its_end() -> None:
    match = Match("-rounds 9 -output format=cutechess -sprt elo0=-150 elo1=150")
    number, said = 0, []
    while not match.progress.is_over:
        number += 1
        said = match.end(number, "1-0" if number % 2 else "0-1")
    assert said[-2].startswith("SPRT: llr ")
    assert said[-2].endswith("H1 was accepted")
    assert said[-1] == "Tournament finished"


def test_at_the_end_faults_are_counted_for_those_who_had_any() -> None:
    match = Match("-rounds 4")
    for number, winner, why, detail in (
        (1, Side.WHITE, Reason.TIME, "the flag of Black (B) fell at ply 2, after 1 s"),
        (2, Side.BLACK, Reason.TIME, "the flag of White (B) fell at ply 1, after 1 s"),
        (3, Side.WHITE, Reason.DISCONNECT, "Black (B) left: it ended"),
    ):
        outcome = Outcome(winner, why)
        match.progress.finish(number, outcome.score)
        match.printer.ended(match.games[number - 1], outcome, detail)
    assert match.printer.closed(61.5) == [
        "",
        "Player: B",
        "  Timeouts: 2",
        "  Crashed: 1",
        "",
        "Finished match",
        "Total Time: 00:01:01 (hours:minutes:seconds)",
    ]


def test_faults_of_before_a_restart_are_counted_too() -> None:
    match = Match("-rounds 4")
    match.printer.recall(match.games[0], Outcome(Side.BLACK, Reason.TIME))
    assert match.printer.closed(0)[1:3] == ["Player: A", "  Timeouts: 1"]


def test_an_end_without_faults_is_short_and_an_interrupted_match_says_how_to_go_on() -> None:
    match = Match("-rounds 4")
    assert match.printer.closed(1)[0] == "Finished match"
    assert "run the same command again" in match.printer.closed(1, interrupted=True)[0]


def test_a_loss_on_time_tells_by_how_much() -> None:
    match = Match("-rounds 4")
    match.progress.finish(1, "0-1")
    said = match.printer.ended(match.games[0], Outcome(Side.BLACK, Reason.TIME), overrun=12)
    assert said == ["Finished game 1 (A vs B): 0-1 {White loses on time (12ms overrun)}"]
