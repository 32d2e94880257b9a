"""Accounts, their tokens, and bans."""

import hashlib
import hmac
import ipaddress
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

import sqlalchemy as sa

from ulci_server.game import Kind

from .errors import RefusedError
from .ratings import OF_ACCOUNTS
from .records import RatingRecord
from .rows.rating_rows import rating_record
from .schema import BANS, PLAYERS, TICKETS, TOKENS, WEB_SESSIONS, UtcTime
from .transactions import Transactions
from .untrusted import text

Scope = Literal["play", "admin"]
"""The rights of a token: ``admin`` may play, too."""

Banned = Literal["account", "name", "address"]

TOKEN = "ulci_"  # noqa: S105 (begins one)
"""Begins a token, so that a leaked one is recognised."""

TICKET = "ulci_ticket_"
"""Begins a token that a page has got for its session, and that is good for one login."""


REVOKED_KEPT = 100
"""Revoked tokens of an account that makes them by itself, for the operator to look at. All would be
without number, and read whenever the account is."""


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
    """The account of a token: its number, name and kind, and the token's scope and number; None: it
    was a ticket. `program`: what its program called itself at its last login; None: not known."""

    player: int
    name: str
    kind: Kind
    scope: Scope
    token: int | None
    program: str | None = None


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
            there = connection.execute(_PLAYER, {"name": row["folded"]})
            if (kept := there.one_or_none()) is not None:
                raise RefusedError(f"there is an account {kept.name} already")
            return _player(_inserted(connection, PLAYERS, row))

        return self._write(add)

    def players(self) -> list[Player]:
        """All accounts, in the order of their creation."""
        return self._read(_PLAYERS, _player)

    def find_player(self, name: str) -> Player | None:
        """The account of that name, ignoring case."""
        return next(iter(self._read(_PLAYER, _player, name=fold(text(name)))), None)

    def account_names(self, *, after: int = 0) -> frozenset[str]:
        """The names of all accounts with numbers above `after`, each as `fold` gives it: no guest
        may have them."""
        return frozenset(self._read(_NAMES, lambda row: str(row["folded"]), after=after))

    def accounts_stamp(self) -> tuple[int, int, datetime | None]:
        """Changes whenever an account is created or removed: the number of accounts, the highest
        id, and when the newest was created. Cheap, however many there are."""
        [stamp] = self._read(
            _ACCOUNTS_STAMP, lambda row: (int(row["count"]), int(row["last"]), row["at"])
        )
        return stamp

    def add_token(
        self,
        player: int,
        hash_: str,
        scope: Scope,
        label: str = "",
        *,
        at: datetime | None = None,
        most: int | None = None,
    ) -> Token:
        """`hash_`: SHA-256 in hex. `most`: valid tokens of an account that makes them by itself; of
        its revoked ones the newest `REVOKED_KEPT` are kept. Raises `RefusedError` if it has so many
        already, or if there is no such account."""
        row = {
            "player_id": player,
            "hash": hash_,
            "scope": scope,
            "label": text(label),
            "created_at": _or_now(at),
        }

        def add(connection: sa.Connection) -> Token:
            if most is not None:
                _make_room(connection, player, most)
            return _token(_inserted(connection, TOKENS, row))

        return self._write(add)

    def tokens(self, player: int | None = None) -> list[Token]:
        """All tokens ever given to the account, or to all accounts, the oldest first."""
        if player is None:
            return self._read(_TOKENS, _token)
        return self._read(_TOKENS_OF, _token, player=player)

    def revoke(self, token: int, *, player: int | None = None, at: datetime | None = None) -> bool:
        """Revoke a token. False: it was not valid before, or is not of the account `player`."""
        change = _REVOKE if player is None else _REVOKE.where(TOKENS.c.player_id == player)
        return self._changed(change, number=token, at=at) > 0

    def revoke_all(self, player: int) -> int:
        """Revoke every token of the account; returns their number."""
        return self._changed(_REVOKE_ALL, number=player)

    def find_token(self, hash_: str) -> Account | None:
        """The account of that token; None if there is none, or the token is revoked."""
        for row in self._read(_ACCOUNT, dict, hash=text(hash_)):
            if hmac.compare_digest(row["hash"].encode(), hash_.encode()):
                columns = ("player", "name", "kind", "scope", "token", "program")
                return Account(*(row[column] for column in columns))
        return None

    def use_ticket(self, hash_: str, at: datetime) -> Account | None:
        """The account of that ticket, whose session lasts; None if there is none, it has expired or
        was used before."""
        values = {"hash": text(hash_), "now": at}
        if not self._read(_TICKET, dict, **values):
            return None  # what is guessed costs no writing

        def use(connection: sa.Connection) -> Account | None:
            used = connection.execute(_USE_TICKET, values).one_or_none()
            if used is None:
                return None
            row = connection.execute(_OF_SESSION, {**values, "session": used.session_id}).first()
            return None if row is None else Account(row.id, row.name, row.kind, "play", None)

        return self._write(use)

    def ratings(self, players: Collection[int]) -> list[RatingRecord]:
        """The ratings of these accounts in all pools."""
        return self._read(OF_ACCOUNTS, rating_record, accounts=[*players])

    def tokens_used(self, used: Mapping[int, datetime]) -> None:
        """Store when each of these tokens was last used to log in."""
        rows = [{"number": token, "now": at} for token, at in used.items()]
        self._write(lambda connection: connection.execute(_TOKEN_USED, rows))

    def name_program(self, player: int, program: str) -> None:
        """Store what the account's program calls itself now."""
        values = {"number": player, "program": text(program)}
        self._write(lambda connection: connection.execute(_NAME_PROGRAM, values))

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
        return self._changed(_LIFT_BAN, number=ban, at=at) > 0

    def bans(self, *, lifted: bool = False, after: int = 0) -> list[Ban]:
        """The bans not lifted, or all, with numbers above `after`; also expired ones (see
        `Ban.holds`)."""
        query = _BANS if lifted else _BANS_NOT_LIFTED
        return self._read(query, lambda row: Ban(**row), after=after)

    def bans_stamp(self) -> tuple[int, int]:
        """Changes whenever a ban is added or lifted: the highest number, and how many were lifted.
        Cheap, however many bans there are."""
        [stamp] = self._read(_BANS_STAMP, lambda row: (int(row["last"]), int(row["lifted"])))
        return stamp

    def ban_numbers(self) -> frozenset[int]:
        """The numbers of the bans not lifted."""
        return frozenset(self._read(_BAN_NUMBERS, lambda row: int(row["id"])))

    def _changed(self, change: sa.Update, number: int, at: datetime | None = None) -> int:
        values = {"number": number, "now": _or_now(at)}
        return self._write(lambda connection: connection.execute(change, values).rowcount)


