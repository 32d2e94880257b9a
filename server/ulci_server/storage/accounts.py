"""Who has an account, with which tokens, and who is banned?"""

import hashlib
import ipaddress
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from ulci_server.game import Kind

Scope = Literal["play", "admin"]
"""What a token lets its bearer do: ``admin`` may play, too."""

Banned = Literal["account", "name", "address"]


def fold(name: str) -> str:
    """A name as names are compared: Ada and ada are one account."""
    return unicodedata.normalize("NFKC", name).casefold()


def token_hash(token: str) -> str:
    """What is kept of a token: SHA-256 in hex."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def ban_value(kind: Banned, value: str) -> str:
    """What a ban is kept for: a folded name, or a network (one address is one, too).

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
    """One of an account's tokens; of itself only its SHA-256 is kept, which nobody needs to see."""

    id: int
    player: int
    scope: Scope
    label: str
    created_at: datetime
    revoked_at: datetime | None = None
    last_used_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Account:
    """Who has shown a token: the number, name and kind of their account, what the token is for,
    and its number."""

    player: int
    name: str
    kind: Kind
    scope: Scope
    token: int


@dataclass(frozen=True, slots=True)
class Ban:
    """Somebody who may not come in; `value` as `ban_value` spells it, `until` None for good."""

    id: int
    kind: Banned
    value: str
    until: datetime | None
    by: str
    why: str
    at: datetime
    lifted_at: datetime | None = None

    def holds(self, at: datetime) -> bool:
        """Whether it is in force."""
        return self.lifted_at is None and (self.until is None or at < self.until)


class Accounts(Protocol):
    """Keeps accounts, tokens and bans. `at` None is now. Failures raise `StorageError`."""

    def add_player(self, name: str, kind: Kind, *, at: datetime | None = None) -> Player:
        """Raises `RefusedError` if there is an account of that name (see `fold`)."""
        ...

    def players(self) -> list[Player]:
        """All accounts, in the order in which they were made."""
        ...

    def find_player(self, name: str) -> Player | None:
        """The account of that name, however its letters are cased."""
        ...

    def account_names(self, *, after: int = 0) -> frozenset[str]:
        """The names of all accounts with numbers above `after`, each as `fold` gives it: no guest
        may have them."""
        ...

    def accounts_stamp(self) -> tuple[int, int, datetime | None]:
        """Another one whenever an account was made or removed: how many there are, the highest
        number, and when the newest was made. Cheap, however many there are."""
        ...

    def remove_player(self, player: int) -> bool:
        """The account and its tokens are gone; its games stay, and nobody's. False: no such."""
        ...

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
        ...

    def tokens(self, player: int | None = None) -> list[Token]:
        """All that were ever given to the account, or to all accounts, the oldest first."""
        ...

    def revoke(self, token: int, *, at: datetime | None = None) -> bool:
        """It is no longer good for anything. False: it wasn't before."""
        ...

    def revoke_all(self, player: int, *, at: datetime | None = None) -> int:
        """Revoke every token of the account; how many there were."""
        ...

    def find_token(self, hash_: str) -> Account | None:
        """Whose token that is; None if it is nobody's, or revoked."""
        ...

    def tokens_used(self, used: Mapping[int, datetime]) -> None:
        """Remember when somebody came in with which token last."""
        ...

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
        ...

    def lift_ban(self, ban: int, *, at: datetime | None = None) -> bool:
        """False: there is none of that number, or it was lifted before."""
        ...

    def bans(self, *, lifted: bool = False, after: int = 0) -> list[Ban]:
        """Those not lifted, or all, with numbers above `after`; also those whose time is over (see
        `Ban.holds`)."""
        ...

    def bans_stamp(self) -> tuple[int, int]:
        """Another one whenever a ban was added or lifted: the highest number, and how many were
        lifted. Cheap, however many bans there are."""
        ...

    def ban_numbers(self) -> frozenset[int]:
        """The numbers of those not lifted."""
        ...
