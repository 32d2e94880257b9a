"""Matches and tournaments, as they are kept: their settings, entrants, pairings and games.

The director of a tournament writes what it has decided before anything comes of it (`save`). What
others change (`create`, `change`, operators and pages, at any server or at none) raises `changes`,
and the director, who would overwrite it otherwise, reads the tournament again.
"""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, TypeVar

import sqlalchemy as sa

from ulci.rules import Side
from ulci_server.game import EventKind

from .errors import LobbyMovedError, RefusedError, TournamentChangedError
from .records import (
    EncounterRecord,
    EntrantRecord,
    PairingRecord,
    StoredTournament,
    TournamentGame,
    TournamentOverview,
    TournamentRecord,
    TournamentState,
)
from .rows.encounters import encounter_record
from .rows.tournaments import (
    entrant_record,
    entrant_row,
    game_of_tournament,
    pairing_record,
    pairing_row,
    tournament_record,
)
from .runs import MAY_WRITE, Runs
from .schema import (
    ENCOUNTERS,
    ENTRANTS,
    EVENTS,
    GAMES,
    INSTALLATION,
    MOVES,
    PAIRINGS,
    RUNS,
    TOURNAMENTS,
)
from .transactions import Transactions
from .untrusted import text


class Tournaments:
    """Begins them, changes them and reads what is kept of them. Failures raise `StorageError`."""

    def __init__(self, transactions: Transactions, runs: Runs) -> None:
        self._read = transactions.read
        self._write = transactions.write
        self._write_beside = transactions.write_as_member  # moves do not wait for it
        self._runs = runs

    # Matches

    def begin(self, settings: str, seed: int, at: datetime) -> TournamentRecord:
        """Keep a new match."""
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
        """Matches and tournaments, the oldest first."""
        return self._read(_ALL, tournament_record)

    def games(self, tournament: int) -> list[EncounterRecord]:
        """Its games in the order in which they ended, then those that run, by their numbers."""
        query = _GAMES.where(ENCOUNTERS.c.tournament_id == tournament)
        return self._read(query, encounter_record)

    def lost(self) -> list[int]:
        """The numbers of games that belong to a match and are not in the record."""
        return self._read(_LOST, lambda row: int(row["game_id"]))

    # Tournaments

    def create(
        self,
        settings: str,
        seed: int,
        word: str,
        at: datetime,
        *,
        by: str = "",
        entrants: Sequence[EntrantRecord] = (),
    ) -> TournamentRecord:
        """Keep a new tournament, which has not begun. word: its name in commands.

        Raises:
            RefusedError: there is one of that name.
        """
        row = {
            "settings": text(settings),
            "seed": seed,
            "files": "{}",
            "started_at": at,
            "word": text(word),
            "state": TournamentState.CREATED,
            "by": text(by),
        }

        def add(connection: sa.Connection) -> int:
            known = sa.select(TOURNAMENTS.c.id).where(TOURNAMENTS.c.word == row["word"])
            if connection.scalar(known) is not None:
                raise RefusedError(f"there is a tournament {word} already")
            new = sa.insert(TOURNAMENTS).values(row).returning(TOURNAMENTS.c.id)
            number = int(connection.execute(new).scalar_one())
            _replace(connection, ENTRANTS, [entrant_row(number, one, at) for one in entrants])
            return number

        number = self._write(add)
        state = TournamentState.CREATED
        return TournamentRecord(number, settings, seed, {}, at, word=word, state=state, by=by)

    def named(self, word: str) -> TournamentRecord | None:
        """The tournament of that name in commands."""
        query = _ALL.where(TOURNAMENTS.c.word == word, TOURNAMENTS.c.word != "")
        return next(iter(self._read(query, tournament_record)), None)

    def overview(self, *, open_only: bool = False, most: int = 500) -> list[TournamentOverview]:
        """Those that are not over, then the others, the newest first. open_only: without the
        others."""
        query = _OVERVIEW.limit(most)
        if open_only:
            query = query.where(TOURNAMENTS.c.state.not_in(OVER))
        return self._read(query, _overview)

    def stored(self, tournament: int) -> StoredTournament | None:
        """All that is kept of it; None if there is none of that number. What others change while
        it is read has raised `changes` when the director saves. A game is stored after its pairing,
        and that after its entrants: read the other way round, none of them is missing."""
        found = self._read(_ALL.where(TOURNAMENTS.c.id == tournament), tournament_record)
        if not found:
            return None
        games = self._read(_RESULTS, game_of_tournament, its_tournament=tournament)
        pairings = self._read(_PAIRINGS, pairing_record, its_tournament=tournament)
        entrants = self._read(_ENTRANTS, entrant_record, its_tournament=tournament)
        return StoredTournament(found[0], entrants, pairings, games)

    def of_game(self, game: int) -> str | None:
        """The name in commands of the tournament that the game belongs to; None: it belongs to
        none, or to a match."""
        query = _OF_GAME.where(ENCOUNTERS.c.game_id == game)
        return next(iter(self._read(query, lambda row: str(row["word"]))), None)

    def results(self, tournament: int, pairings: Collection[int]) -> list[TournamentGame]:
        """How the games of these pairings ended, of those that have, in the order of their ends."""
        query = _RESULTS.where(ENCOUNTERS.c.number.in_([*pairings]), GAMES.c.result.is_not(None))
        return self._read(query, game_of_tournament, its_tournament=tournament)

    def change(
        self,
        tournament: int,
        at: datetime,
        *,
        state: TournamentState | None = None,
        allowed_round: int | None = None,
        entrants: Sequence[EntrantRecord] = (),
        pairings: Sequence[PairingRecord] = (),
        since: StoredTournament | None = None,
    ) -> None:
        """Change what is given, as an operator or director asks for it. Rows of entrants and
        pairings replace those of their numbers. since: what these rows were made from.

        Raises:
            RefusedError: there is no such tournament, or it is over.
            TournamentChangedError: rows of these numbers are not as they were in `since`.
        """
        values: dict[str, object] = {"changes": TOURNAMENTS.c.changes + 1}
        if state is not None:
            values["state"] = state
        if state not in (None, TournamentState.PAUSED):
            values["why_paused"] = ""
        if allowed_round is not None:
            values["allowed_round"] = allowed_round

        def change(connection: sa.Connection) -> None:
            update = sa.update(TOURNAMENTS).where(
                TOURNAMENTS.c.id == tournament, TOURNAMENTS.c.state.not_in(OVER)
            )
            if not connection.execute(update.values(values)).rowcount:
                raise RefusedError("there is no such tournament, or it is over")
            if since is not None:  # nobody else saves any until this transaction ends
                check = partial(_check_rows, connection, tournament)
                check(ENTRANTS, entrant_record, entrants, since.entrants)
                check(PAIRINGS, pairing_record, pairings, since.pairings)
            _write_rows(connection, tournament, at, entrants, pairings)

        self._write(change)

    def save(
        self,
        tournament: int,
        changes: int,
        at: datetime,
        *,
        state: TournamentState | None = None,
        why_paused: str = "",
        begun_at: datetime | None = None,
        entrants: Sequence[EntrantRecord] = (),
        pairings: Sequence[PairingRecord] = (),
    ) -> None:
        """Keep what its director has decided. changes: those that the director knows of.
        why_paused: the reason for that state. The same may be saved again.

        Raises:
            TournamentChangedError: there were others: the director reads it again.
            LobbyMovedError: another server's director goes on.
        """
        run, alone = self._runs.mine, self._runs.alone

        def save(connection: sa.Connection) -> None:
            if run is not None:
                host = _STANDS.where(RUNS.c.id == run) if alone else _HOST
                if connection.scalar(host) != run:
                    raise LobbyMovedError(f"run {run} directs no tournaments any more")
            values: dict[str, object] = {"changes": changes}
            if state is not None:
                values |= {"state": state, "why_paused": text(why_paused)}
            if begun_at is not None:
                values["begun_at"] = begun_at
            update = sa.update(TOURNAMENTS).where(
                TOURNAMENTS.c.id == tournament, TOURNAMENTS.c.changes == changes
            )
            if not connection.execute(update.values(values)).rowcount:
                raise TournamentChangedError(f"tournament {tournament} was changed meanwhile")
            _write_rows(connection, tournament, at, entrants, pairings)

        self._write_beside(save)


