"""Previews of links to a game or a tournament, for chats and search engines.

Chats and search engines run no script, so that the server puts title, description and the address
of a picture into the page that it sends. Strangers chose these texts, so that all are escaped. If
the server does not know them, or not soon enough, it sends the page with its plain title.
"""

import re
from collections.abc import Iterator
from html import escape
from urllib.parse import quote

import trio
from starlette.exceptions import HTTPException
from starlette.requests import Request

from ulci.rules import game_title, reason_in_english
from ulci_server.storage import GameRecord, StorageError
from ulci_server.web.answers import LARGEST_ID, SiteContext, host
from ulci_server.web.tournaments import TournamentAnswers

from .picture_answers import asked_ply

PATIENCE = 0.5
"""Seconds that a page waits for its preview."""

_OWN_HOST = re.compile(r"(?:[A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?")
"""A ``Host`` that the server may copy into an address."""

_SIDES = {"1-0": ("White", "Black"), "0-1": ("Black", "White")}


class LinkPreviews:
    """The previews of one site."""

    def __init__(self, context: SiteContext, tournaments: TournamentAnswers) -> None:
        self._context = context
        self._tournaments = tournaments

    async def of_game(self, request: Request) -> str:
        """HTML for the head of a game's page; empty if the game is not known in time."""
        wanted = request.path_params["id"]
        with trio.move_on_after(PATIENCE):
            try:
                self._context.quotas.work(host(request))
                ply = asked_ply(request)
                known = wanted <= LARGEST_ID
                game = await self._context.archive.record(wanted) if known else None
            except (HTTPException, StorageError):
                return ""
            if game is not None:
                picture = f"/games/{game.id}/board.svg" + ("" if ply is None else f"?ply={ply}")
                return _head(request, _players(game), _description(game), picture)
        return ""

    async def of_tournament(self, request: Request) -> str:
        """HTML for the head of a tournament's page; empty if it is not known in time."""
        with trio.move_on_after(PATIENCE):
            try:
                self._context.quotas.work(host(request))
                title, facts = await self._tournaments.in_short(request)
            except (HTTPException, StorageError):
                return ""
            return _head(request, title, facts)
        return ""


def _players(game: GameRecord) -> str:
    names = " – ".join(seat.called for seat in game.seats)
    return names if game.outcome is None else f"{names}: {_result(game)}"


def _result(game: GameRecord) -> str:
    """The result in the words of the page, such as ``White won by checkmate``."""
    assert game.outcome is not None
    winner, loser = _SIDES.get(game.result, ("", ""))
    ended = f"{winner} won" if winner else "Draw" if game.result == "1/2-1/2" else "No result"
    return f"{ended} {reason_in_english(game.outcome.reason, loser)}"


def _description(game: GameRecord) -> str:
    day = f"{game.finished_at:%Y-%m-%d}" if game.finished_at else "being played now"
    facts = [game_title(game.rules), game.control, "rated" if game.rated else "", day]
    return " · ".join(filter(None, facts))


def _head(request: Request, title: str, description: str, picture: str = "") -> str:
    return "\n  ".join(_lines(request, title, description, picture))


def _lines(request: Request, title: str, description: str, picture: str) -> Iterator[str]:
    yield f"<title>{escape(title)}</title>"
    yield _named("name", "description", description)
    yield _named("property", "og:type", "website")
    yield _named("property", "og:title", title)
    yield _named("property", "og:description", description)
    named = request.headers.get("host", "")
    if _OWN_HOST.fullmatch(named):  # these two are absolute by definition (ogp.me)
        here = f"{request.scope['scheme']}://{named}"
        yield _named("property", "og:url", here + quote(request.url.path))
        if picture:
            yield _named("property", "og:image", here + picture)
            yield _named("property", "og:image:type", "image/svg+xml")
            yield _named("property", "og:image:alt", f"The board of {title}")


def _named(kind: str, name: str, text: str) -> str:
    return f'<meta {kind}="{name}" content="{escape(text)}">'
