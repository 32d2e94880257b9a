"""Accounts, their tokens, and bans."""

import hashlib
import hmac
import ipaddress
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

import sqlalchemy as sa

from ulci_server.game import Kind

from .errors import RefusedError
from .schema import BANS, PLAYERS, TOKENS
from .transactions import Transactions
from .untrusted import text

Scope = Literal["play", "admin"]
"""The rights of a token: ``admin`` may play, too."""

Banned = Literal["account", "name", "address"]


def fold(name: str) -> str:
    """The form in which names are compared: Ada and ada are one account."""
    return unicodedata.normalize("NFKC", name).casefold()


def secret_hash(secret: str) -> str:
    """The stored form of a token, or of the secret of a seat: SHA-256 in hex. A reader of the
    database cannot log in with it, nor take a seat."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def ban_value(kind: Banned, value: str) -> str:
    """The stored form of a ban's target: a folded name, or a network (of one address, too).

    Raises:
        ValueError: there is no such address.
    """
    if kind != "address":
        return fold(value)
    try:
        return str(ipaddress.ip_network(value, strict=False))
    except ValueError:
        text = f"{value!r} is no address: write 192.0.2.7, 192.0.2.0/24 or 2001:db8::/32"
        raise ValueError(text) from None


@dataclass(frozen=True, slots=True)
class Player:
    """An account."""

    id: int
    name: str
    kind: Kind
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Token:
    """One of an account's tokens, without its SHA-256, which alone is stored of its text."""

    id: int
    player: int
    scope: Scope
    label: str
    created_at: datetime
    revoked_at: datetime | None = None
    last_used_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Account:
    """The account of a token: its number, name and kind, and the token's scope and number."""

    player: int
    name: str
    kind: Kind
    scope: Scope
    token: int


@dataclass(frozen=True, slots=True)
class Ban:
    """A ban; `value` as `ban_value` spells it, `until` None: permanent."""

    id: int
    kind: Banned
    value: str
    until: datetime | None
    by: str
    why: str
    at: datetime
    lifted_at: datetime | None = None

    def holds(self, at: datetime) -> bool:
        """Whether the ban is in force."""
        return self.lifted_at is None and (self.until is None or at < self.until)


