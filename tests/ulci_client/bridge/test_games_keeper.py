"""A bot's games of the last day, on the disk while it plays."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
import trio
import trio.testing

from ulci_client.bot.games_file import read_games, write_games
from ulci_client.bot.ledger import Begun, Ledger
from ulci_client.bridge.games_keeper import PAUSE, GamesKeeper

NOON = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)


class Kept:
    """A ledger whose games are kept in that file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.told: list[str] = []
        self.ledger = Ledger()
        self.keeper = GamesKeeper(path, self.ledger, lambda: NOON, self.told.append)
        self.keeper.restore()

    def begin(self, opponent: str) -> None:
        self.ledger.begun(1, opponent, NOON)

    @property
    def written(self) -> list[str]:
        return [game.opponent for game in read_games(self.path, NOON)[0]]

    async def writes(self, *opponents: str, clock: trio.testing.MockClock | None = None) -> None:
        """Wait until these are on the disk: a thread writes them, which no mock clock waits for.
        `clock` goes on meanwhile: the pause may begin only after the file is there."""
        while self.written != [*opponents]:
            if clock is not None:
                clock.jump(PAUSE)
            await trio.lowlevel.checkpoint()


@pytest.fixture
def kept(tmp_path) -> Kept:
    return Kept(tmp_path / "bot.games")


async def test_every_game_is_on_the_disk_and_known_after_a_restart(mock_clock, kept, nursery):
    nursery.start_soon(kept.keeper.run)
    kept.begin("Ada")
    await kept.writes("ada")
    kept.begin("Bob")
    kept.begin("Ada-2")
    await trio.testing.wait_all_tasks_blocked()
    assert kept.written == ["ada"]
    await kept.writes("ada", "bob", "ada", clock=mock_clock)
    again = Kept(kept.path)
    assert again.ledger.played(NOON) == ["ada", "bob", "ada"]
    assert again.told == kept.told == []


async def test_the_last_game_is_written_at_the_end(mock_clock, kept):
    async with trio.open_nursery() as nursery:
        nursery.start_soon(kept.keeper.run)
        kept.begin("Ada")
        await kept.writes("ada")
        kept.begin("Bob")
        nursery.cancel_scope.cancel()
    assert kept.written == ["ada", "bob"]


async def test_a_disk_that_fails_is_told_once_and_written_again_when_it_works(
    mock_clock, kept, nursery
):
    nursery.start_soon(kept.keeper.run)
    for name in ("Ada", "Bob"):
        kept.path.mkdir(exist_ok=True)
        kept.begin(name)
        while not kept.told:
            await trio.lowlevel.checkpoint()
        mock_clock.jump(PAUSE)
    kept.path.rmdir()
    kept.begin("Eve")
    await kept.writes("ada", "bob", "eve")
    [told] = kept.told
    assert told.startswith(f"cannot write to {kept.path}")


async def test_a_file_of_somebody_else_is_never_overwritten(mock_clock, tmp_path, nursery):
    path = tmp_path / "bot.toml"
    path.write_text("[limits]\n")
    kept = Kept(path)
    assert "is left alone" in kept.told[0]
    nursery.start_soon(kept.keeper.run)
    kept.begin("Ada")
    await trio.testing.wait_all_tasks_blocked()
    assert path.read_text() == "[limits]\n"


async def test_a_damaged_file_is_told_and_what_is_left_of_it_counts(mock_clock, tmp_path):
    path = tmp_path / "bot.games"
    write_games(path, [Begun("ada", NOON)])
    path.write_text(path.read_text() + "garbage\n")
    kept = Kept(path)
    assert kept.told == [f"{path} is damaged: 1 of its games are forgotten"]
    assert kept.ledger.played(NOON) == ["ada"]
