"""Authenticates clients by tokens, names and bans.

A token proves an account; tokens are looked up by their hash. A client without one is a guest, if
guests are allowed, and may use any name that neither is nor looks like the name of an account.
"""

import math
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple

import structlog

from ulci.net import LOOPBACK, Network, Turns
from ulci.protocol.messages import Blame
from ulci_server.hall.member import HostedMember
from ulci_server.hall.sharing import Sharing
from ulci_server.lobby import KnownRating, Profile, admin_commands
from ulci_server.lobby.names import is_address, looks
from ulci_server.storage import (
    TICKET,
    Account,
    Accounts,
    Askers,
    Ban,
    Banned,
    StorageError,
    ban_value,
    fold,
    secret_hash,
)

from .bans import Bans, too_wide
from .program_names import ProgramNames
from .reserved_names import ReservedNames
from .tokens import FailedTokenLimiter, TokenUseRecorder

NOT_ADMIN = "your token is not an administrator's"

LOG = structlog.get_logger("ulci_server.hall")

REST_FACTOR = 1.0
"""A crowd that logs in gets half of the loop: the clocks of returning players may run."""

LOOKUPS = 4
"""Threads that look up accounts at once: as many as the database has readers."""


class LoginRefusedError(Exception):
    """The login is refused; the text says why, for people."""

    blame = Blame.CLIENT


class AccountsUnavailableError(LoginRefusedError):
    """The login is refused because the database does not answer. The cause is in the log alone:
    strangers must not read it."""

    blame = Blame.SERVER


class WrongTokenError(LoginRefusedError):
    """There is no such token, or it is of another account."""


class TooManyTokensError(LoginRefusedError):
    """Too many wrong tokens came; `seconds` until one is looked up again."""

    def __init__(self, seconds: float) -> None:
        super().__init__(_too_many_tokens(seconds))
        self.seconds = seconds


class BannedError(LoginRefusedError):
    """The client is banned."""


@dataclass(frozen=True, slots=True)
class _Found:
    account: Account | None
    reserved: bool
    ratings: Mapping[str, KnownRating] = field(default_factory=dict)


class BanResult(NamedTuple):
    """done: whether the ban was stored. text: until when, or why not, for people."""

    done: bool
    text: str


