"""Who may come in, and under which name?

A token proves an account. Who has none is a guest, if guests are let in, and may use any name that
no account has, nor looks like. Only what a token's hash says is believed.
"""

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple

import structlog

from ulci.net import LOOPBACK, Network
from ulci.protocol.messages import Blame
from ulci_server.lobby import Profile, admin
from ulci_server.lobby.names import is_address, looks
from ulci_server.storage import (
    Account,
    Accounts,
    Askers,
    Ban,
    Banned,
    StorageError,
    ban_value,
)

from .bans import Bans
from .guesses import Guesses
from .marks import Marks
from .session import Session, key_of
from .taken import TakenNames
from .wide import too_wide

LOG = structlog.get_logger("ulci_server.hall")

LOOKUPS = 4
"""Threads that look up newcomers at once: as many as the repository has readers."""


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


class Banning(NamedTuple):
    """Whether somebody was banned; until when, or why not, for people."""

    done: bool
    text: str


class Door:
    """`accounts` None: nobody has one, and everybody is a guest. `exempt`: addresses behind which
    are many."""

    def __init__(
        self,
        accounts: Accounts | None = None,
        *,
        guests: bool = True,
        exempt: Sequence[Network] = LOOPBACK,
        now: Callable[[], datetime],
    ) -> None:
        self._accounts = accounts
        self._guests = guests
        self._guesses = Guesses(exempt)
        self._exempt = exempt
        self._now = now
        self._askers = Askers(LOOKUPS)
        # As the database had them when it was last asked; one thread at a time makes new ones.
        self._bans = Bans() if accounts is None else Bans().refreshed(accounts)
        self._taken = TakenNames() if accounts is None else TakenNames().refreshed(accounts)
        self._refreshing = threading.Lock()
        self._marks = None if accounts is None else Marks(accounts.tokens_used)

    async def let_in(self, said: Profile, host: str) -> Profile:
        """The newcomer as we know it.

        Raises:
            TurnedAwayError: it may not come in.
            UnreachableError: only because nobody can tell who it is.
        """
        if self._accounts is None:
            return _guest(said, reserved=False)
        if said.token and (wait := self._guesses.wait(said.name, host)) > 0:
            raise TurnedAwayError(_too_many(wait))
        look_up = partial(self._look_up, self._accounts, said)
        try:
            found = await self._askers.ask(look_up)
        except StorageError as error:
            LOG.warning("not looked up", name=said.name, host=host, error=str(error))
            raise UnreachableError(
                "accounts cannot be looked up just now; try again, retry-after 10"
            ) from error
        # By what it says that it is, and by what it is here.
        known = _guest(said, reserved=found.reserved) if found.account is None else found.account
        self.check_bans(host, said.name, known.name)
        if isinstance(known, Profile):
            self._check_guest(said, host)
            return known
        self._guesses.right(said.name, host)
        LOG.info("logged in", account=known.name, host=host, scope=known.scope)
        if self._marks is not None:
            self._marks.used(known.token, self._now())
        return replace(
            said,
            name=known.name,
            handle="",
            account=known.player,
            admin=known.scope == "admin",
        )

    async def look_again(self, said: Profile, host: str) -> bool:
        """Whether who came back to a seat, and showed a token, is an administrator: that it has the
        secret of the seat does not prove it. `said.name` and `said.account` are those of the seat.

        Raises:
            BannedError: it was banned meanwhile.
        """
        if self._accounts is None:
            return False
        if self._guesses.wait(said.name, host) > 0:
            said = replace(said, token="")
        look_up = partial(self._look_up, self._accounts, said)
        try:
            found = await self._askers.ask(look_up)
        except StorageError as error:
            LOG.warning("not looked up", name=said.name, host=host, error=str(error))
            return False
        self.check_bans(host, said.name, *([] if found.account is None else [found.account.name]))
        if found.account is None:
            if said.token:
                self._guesses.wrong(said.name, host)
            return False
        return found.account.player == said.account and found.account.scope == "admin"

    async def still_admin(self, known: Profile) -> bool:
        """Whether the token that it came in with still is one of an administrator; while the
        database cannot be asked, it is what it was."""
        if self._accounts is None or not known.admin:
            return known.admin
        look_up = partial(self._accounts.find_token, key_of(known.token))
        try:
            account = await self._askers.ask(look_up)
        except StorageError as error:
            LOG.warning("not looked up", name=known.name, error=str(error))
            return True
        return account is not None and account.scope == "admin"

    def _check_guest(self, said: Profile, host: str) -> None:
        if said.token:
            if (wait := self._guesses.wrong(said.name, host)) > 0:
                raise TurnedAwayError(_too_many(wait))
            raise TurnedAwayError(
                "your token is not valid (any more): look for a typing error, or ask for a new one"
            )
        if not self._guests:
            raise TurnedAwayError(
                "this server lets in accounts only: give your client a token (id token T)"
            )

    def check_bans(self, host: str, *names: str) -> None:
        """By what is known without asking the database: who comes back to a game cannot wait.

        Raises:
            TurnedAwayError: whoever has one of these names, or comes from there, is banned.
        """
        ban = self._bans.find(self._now(), host, names)
        if ban is not None:
            until = "" if ban.until is None else f" until {ban.until:%Y-%m-%d %H:%M} UTC"
            raise BannedError(f"you are banned here{until}: {ban.why}")

    def _look_up(self, accounts: Accounts, said: Profile) -> _Found:
        """In a worker thread."""
        account = accounts.find_token(key_of(said.token)) if said.token else None
        self._refresh(accounts)
        return _Found(account, account is None and self._taken.hold(said.name))

    def _refresh(self, accounts: Accounts) -> Bans:
        """Know the names and bans as they are now. In a worker thread."""
        with self._refreshing:
            self._taken = self._taken.refreshed(accounts)
            self._bans = bans = self._bans.refreshed(accounts)
        return bans

    # What those do who look after the server

    async def ban(self, asked: admin.Ban, by: str, host: str) -> Banning:
        """From now on they don't come in; `by` somebody at `host`. Raises `StorageError`."""
        if asked.is_address and not asked.wide and (why := too_wide(asked.who, host, self._exempt)):
            return Banning(False, why)
        if self._accounts is None:
            return Banning(False, "bans are not kept here")
        now = self._now()
        until = None if asked.seconds is None else now + timedelta(seconds=asked.seconds)
        kind: Banned = "address" if asked.is_address else "name"
        accounts = self._accounts

        def add() -> None:
            accounts.add_ban(kind, asked.who, by=by, why=asked.why, until=until, at=now)
            self._refresh(accounts)

        await self._askers.ask(add)
        return Banning(True, "for ever" if until is None else f"until {until:%Y-%m-%d %H:%M} UTC")

    async def unban(self, asked: admin.Unban) -> bool:
        """Whether there was such a ban. Raises `StorageError`."""
        if self._accounts is None:
            return False
        accounts = self._accounts
        kinds = ("address",) if asked.is_address else ("name", "account")
        value = ban_value("address" if asked.is_address else "name", asked.who)

        def lift() -> bool:
            lifted = [accounts.lift_ban(id_) for id_ in self._refresh(accounts).of(kinds, value)]
            self._refresh(accounts)
            return any(lifted)

        return await self._askers.ask(lift)

    def concerns(self, asked: admin.Ban) -> Callable[[Session], bool]:
        """Whether somebody is banned by it who is here."""
        now = self._now()
        kind: Banned = "address" if asked.is_address else "name"
        bans = Bans([Ban(1, kind, ban_value(kind, asked.who), None, "", asked.why, now)])
        return lambda session: bans.find(now, session.peer.host, _names(session)) is not None


def _names(session: Session) -> list[str]:
    name = "" if session.profile is None else session.profile.name
    return [name, session.handle]


def _guest(said: Profile, *, reserved: bool) -> Profile:
    """Under its name, marked if that is somebody else's, an address, or a word of administrators:
    not worth a refusal, as an engine has no other, and it can play."""
    if reserved or is_address(said.name) or looks(said.name) == looks(admin.EVERYBODY):
        return replace(said, name=f"{said.name} (guest)")
    return said


def _too_many(wait: float) -> str:
    return f"too many wrong tokens from your address; retry-after {math.ceil(wait)}"
