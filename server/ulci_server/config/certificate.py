"""The certificate of an encrypted listener, read again when its files change."""

import contextlib
import ssl
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import structlog

LOG = structlog.get_logger("ulci_server.config")

LOOK_EVERY = 5.0
"""Minimum seconds between two checks of the files; each new connection may check, in some µs."""

SETTLED = 2.0
"""Seconds after a change before both files are read: a renewal writes one after the other."""

RENEW = 14
"""Days before the end of a certificate from which on the log warns of it."""

DAY = 86_400.0

Seen = tuple[tuple[int, int, int], ...]
"""One state of the files: time of change, size and inode of each."""


class Validity(NamedTuple):
    """Until when a certificate is valid. trouble: why it is not valid now."""

    until: datetime | None
    trouble: str = ""


class Certificate:
    """The certificate of a listener; call it for the context of a new connection.

    When the files change, the next connections get the new certificate. Invalid files are reported
    once, and the old certificate stays in use. machine, steady: clocks, s.
    """

    def __init__(
        self,
        certificate: Path,
        key: Path | None,
        *,
        machine: Callable[[], float] = time.time,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        """Raises `OSError` if the files are invalid."""
        self._files = (certificate,) if key is None else (certificate, key)
        self._machine, self._steady = machine, steady
        self._seen = self._look()
        self._context = _context(certificate, key)
        self.validity = validity(self._context, certificate)
        self._next_look = steady() + LOOK_EVERY
        self._next_word = steady() + DAY

    def __call__(self) -> ssl.SSLContext:
        """The context for a new connection. Never raises."""
        now = self._steady()
        if now >= self._next_look:
            self._next_look = now + LOOK_EVERY
            self.refresh()
        if now >= self._next_word:
            self.tell()
        return self._context

    def refresh(self) -> None:
        """Load the files if they have changed and are valid. Never raises."""
        self._load(lambda seen: seen != self._seen and self._settled(seen))

    def read_again(self) -> None:
        """Load the files if they are valid, changed or not: the operator who asks for it has
        written both. Never raises."""
        self._load(lambda _: True)

    def _load(self, wanted: Callable[[Seen], bool]) -> None:
        try:
            seen = self._look()
            if not wanted(seen):
                return
            self._seen = seen
            self._context = _context(*self._pair())
            self.validity = validity(self._context, self._files[0])
        except OSError as error:
            self._seen = ()
            self._complain(advice(error, *self._pair()))
        else:
            self._complained = ""
            self.tell()

    def warning(self) -> str:
        """Advice for the operator; empty if none is needed."""
        until, trouble = self.validity
        if trouble:
            return f"clients that verify will refuse it: {trouble}; renew {self._files[0]}"
        if until is None:
            return ""
        days = (until.timestamp() - self._machine()) / DAY
        if days >= RENEW:
            return ""
        return (
            f"it expires in {days:.0f} days: renew {self._files[0]}; the server loads the new file"
            " by itself"
        )

    def tell(self) -> None:
        """Log until when the certificate is valid, once at the start, and then daily if it expires
        soon."""
        self._next_word = self._steady() + DAY
        until = self.validity.until
        said = {"file": str(self._files[0]), "until": until and until.isoformat()}
        if warning := self.warning():
            LOG.warning("certificate", **said, advice=warning)
        else:
            LOG.info("certificate", **said)

    _complained = ""

    def _complain(self, why: str) -> None:
        if why != self._complained:
            self._complained = why
            LOG.error("the certificate was not renewed; the old one stays", advice=why)

    def _pair(self) -> tuple[Path, Path | None]:
        return self._files[0], self._files[1] if len(self._files) > 1 else None

    def _look(self) -> Seen:
        found = (path.stat() for path in self._files)
        return tuple((each.st_mtime_ns, each.st_size, each.st_ino) for each in found)

    def _settled(self, seen: Seen) -> bool:
        newest = max(changed for changed, _, _ in seen) / 1e9
        return not 0 <= self._machine() - newest < SETTLED


def validity(context: ssl.SSLContext, certificate: Path) -> Validity:
    """Until when the certificate of that context is valid for a client that trusts it.

    The handshake is in memory: the `ssl` module parses only certificates that it verified.
    """
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname = False
    client.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    try:
        client.load_verify_locations(cafile=certificate)
        theirs = client.wrap_bio(to_client, to_server)
        ours = context.wrap_bio(to_server, to_client, server_side=True)
        for _ in range(2):  # TLS 1.3: the client's hello, then its verdict
            for end in (theirs, ours):
                _step(end)
        found = theirs.getpeercert() or {}
    except ssl.SSLCertVerificationError as error:
        return Validity(None, error.verify_message)
    except ssl.SSLError:  # a kind of key that we would not use as a client
        return Validity(None)
    ends = found.get("notAfter")
    if not isinstance(ends, str):
        return Validity(None)
    return Validity(datetime.fromtimestamp(ssl.cert_time_to_seconds(ends), UTC))


def _step(end: ssl.SSLObject) -> None:
    with contextlib.suppress(ssl.SSLWantReadError):
        end.do_handshake()


def _no_passphrase() -> str:
    """Refuse a passphrase: OpenSSL would ask for it at the terminal, and a service has none."""
    raise OSError("the key is protected by a passphrase; a server needs one without")


def _context(certificate: Path, key: Path | None) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key, password=_no_passphrase)
    return context


def advice(error: OSError, certificate: Path, key: Path | None) -> str:
    """The fault of the files, for the operator."""
    if not isinstance(error, ssl.SSLError):
        return str(error)
    if error.reason == "KEY_VALUES_MISMATCH":
        return f"the key {key or certificate} does not belong to the certificate {certificate}"
    if key is None:
        return f"is missing, or {certificate} is not a PEM file with a certificate and its key"
    return f"{certificate} and {key} are not PEM files with a certificate and its key"
