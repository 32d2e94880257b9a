"""Matches and tournaments, as they are kept: their settings, and which games are theirs."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from .records import EncounterRecord, TournamentRecord
from .rows.encounters import encounter_record
from .schema import ENCOUNTERS, GAMES, TOURNAMENTS
from .transactions import Transactions
from .untrusted import text


class Tournaments:
    """Begins them and reads what is kept of them. Failures raise `StorageError`."""

    def __init__(self, transactions: Transactions) -> None:
        self._read = transactions.read
        self._write = transactions.write

    def begin(self, settings: str, seed: int, at: datetime) -> TournamentRecord:
        """Keep a new one."""
        add = (
            sa.insert(TOURNAMENTS)
            .values(settings=text(settings), seed=seed, files="{}", started_at=at)
            .returning(TOURNAMENTS.c.id)
        )
        number = self._write(lambda connection: connection.execute(add).scalar_one())
        return TournamentRecord(number, settings, seed, {}, at)

    def keep_files(self, tournament: int, files: Mapping[str, int]) -> None:
        """Keep where its games begin in the files that they are written to, in bytes."""
        change = sa.update(TOURNAMENTS).where(TOURNAMENTS.c.id == tournament)
        values = change.values(files=text(json.dumps(dict(files))))
        self._write(lambda connection: connection.execute(values))

    def keep_book(self, tournament: int, digest: str) -> None:
        """Store the digest of the book, by which a changed file is noticed."""
        change = sa.update(TOURNAMENTS).where(TOURNAMENTS.c.id == tournament)
        self._write(lambda connection: connection.execute(change.values(book=digest)))

    def all(self) -> list[TournamentRecord]:
        """The oldest first."""
        return self._read(_ALL, _tournament)

    def games(self, tournament: int) -> list[EncounterRecord]:
        """Its games in the order in which they ended, then those that run, by their numbers."""
        query = _GAMES.where(ENCOUNTERS.c.tournament_id == tournament)
        return self._read(query, encounter_record)

    def lost(self) -> list[int]:
        """The numbers of games that belong to a match and are not in the record."""
        return self._read(_LOST, lambda row: int(row["game_id"]))


_LOST = (
    sa.select(ENCOUNTERS.c.game_id)
    .outerjoin(GAMES, ENCOUNTERS.c.game_id == GAMES.c.id)
    .where(GAMES.c.id.is_(None))
    .order_by(ENCOUNTERS.c.game_id)
)

_ALL = sa.select(TOURNAMENTS).order_by(TOURNAMENTS.c.id)

_GAMES = (
    sa.select(GAMES, ENCOUNTERS.c.number)
    .join(ENCOUNTERS, ENCOUNTERS.c.game_id == GAMES.c.id)
    .order_by(GAMES.c.finished_at.is_(None), GAMES.c.finished_at, GAMES.c.id)
)


def _tournament(row: Mapping[str, Any]) -> TournamentRecord:
    return TournamentRecord(
        row["id"],
        row["settings"],
        row["seed"],
        json.loads(row["files"]),
        row["started_at"],
        row["book"],
    )
