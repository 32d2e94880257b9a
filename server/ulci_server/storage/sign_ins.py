"""Passwords of accounts, the sessions of browsers that gave one, their tickets, invitations, and
how often somebody tried. All secrets are stored as hashes (`secret_hash`), passwords as Argon2id.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa

from .accounts import Player, fold
from .errors import RefusedError
from .schema import ATTEMPTS, INVITES, PASSWORDS, PLAYERS, TICKETS, WEB_SESSIONS, UtcTime
from .transactions import Transactions
from .untrusted import text

MOST_SESSIONS = 20
"""Browsers of one account that are signed in; one more signs the oldest out."""

MOST_TICKETS = 10
"""Of one session: tabs that open their WebSockets at once. One more replaces the oldest."""

CLEARED = 100
"""Expired rows that are removed when one is added, at most."""


_KEPT = timedelta(days=1)  # an attempt: longer than any limit remembers


class InviteError(RefusedError):
    """There is no such invitation, or it is for another account."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """An account, and the hash of its password; None: it has none."""

    player: Player
    hash: str | None


@dataclass(frozen=True, slots=True)
class WebSession:
    """A browser that is signed in, and until when."""

    id: int
    player: Player
    expires_at: datetime


class Limit(NamedTuple):
    """How often something may be tried: `free` times; then each time doubles the wait from `first`
    up to `longest` s. A key not tried for `forget` s starts afresh."""

    free: int
    first: float
    longest: float
    forget: float

    def wait(self, count: int, idle: float) -> float:
        """Seconds until the next one, `idle` s after the last of `count`."""
        if count < self.free or idle > self.forget:
            return 0.0
        doublings = min(count - self.free, _DOUBLINGS)
        return max(0.0, min(self.first * 2.0**doublings, self.longest) - idle)


_DOUBLINGS = 30  # 2**30 s exceeds any wait


class SignIns:
    """Keeps them. Failures raise `StorageError`."""

    def __init__(self, transactions: Transactions) -> None:
        self._read = transactions.read
        self._write = transactions.write

    # Passwords

    def credentials(self, name: str) -> Credentials | None:
        """Of the account of that name, ignoring case."""
        found = self._read(_CREDENTIALS, _credentials, name=fold(text(name)))
        return next(iter(found), None)

    def set_password(self, player: int, hash_: str, at: datetime, *, instead_of: str) -> None:
        """Replace the password with the hash `instead_of`. All sessions of the account end. Raises
        `RefusedError` if the account has another password by now."""

        def work(connection: sa.Connection) -> None:
            _check_password(connection, player, instead_of)
            _set_password(connection, player, hash_, at)

        self._write(work)

    def sign_up(self, name: str, hash_: str, invite: str | None, at: datetime) -> Player:
        """Make an account with a password. With the hash of an invitation for an account that is
        there, only the password is set, and all its sessions end.

        Raises:
            RefusedError: there is an account of that name already.
            InviteError: there is no such invitation, or it is for another name.
        """
        name = text(name)

        def work(connection: sa.Connection) -> Player:
            there = connection.execute(_CREDENTIALS, {"name": fold(name)}).mappings().one_or_none()
            invited = None if invite is None else _use_invite(connection, invite, at)
            if invited is not None:
                if there is None or there["id"] != invited:
                    raise InviteError("this invitation is for another name")
                _set_password(connection, invited, hash_, at)
                return _player(there)
            if there is not None:
                raise RefusedError(f"there is an account {there['name']} already")
            values = {"name": name, "folded": fold(name), "kind": "human", "created_at": at}
            added = connection.execute(_ADD_PLAYER, values).mappings().one()
            _set_password(connection, added["id"], hash_, at)
            return _player(added)

        return self._write(work)

    # Sessions

    def begin(
        self,
        player: int,
        hash_: str,
        network: str,
        at: datetime,
        expires_at: datetime,
        *,
        password: str,
    ) -> None:
        """Sign a browser in: what its cookie holds has that hash. `password`: the hash of the one
        that it gave. Raises `RefusedError` if the account has another password by now: a session
        that begins after a change would outlast it."""
        row = {
            "player_id": player,
            "hash": hash_,
            "network": text(network),
            "created_at": at,
            "expires_at": expires_at,
        }

        def work(connection: sa.Connection) -> None:
            _check_password(connection, player, password)
            connection.execute(_CLEAR_SESSIONS, {"now": at})
            connection.execute(_TRIM_SESSIONS, {"number": player})
            connection.execute(sa.insert(WEB_SESSIONS), row)

        self._write(work)

    def session(self, hash_: str, at: datetime) -> WebSession | None:
        """The session with that hash, unless it has expired."""
        return next(iter(self._read(_SESSION, _session, hash=text(hash_), now=at)), None)

    def sessions(self, player: int, at: datetime) -> int:
        """How many browsers are signed in."""
        [count] = self._read(_COUNT_SESSIONS, lambda row: int(row["count"]), number=player, now=at)
        return count

    def end(self, hash_: str) -> bool:
        """Sign a browser out. False: it was not signed in."""
        values = {"hash": text(hash_)}
        return self._write(lambda connection: connection.execute(_END, values).rowcount) > 0

    def end_all(self, player: int) -> int:
        """Sign all browsers of the account out; returns their number."""
        values = {"number": player}
        return self._write(lambda connection: connection.execute(_END_ALL, values).rowcount)

    def add_ticket(self, session: int, hash_: str, at: datetime, expires_at: datetime) -> None:
        """Let the session's page log in once (`Accounts.use_ticket`). Raises `RefusedError` if the
        session has ended."""

        def work(connection: sa.Connection) -> None:
            connection.execute(_CLEAR_TICKETS, {"now": at})
            connection.execute(_TRIM_TICKETS, {"number": session})
            row = {"session_id": session, "hash": hash_, "expires_at": expires_at}
            connection.execute(sa.insert(TICKETS), row)

        self._write(work)

    # Invitations

    def add_invite(
        self, hash_: str, at: datetime, expires_at: datetime, player: int | None = None
    ) -> None:
        """Let somebody sign up or, if an account is named, give that a password."""
        row = {"hash": hash_, "player_id": player, "created_at": at, "expires_at": expires_at}

        def work(connection: sa.Connection) -> None:
            connection.execute(_CLEAR_INVITES, {"now": at})
            connection.execute(sa.insert(INVITES), row)

        self._write(work)

    def is_invite(self, hash_: str, at: datetime) -> bool:
        """Whether it can still be used."""
        return bool(self._read(_INVITE, dict, hash=text(hash_), now=at))

    # Attempts

    def attempt(
        self,
        limits: Mapping[str, Limit],
        at: datetime,
        *,
        friends: Collection[str] = (),
        name: str = "",
        network: str = "",
    ) -> float:
        """Count one more attempt by each of these keys, unless one of them has to wait: then none
        is counted. Returns the seconds to wait. The keys `friends` do not count where the account
        `name` is signed in from that network: nobody elsewhere can lock its owner out."""

        def work(connection: sa.Connection) -> float:
            _lock(connection, limits)
            values = {"name": fold(text(name)), "network": text(network), "now": at}
            known = bool(friends) and connection.execute(_KNOWN, values).first() is not None
            counted = {
                key: limit for key, limit in limits.items() if not known or key not in friends
            }
            rows = connection.execute(_ATTEMPTS, {"keys": [*counted]}).mappings().all()
            waits, stale = [0.0], list[str]()
            for row in rows:
                idle, limit = (at - row["last_at"]).total_seconds(), counted[row["key"]]
                waits.append(limit.wait(row["count"], idle))
                if idle > limit.forget:
                    stale.append(row["key"])
            if (wait := max(waits)) > 0:
                return wait
            if stale:
                connection.execute(_FORGET, {"keys": stale})
            connection.execute(_CLEAR_ATTEMPTS, {"now": at - _KEPT})
            for key in sorted(counted):
                connection.execute(_ATTEMPT, {"key": text(key), "now": at})
            return 0.0

        return self._write(work)

    def succeeded(self, keys: Collection[str], forget: Collection[str]) -> None:
        """The last attempt was none: take it back from these keys, and start afresh with those."""

        def work(connection: sa.Connection) -> None:
            _lock(connection, {*keys, *forget})
            connection.execute(_FORGET, {"keys": [*forget]})
            connection.execute(_FORGET_LAST, {"keys": [*keys]})
            connection.execute(_TAKE_BACK, {"keys": [*keys]})

        self._write(work)


def _lock(connection: sa.Connection, keys: Collection[str]) -> None:
    """Until the end of the transaction, let no other server count attempts by these keys. Rows
    cannot be locked in one order, as some are not there yet; and two servers that lock in different
    orders wait for each other until PostgreSQL fails one of them. SQLite has one writer anyway."""
    if connection.dialect.name == "postgresql":
        connection.execute(_LOCK_KEYS, {"keys": [*map(text, keys)]})


def _check_password(connection: sa.Connection, player: int, hash_: str) -> None:
    """Raises `RefusedError` unless the account has this password until the transaction ends."""
    found = connection.execute(_PASSWORD, {"number": player}).scalar_one_or_none()
    if found != hash_:
        raise RefusedError("the password was changed at this moment; sign in again")


def _set_password(connection: sa.Connection, player: int, hash_: str, at: datetime) -> None:
    connection.execute(_END_ALL, {"number": player})
    connection.execute(_NO_PASSWORD, {"number": player})
    row = {"player_id": player, "hash": hash_, "changed_at": at}
    connection.execute(sa.insert(PASSWORDS), row)


def _use_invite(connection: sa.Connection, hash_: str, at: datetime) -> int | None:
    """The account that it is for. Raises `InviteError`."""
    used = connection.execute(_USE_INVITE, {"hash": text(hash_), "now": at}).one_or_none()
    if used is None:
        raise InviteError("this invitation is not valid: it was used, or has expired")
    account: int | None = used.player_id
    return account


def _player(row: Mapping[Any, Any]) -> Player:
    return Player(row["id"], row["name"], row["kind"], row["created_at"])


def _credentials(row: Mapping[str, Any]) -> Credentials:
    return Credentials(_player(row), row["hash"])


def _session(row: Mapping[str, Any]) -> WebSession:
    return WebSession(row["session"], _player(row), row["expires_at"])


_NUMBER, _NOW = sa.bindparam("number", type_=sa.BigInteger), sa.bindparam("now", type_=UtcTime)
_HASH = sa.bindparam("hash", type_=sa.Text)
_KEYS = sa.bindparam("keys", type_=sa.Text, expanding=True)

_ADD_PLAYER = sa.insert(PLAYERS).returning(PLAYERS)
_CREDENTIALS = (
    sa.select(PLAYERS, PASSWORDS.c.hash)
    .outerjoin_from(PLAYERS, PASSWORDS)
    .where(PLAYERS.c.folded == sa.bindparam("name", type_=sa.Text))
)
_PASSWORD = sa.select(PASSWORDS.c.hash).where(PASSWORDS.c.player_id == _NUMBER).with_for_update()
_NO_PASSWORD = sa.delete(PASSWORDS).where(PASSWORDS.c.player_id == _NUMBER)

_OF_SESSION = sa.select(
    PLAYERS, WEB_SESSIONS.c.id.label("session"), WEB_SESSIONS.c.expires_at
).join_from(WEB_SESSIONS, PLAYERS)
_SESSION = _OF_SESSION.where(WEB_SESSIONS.c.hash == _HASH, WEB_SESSIONS.c.expires_at > _NOW)
_COUNT_SESSIONS = sa.select(sa.func.count().label("count")).where(
    WEB_SESSIONS.c.player_id == _NUMBER, WEB_SESSIONS.c.expires_at > _NOW
)
_KNOWN = (
    sa.select(WEB_SESSIONS.c.id)
    .join_from(WEB_SESSIONS, PLAYERS)
    .where(
        PLAYERS.c.folded == sa.bindparam("name", type_=sa.Text),
        WEB_SESSIONS.c.network == sa.bindparam("network", type_=sa.Text),
        WEB_SESSIONS.c.expires_at > _NOW,
    )
    .limit(1)
)
_END = sa.delete(WEB_SESSIONS).where(WEB_SESSIONS.c.hash == _HASH)
_END_ALL = sa.delete(WEB_SESSIONS).where(WEB_SESSIONS.c.player_id == _NUMBER)
_TRIM_SESSIONS = sa.delete(WEB_SESSIONS).where(
    WEB_SESSIONS.c.id.in_(
        sa.select(WEB_SESSIONS.c.id)
        .where(WEB_SESSIONS.c.player_id == _NUMBER)
        .order_by(WEB_SESSIONS.c.id.desc())
        .offset(MOST_SESSIONS - 1)
    )
)
_TRIM_TICKETS = sa.delete(TICKETS).where(
    TICKETS.c.hash.in_(
        sa.select(TICKETS.c.hash)
        .where(TICKETS.c.session_id == _NUMBER)
        .order_by(TICKETS.c.expires_at.desc())
        .offset(MOST_TICKETS - 1)
    )
)


def _clear(table: sa.Table, key: sa.Column[Any], at: sa.Column[Any]) -> sa.Delete:
    """Removes some of the rows of that time or before, but none that another server writes."""
    old = sa.select(key).where(at <= _NOW).limit(CLEARED).with_for_update(skip_locked=True)
    return sa.delete(table).where(key.in_(old))


_CLEAR_SESSIONS = _clear(WEB_SESSIONS, WEB_SESSIONS.c.id, WEB_SESSIONS.c.expires_at)
_CLEAR_TICKETS = _clear(TICKETS, TICKETS.c.hash, TICKETS.c.expires_at)
_CLEAR_INVITES = _clear(INVITES, INVITES.c.hash, INVITES.c.expires_at)
_CLEAR_ATTEMPTS = _clear(ATTEMPTS, ATTEMPTS.c.key, ATTEMPTS.c.last_at)

_INVITE = sa.select(INVITES.c.hash).where(INVITES.c.hash == _HASH, INVITES.c.expires_at > _NOW)
_USE_INVITE = (
    sa.delete(INVITES)
    .where(INVITES.c.hash == _HASH, INVITES.c.expires_at > _NOW)
    .returning(INVITES.c.player_id)
)

_LOCK_KEYS = sa.text(
    "SELECT pg_advisory_xact_lock(number) FROM ("
    "SELECT DISTINCT hashtextextended(key, 0) AS number FROM unnest(CAST(:keys AS text[])) AS key"
    " ORDER BY number) AS ordered"
)
_ATTEMPTS = sa.select(ATTEMPTS).where(ATTEMPTS.c.key.in_(_KEYS)).with_for_update()
_ATTEMPT = sa.text(
    "INSERT INTO attempts (key, count, last_at) VALUES (:key, 1, :now)"
    " ON CONFLICT (key) DO UPDATE SET count = attempts.count + 1, last_at = excluded.last_at"
).bindparams(_NOW)
_FORGET = sa.delete(ATTEMPTS).where(ATTEMPTS.c.key.in_(_KEYS))
_FORGET_LAST = _FORGET.where(ATTEMPTS.c.count == 1)
_TAKE_BACK = sa.update(ATTEMPTS).where(ATTEMPTS.c.key.in_(_KEYS)).values(count=ATTEMPTS.c.count - 1)
