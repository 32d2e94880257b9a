"""A server as its clients reach it: address, certificates, token, subprotocol."""

import os
import ssl
import stat
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from ulci.net.address import Address, ip_of
from ulci.net.dial import dial
from ulci.net.limits import Limits
from ulci.net.peer import Peer
from ulci.net.upgrade import MSGPACK, TEXT
from ulci.protocol import ULCI, Connection, MsgpackCodec, Role, TextCodec

# An alternative to the file. Never a command-line option: every local user can read those.
TOKEN_VARIABLE = "ULCI_TOKEN"  # noqa: S105 (its name, not its value)

# Rights that a token file must not have: any of the group and of others.
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def read_token(path: Path | None, environment: Mapping[str, str] = os.environ) -> str:
    """The token from a file, or else from the environment; empty if there is none.

    Raises:
        ValueError: the file cannot be read, other users can access it, or it holds no token.
    """
    if path is None:
        token = environment.get(TOKEN_VARIABLE, "").strip()
        if token and not is_token(token):
            raise ValueError(f"{TOKEN_VARIABLE} must hold the token and nothing else, in one line")
        return token
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
    """Whether the text is one printable word."""
    return text.split() == [text] and text.isprintable()


def _check_rights(path: Path, mode: int) -> None:
    # A pipe (`<(pass show chess)`) is private, and Windows has no such rights.
    if os.name == "posix" and stat.S_ISREG(mode) and mode & _OTHERS:
        raise ValueError(
            f"other users of this machine can read or change {path}; protect it: chmod 600 {path}"
        )


@lru_cache(maxsize=1024)  # a few addresses bring most connections
def is_loopback(host: str) -> bool:
    """Whether the host is this machine, without a name lookup."""
    try:
        return ip_of(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def tls_context(cafile: Path | None = None, *, insecure: bool = False) -> ssl.SSLContext | None:
    """The system's certificates (None), those in `cafile` alone, or no check.

    Raises:
        ValueError: the file does not exist or holds no certificates.
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


DEFAULT_SERVER = "tcp://127.0.0.1:25565"

# Bytes of one message. The longest possible game of chess has some 11,800 moves, and a board of
# Liberty Chess may have 65,536 squares.
LONGEST_LINE = 256 * 1024
LIMITS = Limits(max_frame=2 * LONGEST_LINE)


@dataclass(frozen=True, slots=True)
class RemoteServer:
    """How to reach one server. `ssl_context` None: trust the system's certificates. `token`: of our
    account there, sent in the WebSocket upgrade."""

    address: Address
    ssl_context: ssl.SSLContext | None = None
    msgpack: bool = False
    token: str = field(default="", repr=False)

    @property
    def is_private(self) -> bool:
        """Whether the messages cannot be read on the way: TLS, or this machine."""
        return self.address.tls or is_loopback(self.address.host)

    @asynccontextmanager
    async def dial(self) -> AsyncIterator[Peer]:
        """Open a client connection.

        Raises:
            DialError: the server cannot be reached; the text says why and what may help.
        """
        offered = (MSGPACK, TEXT) if self.msgpack else (TEXT,)
        async with dial(
            self.address,
            _connection,
            ssl_context=self.ssl_context,
            headers={"Authorization": f"Bearer {self.token}"} if self.token else None,
            subprotocols=offered,
            limits=LIMITS,
        ) as peer:
            yield peer


def context_for(address: Address, cafile: Path | None, *, insecure: bool) -> ssl.SSLContext | None:
    """The certificates to trust for this address, from command-line options; see `tls_context`.

    Raises:
        ValueError: the options contradict each other or the address, or the file cannot be used.
    """
    for option, given in (("cafile", cafile), ("insecure", insecure)):
        if given and not address.tls:
            raise ValueError(f"--{option} is for tls:// and wss://, not for {address}")
    if cafile and insecure:
        raise ValueError("--cafile and --insecure exclude each other")
    return tls_context(cafile, insecure=insecure)


def _connection(subprotocol: str) -> Connection:
    codec = (
        MsgpackCodec(max_message=LONGEST_LINE)
        if subprotocol == MSGPACK
        else TextCodec(max_line=LONGEST_LINE)
    )
    return Connection(Role.CLIENT, codec, ULCI.with_lobby())