OVER = TournamentState.STOPPED, TournamentState.FINISHED


_Record = TypeVar("_Record", EntrantRecord, PairingRecord)


def _check_rows(
    connection: sa.Connection,
    tournament: int,
    table: sa.Table,
    record: Callable[[Mapping[str, Any]], _Record],
    new: Sequence[_Record],
    known: Sequence[_Record],
) -> None:
    """Raises `TournamentChangedError` if what the new rows replace is not what is known."""
    numbers = {row.number for row in new}
    query = sa.select(table).where(table.c.tournament_id == tournament, table.c.number.in_(numbers))
    found = {record(dict(row)) for row in connection.execute(query).mappings()}
    if found != {row for row in known if row.number in numbers}:
        raise TournamentChangedError(f"tournament {tournament} was changed meanwhile")


def _write_rows(
    connection: sa.Connection,
    tournament: int,
    at: datetime,
    entrants: Sequence[EntrantRecord],
    pairings: Sequence[PairingRecord],
) -> None:
    _replace(connection, ENTRANTS, [entrant_row(tournament, one, at) for one in entrants])
    _replace(connection, PAIRINGS, [pairing_row(tournament, one, at) for one in pairings])


def _replace(
    connection: sa.Connection, table: sa.Table, rows: Sequence[Mapping[str, object]]
) -> None:
    """Add rows, in place of those with the same numbers."""
    if rows:
        insert = _UPSERT[connection.dialect.name](table)
        keys = ("tournament_id", "number")
        others = {name: insert.excluded[name] for name in rows[0] if name not in keys}
        connection.execute(insert.on_conflict_do_update(index_elements=keys, set_=others), rows)


