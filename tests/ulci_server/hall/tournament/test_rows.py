"""What is stored of a game, as the tournament counts it."""

from tests.support.facts import NOON
from ulci_server.hall.tournament.rows import result_of
from ulci_server.storage import TournamentGame
from ulci_server.tournament import GameResult


def test_who_played_with_half_the_time_and_how_many_moves_are_kept() -> None:
    game = TournamentGame(3, 17, "0-1", "time", "", (7, 6), (False, True), NOON)
    assert result_of(game) == GameResult(3, "0-1", (7, 6), "time", (False, True))


def test_a_game_that_runs_has_no_score() -> None:
    game = TournamentGame(3, 17, None, "", "", (0, 0), (False, False), None)
    assert result_of(game).score == "*"
