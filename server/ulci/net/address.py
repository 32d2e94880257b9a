"""Addresses of servers: ``tcp://host:port``, ``tls://…``, ``ws://host:port/path``, ``wss://…``."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import NamedTuple, Self

ANY_HOST = "*"
"""The host of a listener on every interface, IPv4 and IPv6."""

MAX_PORT = 65_535


class Scheme(NamedTuple):
    """A row of `SCHEMES`: the default port and path, and the layers below the messages."""

    port: int
    path: str
    tls: bool
    websocket: bool


SCHEMES: Mapping[str, Scheme] = {
    "tcp": Scheme(25565, "", tls=False, websocket=False),
    "tls": Scheme(25565, "", tls=True, websocket=False),
    "ws": Scheme(25566, "/ulci", tls=False, websocket=True),
    "wss": Scheme(25566, "/ulci", tls=True, websocket=True),
}

MISTAKEN = {"http": "ws", "https": "wss", "ssl": "tls", "telnet": "tcp", "ulci": "tcp"}

# The host in brackets may carry a zone (RFC 6874): fe80::1%eth0
_PARTS = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://"
    r"(?P<host>\[[0-9A-Fa-f:.]+(?:%[\w.-]+)?\]|[^][:/?#@\s]*)"
    r"(?::(?P<port>[^:/?#]*))?"
    r"(?P<path>[/?][^#\s]*)?"
)


@dataclass(frozen=True, slots=True)
class Address:
    """An address of one of the four schemes. `path` is empty except for WebSocket; port 0 means
    any."""

    scheme: str
    host: str
    port: int
    path: str = ""

    @classmethod
    def parse(cls, url: str) -> Self:
        """Parse a URL. Raises `ValueError`, which names the mistake and a correction."""
        parts = _PARTS.fullmatch(url.strip())
        if parts is None:
            raise ValueError(_advice(url.strip()))
        scheme, host, port, path = parts.group("scheme", "host", "port", "path")
        scheme = scheme.lower()
        if scheme not in SCHEMES:
            raise ValueError(_other_scheme(url, scheme))
        if not host:
            raise ValueError(
                f"{url!r} names no host: write {scheme}://127.0.0.1, or {scheme}://{ANY_HOST} to"
                " listen on every interface"
            )
        kind = SCHEMES[scheme]
        return cls(scheme, host.strip("[]"), _port(url, port, kind), _path(url, path, kind))

    @property
    def tls(self) -> bool:
        return SCHEMES[self.scheme].tls

    @property
    def websocket(self) -> bool:
        """Whether messages are WebSocket frames."""
        return SCHEMES[self.scheme].websocket

    def __str__(self) -> str:
        return f"{self.scheme}://{in_brackets(self.host)}:{self.port}{self.path}"


def in_brackets(host: str) -> str:
    """A host as a URL or a ``Host`` header spells it: IPv6 in brackets."""
    return f"[{host}]" if ":" in host else host


def ip_of(host: str) -> IPv4Address | IPv6Address:
    """The IP address without its zone; an IPv4-mapped IPv6 address becomes IPv4. Raises
    `ValueError` for a host name."""
    address = ip_address(host.partition("%")[0])
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


def _port(url: str, port: str | None, kind: Scheme) -> int:
    if not port:
        return kind.port
    if not (port.isascii() and port.isdigit() and int(port) <= MAX_PORT):
        raise ValueError(f"{url!r} has the port {port!r}: a port is a number from 0 to {MAX_PORT}")
    return int(port)


def _path(url: str, path: str | None, kind: Scheme) -> str:
    if kind.websocket:
        if path and not path.isascii():
            raise ValueError(f"{url!r}: write the path in ASCII, other letters as %XX")
        return path if path and path.startswith("/") else kind.path + (path or "")
    if path not in (None, "/"):
        raise ValueError(f"{url!r} has the path {path!r}: only ws:// and wss:// have one")
    return kind.path


def _other_scheme(url: str, scheme: str) -> str:
    known = ", ".join(f"{name}://" for name in SCHEMES)
    if scheme in MISTAKEN:
        better = MISTAKEN[scheme] + url.strip()[len(scheme) :]
        return f"{url!r} begins with {scheme}://, which is not supported: try {better}"
    return f"{url!r} begins with {scheme}://: an address begins with one of {known}"


def _advice(url: str) -> str:
    """Why `url` is no address."""
    if not url:
        return "the address is empty: write something like tcp://127.0.0.1:25565"
    if any(letter.isspace() for letter in url):
        return f"{url!r} contains a blank: an address is one word, like tcp://127.0.0.1:25565"
    if "://" not in url:
        return f"{url!r} has no scheme: try tcp://{url}"
    if "@" in url:
        return f"{url!r} contains an @: an address holds no user name and no token"
    if "#" in url:
        return f"{url!r} contains a #: an address ends with its port or path"
    if url.count(":") > 2:  # more than one after the scheme and one before the port
        return f"{url!r}: write an IPv6 address in brackets, like tcp://[::1]:25565"
    return f"{url!r} is not an address: write something like tcp://127.0.0.1:25565"