class Authenticator:
    """`accounts` None: everybody is a guest. `guests`: whether guests are allowed. `exempt`:
    addresses shared by many clients, such as a reverse proxy's."""

    def __init__(
        self,
        accounts: Accounts | None = None,
        *,
        guests: bool = True,
        exempt: Sequence[Network] = LOOPBACK,
        now: Callable[[], datetime],
    ) -> None:
        self._accounts = accounts
        self._allows_guests = guests
        self._failed_tokens = FailedTokenLimiter(exempt)
        self._exempt = exempt
        self._now = now
        self._askers = Askers(LOOKUPS)
        # As last read from the database; one thread at a time refreshes them.
        self._bans = Bans() if accounts is None else Bans().refreshed(accounts)
        self._reserved = (
            ReservedNames() if accounts is None else ReservedNames().refreshed(accounts)
        )
        self._refreshing = threading.Lock()
        self._sharing = Sharing(Turns(REST_FACTOR))
        self._programs = None if accounts is None else ProgramNames(accounts.name_program)
        self._token_uses = None if accounts is None else TokenUseRecorder(accounts.tokens_used)

    async def authenticate(self, said: Profile, host: str) -> Profile:
        """Complete the client's introduction by its account.

        Raises:
            LoginRefusedError: it is banned, its token is wrong, or guests are not allowed.
            AccountsUnavailableError: the database does not answer.
        """
        if self._accounts is None:
            return _guest(said, reserved=False)
        if said.token and (wait := self._failed_tokens.retry_after(said.name, host)) > 0:
            raise LoginRefusedError(_too_many_tokens(wait))
        try:
            found = await self._found(self._accounts, said)
        except StorageError as error:
            LOG.warning("account lookup failed", name=said.name, host=host, error=str(error))
            raise AccountsUnavailableError(
                "the account database does not answer; retry-after 10"
            ) from error
        # By the name that it claims, and by the one that it gets.
        known = _guest(said, reserved=found.reserved) if found.account is None else found.account
        self.check_bans(host, said.name, known.name)
        if isinstance(known, Profile):
            self._check_guest(said, host)
            return known
        self._failed_tokens.succeeded(said.name, host)
        LOG.info("logged in", account=known.name, host=host, scope=known.scope)
        self._used(known)
        if self._programs is not None and said.kind == "engine":
            self._programs.note(known, said.name)
        return replace(
            said,
            name=known.name,
            handle="",
            kind="engine" if known.kind == "engine" else said.kind,  # it plays nobody as a person
            account=known.player,
            admin=known.scope == "admin",
            ratings=found.ratings,
            # A ticket is used up: it must not prove the account again.
            token="" if said.token.startswith(TICKET) else said.token,
        )

    def _used(self, account: Account) -> None:
        if self._token_uses is not None and account.token is not None:
            self._token_uses.used(account.token, self._now())

    async def is_reserved(self, name: str) -> bool:
        """Whether people might take the name for that of an account. Raises `StorageError`."""
        return (
            self._accounts is None
            or (await self._found(self._accounts, Profile(name, ""))).reserved
        )

    async def prove(self, name: str, token: str, host: str) -> Account:
        """Authenticate somebody who is not a client by the account's name and token. A token of
        another account counts as a wrong one.

        Raises:
            WrongTokenError, TooManyTokensError, BannedError, AccountsUnavailableError: as their
            names say.
        """
        if self._accounts is None:
            raise WrongTokenError("this server has no accounts")
        if (wait := self._failed_tokens.retry_after(name, host)) > 0:
            raise TooManyTokensError(wait)
        try:
            said = "" if token.startswith(TICKET) else token  # a ticket is for a login
            account = (await self._found(self._accounts, Profile(name, "", token=said))).account
        except StorageError as error:
            LOG.warning("account lookup failed", name=name, host=host, error=str(error))
            raise AccountsUnavailableError("the account database does not answer") from error
        if account is None or fold(account.name) != fold(name):
            if (wait := self._failed_tokens.failed(name, host)) > 0:
                raise TooManyTokensError(wait)
            raise WrongTokenError("this is not the name of an account with its token")
        self.check_bans(host, account.name)
        self._failed_tokens.succeeded(name, host)
        self._used(account)
        return account

    async def ratings_of(self, players: Collection[int]) -> Mapping[int, Mapping[str, KnownRating]]:
        """The ratings of these accounts now, by pool. Raises `StorageError`."""
        if self._accounts is None:
            return {}
        records = await self._askers.ask(partial(self._accounts.ratings, players))
        now = self._now()
        known: dict[int, dict[str, KnownRating]] = {player: {} for player in players}
        for record in records:
            rating = record.at(now)
            known[record.account][record.pool] = KnownRating(
                round(rating.rating), rating.is_provisional, record.games
            )
        return known

    async def recheck_admin(self, said: Profile, host: str) -> bool:
        """Whether a client that resumed its seat is an administrator by its token: the seat's
        secret does not prove it. `said.name` and `said.account` are those of the seat.

        Raises:
            BannedError: the account was banned meanwhile.
        """
        if self._accounts is None:
            return False
        if self._failed_tokens.retry_after(said.name, host) > 0:
            said = replace(said, token="")
        try:
            found = await self._found(self._accounts, said)
        except StorageError as error:
            LOG.warning("account lookup failed", name=said.name, host=host, error=str(error))
            return False
        self.check_bans(host, said.name, *([] if found.account is None else [found.account.name]))
        if found.account is None:
            if said.token:
                self._failed_tokens.failed(said.name, host)
            return False
        return found.account.player == said.account and found.account.scope == "admin"

    async def still_admin(self, known: Profile) -> bool:
        """Whether its token still is an administrator's. While the database does not answer, it
        counts as before."""
        if self._accounts is None or not known.admin:
            return known.admin
        try:
            return await self._administers(self._accounts, known.token)
        except StorageError as error:
            LOG.warning("account lookup failed", name=known.name, error=str(error))
            return True

    async def _administers(self, accounts: Accounts, token: str) -> bool:
        account = await self._askers.ask(partial(accounts.find_token, secret_hash(token)))
        return account is not None and account.scope == "admin"

    def _check_guest(self, said: Profile, host: str) -> None:
        if said.token:
            if (wait := self._failed_tokens.failed(said.name, host)) > 0:
                raise LoginRefusedError(_too_many_tokens(wait))
            raise LoginRefusedError(
                "your token is not valid; check it for a typing error, or ask for a new one"
            )
        if not self._allows_guests:
            raise LoginRefusedError(
                "this server admits accounts only; give your client a token (id token T)"
            )

    def check_bans(self, host: str, *names: str) -> None:
        """Check the bans as last read, without the database: a client that resumes a game cannot
        wait.

        Raises:
            BannedError: one of the names, or the address, is banned.
        """
        ban = self._ban(host, names)
        if ban is not None:
            raise BannedError(f"you are banned here{ban}")

    async def check_bans_anew(self, host: str, *names: str) -> None:
        """As `check_bans`, with the bans read from the database: an operator or another server may
        have changed them.

        Raises:
            BannedError: one of the names, or the address, is banned.
            StorageError: the database does not answer.
        """
        if self._accounts is not None:
            await self._refreshed(self._accounts)
        self.check_bans(host, *names)

    def _ban(self, host: str, names: Sequence[str]) -> str | None:
        """Until when and why; None: they are not banned."""
        ban = self._bans.find(self._now(), host, names)
        if ban is None:
            return None
        until = "" if ban.until is None else f" until {ban.until:%Y-%m-%d %H:%M} UTC"
        return f"{until}: {ban.why}"

    async def _found(self, accounts: Accounts, said: Profile) -> _Found:
        """Look up the account, after a refresh of names and bans. Raises `StorageError`."""
        account = None
        if said.token:
            account = await self._askers.ask(partial(self._find, accounts, said.token))
        await self._refreshed(accounts)
        if account is None:
            return _Found(None, self._reserved.covers(said.name))
        ratings = await self.ratings_of([account.player])
        return _Found(account, reserved=False, ratings=ratings[account.player])

    async def _refreshed(self, accounts: Accounts) -> None:
        """Read the changes of names and bans. All callers before the next refresh begins share it:
        a thousand logins at once cost a few refreshes. Raises `StorageError`."""
        refresh = partial(self._askers.ask, partial(self._refresh, accounts))
        await self._sharing.share("refresh", refresh)

    def _find(self, accounts: Accounts, token: str) -> Account | None:
        """The account of the token, or of the ticket, which is used up. In a worker thread."""
        if token.startswith(TICKET):
            return accounts.use_ticket(secret_hash(token), self._now())
        return accounts.find_token(secret_hash(token))

    def _refresh(self, accounts: Accounts) -> Bans:
        """Read the changes of names and bans. In a worker thread."""
        with self._refreshing:
            self._reserved = self._reserved.refreshed(accounts)
            self._bans = bans = self._bans.refreshed(accounts)
        return bans

    # Admin commands

    async def ban(self, asked: admin_commands.Ban, by: str, host: str) -> BanResult:
        """Store a ban by the administrator `by` at `host`. Raises `StorageError`."""
        if asked.is_address and not asked.wide and (why := too_wide(asked.who, host, self._exempt)):
            return BanResult(False, why)
        if self._accounts is None:
            return BanResult(False, "this server stores no bans")
        until = await self._add(self._accounts, asked, by)
        return BanResult(True, until)

    async def _add(self, accounts: Accounts, asked: admin_commands.Ban, by: str) -> str:
        """Store the ban; until when it holds, for people."""
        now = self._now()
        until = None if asked.seconds is None else now + timedelta(seconds=asked.seconds)
        kind: Banned = "address" if asked.is_address else "name"

        def add() -> None:
            accounts.add_ban(kind, asked.who, by=by, why=asked.why, until=until, at=now)
            self._refresh(accounts)

        await self._askers.ask(add)
        return "for ever" if until is None else f"until {until:%Y-%m-%d %H:%M} UTC"

    async def unban(self, asked: admin_commands.Unban) -> bool:
        """Lift the bans of this name or address; whether there were any. Raises `StorageError`."""
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

    def banned_by(self, asked: admin_commands.Ban) -> Callable[[HostedMember], bool]:
        """A predicate: whether a session falls under this ban."""
        now = self._now()
        kind: Banned = "address" if asked.is_address else "name"
        bans = Bans([Ban(1, kind, ban_value(kind, asked.who), None, "", asked.why, now)])
        return lambda session: bans.find(now, session.host, _names(session)) is not None


def _names(session: HostedMember) -> list[str]:
    name = "" if session.profile is None else session.profile.name
    return [name, session.handle]


def _guest(said: Profile, *, reserved: bool) -> Profile:
    """A guest. A name that is reserved, an address or a keyword of admin commands gets a suffix; it
    is no reason to refuse, as an engine has no other name."""
    if reserved or is_address(said.name) or looks(said.name) == looks(admin_commands.EVERYBODY):
        return replace(said, name=f"{said.name} (guest)")
    return said


def _too_many_tokens(wait: float) -> str:
    return f"too many wrong tokens from your address; retry-after {math.ceil(wait)}"
