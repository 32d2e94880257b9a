"""Refuses requests from pages of other sites, and reads those of our own.

A browser names the page that sends a request: in ``Origin`` with each POST, and in
``Sec-Fetch-Site``. Pages that the operator lets open the WebSocket count as foreign here, too. The
body must be JSON, which no form can send, and the server answers no preflight.
"""

import json
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request

from ulci.net import own_names
from ulci.net.http_origin import foreign_page
from ulci.settings import nests_deeply
from ulci_server.config import Config
from ulci_server.web.answers import JSON, bad

LONGEST_BODY = 4096
"""Bytes: a name, two passwords and a code."""


def check_page(request: Request, config: Config) -> None:
    """Raises `HTTPException` if a page of another site sent the request."""
    site = request.headers.get("sec-fetch-site", "same-origin")
    if site != "same-origin":
        raise HTTPException(403, "this page may not do that: it is not one of this server")
    page = foreign_page(
        request.scope["headers"],
        scheme=request.scope["scheme"],
        names=own_names((one.address for one in config.listen), (), config.web.names),
        origins=frozenset(),
    )
    if page is not None:
        raise HTTPException(403, f"this page may not do that: {page.why}. {page.advice}")


async def read_words(request: Request, *names: str) -> dict[str, str]:
    """The values of these names in the JSON body, each empty if it is left out. Raises
    `HTTPException` if the body has another form or another name."""
    if request.query_params:
        raise bad("what is to be done stands in the body")
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
        raise HTTPException(415, f"the body is {JSON} (Content-Type)")
    body = await request.body()
    if len(body) > LONGEST_BODY:
        raise HTTPException(413, f"the body has at most {LONGEST_BODY} bytes")
    said = _object(body)
    if unknown := set(said) - {*names}:
        raise bad(f"unknown word {min(unknown)[:20]!r}; there are {', '.join(names) or 'none'}")
    words = {name: said.get(name, "") for name in names}
    if not all(isinstance(word, str) and _is_text(word) for word in words.values()):
        raise bad("each word is a text")
    return words


def _object(body: bytes) -> dict[str, Any]:
    try:
        text = body.decode()
        said = None if nests_deeply(text) else json.loads(text or "{}")
    except ValueError:
        said = None
    if not isinstance(said, dict):
        raise bad("the body is no JSON object")
    return said


def _is_text(word: str) -> bool:
    """Whether UTF-8 can encode it: JSON can spell half of a surrogate pair."""
    try:
        word.encode()
    except UnicodeEncodeError:
        return False
    return True
