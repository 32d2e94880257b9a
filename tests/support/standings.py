"""Standings of a match of which some games are played."""

from collections.abc import Sequence

from ulci_server.statistics import Sprt
from ulci_server.tournament import MatchStandings, Progress, Schedule

SCORES = ("1-0", "1/2-1/2", "1/2-1/2", "1/2-1/2", "0-1", "1/2-1/2", "1-0", "1-0")
"""Of the games of a match, over and over: nobody is better, and pairs end in all ways but two."""


class PlayedMatch(MatchStandings):
    """A match that goes on when a test says so."""

    def __init__(self, progress: Progress, names: Sequence[str]) -> None:
        super().__init__(progress, names)
        self.progress = progress

    def play(self, games: int) -> None:
        for _ in range(games):
            finished = self.progress.finished
            self.progress.finish(finished + 1, SCORES[finished % len(SCORES)])


def match(
    games: int, engines: int = 2, *, rounds: int = 5000, by_pairs: bool = True
) -> PlayedMatch:
    """With an SPRT that these games do not decide, if there are two engines."""
    sprt = Sprt(0, 5) if engines == 2 else None
    progress = Progress(Schedule(engines, rounds), sprt, by_pairs=by_pairs)
    played = PlayedMatch(progress, [f"engine {number}" for number in range(1, engines + 1)])
    played.play(games)
    return played
