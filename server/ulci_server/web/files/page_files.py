"""The files of the pages: read once, so that no path leads out of their folder.

Scripts, styles and pictures are at ``/static/VERSION/NAME``, where VERSION is a digest of all of
them: a browser caches them for ever and requests none again, and a page never mixes modules of two
versions, which do not fit together. Scripts import each other by relative paths. Pages name them as
``/static/NAME``, and this module adds the version.

A page names all modules that its script needs (``modulepreload``), so that the browser fetches them
together, and not each after the one that imports it.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources.abc import Traversable

from starlette.requests import Request
from starlette.responses import Response

from ulci_server.web.answers import unchanged

from .compression import BEST, LEAST, QUICK, takes_gzip, zipped

BARE = "default-src 'none'; frame-ancestors 'none'"
"""The Content-Security-Policy of all answers but pages: no browser shows them as a page."""

AGAIN, FOREVER = "no-cache", "public, max-age=31536000, immutable"
"""Cache-Control: the browser asks every time whether the file has changed; it never asks again."""

TYPES: Mapping[str, str] = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".json": "application/json",
    ".webmanifest": "application/manifest+json",
    ".txt": "text/plain; charset=utf-8",
    ".md": "text/plain; charset=utf-8",
}

PACKED = frozenset({".png", ".ico"})
"""Types that gzip does not shorten."""

_TITLE = re.compile(rb"<title>[^<]*</title>")
_PART = re.compile(rb"<!-- ([\w-]+\.part) -->")
_SCRIPT = re.compile(rb'<script type="module" src="/static/([\w.-]+)"></script>')
_IMPORT = re.compile(rb'^(?:import|export)\b[^;"]*"\./([\w.-]+\.js)"', re.MULTILINE)
_STATIC = re.compile(rb'="/static/')

MANIFEST = b'<link rel="manifest" href="/static/site.webmanifest">'


@dataclass(frozen=True, slots=True)
class PageFile:
    """A file as it is sent. packed: its bytes in gzip; None if the file is not compressed."""

    body: bytes
    media_type: str
    etag: str
    packed: bytes | None

    @classmethod
    def of(cls, body: bytes, media_type: str, level: int = QUICK) -> "PageFile":
        """The file with that body. level: of gzip; 0 does not compress it."""
        packed = zipped(body, level) if level and len(body) >= LEAST else None
        return cls(body, media_type, f'W/"{sha256(body).hexdigest()[:16]}"', packed)

    def titled(self, head: bytes) -> "PageFile":
        """The page with `head` in place of its title. Takes 0.1 ms."""
        return self.of(_TITLE.sub(lambda _: head, self.body, count=1), self.media_type)

    def answer(self, request: Request, policy: str, keep: str = AGAIN) -> Response:
        """The answer to a request for the file. policy: the Content-Security-Policy. keep: the
        Cache-Control."""
        headers = {"ETag": self.etag, "Cache-Control": keep, "Content-Security-Policy": policy}
        if self.packed is not None:
            headers["Vary"] = "Accept-Encoding"
        if unchanged(request, self.etag):
            return Response(status_code=304, headers=headers)
        if self.packed is not None and takes_gzip(request.headers):
            headers["Content-Encoding"] = "gzip"
            return Response(self.packed, 200, headers, self.media_type)
        return Response(self.body, 200, headers, self.media_type)


class PageFiles:
    """The files of one folder. made: files that the server generates, by name."""

    def __init__(self, folder: Traversable, made: Mapping[str, bytes]) -> None:
        bodies = {**dict(_read(folder)), **made} if folder.is_dir() else dict(made)
        parts = {name: body.strip() for name, body in bodies.items() if name.endswith(".part")}
        pages = {name: body for name, body in bodies.items() if name.endswith(".html")}
        others = {name: body for name, body in bodies.items() if _kind(name) in TYPES}
        for name in pages:
            del others[name]
        digest = sha256(b"".join(b"%s\0%s\0" % (n.encode(), others[n]) for n in sorted(others)))
        self.version = digest.hexdigest()[:16]
        self._others = {name: _file(name, body) for name, body in others.items()}
        self._pages = {
            name: _file(name, self._composed(body, parts, others)) for name, body in pages.items()
        }

    def page(self, name: str) -> PageFile | None:
        """The page with that file's name; None if there is none."""
        return self._pages.get(name)

    def static(self, path: str) -> tuple[PageFile, str] | None:
        """The file at that path below ``/static/``, with its Cache-Control; None if there is none.
        A request for another version, such as one from a page of a server that is being replaced,
        gets this server's file, about which the browser asks again each time."""
        version, _, name = path.partition("/")
        if version == self.version and name in self._others:
            return self._others[name], FOREVER
        found = self._others.get(path) or self._others.get(name) or self._pages.get(path)
        return None if found is None else (found, AGAIN)

    def _composed(
        self, page: bytes, parts: Mapping[str, bytes], others: Mapping[str, bytes]
    ) -> bytes:
        page = _PART.sub(lambda found: parts[found[1].decode()], page)
        if scripts := [*_SCRIPT.finditer(page)]:
            script, named = scripts[-1], [found[1].decode() for found in scripts]
            needed = dict.fromkeys(name for first in named for name in _needed(first, others))
            modules = [name for name in needed if name not in named]
            links = [b'<link rel="modulepreload" href="/static/%s">' % n.encode() for n in modules]
            if "site.webmanifest" in others:
                links.append(MANIFEST)
            page = page.replace(script[0], b"\n  ".join([script[0], *links]), 1)
        return _STATIC.sub(b'="/static/%s/' % self.version.encode(), page)


def _needed(first: str, bodies: Mapping[str, bytes]) -> list[str]:
    """A script and all modules that it imports, at any depth, breadth first."""
    found, waiting = [first], [first]
    while waiting:
        for imported in _IMPORT.findall(bodies.get(waiting.pop(0), b"")):
            name = imported.decode()
            if name in bodies and name not in found:
                found.append(name)
                waiting.append(name)
    return found


def _read(folder: Traversable, above: str = "") -> Iterator[tuple[str, bytes]]:
    """All files of pages in and below the folder, with their paths."""
    for entry in folder.iterdir():
        name = f"{above}{entry.name}"
        if entry.is_dir():
            yield from _read(entry, f"{name}/")
        elif _kind(name) in TYPES or name.endswith(".part"):
            yield name, entry.read_bytes()


def _kind(name: str) -> str:
    return f".{name.rpartition('.')[2]}"


def _file(name: str, body: bytes) -> PageFile:
    kind = _kind(name)
    return PageFile.of(body, TYPES[kind], 0 if kind in PACKED else BEST)
