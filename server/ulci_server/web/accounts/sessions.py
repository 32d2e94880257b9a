"""The cookie of a signed-in browser.

The cookie holds 256 random bits, which the server makes at each sign-in. The database stores only
their hash, so that a cookie that was not set here signs nobody in. No script can read the cookie,
and no page of another site can make the browser send it. Over TLS its name begins with
``__Host-``, so that only this host can set it.
"""

import secrets
from datetime import timedelta

from starlette.requests import Request
from starlette.responses import Response

LASTS = timedelta(days=30)
"""How long a sign-in lasts."""

NAME = "ulci_session"

_BYTES = 32

_LONGEST = 100
"""Characters of a cookie: a longer one is ignored."""

_MOST = 4
"""Cookies of that name that are read."""


def new_secret() -> str:
    """A new secret for a cookie."""
    return secrets.token_urlsafe(_BYTES)


def brought(request: Request) -> str:
    """The secret in the browser's cookie; empty if it has none or several. Over plain HTTP a page
    of a neighbouring host name can add one, and then the server cannot tell which one is its
    own."""
    said = every(request)
    return said[0] if len(said) == 1 else ""


def every(request: Request) -> list[str]:
    """The secrets in the browser's cookies of that name, at most `_MOST`."""
    pairs = ";".join(request.headers.getlist("cookie")).split(";")
    named = (pair.strip().partition("=") for pair in pairs)
    said = [value for name, _, value in named if name == _name(request)]
    return [value for value in said[:_MOST] if 0 < len(value) <= _LONGEST]


def give(request: Request, answer: Response, secret: str) -> None:
    """Set the cookie in this answer."""
    _set(request, answer, secret, int(LASTS.total_seconds()))


def take(request: Request, answer: Response) -> None:
    """Delete the browser's cookie by this answer."""
    _set(request, answer, "", 0)


def _set(request: Request, answer: Response, secret: str, age: int) -> None:
    answer.set_cookie(
        _name(request),
        secret,
        max_age=age,
        path="/",
        secure=_is_secret(request) or _page_is_secret(request),
        httponly=True,
        samesite="strict",
    )


def _name(request: Request) -> str:
    return f"__Host-{NAME}" if _is_secret(request) else NAME


def _is_secret(request: Request) -> bool:
    """Whether the browser's connection is encrypted, here or at a trusted proxy."""
    return bool(request.scope["scheme"] == "https")


def _page_is_secret(request: Request) -> bool:
    """Whether the page that sent the request was loaded over TLS: then its browser returns a secure
    cookie, even if a proxy does not report TLS."""
    return request.headers.get("origin", "").lower().startswith("https://")
