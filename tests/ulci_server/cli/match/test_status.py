"""The line for people at a terminal."""

from ulci_server.cli.match import status
from ulci_server.statistics import Sprt
from ulci_server.tournament import Progress, Schedule


def after(games: int, *, engines: int = 2, rounds: int = 50, sprt: Sprt | None = None) -> Progress:
    progress = Progress(Schedule(engines, rounds), sprt, by_pairs=True)
    for number in range(1, games + 1):
        progress.finish(number, "1-0" if number % 8 == 1 else "1/2-1/2")
    return progress


def test_it_tells_how_far_the_match_is_and_how_long_it_still_takes() -> None:
    assert status(after(0), 5) == "0 of 100 games"
    assert status(after(20), 60) == "20 of 100 games, +3 =17 -0, Elo 52.5 +/- 50.9, 4:00 to go"


def test_as_long_as_one_has_won_all_there_is_no_elo() -> None:
    progress = Progress(Schedule(2, 3), by_pairs=True)
    progress.finish(1, "1-0")
    progress.finish(2, "0-1")
    assert status(progress, 60) == "2 of 6 games, +2 =0 -0, 2:00 to go"


def test_games_of_before_a_restart_tell_nothing_about_the_pace() -> None:
    assert status(after(20), 60, before=20).endswith("Elo 52.5 +/- 50.9")
    assert status(after(20), 60, before=10).endswith("8:00 to go")


def test_a_test_may_end_sooner() -> None:
    assert status(after(20, sprt=Sprt(0, 5)), 3600).endswith(
        "LLR 0.08 (3 %), at most 4:00:00 to go"
    )


def test_days_are_told_as_days() -> None:
    assert status(after(1), 10_000).endswith("11 days to go")


def test_of_more_engines_only_the_games_are_told() -> None:
    assert status(after(3, engines=3, rounds=2), 3) == "3 of 12 games, 0:09 to go"


def test_at_the_end_nothing_is_left() -> None:
    assert "to go" not in status(after(4, rounds=2), 60)
