"""Token files that only their owner can read, one a server."""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import click

from ulci.net import Address, is_token, read_token

_SUFFIX = ".token"


def kept(address: Address) -> str:
    """The token stored for this server; empty if none.

    Raises:
        ValueError: as `read_token`.
    """
    path = _path(address)
    return read_token(path) if path.exists() else ""


def kept_for_all(addresses: Sequence[Address]) -> str:
    """The one token stored for these servers, which share their accounts; empty if none.

    Raises:
        ValueError: as `read_token`; or the servers have different tokens, and none is sent to a
            server for which it was not stored.
    """
    tokens = {address: kept(address) for address in addresses}
    if len({*tokens.values()}) > 1:
        lacking = [address for address, token in tokens.items() if not token]
        what = f"no token is stored for {lacking[0]}" if lacking else "they have different tokens"
        every = " ".join(f"--server {address}" for address in addresses)
        raise ValueError(
            f"several servers must know the same account, but {what}; store one for all:"
            f" ulci token save {every}"
        )
    return tokens[addresses[0]]


def save(address: Address, token: str) -> Path:
    """Store a token for this server, in place of any other. Returns the file.

    Raises:
        ValueError: the text is no token, or the file cannot be written.
    """
    if not is_token(token):
        raise ValueError("a token is one word, as the server showed it")
    path = _path(address)
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(f"{token}\n")
        fresh.replace(path)
    except OSError as error:
        raise ValueError(f"cannot write to {path}: {error.strerror}") from error
    return path


def forget(address: Address) -> bool:
    """Delete the token of this server. Returns whether there was one."""
    path = _path(address)
    with suppress(FileNotFoundError):
        path.unlink()
        return True
    return False


def servers() -> list[str]:
    """``host:port`` of the servers with a stored token."""
    found = (path.name.removesuffix(_SUFFIX) for path in _folder().glob(f"*{_SUFFIX}"))
    return sorted(name.replace("_", ":") for name in found)


def _folder() -> Path:
    return Path(click.get_app_dir("ulci")) / "tokens"


def _path(address: Address) -> Path:
    """One key for all schemes: an account does not depend on how its server is reached."""
    host = address.host.lower().replace(":", "_").replace("%", "_")
    return _folder() / f"{host}_{address.port}{_SUFFIX}"
