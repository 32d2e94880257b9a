"""Addresses of databases: ``sqlite:///FILE``, ``postgresql://USER@HOST/NAME`` and ``memory:``.

PostgreSQL may have several hosts, as libpq writes them: ``postgresql://USER@a,b:5433/NAME``. They
are tried in order. SQLAlchemy takes several of them in the query of a URL alone: so they are there
once the URL is parsed, and `errors.masked` shows them where they were.
"""

import re
from collections.abc import Sequence

import sqlalchemy as sa

from .errors import StorageError, masked

MEMORY = "memory:"
"""The address of a database that ends with the program."""

DEFAULT_PORT = 5432
LAST_PORT = 65_535

_SEVERAL = re.compile(
    r"(?P<scheme>postgres(?:ql)?(?:\+\w+)?://)(?P<authority>[^/?]*,[^/?]*)(?P<rest>.*)", re.DOTALL
)
_HOST = re.compile(
    r"(?:\[(?P<v6>[0-9a-fA-F:.]*:[0-9a-fA-F:.]*)\]|(?P<name>[^\[\]:,\s]+))"
    r"(?::(?P<port>[0-9]{1,5}))?",
    re.ASCII,
)


def parse_url(text: str) -> sa.URL:
    """Read the address of a database.

    Raises:
        StorageError: it is none, or not one of a supported database.
    """
    without_hosts, hosts = _several_hosts(text)
    try:
        url = sa.make_url(without_hosts)
    except (sa.exc.ArgumentError, ValueError):  # ValueError: a port that is no number
        raise _unreadable(text) from None
    if "@" in (url.host or "") or (url.password is not None and "@" in (url.database or "")):
        raise _unreadable(text)
    if url.get_backend_name() in ("postgresql", "postgres"):
        return _with_hosts(url.set(drivername="postgresql+psycopg"), hosts)
    if url.drivername not in ("sqlite", "sqlite+pysqlite"):
        raise StorageError(f"games cannot be kept in {masked(url)}; {_EXAMPLES}")
    if url.database in (None, "", ":memory:"):
        raise StorageError(f"{text!r} names no file; to keep games in memory only, say memory:")
    return url


def check_url(url: str) -> None:
    """Raises `StorageError` if games cannot be kept at this URL. Does not connect."""
    if url != MEMORY:
        parse_url(url)


def has_several_hosts(url: sa.URL) -> bool:
    """Whether libpq has a choice of hosts."""
    hosts = url.normalized_query.get("host", ())
    return len(hosts) > 1 or any("," in each for each in hosts)


def _several_hosts(text: str) -> tuple[str, Sequence[str]]:
    """The address without its hosts, and these; with none, if it has not several.

    Raises:
        StorageError: there is an @ too many.
    """
    found = _SEVERAL.fullmatch(text)
    if found is None:
        return text, ()
    user, at, hosts = found["authority"].rpartition("@")
    if "," not in hosts:
        return text, ()
    if "@" in user or "@" in found["rest"].partition("?")[0]:
        raise _unreadable(text)
    return f"{found['scheme']}{user}{at}{found['rest']}", hosts.split(",")


def _with_hosts(url: sa.URL, hosts: Sequence[str]) -> sa.URL:
    """The URL with these hosts, if there are any.

    Raises:
        StorageError: one of them is no host.
    """
    if not hosts:
        return url
    read = [_host_and_port(host) for host in hosts]
    ports = ",".join(str(port) for _, port in read)
    return url.update_query_dict({"host": ",".join(name for name, _ in read), "port": ports})


def _host_and_port(text: str) -> tuple[str, int]:
    found = _HOST.fullmatch(text)
    port = DEFAULT_PORT if found is None or found["port"] is None else int(found["port"])
    if found is None or not 1 <= port <= LAST_PORT:
        raise StorageError(
            f"{text!r} is not a host of PostgreSQL; several are written as HOST:PORT,HOST:PORT,"
            f" each port from 1 to {LAST_PORT}, or without a port for {DEFAULT_PORT}"
        )
    return found["v6"] or found["name"], port


def _unreadable(text: str) -> StorageError:
    """Hides everything before the host, and after a question mark: it may be a password, or a part
    of one."""
    scheme, _, rest = text.rpartition("://")
    before, _, host = rest.rpartition("@")
    host, text = _without_query(host), _without_query(text)
    shown = f"{scheme}://***@{host}" if scheme and before else f"***@{host}" if before else text
    if "@" in before:
        why = "it has an @ too many: in a password or a name write %40 for @, %3A for :, %2F for /"
    else:
        why = _EXAMPLES
    return StorageError(f"{shown!r} is not the address of a database; {why}")


def _without_query(text: str) -> str:
    plain, asks, _ = text.partition("?")
    return f"{plain}?***" if asks else plain


_EXAMPLES = "expected sqlite:///games.db, postgresql://USER@HOST/NAME, or memory:"
