"""Which server does a program trust that dials it, and by which token is it known there?"""

import os
import ssl
import stat
from collections.abc import Mapping
from pathlib import Path

from ulci.net.address import ip_of

# Where a token may also stand: what is on the command line, every user of the machine can read.
TOKEN_VARIABLE = "ULCI_TOKEN"  # noqa: S105 (its name, not its value)

# What no token file may have: any right of the group and of others.
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


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
    if not is_token(token):
        raise ValueError(f"{path} must hold the token and nothing else, in one line")
    return token


def is_token(text: str) -> bool:
    """Whether it is one word that could be one."""
    return text.split() == [text] and text.isprintable()


def _check_rights(path: Path, mode: int) -> None:
    # A pipe (`<(pass show chess)`) is nobody else's, and Windows has no such rights.
    if os.name == "posix" and stat.S_ISREG(mode) and mode & _OTHERS:
        raise ValueError(
            f"{path} may be read or changed by other users of this machine;"
            f" make it yours alone: chmod 600 {path}"
        )


def is_loopback(host: str) -> bool:
    """Whether the host is this machine, as far as can be told without asking anybody."""
    try:
        return ip_of(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def tls_context(cafile: Path | None = None, *, insecure: bool = False) -> ssl.SSLContext | None:
    """What to trust: the system's certificates (None), those in `cafile` alone, or anybody.

    Raises:
        ValueError: the file is not there or holds no certificates.
    """
    if insecure:
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        return context
    if cafile is None:
        return None
    try:
        return ssl.create_default_context(cafile=str(cafile))
    except ssl.SSLError as error:
        raise ValueError(f"{cafile} holds no certificates in PEM format: {error.reason}") from error
    except OSError as error:
        raise ValueError(f"cannot read {cafile}: {error.strerror}") from error