_UPSERT: Mapping[str, Any] = {
    "sqlite": sa.dialects.sqlite.insert,
    "postgresql": sa.dialects.postgresql.insert,
}

_STANDS = sa.select(RUNS.c.id).where(MAY_WRITE)
_HOST = sa.select(INSTALLATION.c.lobby_run).with_for_update(read=True)

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

_PRESENT = (
    sa.select(sa.func.count())
    .where(ENTRANTS.c.tournament_id == TOURNAMENTS.c.id, ENTRANTS.c.left.is_(None))
    .scalar_subquery()
)

_OVERVIEW = (
    sa.select(TOURNAMENTS, _PRESENT.label("entrants"))
    .where(TOURNAMENTS.c.word != "")
    .order_by(TOURNAMENTS.c.state.in_(OVER), TOURNAMENTS.c.id.desc())
)

_OF_GAME = (
    sa.select(TOURNAMENTS.c.word)
    .join(ENCOUNTERS, ENCOUNTERS.c.tournament_id == TOURNAMENTS.c.id)
    .where(TOURNAMENTS.c.word != "")
)

_ENTRANTS = (
    sa.select(ENTRANTS)
    .where(ENTRANTS.c.tournament_id == sa.bindparam("its_tournament"))
    .order_by(ENTRANTS.c.number)
)

_PAIRINGS = (
    sa.select(PAIRINGS)
    .where(PAIRINGS.c.tournament_id == sa.bindparam("its_tournament"))
    .order_by(PAIRINGS.c.number)
)


def _moves_of(side: Side) -> sa.ScalarSelect[int]:
    """A move that was taken back and made again is counted once."""
    made = sa.select(sa.func.count(MOVES.c.ply.distinct()))
    return made.where(MOVES.c.game_id == GAMES.c.id, MOVES.c.side == side).scalar_subquery()


def _is_berserk(side: Side) -> sa.Exists:
    return (
        sa.select(EVENTS.c.seq)
        .where(
            EVENTS.c.game_id == GAMES.c.id,
            EVENTS.c.what == EventKind.BERSERK.value,
            EVENTS.c.side == side,
        )
        .exists()
    )


_RESULTS = (
    sa.select(
        ENCOUNTERS.c.number,
        ENCOUNTERS.c.game_id,
        GAMES.c.result,
        GAMES.c.reason,
        GAMES.c.fault,
        GAMES.c.finished_at,
        *(_moves_of(side).label(f"{side.word}_moves") for side in Side),
        *(_is_berserk(side).label(f"{side.word}_berserk") for side in Side),
    )
    .join(GAMES, ENCOUNTERS.c.game_id == GAMES.c.id)
    .where(ENCOUNTERS.c.tournament_id == sa.bindparam("its_tournament"))
    .order_by(GAMES.c.finished_at.is_(None), GAMES.c.finished_at, GAMES.c.id)
)


def _overview(row: Mapping[str, Any]) -> TournamentOverview:
    return TournamentOverview(
        row["id"],
        row["word"],
        row["settings"],
        TournamentState(row["state"]),
        row["changes"],
        row["started_at"],
        row["entrants"],
        row["why_paused"],
    )