def _or_now(at: datetime | None) -> datetime:
    return datetime.now(UTC) if at is None else at


def _make_room(connection: sa.Connection, player: int, most: int) -> None:
    """For one more token. No other server makes one for the account meanwhile."""
    connection.execute(_LOCK_PLAYER, {"number": player})
    if connection.execute(_COUNT_VALID, {"number": player}).scalar_one() >= most:
        raise RefusedError(f"an account has at most {most} tokens; revoke one first")
    connection.execute(_FORGET_REVOKED, {"number": player})


def _inserted(connection: sa.Connection, table: sa.Table, row: Mapping[str, Any]) -> dict[str, Any]:
    return connection.execute(_INSERTS[table], row).one()._asdict()


_NUMBER, _NOW = sa.bindparam("number", type_=sa.BigInteger), sa.bindparam("now", type_=UtcTime)

_INSERTS = {table: sa.insert(table).returning(table) for table in (PLAYERS, TOKENS, BANS)}

_PLAYERS = sa.select(PLAYERS).order_by(PLAYERS.c.id)
_PLAYER = sa.select(PLAYERS).where(PLAYERS.c.folded == sa.bindparam("name"))
_NAMES = sa.select(PLAYERS.c.folded).where(PLAYERS.c.id > sa.bindparam("after"))
_ACCOUNTS_STAMP = sa.select(
    sa.func.count(PLAYERS.c.id).label("count"),
    sa.func.coalesce(sa.func.max(PLAYERS.c.id), 0).label("last"),
    # SQLite reuses the number of a removed last row for the next one.
    sa.func.max(PLAYERS.c.created_at).label("at"),
)

