"""Reads a match from the record: the games that are over, and those that still run."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from ulci_server.storage import Database, EncounterRecord, TournamentRecord


class OtherMatchError(Exception):
    """The database has another match; the text says what to do."""


@dataclass(frozen=True, slots=True)
class Past:
    """kept: the match in the record. ended: its games in the order in which they ended. running:
    the numbers in the match of its games that run, by the games' numbers."""

    kept: TournamentRecord
    ended: tuple[EncounterRecord, ...]
    running: Mapping[int, int]


def recall(database: Database, settings: str, seed: int, at: datetime) -> Past:
    """What was played of the match with these settings, which begins now, with that seed, if it is
    new. For a worker thread.

    Raises:
        OtherMatchError: the database has one with other settings.
        StorageError: it cannot be read.
    """
    known = database.tournaments.all()
    for kept in known:
        if kept.settings == settings:
            games = database.tournaments.games(kept.id)
            running = {each.game.id: each.number for each in games if each.game.running}
            ended = tuple(each for each in games if not each.game.running)
            return Past(kept, ended, running)
    if any(database.tournaments.games(kept.id) for kept in known):
        raise OtherMatchError(
            "there is a match with other settings in the database: run the same command again to go"
            " on with that, or name another database by -db FILE"
        )
    return Past(database.tournaments.begin(settings, seed, at), (), {})
