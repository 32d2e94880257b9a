"""The listeners: where the server listens, in which dialect, for which pool."""

import ipaddress
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, PlainValidator, ValidationInfo, field_validator

from ulci.net import Address
from ulci.settings import SettingsTable

from .certificate import Certificate, advice
from .fields import FilePath, text

Dialect = Literal["uci", "ugi", "uti"]


def _address(said: Any) -> Address:
    if isinstance(said, Address):
        return said
    return Address.parse(text(said, "an address such as tcp://127.0.0.1:25565"))


class Listener(SettingsTable):
    """A table of `listen`."""

    address: Annotated[Address, PlainValidator(_address)]
    """tcp, tls, ws or wss; port 0 lets the system choose, host * means every interface."""
    dialect: Dialect = "uci"
    """The dialect of its clients; uci is for UCI engines, ULCI clients and people."""
    pool: str | None = None
    """The pool in which players wait without a seek; None: the first pool."""
    tournament: str = ""
    """The tournament in which programs that connect here play, identified only by their names;
    empty: none."""
    certificate: FilePath | None = Field(default=None, validate_default=True)
    """PEM: the certificate of the server, then those between it and the root."""
    key: FilePath | None = Field(default=None, validate_default=True)
    """PEM: its private key; not needed if it stands in the same file."""

    @field_validator("dialect")
    @classmethod
    def _possible(cls, dialect: Dialect, info: ValidationInfo) -> Dialect:
        address: Address | None = info.data.get("address")
        if dialect == "uti" and address is not None and address.scheme in ("ws", "wss"):
            raise ValueError("UTI is spoken over tcp:// and tls:// only")
        return dialect

    @classmethod
    def at(cls, url: str) -> Self:
        """An unencrypted listener for the first pool."""
        return cls(address=Address.parse(url))

    def certificates(self) -> Certificate | None:
        """The certificate; None if the listener is not encrypted. Raises `OSError` if the files are
        invalid."""
        return None if self.certificate is None else Certificate(self.certificate, self.key)

    def warning(self) -> str:
        """A warning for the operator, with advice; empty if there is none."""
        if self.address.tls or _ours(self.address.host):
            return ""
        safe = _SAFE[self.address.scheme]
        return (
            f"{self.address} is not encrypted and may be reached from outside: tokens and moves can"
            f" be read and changed on the way. Write {safe}:// with a certificate, or listen at"
            " 127.0.0.1 behind a reverse proxy that encrypts"
        )

    @field_validator("certificate")
    @classmethod
    def _needed(cls, path: Path | None, info: ValidationInfo) -> Path | None:
        address: Address | None = info.data.get("address")
        if address is not None and address.tls and path is None:
            raise ValueError(
                f"is missing: {address.scheme}:// needs the path of a PEM file with the"
                " certificate of this server"
            )
        _encrypts(address, path)
        return path if path is None else _readable(path)

    @field_validator("key")
    @classmethod
    def _belongs(cls, path: Path | None, info: ValidationInfo) -> Path | None:
        _encrypts(info.data.get("address"), path)
        if path is not None:
            _readable(path)
        if (certificate := info.data.get("certificate")) is not None:
            try:
                Certificate(certificate, path)
            except OSError as error:
                raise ValueError(advice(error, certificate, path)) from None
        return path


_SAFE = {"tcp": "tls", "ws": "wss"}


def _ours(host: str) -> bool:
    """Whether the host is this machine or in a private network; names are not looked up."""
    if host == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:  # a name, or * for every interface
        return False
    return not (address.is_unspecified or address.is_global)


def _encrypts(address: Address | None, path: Path | None) -> None:
    if path is not None and address is not None and not address.tls:
        safe = _SAFE[address.scheme]
        raise ValueError(
            f"has no use: {address.scheme}:// is not encrypted; leave it out, or write {safe}://"
        )


def _readable(path: Path) -> Path:
    try:
        path.read_bytes()
    except OSError as error:
        raise ValueError(f"cannot read the file {path}: {error.strerror}") from None
    return path
