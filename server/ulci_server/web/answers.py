"""The parts of all answers: JSON with the server's time, errors, and checks of requests."""

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
    """The objects that all answers of one site use.

    config: the settings. games: the rules of each game that can be played here, by name. archive:
    reads the database. quotas: limits each address. turns: resumes a crowd of waiting requests a
    few at a time. standings: those of the match or tournament that is played here; None if this
    server plays neither."""

    config: Config
    hall: Hall
    journal: Journal
    games: Mapping[str, Rules]
    archive: Archive
    quotas: Quotas
    turns: Turns
    standings: StandingsSource | None = None


def answer(document: Mapping[str, Any], status: int = 200) -> Response:
    """A JSON answer that nobody caches."""
    return Response(encode({"now": now(), **document}), status, NO_STORE, JSON)


def error(
    status: int,
    text: str,
    headers: Mapping[str, str] | None = None,
    *,
    errors: Sequence[str] | None = None,
) -> Response:
    """A JSON error. errors: one sentence for each fault, if a request can have several."""
    code = _CODES.get(status, "error")
    all_errors = {} if errors is None else {"errors": [*errors]}
    body = encode({"error": {"code": code, "text": text, **all_errors}, "now": now()})
    return Response(body, status, {**NO_STORE, **(headers or {})}, JSON)


_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def words(text: str, longest: int, what: str) -> str:
    """Return `text` if it has at most `longest` characters and no control characters. Raises
    `HTTPException` otherwise. what: names it in the error."""
    if len(text) > longest or _CONTROL.search(text):
        raise bad(f"{what} has at most {longest} characters, and no control characters")
    return text


def one_of(request: Request, name: str, values: Sequence[str]) -> str | None:
    """The value of a query parameter, one of `values`; None if it is left out. Raises
    `HTTPException` for any other value and for a repeated parameter."""
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
    """The error while no server plays a running game: until its server restarts or another one
    takes it over."""
    return HTTPException(503, "this game is paused", {"Retry-After": str(RETRY_AFTER)})


def host(request: Request) -> str:
    """The client's address; empty if it is unknown."""
    return request.client.host if request.client is not None else ""


def number(request: Request) -> int:
    """The number of the game in the path. Raises `HTTPException` if it is too large for one."""
    value: int = request.path_params["id"]
    if value > LARGEST_ID:
        raise no_game(value)
    return value


def of_running(state: TableState | None) -> dict[str, Any]:
    """The clocks and players of a game. state: None if it does not run, or if its server does not
    answer."""
    if state is None:
        return {"clocks": None, "players": {"white": "away", "black": "away"}}
    return {"clocks": clocks(state.clocks, state.running), "players": state.presence}


def unchanged(request: Request, etag: str) -> bool:
    """Whether the client has this version already (RFC 9110 section 13.1.2, weak comparison)."""
    known = request.headers.get("if-none-match", "")
    return known == "*" or etag in _tags(known)


def _tags(header: str) -> Sequence[str]:
    return [f"W/{tag.strip().removeprefix('W/')}" for tag in header.split(",")[:32]]
