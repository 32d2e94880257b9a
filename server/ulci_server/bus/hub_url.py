"""Where a hub is, by a URL: ``redis://`` and, with TLS, ``rediss://``."""

import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from .hub import HubError

DEFAULT_PORT = 6379

FORM = "redis://[user:password@]host[:port][/database], or rediss:// for TLS"

ESCAPE = "is a character of the user or the password not escaped, such as %2F for /?"

TLS_OPTIONS = ("ssl_ca_certs", "ssl_certfile", "ssl_keyfile")
"""Paths of PEM files in a URL's query, named as in redis-py: whom to trust instead of the system's
authorities, and our own certificate with its key."""


@dataclass(frozen=True, slots=True)
class RedisAddress:
    """Where a Redis server is, and who we are there. `context`: for TLS."""

    host: str
    port: int = DEFAULT_PORT
    user: str = ""
    password: str = field(default="", repr=False)
    database: int = 0
    context: ssl.SSLContext | None = None

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"Redis at {host}:{self.port}"


def check_hub_url(url: str) -> None:
    """
    Raises:
        HubError: the URL names no hub.
    """
    redis_address(url)


def redis_address(url: str) -> RedisAddress:
    """
    Raises:
        HubError: the URL is wrong; the text never repeats it, because it may hold a password.
    """
    # What urllib says of a wrong port or host may be a piece of the password.
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise HubError(f"the URL of Redis has no valid host and port; {ESCAPE}") from None
    if parts.scheme not in {"redis", "rediss"}:
        raise HubError(f"the URL of Redis must look like {FORM}")
    if not parts.hostname:
        raise HubError(f"the URL of Redis has no host; it must look like {FORM}")
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    return RedisAddress(
        parts.hostname,
        DEFAULT_PORT if port is None else port,
        unquote(parts.username or ""),
        unquote(parts.password or ""),
        _database(parts),
        _context(parts.scheme, options),
    )


def _database(parts: SplitResult) -> int:
    name = parts.path.strip("/")
    if name and not (name.isascii() and name.isdigit()):
        raise HubError(f"the database in the URL of Redis must be a number, as in /0; {ESCAPE}")
    return int(name[:9] or 0)


def _context(scheme: str, options: Mapping[str, str]) -> ssl.SSLContext | None:
    if unknown := set(options) - set(TLS_OPTIONS):
        known = ", ".join(TLS_OPTIONS)
        raise HubError(
            f"the URL of Redis has an unknown option, {min(unknown)!r}; there are: {known}"
        )
    if scheme == "redis":
        if options:
            raise HubError(f"{min(options)} in the URL of Redis is for rediss://")
        return None
    path = ""
    try:
        path = options.get("ssl_ca_certs", "")
        context = ssl.create_default_context(cafile=path or None)
        if path := options.get("ssl_certfile", ""):
            context.load_cert_chain(path, options.get("ssl_keyfile"))
    except ssl.SSLError as error:
        raise HubError(
            f"{path} holds no certificate in PEM format, or not the key of it: {error.reason}"
        ) from error
    except OSError as error:
        raise HubError(f"cannot read {path} or its key: {error.strerror}") from error
    return context
