"""Keeps accounts, tokens and bans in SQLite or PostgreSQL."""

import hmac
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from ulci_server.game import Kind

from .access import Access
from .accounts import Account, Ban, Banned, Player, Scope, Token, ban_value, fold
from .errors import RefusedError
from .rows import text
from .schema import BANS, PLAYERS, TOKENS


class SqlAccounts(Access):
    """The `Accounts` of a repository in a database."""

    def add_player(self, name: str, kind: Kind, *, at: datetime | None = None) -> Player:
        name = text(name)
        row = {"name": name, "folded": fold(name), "kind": kind, "created_at": _or_now(at)}

        def add(connection: sa.Connection) -> Player:
            there = sa.select(PLAYERS).where(PLAYERS.c.folded == row["folded"])
            if (kept := connection.execute(there).one_or_none()) is not None:
                raise RefusedError(f"there is an account {kept.name} already")
            return _player(_inserted(connection, PLAYERS, row))

        return self._write(add)

    def players(self) -> list[Player]:
        return self._read(sa.select(PLAYERS).order_by(PLAYERS.c.id), _player)

    def find_player(self, name: str) -> Player | None:
        query = sa.select(PLAYERS).where(PLAYERS.c.folded == fold(text(name)))
        return next(iter(self._read(query, _player)), None)

    def account_names(self, *, after: int = 0) -> frozenset[str]:
        query = sa.select(PLAYERS.c.folded).where(PLAYERS.c.id > after)
        return frozenset(self._read(query, lambda row: str(row["folded"])))

    def accounts_stamp(self) -> tuple[int, int, datetime | None]:
        # The date, too: SQLite gives the number of a removed last row to the next one.
        number, at = PLAYERS.c.id, PLAYERS.c.created_at
        query = sa.select(
            sa.func.count(number).label("count"),
            sa.func.coalesce(sa.func.max(number), 0).label("last"),
            sa.func.max(at).label("at"),
        )
        [stamp] = self._read(query, lambda row: (int(row["count"]), int(row["last"]), row["at"]))
        return stamp

    def remove_player(self, player: int) -> bool:
        return self._changed(sa.delete(PLAYERS).where(PLAYERS.c.id == player)) > 0

    def add_token(
        self,
        player: int,
        hash_: str,
        scope: Scope,
        label: str = "",
        *,
        at: datetime | None = None,
    ) -> Token:
        row = {
            "player_id": player,
            "hash": hash_,
            "scope": scope,
            "label": text(label),
            "created_at": _or_now(at),
        }
        return self._write(lambda connection: _token(_inserted(connection, TOKENS, row)))

    def tokens(self, player: int | None = None) -> list[Token]:
        query = sa.select(TOKENS).order_by(TOKENS.c.id)
        if player is not None:
            query = query.where(TOKENS.c.player_id == player)
        return self._read(query, _token)

    def revoke(self, token: int, *, at: datetime | None = None) -> bool:
        return self._revoke(TOKENS.c.id == token, at) > 0

    def revoke_all(self, player: int, *, at: datetime | None = None) -> int:
        return self._revoke(TOKENS.c.player_id == player, at)

    def _revoke(self, which: sa.ColumnElement[bool], at: datetime | None) -> int:
        change = sa.update(TOKENS).values(revoked_at=_or_now(at))
        return self._changed(change.where(which, TOKENS.c.revoked_at.is_(None)))

    def find_token(self, hash_: str) -> Account | None:
        query = _TOKENS_OF_PLAYERS.where(TOKENS.c.hash == text(hash_))
        for row in self._read(query, dict):
            if hmac.compare_digest(row["hash"].encode(), hash_.encode()):
                return Account(row["player"], row["name"], row["kind"], row["scope"], row["token"])
        return None

    def tokens_used(self, used: Mapping[int, datetime]) -> None:
        change = sa.update(TOKENS).where(TOKENS.c.id == sa.bindparam("token"))
        change = change.values(last_used_at=sa.bindparam("used_at"))
        rows = [{"token": token, "used_at": at} for token, at in used.items()]
        self._write(lambda connection: connection.execute(change, rows))

    def add_ban(
        self,
        kind: Banned,
        value: str,
        *,
        by: str,
        why: str = "",
        until: datetime | None = None,
        at: datetime | None = None,
    ) -> Ban:
        row = {
            "kind": kind,
            "value": ban_value(kind, text(value)),
            "until": until,
            "by": text(by),
            "why": text(why),
            "at": _or_now(at),
        }
        return self._write(lambda connection: Ban(**_inserted(connection, BANS, row)))

    def lift_ban(self, ban: int, *, at: datetime | None = None) -> bool:
        change = sa.update(BANS).values(lifted_at=_or_now(at))
        return self._changed(change.where(BANS.c.id == ban, BANS.c.lifted_at.is_(None))) > 0

    def bans(self, *, lifted: bool = False, after: int = 0) -> list[Ban]:
        query = sa.select(BANS).where(BANS.c.id > after).order_by(BANS.c.id)
        if not lifted:
            query = query.where(BANS.c.lifted_at.is_(None))
        return self._read(query, lambda row: Ban(**row))

    def bans_stamp(self) -> tuple[int, int]:
        last = sa.func.coalesce(sa.func.max(BANS.c.id), 0).label("last")
        query = sa.select(last, sa.func.count(BANS.c.lifted_at).label("lifted"))
        [stamp] = self._read(query, lambda row: (int(row["last"]), int(row["lifted"])))
        return stamp

    def ban_numbers(self) -> frozenset[int]:
        query = sa.select(BANS.c.id).where(BANS.c.lifted_at.is_(None))
        return frozenset(self._read(query, lambda row: int(row["id"])))

    def _changed(self, change: sa.Update | sa.Delete) -> int:
        return self._write(lambda connection: connection.execute(change).rowcount)


def _or_now(at: datetime | None) -> datetime:
    return datetime.now(UTC) if at is None else at


def _inserted(connection: sa.Connection, table: sa.Table, row: Mapping[str, Any]) -> dict[str, Any]:
    return connection.execute(sa.insert(table).values(row).returning(table)).one()._asdict()


_TOKENS_OF_PLAYERS = (
    sa.select(
        PLAYERS.c.id.label("player"),
        PLAYERS.c.name,
        PLAYERS.c.kind,
        TOKENS.c.scope,
        TOKENS.c.hash,
        TOKENS.c.id.label("token"),
    )
    .join_from(TOKENS, PLAYERS)
    .where(TOKENS.c.revoked_at.is_(None))
)


def _player(row: Mapping[str, Any]) -> Player:
    return Player(row["id"], row["name"], row["kind"], row["created_at"])


def _token(row: Mapping[str, Any]) -> Token:
    return Token(
        row["id"],
        row["player_id"],
        row["scope"],
        row["label"],
        row["created_at"],
        row["revoked_at"],
        row["last_used_at"],
    )
