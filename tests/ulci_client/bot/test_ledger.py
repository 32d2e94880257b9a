"""The games that are on, and those of the last day."""

from datetime import UTC, datetime, timedelta, timezone

from ulci_client.bot.ledger import DAY, Ledger, RunningGame

NOON = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)


def test_a_game_counts_from_the_agreement_to_its_end() -> None:
    ledger = Ledger()
    ledger.agreed(1, "Ada", "human")
    assert ledger.running() == [RunningGame("Ada", "human")]
    ledger.begun(1, "Ada-2", NOON)
    assert ledger.running() == [RunningGame("Ada", "human")]
    ledger.begun(2, "Bob", NOON)
    ledger.free(1)
    ledger.free(1)
    assert ledger.running() == [RunningGame("Bob")]


def test_the_players_that_are_here_and_do_not_play_are_known_by_name() -> None:
    ledger = Ledger()
    for seat, name in enumerate(("Fish", "Fish-2", "Fish-3"), 1):
        ledger.arrived(seat, name)
    ledger.agreed(2, "Ada", "human")
    assert [*ledger.free_names(but=1)] == ["Fish-3"]
    ledger.left(3)
    assert [*ledger.free_names(but=1)] == []
    assert ledger.is_ours("Fish")
    assert not ledger.is_ours("Fish-3")


def test_a_day_has_24_hours_when_the_clocks_change() -> None:
    winter, summer = (timezone(timedelta(hours=hours)) for hours in (1, 2))
    ledger = Ledger()
    ledger.begun(1, "Ada", datetime(2027, 3, 27, 12, 0, tzinfo=winter))
    assert ledger.played(datetime(2027, 3, 28, 12, 30, tzinfo=summer)) == ["ada"]
    assert ledger.played(datetime(2027, 3, 28, 13, 0, tzinfo=summer)) == []


def test_games_count_for_a_day() -> None:
    ledger = Ledger()
    ledger.begun(1, "Ada", NOON)
    ledger.begun(1, "Ada-2", NOON + timedelta(hours=1))
    assert ledger.played(NOON + timedelta(hours=2)) == ["ada", "ada"]
    assert ledger.played(NOON + DAY) == ["ada"]
