"""Reads questions about any position, and limits how many an address may ask."""

from collections.abc import Callable
from typing import Annotated, TypeVar

import msgspec
import trio
from starlette.exceptions import HTTPException
from starlette.requests import Request

from ulci.net.http_origin import ANY_NAME, foreign_page
from ulci.rules import GAMES, Rules
from ulci_server.web.answers import JSON, SiteContext, bad, host
from ulci_server.web.quotas import TooOften

MOST_PLIES = 600
"""Plies before a position; no game of chess between people was longer."""

LONGEST_START = 2000
"""Characters of a FEN: 16x16 squares of Liberty Chess need 600."""

LONGEST_MOVE = 16

LONGEST_TEXT = 60 * 1024
"""Characters of a pasted game. The front reads a little more."""

WAITING = 16
"""Questions that may wait for the one thread that answers them."""

Word = Annotated[str, msgspec.Meta(max_length=LONGEST_MOVE, pattern=r"^[!-~]+\Z")]


class PositionQuestion(msgspec.Struct, forbid_unknown_fields=True):
    """A question about the position after these moves from that start (None: the usual one).
    typed: a move in the person's spelling, to be played there; empty if there is none."""

    rules: Annotated[str, msgspec.Meta(max_length=64)]
    start: Annotated[str, msgspec.Meta(max_length=LONGEST_START)] | None = None
    moves: Annotated[list[Word], msgspec.Meta(max_length=MOST_PLIES)] = []
    typed: Annotated[str, msgspec.Meta(max_length=64)] = ""


class PastedText(msgspec.Struct, forbid_unknown_fields=True):
    """A pasted game or position. rules: the game's, if the text does not name them."""

    text: Annotated[str, msgspec.Meta(max_length=LONGEST_TEXT)]
    rules: Annotated[str, msgspec.Meta(max_length=64)] = "chess"


Question = TypeVar("Question")
Answer = TypeVar("Answer")


class Questions:
    """The questions of one site."""

    def __init__(self, context: SiteContext) -> None:
        self._context = context
        self._thread = trio.CapacityLimiter(1)

    async def read(self, request: Request, kind: type[Question], cost: float) -> Question:
        """The question in the body. cost: what it counts in the address's quota. Raises
        `HTTPException`."""
        config = self._context.config
        page = foreign_page(
            request.scope["headers"],
            scheme=request.scope["scheme"],
            names=config.own_names() | ({ANY_NAME} if config.web.public else frozenset()),
            origins=frozenset(config.web.origins),
        )
        if page is not None:
            raise HTTPException(403, f"this page may not ask: {page.why}. {page.advice}")
        self._context.quotas.work(host(request), cost)
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
            raise HTTPException(415, f"the body is {JSON} (Content-Type)")
        try:
            return msgspec.json.decode(await request.body(), type=kind)
        except (msgspec.MsgspecError, UnicodeDecodeError) as fault:
            raise bad(f"the body is not as described: {fault}") from None

    async def answer(self, work: Callable[[], Answer]) -> Answer:
        """What `work` returns in the thread. Raises `TooOften` if too many questions wait for it,
        and what `work` raises."""
        if self._thread.statistics().tasks_waiting >= WAITING:
            raise TooOften("too many ask about positions", 2, status=503)
        return await trio.to_thread.run_sync(work, limiter=self._thread)


def rules_of(name: str) -> Rules:
    """The rules of a game. Raises `HTTPException` if the server itself does not judge it."""
    if (rules := GAMES.get(name)) is None:
        raise bad(f"positions of {name[:20]!r} are not judged here; of these: {', '.join(GAMES)}")
    return rules
