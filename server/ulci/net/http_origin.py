"""Which pages are this server's own, and may do what other sites' pages may not.

A browser names the server of a page in ``Host``, and in ``Origin`` where the page opens a
WebSocket. That both agree is not enough: the owner of evil.example can let a browser load a page
from there and then point the name at 127.0.0.1 (DNS rebinding). So over plain HTTP a name is ours
only if nobody else can own it. Over TLS, here or at a trusted proxy, the certificate has proved it.

A public server takes every name for its own (`ANY_NAME`), as long as ``Origin`` and ``Host`` agree.
A page that points its name at it can then do in a visitor's browser what its author can do without:
anybody may look, and play as a guest. It gains nothing from the visitor's browser. The rights of a
player, an administrator or a director come with a token or the secret of a seat, which a request
must contain: a browser adds neither by itself, and it does not give a page under one name what it
stores for another name. (Accounts of the page have a cookie, and check origins more strictly.)
Rights that depend on the client's address are refused under an unknown name: the metrics, and all
acts of directors. A browser on the server's own machine is exempt from its limits, as any program
there is. A server that only a trusted network may reach must therefore not be public: there a page
of another site could read what its author cannot reach.
"""

import re
import socket
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ulci.net.address import ANY_HOST, MAX_PORT, Address, ip_of

ANYBODY = "*"
"""Among allowed origins: every page."""

ANY_NAME = "*"
"""Among the names of a server: every name is one."""

_EVERY_HOST = (ANY_HOST, "0.0.0.0", "::")  # noqa: S104 (recognised, not bound to)

_DEFAULT_PORTS: Mapping[str, str] = {"http": "80", "https": "443"}

_ORIGIN = re.compile(r"([a-z][a-z0-9+.-]*)://(\[[0-9a-f:.]+\]|[^/:\[\]@?#\s]+)(?::([0-9]{1,5}))?")


def normal_origin(origin: str) -> str:
    """An origin as it is compared: lower case, with its port; empty if it is none.

    ``https://Example.org`` becomes ``https://example.org:443``.
    """
    parts = _ORIGIN.fullmatch(origin.strip().lower())
    if parts is None:
        return ""
    scheme, host, port = parts.groups()
    port = port or _DEFAULT_PORTS.get(scheme, "")
    return f"{scheme}://{host}:{int(port)}" if port and int(port) <= MAX_PORT else ""


def own_names(
    addresses: Iterable[Address], origins: Iterable[str], names: Iterable[str] = ()
) -> frozenset[str]:
    """The names that belong to a server: `names`, which its operator has set, those under which its
    listeners are announced, and those of the allowed origins."""
    found = {_host(normal_origin(origin)) for origin in origins} | {*names}
    for address in addresses:
        found |= _names_of_machine() if address.host in _EVERY_HOST else {address.host}
    return frozenset(name.lower() for name in found if name)


def _names_of_machine() -> set[str]:
    """Its own, and the one under which its neighbours find it, which no name server may give away
    (RFC 6762 section 3)."""
    name = socket.gethostname()
    return {name, f"{name.partition('.')[0]}.local"}


def is_own_host(host: str, names: frozenset[str]) -> bool:
    """Whether nobody else can own the host of a ``Host`` field: it is an IP address, a name of
    localhost, or one of ours. Its port does not matter, as it may have been forwarded."""
    name = _host(normal_origin(f"http://{host}"))
    if name in names or name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        ip_of(name)
    except ValueError:
        return False
    return True


class ForeignPage(NamedTuple):
    """Why a page may not open a WebSocket, and what the server's operator sets if it should."""

    why: str
    advice: str


def foreign_page(
    fields: Iterable[tuple[bytes, bytes]],
    *,
    scheme: str,
    names: frozenset[str],
    origins: frozenset[str],
) -> ForeignPage | None:
    """Whether a request is of a page that may not open a WebSocket; None: it may, or is of no page.

    scheme: of the browser's connection, as far as it is known. Programs send no ``Origin``. An own
    page may be one of https where the connection seems to be plain, because a proxy may not report
    TLS, but not the other way round: anybody between browser and server can write a page of plain
    HTTP.
    """
    named = [value.decode("latin-1") for name, value in fields if name == b"origin"]
    if not named or ANYBODY in origins:
        return None
    other = ForeignPage(
        "it is not one of this server",
        f'If it should, set origins = ["{named[0]}"] under [web]; if a proxy stands between, let it'
        " pass Host on as the browser sent it.",
    )
    origin = normal_origin(named[0])
    if len(named) > 1 or not origin:
        return other
    if origin in map(normal_origin, origins):
        return None
    host = next((value.decode("latin-1") for name, value in fields if name == b"host"), "")
    named_by = origin.partition("://")[0]
    if origin != normal_origin(f"{named_by}://{host}") or (scheme, named_by) == ("https", "http"):
        return other
    if scheme == "https" or ANY_NAME in names or is_own_host(host, names):
        return None
    name = _host(origin)
    return ForeignPage(
        f"{name} is not known to be a name of this server",
        f'If it is one, set names = ["{name}"] under [web] of its configuration, or start it with'
        f" --known-as {name}; with --public anybody may play under any name.",
    )


def _host(origin: str) -> str:
    """Of a normal origin, without brackets."""
    return origin.partition("://")[2].rpartition(":")[0].strip("[]")
