"""Answers: JSON with the server's time, errors, and what a request may say."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from ulci.net import Turns
from ulci.rules import Rules
from ulci_server.config import Config
from ulci_server.hall import Hall
from ulci_server.hall.table.state import TableState
from ulci_server.storage import Journal
from ulci_server.tournament import StandingsSource

from .archive import Archive
from .documents import clocks, encode, now
from .quotas import RETRY_AFTER, Quotas

JSON = "application/json"
TEXT = "text/plain; charset=utf-8"
NO_STORE = {"Cache-Control": "no-store"}

LARGEST_ID = 2**63 - 1

_CODES: Mapping[int, str] = {
    400: "bad-request",
    401: "unauthorized",
    403: "forbidden",
    404: "not-found",
    405: "method-not-allowed",
    409: "conflict",
    411: "length-required",
    413: "too-large",
    415: "unsupported-media-type",
    422: "invalid",
    429: "too-often",
    500: "server-error",
    503: "unavailable",
}


@dataclass(frozen=True, slots=True)
class SiteContext:
    """What all answers of one site are made from.

    config: the settings. games: all that can be played here. archive: the database. quotas: of
    those who ask. turns: in which crowds of them go on. standings: of the match or tournament that
    is played here; None on a server where nothing of the kind is."""

    config: Config
    hall: Hall
    journal: Journal
    games: Mapping[str, Rules]
    archive: Archive
    quotas: Quotas
    turns: Turns
    standings: StandingsSource | None = None


def answer(document: Mapping[str, Any], status: int = 200) -> Response:
    """JSON that is true only now."""
    return Response(encode({"now": now(), **document}), status, NO_STORE, JSON)


def error(
    status: int,
    text: str,
    headers: Mapping[str, str] | None = None,
    *,
    errors: Sequence[str] | None = None,
) -> Response:
    """errors: all that is wrong, one sentence each, where that may be several things."""
    code = _CODES.get(status, "error")
    all_errors = {} if errors is None else {"errors": [*errors]}
    body = encode({"error": {"code": code, "text": text, **all_errors}, "now": now()})
    return Response(body, status, {**NO_STORE, **(headers or {})}, JSON)


_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def words(text: str, longest: int, what: str) -> str:
    """What a person wrote, without control characters. Raises `HTTPException`."""
    if len(text) > longest or _CONTROL.search(text):
        raise bad(f"{what} has at most {longest} characters, and no control characters")
    return text


def one_of(request: Request, name: str, values: Sequence[str]) -> str | None:
    """A word of the query that has these values; None if it is left out. Raises
    `HTTPException`."""
    said = request.query_params.getlist(name)
    if not said:
        return None
    if len(said) > 1 or said[0] not in values:
        raise bad(f"{name} is {' or '.join(values)}, once, or left out")
    return said[0]


def bad(text: str) -> HTTPException:
    return HTTPException(400, text)


def no_game(number: int, kind: str = "") -> HTTPException:
    return HTTPException(404, f"there is no {kind}game {number}")


def paused() -> HTTPException:
    """Between two runs of a server, or until another server goes on with the game."""
    return HTTPException(503, "this game is paused", {"Retry-After": str(RETRY_AFTER)})


def host(request: Request) -> str:
    """The address of whoever asks; empty if it is unknown."""
    return request.client.host if request.client is not None else ""


def number(request: Request) -> int:
    """The number of the game in the path. Raises `HTTPException`."""
    value: int = request.path_params["id"]
    if value > LARGEST_ID:
        raise no_game(value)
    return value


def of_running(state: TableState | None) -> dict[str, Any]:
    """The clocks and the players of a game; None: it does not run, or its server is silent."""
    if state is None:
        return {"clocks": None, "players": {"white": "away", "black": "away"}}
    return {"clocks": clocks(state.clocks, state.running), "players": state.presence}


def unchanged(request: Request, etag: str) -> bool:
    """Whether the asker has this version already (RFC 9110 section 13.1.2, weak comparison)."""
    known = request.headers.get("if-none-match", "")
    return known == "*" or etag in _tags(known)


def _tags(header: str) -> Sequence[str]:
    return [f"W/{tag.strip().removeprefix('W/')}" for tag in header.split(",")[:32]]
