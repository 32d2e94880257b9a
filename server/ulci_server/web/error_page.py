"""Errors as a page, for people who use a browser."""

from collections.abc import Mapping
from html import escape
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response

from .answers import NO_STORE

PROGRAMS = ("/api/", "/static/", "/metrics", "/livez", "/readyz")
"""Beginnings of paths whose errors are for programs, also in a browser."""

_PAGE = """\
<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <title>{title}</title>
  <link rel="icon" href="/static/icon.svg" type="image/svg+xml">
  <link rel="stylesheet" href="/static/style.css">
</head>
<body>
  <header class="site">
    <a class="home" href="/"><img src="/static/icon.svg" alt="" width="28" height="28">Games</a>
  </header>
  <main id="main">
    <section class="card narrow">
      <h1>{title}</h1>
      <p>{text}</p>
      <p><a href="/">To the games</a></p>
    </section>
  </main>
</body>
</html>
"""

_TEXTS: Mapping[int, str] = {404: "This server has no page of that address."}
"""Where Starlette's own sentence only repeats the title."""


def wants_page(request: Request) -> bool:
    """Whether the request comes from a browser that shows the answer to a person."""
    accepts = request.headers.get("accept", "")
    return "text/html" in accepts and not request.url.path.startswith(PROGRAMS)


def error_page(status: int, text: str, headers: Mapping[str, str] | None, policy: str) -> Response:
    """The error as a page. policy: the Content-Security-Policy of pages."""
    title = HTTPStatus(status).phrase
    said = _TEXTS.get(status, text) if text == title else f"{text[:1].upper()}{text[1:]}."
    body = _PAGE.format(title=escape(title), text=escape(said))
    more = {**NO_STORE, "Content-Security-Policy": policy, **(headers or {})}
    return Response(body, status, more, "text/html; charset=utf-8")
