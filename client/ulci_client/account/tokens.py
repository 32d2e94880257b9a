"""Tokens in files that nobody else can read, one for each server."""

import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import click

from ulci.net import Address

# Where a token may also stand: what is on the command line, every user of the machine can read.
TOKEN_VARIABLE = "ULCI_TOKEN"  # noqa: S105 (its name, not its value)

# What no token file may have: any right of the group and of others.
_OTHERS = stat.S_IRWXG | stat.S_IRWXO

_SUFFIX = ".token"


def read_token(path: Path | None, environment: Mapping[str, str] = os.environ) -> str:
    """The token from a file or else the environment; empty if there is none.

    Raises:
        ValueError: the file cannot be read, is not one line, or is open to others.
    """
    if path is None:
        return environment.get(TOKEN_VARIABLE, "").strip()
    try:
        with path.open("rb") as file:
            _check_rights(path, os.fstat(file.fileno()).st_mode)
            token = file.read().decode().strip()
    except OSError as error:
        raise ValueError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not a text file") from error
    if not _is_token(token):
        raise ValueError(f"{path} must hold the token and nothing else, in one line")
    return token


def kept(address: Address) -> str:
    """The token that was saved for this server; empty if none was.

    Raises:
        ValueError: as `read_token`.
    """
    path = _path(address)
    return read_token(path) if path.exists() else ""


def save(address: Address, token: str) -> Path:
    """Keep it for this server, in place of any before; where it is kept.

    Raises:
        ValueError: it is no token, or cannot be written.
    """
    if not _is_token(token):
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
    """Keep it no longer; whether there was one."""
    path = _path(address)
    with suppress(FileNotFoundError):
        path.unlink()
        return True
    return False


def servers() -> list[str]:
    """``host:port`` of those for which a token is kept."""
    found = (path.name.removesuffix(_SUFFIX) for path in _folder().glob(f"*{_SUFFIX}"))
    return sorted(name.replace("_", ":") for name in found)


def _folder() -> Path:
    return Path(click.get_app_dir("ulci")) / "tokens"


def _path(address: Address) -> Path:
    """One for all schemes: an account is a server's, however it is reached."""
    host = address.host.lower().replace(":", "_").replace("%", "_")
    return _folder() / f"{host}_{address.port}{_SUFFIX}"


def _check_rights(path: Path, mode: int) -> None:
    # A pipe (`<(pass show chess)`) is nobody else's, and Windows has no such rights.
    if os.name == "posix" and stat.S_ISREG(mode) and mode & _OTHERS:
        raise ValueError(
            f"{path} may be read or changed by other users of this machine;"
            f" make it yours alone: chmod 600 {path}"
        )


def _is_token(text: str) -> bool:
    return text.split() == [text] and text.isprintable()
