"""The directory of a cluster's lobby: who is where, who seeks what, and who missed a result.

The server that hosts the lobby writes it, and the next one reads it. Each host takes it over with
its first read, and from then on nobody else writes it: the fence of facts is not asked, so that
moves do not wait for it.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from ulci.rules import Outcome, Side
from ulci_server.game import Seat

from .errors import FencedError, LobbyMovedError
from .fence import SHUT_OUT
from .games import RUNNING, Games
from .records import LobbyChanges, LobbyMatch, LobbyMember, LobbySeek, RunningGame, StoredLobby
from .runs import MAY_WRITE, install
from .schema import (
    GAMES,
    INSTALLATION,
    LOBBY_MATCHES,
    LOBBY_MEMBERS,
    LOBBY_SEEKS,
    MISSED_RESULTS,
    RUNS,
)
from .transactions import Transactions
from .untrusted import text

RESERVED = 1000
"""Numbers of seeks, challenges and matches that are reserved at once. The next host begins after
them: nobody is told a number twice."""

RECENT = timedelta(minutes=5)
"""For how long the next host tells a missed result."""


class Directory:
    """Of one database. Failures raise `StorageError`."""

    def __init__(self, transactions: Transactions, games: Games) -> None:
        self._write = transactions.write_as_member  # moves do not wait for it
        self._games = games

    def take(self, run: int, at: datetime) -> StoredLobby:
        """Host the lobby from now on, as that run, and read what is stored of it. The next
        `RESERVED` numbers after its `last_seek` may be given out. Missed results that are too old
        are forgotten.

        Raises:
            FencedError: the run may not write any more.
        """
        stored, last_seek, games = self._write(lambda connection: _take(connection, run, at))
        members, seeks, matches, missed = stored
        wanted = {one.game for one in members if one.game is not None}.union(missed.values())
        outcomes: dict[int, Outcome | None] = dict.fromkeys(game.game for game in games)
        if ended := wanted.difference(outcomes):
            outcomes.update(self._games.outcomes(ended))
        return StoredLobby(members, seeks, matches, missed, outcomes, games, last_seek)

    def save(self, run: int, changes: LobbyChanges) -> None:
        """Store all changes, or none. The same ones may be stored again.

        Raises:
            LobbyMovedError: another run hosts the lobby now.
        """
        self._write(lambda connection: _save(connection, run, changes))


_Stored = tuple[list[LobbyMember], list[LobbySeek], list[LobbyMatch], dict[str, int]]


def _take(
    connection: sa.Connection, run: int, at: datetime
) -> tuple[_Stored, int, list[RunningGame]]:
    install(connection)
    may_write = sa.select(RUNS.c.id).where(RUNS.c.id == run, MAY_WRITE)
    if connection.scalar(may_write) is None:
        raise FencedError(SHUT_OUT.format(run=run))
    reserved = INSTALLATION.c.last_seek + RESERVED
    change = sa.update(INSTALLATION).values(lobby_run=run, last_seek=reserved)
    last_seek = (
        connection.execute(change.returning(INSTALLATION.c.last_seek)).scalar_one() - RESERVED
    )
    connection.execute(sa.delete(MISSED_RESULTS).where(MISSED_RESULTS.c.at < at - RECENT))
    stored = (
        sorted(map(_member, connection.execute(_MEMBERS).mappings()), key=_order),
        [LobbySeek(*row) for row in connection.execute(_SEEKS)],
        [LobbyMatch(*row) for row in connection.execute(_MATCHES)],
        {row.key: row.game_id for row in connection.execute(_MISSED)},
    )
    games = [_running(row) for row in connection.execute(_RUNNING).mappings()]
    return stored, last_seek, games


def _save(connection: sa.Connection, run: int, changes: LobbyChanges) -> None:
    if connection.scalar(_HOST) != run:
        raise LobbyMovedError(f"run {run} hosts the lobby no more")
    members, seeks, matches = changes.members, changes.seeks, changes.matches
    _replace(connection, LOBBY_MEMBERS.c.handle, members, map(_member_row, _present(members)))
    _replace(connection, LOBBY_SEEKS.c.id, seeks, map(_seek_row, _present(seeks)))
    _replace(connection, LOBBY_MATCHES.c.id, matches, (one._asdict() for one in _present(matches)))
    missed = (
        {"key": key, "game_id": one[0], "at": one[1]}
        for key, one in changes.missed.items()
        if one is not None
    )
    _replace(connection, MISSED_RESULTS.c.key, changes.missed, missed)
    if changes.last_seek is not None:
        connection.execute(sa.update(INSTALLATION).values(last_seek=changes.last_seek))


def _present(changes: Mapping[Any, Any]) -> Iterable[Any]:
    return (one for one in changes.values() if one is not None)


def _replace(
    connection: sa.Connection,
    key: sa.Column[Any],
    keys: Collection[object],
    rows: Iterable[Mapping[str, object]],
) -> None:
    """Delete the rows with these keys, and add new ones."""
    if not keys:
        return
    connection.execute(sa.delete(key.table).where(key == sa.bindparam("its_key")), _values(keys))
    if new := [*rows]:
        connection.execute(sa.insert(key.table), new)


def _values(keys: Collection[object]) -> list[dict[str, object]]:
    return [{"its_key": key} for key in keys]


def _member_row(one: LobbyMember) -> dict[str, object]:
    return {
        "handle": one.handle,
        "run_id": one.run,
        "link": one.link,
        "host": text(one.host),
        "label": text(one.label),
        "keys": " ".join(one.keys),
        "profile": text(one.profile),
        "game_id": one.game,
        "side": int(one.side),
        "called_at": one.called_at,
        "playing": one.playing,
    }


def _member(row: sa.RowMapping) -> LobbyMember:
    return LobbyMember(
        row["handle"],
        row["living"],
        row["link"],
        row["host"],
        row["label"],
        tuple(row["keys"].split()),
        row["profile"],
        row["game_id"],
        Side(row["side"]),
        row["called_at"],
        row["playing"],
    )


def _order(one: LobbyMember) -> tuple[int, int, int]:
    return one.game or 0, one.run or 0, one.link


def _seek_row(one: LobbySeek) -> dict[str, object]:
    return {"id": one.id, "handle": one.handle, "asked": one.asked, "terms": text(one.terms)}


def _running(row: sa.RowMapping) -> RunningGame:
    white, black = (
        Seat(
            row[f"{side.word}_name"],
            row[f"{side.word}_kind"],
            row[f"{side.word}_author"],
            row[f"{side.word}_handle"],
            row[f"{side.word}_id"],
            row[f"{side.word}_key"],
        )
        for side in Side
    )
    return RunningGame(row["id"], row["living"], row["epoch"], (white, black))


_HOST = sa.select(INSTALLATION.c.lobby_run).with_for_update(read=True)

_LIVING = sa.select(RUNS.c.id).where(MAY_WRITE).subquery()
_MEMBERS = sa.select(LOBBY_MEMBERS, _LIVING.c.id.label("living")).outerjoin(
    _LIVING, _LIVING.c.id == LOBBY_MEMBERS.c.run_id
)
_SEEKS = sa.select(LOBBY_SEEKS).order_by(LOBBY_SEEKS.c.id)
_MATCHES = sa.select(LOBBY_MATCHES).order_by(LOBBY_MATCHES.c.id)
_MISSED = sa.select(MISSED_RESULTS.c.key, MISSED_RESULTS.c.game_id)


def _seat_columns(side: Side) -> Sequence[sa.Column[Any]]:
    columns = ("name", "kind", "author", "key", "handle", "id")
    return [GAMES.c[f"{side.word}_{column}"] for column in columns]


_RUNNING = (
    sa.select(
        GAMES.c.id,
        GAMES.c.epoch,
        _LIVING.c.id.label("living"),
        *(column for side in Side for column in _seat_columns(side)),
    )
    .outerjoin(_LIVING, _LIVING.c.id == GAMES.c.owner)
    .where(RUNNING)
    .order_by(GAMES.c.id)
)
