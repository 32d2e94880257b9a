"""Who may come in, and under which name?

A token proves an account. Who has none is a guest, if guests are let in, and may use any name that
no account has, nor looks like. Only what a token's hash says is believed. A wrong one is counted by
address and name, so that whoever guesses keeps nobody else at that address waiting; and by address
alone, so that nobody guesses under a thousand names.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from ipaddress import ip_address, ip_network

import structlog
import trio

from ulci.net import Attempts, network
from ulci.protocol.messages import Blame
from ulci_server.lobby import Profile, admin, lines
from ulci_server.lobby.names import taken_for
from ulci_server.storage import (
    Account,
    Accounts,
    Ban,
    Banned,
    StorageError,
    ban_value,
    fold,
)

from .session import Session, key_of

LOG = structlog.get_logger("ulci_server.hall")

LOOKUPS = 4
"""Threads that look up newcomers at once: as many as the repository has readers."""

NAMES = 50
"""Wrong tokens that may come from one address under other names before it must wait with any."""

MARK = 3600.0
"""Seconds for which a token that was used is not marked as used again: each mark is a write, and
thousands may come back at once."""


class TurnedAwayError(Exception):
    """Why somebody may not come in, for people."""

    blame = Blame.CLIENT


class UnreachableError(TurnedAwayError):
    """Because our own database cannot say who it is. What is wrong with it is in the log, and
    nobody else's business."""

    blame = Blame.SERVER


class BannedError(TurnedAwayError):
    """Because somebody who looks after the server wants it so."""


@dataclass(frozen=True, slots=True)
class _Found:
    account: Account | None
    reserved: bool
    bans: Sequence[Ban]


