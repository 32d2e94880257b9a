"""How often a name, an address and the two together may be tried. The database counts, so that all
servers of a cluster count together and a restart forgets nothing."""

from collections.abc import Sequence
from typing import NamedTuple

from ulci.net import Network, network, within
from ulci_server.lobby.account_names import LONGEST_NAME
from ulci_server.storage import Limit, fold, secret_hash

OF_BOTH = Limit(free=5, first=1.0, longest=300.0, forget=900.0)
"""Wrong passwords for a name from an address: some are free, because people mistype."""

OF_ADDRESS = Limit(free=50, first=1.0, longest=300.0, forget=900.0)
"""Wrong passwords from an address, for any names."""

OF_NAME = Limit(free=100, first=1.0, longest=60.0, forget=3600.0)
"""Wrong passwords for a name from all addresses. This limit does not count where the account is
signed in already, and its longest wait is short: it delays guessers without locking out the
owner."""

OF_NEW_ACCOUNTS = Limit(free=5, first=600.0, longest=3600.0, forget=86_400.0)
"""New accounts from an address."""


class Guess(NamedTuple):
    """The keys of an attempt to sign in, and their limits. both: the keys of name and address
    together. of_name: the keys that do not count where the account is signed in."""

    limits: dict[str, Limit]
    both: tuple[str, ...]
    of_name: tuple[str, ...]


def guess(name: str, host: str, exempt: Sequence[Network]) -> Guess:
    """The limits of an attempt to sign in under `name` from `host`. For an exempt address, which
    many people share, only the name counts."""
    folded = _short(fold(name))
    of_name = f"name {folded}"
    limits, both = {of_name: OF_NAME}, tuple[str, ...]()
    if not within(host, exempt):
        both = (f"both {network(host)} {folded}",)
        limits |= {both[0]: OF_BOTH, f"address {network(host)}": OF_ADDRESS}
    return Guess(limits, both, (of_name,))


def new_account(host: str, exempt: Sequence[Network]) -> dict[str, Limit]:
    """The limits of an attempt to sign up from `host`; none for an exempt address."""
    return {} if within(host, exempt) else {f"sign-up {network(host)}": OF_NEW_ACCOUNTS}


def _short(folded: str) -> str:
    """The name, or its digest if it is longer than any account's: PostgreSQL refuses keys above
    2,704 bytes."""
    return folded if len(folded) <= LONGEST_NAME else secret_hash(folded)
