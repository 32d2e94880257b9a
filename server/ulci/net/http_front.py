"""What all HTTP connections of a listener share: the application, and who may ask it for what."""

import math
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import NoReturn

import trio

from ulci.net.address import Address
from ulci.net.asgi import App
from ulci.net.gate import RETRY_AFTER, ConnectionRefusal, Gate, network
from ulci.net.http_head import SHOWN, BadRequestError, Head
from ulci.net.http_origin import ForeignPage, foreign_page
from ulci.net.limits import Limits
from ulci.net.readiness import Readiness
from ulci.net.refuse import status_of
from ulci.net.token_bucket import Buckets
from ulci.net.turns import Delay, Turns
from ulci.protocol.messages import Blame

BODIES_AT_ONCE = 80
BODIES_OF_STRANGERS = 64
"""Requests with a body on one listener, at most 5 MiB together, and those of addresses that are not
exempt or known. Requests for pages have none."""

REQUESTS_A_SECOND = 50.0
REQUESTS_AT_ONCE = 1000
"""Limits of requests of one address: a tenth of a core at 2 ms each, and a school whose pupils open
the page together, forty files each. Exempt addresses have none."""

GRACE = 1.0
"""Seconds in which an application may end by itself after the peer left, or after an answer without
a body. The former also lets a program that closes its sending side read its answer."""


_FORWARDED = re.compile(rb"\r\nx-forwarded-for[ \t]*:([^\r]*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Site:
    """What a listener for WebSocket answers to all other requests."""

    app: App
    """Gets scopes of type ``http`` only, with bodies of at most `BODY_BYTES` in one piece. It is
    cancelled when its peer leaves."""

    origins: frozenset[str] = frozenset()
    """Other origins whose pages may open the WebSocket, like ``https://example.org``; ``*`` allows
    all. Pages of this server always may, and so may programs, which send no ``Origin``."""

    names: frozenset[str] = frozenset()
    """Names of this server (`own_names`), without which only its addresses and ``localhost`` are
    its own."""

    turns: Turns = field(default_factory=Turns)
    """The turns in which requests of all listeners are answered."""

    prompt: frozenset[str] = frozenset()
    """Paths whose requests wait for no turn: health checks use them."""


class Front:
    """The front of one listener."""

    def __init__(
        self,
        site: Site,
        address: Address,
        limits: Limits,
        gate: Gate | None,
        report: Callable[[str, Exception], None],
    ) -> None:
        self.site = site
        self.address = address
        self.limits = limits
        self.gate = gate
        self.report = report
        self.readiness = Readiness()
        self.grace = Delay(GRACE)
        self._bodies = 0  # requests with a body that are being read or answered
        self._requests: Buckets[str] = Buckets(REQUESTS_A_SECOND, REQUESTS_AT_ONCE)

    async def run(self) -> NoReturn:
        """Let connections read, and end answers that nobody reads, for ever."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.readiness.run)
            await self.grace.run()

    # Requests

    @contextmanager
    def admitted(self, host: str, head: Head) -> Iterator[str]:
        """Count a request of this peer while it is answered; the client behind a proxy, or empty.

        One connection of a proxy carries the requests of many clients, so each request counts as a
        connection of its client. Raises `BadRequestError`.
        """
        gate, real = self.gate, self._behind(host, head)
        with_body = head.length != 0
        if (refusal := self._refusal(real, real or host, with_body=with_body)) is not None:
            raise BadRequestError(status_of(refusal), f"{refusal}", refusal.retry_after)
        self._bodies += with_body
        if gate is not None and real:
            gate.count(real, trio.current_time())
        try:
            yield real
        finally:
            self._bodies -= with_body
            if gate is not None and real:
                gate.leave(real, trio.current_time())

    def _behind(self, host: str, head: Head) -> str:
        return self.gate.behind(host, head.readable()) if self.gate is not None else ""

    def _refusal(self, real: str, client: str, *, with_body: bool) -> ConnectionRefusal | None:
        if with_body and self._bodies >= self._most_bodies(client):
            return ConnectionRefusal("too many requests with a body", retry_after=RETRY_AFTER)
        if self.gate is None or self.gate.exempts(client):
            return None
        if real and (refusal := self.gate.full(real)) is not None:
            return refusal
        if wait := self._requests.take(network(client), trio.current_time()):
            text = f"your address asks too often: the limit is {REQUESTS_A_SECOND:g} times a second"
            return ConnectionRefusal(text, Blame.CLIENT, math.ceil(wait))
        return None

    def is_prompt(self, raw: bytes) -> bool:
        """Whether the request with this head waits for no turn."""
        target = raw[: raw.find(b"\r\n")].split(b" ")[1:2]
        return bool(target) and target[0].decode("latin-1") in self.site.prompt

    def is_known(self, host: str, raw: bytes) -> bool:
        """Whether the request with this head is of an address that has what strangers have not."""
        if self.gate is None:
            return False
        named = _FORWARDED.findall(raw)
        headers = {"x-forwarded-for": named[-1].decode("latin-1")} if named else {}
        client = self.gate.behind(host, headers) or host
        return self.gate.has_kept_places(client, trio.current_time())

    def _most_bodies(self, client: str) -> int:
        if self.gate is None or self.gate.has_kept_places(client, trio.current_time()):
            return BODIES_AT_ONCE
        return BODIES_OF_STRANGERS

    def scheme(self, head: Head, real: str) -> str:
        """What the client speaks, ``http`` or ``https``: behind a proxy, what the proxy says."""
        own = "https" if self.address.tls else "http"
        if not real:  # only then the proxy is trusted
            return own
        named = head.readable().get("x-forwarded-proto", "").rpartition(",")[2].strip().lower()
        return named if named in ("http", "https") else own

    # WebSockets

    def check_origin(self, host: str, head: Head) -> None:
        """Raises `ForeignPageError` if this peer's request for a WebSocket is of another site's
        page."""
        site, scheme = self.site, self.scheme(head, self._behind(host, head))
        page = foreign_page(head.fields, scheme=scheme, names=site.names, origins=site.origins)
        if page is not None:
            raise ForeignPageError(head.readable()["origin"][:SHOWN], page)

    def check_path(self, host: str, head: Head) -> None:
        """The path of the WebSocket is not the application's, unless it is the only one. A page
        whose WebSocket was refused asks here why: its browser does not tell. Raises
        `BadRequestError`."""
        path = self.address.path.partition("?")[0]
        if path not in ("", "/") and head.raw_path == path.encode():
            self.check_origin(host, head)
            text = f"The relay is at {path}, over WebSocket."
            raise BadRequestError(HTTPStatus.UPGRADE_REQUIRED, text)


class ForeignPageError(BadRequestError):
    """A page of another site wanted the WebSocket."""

    def __init__(self, origin: str, page: ForeignPage) -> None:
        text = f"A page of {origin} may not open this WebSocket: {page.why}."
        super().__init__(HTTPStatus.FORBIDDEN, f"{text} {page.advice[: 2 * SHOWN]}")
