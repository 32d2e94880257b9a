"""Would a ban of an address or a network shut out more people than its author may have meant?"""

from collections.abc import Sequence

from ulci.net import Network, within

from .bans import plain_network

WIDEST = {4: 8, 6: 16}
"""Bits of the prefix of the largest network that is banned without more ado: no provider has a
larger one."""


def too_wide(value: str, own: str, exempt: Sequence[Network]) -> str:
    """What speaks against it, for people; empty if nothing does. `own`: where the author is."""
    network = plain_network(value)
    if not network.prefixlen:
        return f"{network} is everybody with an IPv{network.version} address"
    if network.prefixlen < WIDEST[network.version]:
        return f"{network} is larger than any /{WIDEST[network.version]}"
    if within(own, (network,)):
        return f"your own address {own} is in {network}"
    for other in exempt:
        if other.version == network.version and network.overlaps(other):
            return (
                f"{network} has addresses of {other}, which the limits exempt: programs of this"
                " machine, or a reverse proxy with everybody behind it"
            )
    return ""