_NAME_PROGRAM = (
    sa.update(PLAYERS)
    .where(PLAYERS.c.id == _NUMBER)
    .values(program=sa.bindparam("program", type_=sa.Text))
)

_TOKENS = sa.select(TOKENS).order_by(TOKENS.c.id)
_TOKENS_OF = _TOKENS.where(TOKENS.c.player_id == sa.bindparam("player"))
_COUNT_VALID = sa.select(sa.func.count()).where(
    TOKENS.c.player_id == _NUMBER, TOKENS.c.revoked_at.is_(None)
)
_FORGET_REVOKED = sa.delete(TOKENS).where(
    TOKENS.c.id.in_(
        sa.select(TOKENS.c.id)
        .where(TOKENS.c.player_id == _NUMBER, TOKENS.c.revoked_at.is_not(None))
        .order_by(TOKENS.c.id.desc())
        .offset(REVOKED_KEPT)
    )
)
# Rows that name the account may be added meanwhile, such as its games.
_LOCK_PLAYER = (
    sa.select(PLAYERS.c.id).where(PLAYERS.c.id == _NUMBER).with_for_update(key_share=True)
)
_TOKEN_USED = sa.update(TOKENS).where(TOKENS.c.id == _NUMBER).values(last_used_at=_NOW)
_REVOKE_ANY = sa.update(TOKENS).where(TOKENS.c.revoked_at.is_(None)).values(revoked_at=_NOW)
_REVOKE = _REVOKE_ANY.where(TOKENS.c.id == _NUMBER)
_REVOKE_ALL = _REVOKE_ANY.where(TOKENS.c.player_id == _NUMBER)
_ACCOUNT = (
    sa.select(
        PLAYERS.c.id.label("player"),
        PLAYERS.c.name,
        PLAYERS.c.kind,
        PLAYERS.c.program,
        TOKENS.c.scope,
        TOKENS.c.hash,
        TOKENS.c.id.label("token"),
    )
    .join_from(TOKENS, PLAYERS)
    .where(TOKENS.c.revoked_at.is_(None), TOKENS.c.hash == sa.bindparam("hash"))
)

_HASH = sa.bindparam("hash", type_=sa.Text)
_TICKET = sa.select(TICKETS.c.hash).where(TICKETS.c.hash == _HASH)
_USE_TICKET = (
    sa.delete(TICKETS)
    .where(TICKETS.c.hash == _HASH, TICKETS.c.expires_at > _NOW)
    .returning(TICKETS.c.session_id)
)
_OF_SESSION = (
    sa.select(PLAYERS.c.id, PLAYERS.c.name, PLAYERS.c.kind)
    .join_from(WEB_SESSIONS, PLAYERS)
    .where(
        WEB_SESSIONS.c.id == sa.bindparam("session", type_=sa.BigInteger),
        WEB_SESSIONS.c.expires_at > _NOW,
    )
)

_IN_FORCE = BANS.c.lifted_at.is_(None)
_BANS = sa.select(BANS).where(BANS.c.id > sa.bindparam("after")).order_by(BANS.c.id)
_BANS_NOT_LIFTED = _BANS.where(_IN_FORCE)
_BAN_NUMBERS = sa.select(BANS.c.id).where(_IN_FORCE)
_LIFT_BAN = sa.update(BANS).where(BANS.c.id == _NUMBER, _IN_FORCE).values(lifted_at=_NOW)
_BANS_STAMP = sa.select(
    sa.func.coalesce(sa.func.max(BANS.c.id), 0).label("last"),
    sa.func.count(BANS.c.lifted_at).label("lifted"),
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