class Door:
    """`accounts` None: nobody has one, and everybody is a guest."""

    def __init__(
        self,
        accounts: Accounts | None = None,
        *,
        guests: bool = True,
        now: Callable[[], datetime],
    ) -> None:
        self._accounts = accounts
        self._guests = guests
        self._attempts = Attempts[tuple[str, str]]()
        self._from = Attempts[str](free=NAMES)
        self._now = now
        self._threads = trio.CapacityLimiter(LOOKUPS)
        # As the database had them when it was last asked.
        self._bans: Sequence[Ban] = () if accounts is None else accounts.bans()
        self._marked: dict[int, float] = {}  # when which token was marked as used

    async def let_in(self, said: Profile, host: str) -> Profile:
        """The newcomer as we know it.

        Raises:
            TurnedAwayError: it may not come in.
            UnreachableError: only because nobody can tell who it is.
        """
        if self._accounts is None:
            return said
        self._hold_off(said, host)
        look_up = partial(_look_up, self._accounts, said)
        try:
            found = await trio.to_thread.run_sync(look_up, limiter=self._threads)
        except StorageError as error:
            LOG.warning("not looked up", name=said.name, host=host, error=str(error))
            raise UnreachableError(
                "accounts cannot be looked up just now; try again, retry-after 10"
            ) from error
        self._bans = found.bans
        self.check_bans(host, said.name, *([] if found.account is None else [found.account.name]))
        if found.account is None:
            return self._guest(said, host, reserved=found.reserved)
        self._attempts.succeeded(_key(said, host))
        LOG.info("logged in", account=found.account.name, host=host, scope=found.account.scope)
        await self._mark(self._accounts, found.account)
        return replace(
            said,
            name=found.account.name,
            handle="",
            account=found.account.player,
            admin=found.account.scope == "admin",
        )

    async def look_again(self, said: Profile, host: str) -> bool:
        """Whether who came back to a seat, and showed a token, is an administrator: that it has the
        secret of the seat does not prove it. `said.name` and `said.account` are those of the seat.

        Raises:
            BannedError: it was banned meanwhile.
        """
        if self._accounts is None:
            return False
        if self._wait(said, host) > 0:
            said = replace(said, token="")
        look_up = partial(_look_up, self._accounts, said)
        try:
            found = await trio.to_thread.run_sync(look_up, limiter=self._threads)
        except StorageError as error:
            LOG.warning("not looked up", name=said.name, host=host, error=str(error))
            return False
        self._bans = found.bans
        self.check_bans(host, said.name, *([] if found.account is None else [found.account.name]))
        if found.account is None:
            if said.token:
                self._fail(said, host)
            return False
        return found.account.player == said.account and found.account.scope == "admin"

    async def still_admin(self, known: Profile) -> bool:
        """Whether the token that it came in with still is one of an administrator; while the
        database cannot be asked, it is what it was."""
        if self._accounts is None or not known.admin:
            return known.admin
        look_up = partial(_look_up, self._accounts, known)
        try:
            found = await trio.to_thread.run_sync(look_up, limiter=self._threads)
        except StorageError as error:
            LOG.warning("not looked up", name=known.name, error=str(error))
            return True
        return found.account is not None and found.account.scope == "admin"

    def _hold_off(self, said: Profile, host: str) -> None:
        if not said.token:
            return
        wait = self._wait(said, host)
        if wait > 0:
            raise TurnedAwayError(
                f"too many wrong tokens from your address; retry-after {math.ceil(wait)}"
            )

    def _wait(self, said: Profile, host: str) -> float:
        """Seconds until a token may be shown from there, under that name."""
        now = trio.current_time()
        waits = self._attempts.retry_after(_key(said, host), now)
        return max(waits, self._from.retry_after(network(host), now))

    def _fail(self, said: Profile, host: str) -> None:
        now = trio.current_time()
        self._attempts.failed(_key(said, host), now)
        self._from.failed(network(host), now)
        LOG.warning("wrong token", host=host, name=said.name)

    def _guest(self, said: Profile, host: str, *, reserved: bool) -> Profile:
        if said.token:
            self._fail(said, host)
            raise TurnedAwayError(
                "your token is not valid (any more): look for a typing error, or ask for a new one"
            )
        if not self._guests:
            raise TurnedAwayError(
                "this server lets in accounts only: give your client a token (id token T)"
            )
        # Somebody else's name is not worth a refusal: an engine has no other, and it can play.
        return replace(said, name=f"{said.name} (guest)") if reserved else said

    async def _mark(self, accounts: Accounts, account: Account) -> None:
        """Remember that the token was used."""
        at = trio.current_time()
        if at < self._marked.get(account.token, -math.inf) + MARK:
            return
        self._marked[account.token] = at
        mark = partial(accounts.token_used, account.token, at=self._now())
        try:
            await trio.to_thread.run_sync(mark, limiter=self._threads)
        except StorageError as error:
            LOG.warning("token not marked as used", account=account.name, why=str(error))

    def check_bans(self, host: str, *names: str) -> None:
        """By what is known without asking the database: who comes back to a game cannot wait.

        Raises:
            TurnedAwayError: whoever has one of these names, or comes from there, is banned.
        """
        handles = map(lines.word, names)
        now = self._now()
        for ban in self._bans:
            if ban.holds(now) and _matches(ban.kind, ban.value, host, [*names, *handles]):
                until = "" if ban.until is None else f" until {ban.until:%Y-%m-%d %H:%M} UTC"
                raise BannedError(f"you are banned here{until}: {ban.why}")

    # What those do who look after the server

    async def ban(self, asked: admin.Ban, by: str) -> None:
        """From now on they don't come in. Raises `StorageError`."""
        if self._accounts is None:
            return
        now = self._now()
        until = None if asked.seconds is None else now + timedelta(seconds=asked.seconds)
        kind: Banned = "address" if asked.is_address else "name"
        accounts = self._accounts

        def add() -> Sequence[Ban]:
            accounts.add_ban(kind, asked.who, by=by, why=asked.why, until=until, at=now)
            return accounts.bans()

        self._bans = await trio.to_thread.run_sync(add, limiter=self._threads)

    async def unban(self, asked: admin.Unban) -> bool:
        """Whether there was such a ban. Raises `StorageError`."""
        if self._accounts is None:
            return False
        lift = partial(_lift, self._accounts, asked)
        lifted, self._bans = await trio.to_thread.run_sync(lift, limiter=self._threads)
        return lifted

    def concerns(self, asked: admin.Ban, session: Session) -> bool:
        """Whether somebody who is here is banned by it."""
        name = "" if session.profile is None else session.profile.name
        kind: Banned = "address" if asked.is_address else "name"
        return _matches(kind, ban_value(kind, asked.who), session.peer.host, [name, session.handle])


def _key(said: Profile, host: str) -> tuple[str, str]:
    """By which its failures are counted."""
    return network(host), fold(said.name)


def _lift(accounts: Accounts, asked: admin.Unban) -> tuple[bool, Sequence[Ban]]:
    """Whether there was such a ban, and those that are left."""
    kinds = ("address",) if asked.is_address else ("name", "account")
    value = ban_value("address" if asked.is_address else "name", asked.who)
    found = [ban for ban in accounts.bans() if ban.kind in kinds and ban.value == value]
    lifted = [accounts.lift_ban(ban.id) for ban in found]
    return any(lifted), accounts.bans()


def _matches(kind: Banned, value: str, host: str, names: Sequence[str]) -> bool:
    """Whether a ban of that value is for somebody of these names at that address."""
    if kind != "address":
        return value in map(fold, names)
    try:
        return ip_address(host) in ip_network(value)
    except ValueError:  # a peer without an address
        return False


def _look_up(accounts: Accounts, said: Profile) -> _Found:
    """In a worker thread."""
    account = None
    if said.token:
        token_hash = key_of(said.token)
        account = accounts.find_token(token_hash)
    reserved = account is None and any(map(accounts.find_player, taken_for(said.name)))
    return _Found(account, reserved, accounts.bans())