class Accounts:
    """Keeps accounts, tokens and bans. `at` None is now. Failures raise `StorageError`."""

    def __init__(self, transactions: Transactions) -> None:
        self._read = transactions.read
        self._write = transactions.write

    def add_player(self, name: str, kind: Kind, *, at: datetime | None = None) -> Player:
        """Raises `RefusedError` if there is an account of that name (see `fold`)."""
        name = text(name)
        row = {"name": name, "folded": fold(name), "kind": kind, "created_at": _or_now(at)}

        def add(connection: sa.Connection) -> Player:
            there = sa.select(PLAYERS).where(PLAYERS.c.folded == row["folded"])
            if (kept := connection.execute(there).one_or_none()) is not None:
                raise RefusedError(f"there is an account {kept.name} already")
            return _player(_inserted(connection, PLAYERS, row))

        return self._write(add)

    def players(self) -> list[Player]:
        """All accounts, in the order of their creation."""
        return self._read(sa.select(PLAYERS).order_by(PLAYERS.c.id), _player)

    def find_player(self, name: str) -> Player | None:
        """The account of that name, ignoring case."""
        query = sa.select(PLAYERS).where(PLAYERS.c.folded == fold(text(name)))
        return next(iter(self._read(query, _player)), None)

    def account_names(self, *, after: int = 0) -> frozenset[str]:
        """The names of all accounts with numbers above `after`, each as `fold` gives it: no guest
        may have them."""
        query = sa.select(PLAYERS.c.folded).where(PLAYERS.c.id > after)
        return frozenset(self._read(query, lambda row: str(row["folded"])))

    def accounts_stamp(self) -> tuple[int, int, datetime | None]:
        """Changes whenever an account is created or removed: the number of accounts, the highest
        id, and when the newest was created. Cheap, however many there are."""
        # The date, too: SQLite reuses the number of a removed last row for the next one.
        number, at = PLAYERS.c.id, PLAYERS.c.created_at
        query = sa.select(
            sa.func.count(number).label("count"),
            sa.func.coalesce(sa.func.max(number), 0).label("last"),
            sa.func.max(at).label("at"),
        )
        [stamp] = self._read(query, lambda row: (int(row["count"]), int(row["last"]), row["at"]))
        return stamp

    def add_token(
        self,
        player: int,
        hash_: str,
        scope: Scope,
        label: str = "",
        *,
        at: datetime | None = None,
    ) -> Token:
        """`hash_`: SHA-256 in hex. Raises `RefusedError` if there is no such account."""
        row = {
            "player_id": player,
            "hash": hash_,
            "scope": scope,
            "label": text(label),
            "created_at": _or_now(at),
        }
        return self._write(lambda connection: _token(_inserted(connection, TOKENS, row)))

    def tokens(self, player: int | None = None) -> list[Token]:
        """All tokens ever given to the account, or to all accounts, the oldest first."""
        query = sa.select(TOKENS).order_by(TOKENS.c.id)
        if player is not None:
            query = query.where(TOKENS.c.player_id == player)
        return self._read(query, _token)

    def revoke(self, token: int, *, at: datetime | None = None) -> bool:
        """Revoke a token. False: it was not valid before."""
        return self._revoke(TOKENS.c.id == token, at) > 0

    def revoke_all(self, player: int) -> int:
        """Revoke every token of the account; returns their number."""
        return self._revoke(TOKENS.c.player_id == player, None)

    def _revoke(self, which: sa.ColumnElement[bool], at: datetime | None) -> int:
        change = sa.update(TOKENS).values(revoked_at=_or_now(at))
        return self._changed(change.where(which, TOKENS.c.revoked_at.is_(None)))

    def find_token(self, hash_: str) -> Account | None:
        """The account of that token; None if there is none, or the token is revoked."""
        query = _TOKENS_OF_PLAYERS.where(TOKENS.c.hash == text(hash_))
        for row in self._read(query, dict):
            if hmac.compare_digest(row["hash"].encode(), hash_.encode()):
                return Account(row["player"], row["name"], row["kind"], row["scope"], row["token"])
        return None

    def tokens_used(self, used: Mapping[int, datetime]) -> None:
        """Store when each of these tokens was last used to log in."""
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
        """Raises `ValueError` as `ban_value` does."""
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
        """Lift a ban. False: there is none of that number, or it was lifted before."""
        change = sa.update(BANS).values(lifted_at=_or_now(at))
        return self._changed(change.where(BANS.c.id == ban, BANS.c.lifted_at.is_(None))) > 0

    def bans(self, *, lifted: bool = False, after: int = 0) -> list[Ban]:
        """The bans not lifted, or all, with numbers above `after`; also expired ones (see
        `Ban.holds`)."""
        query = sa.select(BANS).where(BANS.c.id > after).order_by(BANS.c.id)
        if not lifted:
            query = query.where(BANS.c.lifted_at.is_(None))
        return self._read(query, lambda row: Ban(**row))

    def bans_stamp(self) -> tuple[int, int]:
        """Changes whenever a ban is added or lifted: the highest number, and how many were lifted.
        Cheap, however many bans there are."""
        last = sa.func.coalesce(sa.func.max(BANS.c.id), 0).label("last")
        query = sa.select(last, sa.func.count(BANS.c.lifted_at).label("lifted"))
        [stamp] = self._read(query, lambda row: (int(row["last"]), int(row["lifted"])))
        return stamp

    def ban_numbers(self) -> frozenset[int]:
        """The numbers of the bans not lifted."""
        query = sa.select(BANS.c.id).where(BANS.c.lifted_at.is_(None))
        return frozenset(self._read(query, lambda row: int(row["id"])))

    def _changed(self, change: sa.Update) -> int:
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
