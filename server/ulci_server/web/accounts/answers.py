"""The answers about the account of a signed-in browser; they also sign a browser up, in and out."""

import secrets
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, NoReturn

import structlog
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from ulci.net import network
from ulci_server.hall import Authenticator
from ulci_server.hall.login.authenticator import LoginRefusedError
from ulci_server.lobby.account_names import name_fault
from ulci_server.storage import (
    TICKET,
    TOKEN,
    Database,
    InviteError,
    Player,
    RefusedError,
    Token,
    WebSession,
    secret_hash,
)
from ulci_server.web.answers import SiteContext, answer, bad, host
from ulci_server.web.documents import Document, stamp
from ulci_server.web.quotas import TooOften

from . import sessions
from .guesses import guess, new_account
from .own_pages import check_page, read_words
from .passwords import Passwords, fault_of

LOG = structlog.get_logger("ulci_server.web")

HASH_COST = 5.0
"""What a password counts in an address's quota of work: it takes 0.1 s of a processor."""

MOST_TOKENS = 20
"""Valid tokens of an account that has made them on the page."""

LONGEST_LABEL = 60
"""Characters of a token's label."""

TICKET_LASTS = timedelta(minutes=1)
"""A page sends its ticket at once."""

MOST_TOLD = 100
"""Reasons for refusing a page that are logged, each once: anybody may think up names."""

WRONG = "the name or the password is wrong"
"""One text for both, so that it does not reveal whether the account exists."""


class AccountAnswers:
    """The answers of one site. authenticator: knows bans and reserved names; None: nobody can sign
    up or in. now: returns the time of day, aware."""

    def __init__(
        self,
        context: SiteContext,
        database: Database,
        authenticator: Authenticator | None,
        passwords: Passwords | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._context = context
        self._ask = context.archive.ask
        self._accounts = database.accounts
        self._kept = database.sign_ins
        self._authenticator = authenticator
        self._passwords = passwords or Passwords()
        self._now = now
        self._mode = "off" if authenticator is None else context.config.clients.sign_up
        self._exempt = context.config.exempt()
        self._told: set[str] = set()

    # Looking

    async def look(self, request: Request) -> Response:
        """The account of this browser, null if it is signed out, and who may sign up."""
        if request.query_params:
            raise bad("there are no filters here")
        if self._mode == "off" or not sessions.brought(request):
            return answer({"sign_up": self._mode, "account": None})
        self._context.quotas.work(host(request))
        session = await self._session(request)
        account = None if session is None else await self._ask(partial(self._document, session))
        return answer({"sign_up": self._mode, "account": account})

    def _document(self, session: WebSession) -> Document:
        """The account as JSON. For a worker thread."""
        player = session.player
        return {
            "name": player.name,
            "kind": player.kind,
            "created_at": stamp(player.created_at),
            "sessions": self._kept.sessions(player.id, self._now()),
            "expires_at": stamp(session.expires_at),
            "tokens": [*map(_token, self._valid_tokens(player))],
        }

    def _valid_tokens(self, player: Player) -> list[Token]:
        return [one for one in self._accounts.tokens(player.id) if one.revoked_at is None]

    # In and out

    async def sign_up(self, request: Request) -> Response:
        """Make an account, and sign in."""
        said = await self._read(request, "name", "password", "invite")
        name, password, invite = said["name"], said["password"], said["invite"].strip()
        if fault := name_fault(name) or fault_of(password, name):
            raise HTTPException(422, fault)
        if self._mode == "invite" and not invite:
            raise HTTPException(403, "an invitation is needed to make an account here")
        self._count_work(request)
        await self._check_bans(request, name)
        with self._passwords.place():
            player, hash_ = await self._sign_up(request, name, password, invite)
        return await self._begin(request, player, hash_, "signed up", 201)

    async def _sign_up(
        self, request: Request, name: str, password: str, invite: str
    ) -> tuple[Player, str]:
        """The new account, and its password's hash. Raises `HTTPException`."""
        await self._try(new_account(host(request), self._exempt))
        code = secret_hash(invite) if invite else None
        if code is not None and not await self._ask(
            partial(self._kept.is_invite, code, self._now())
        ):
            raise HTTPException(403, "this invitation is not valid: it was used, or has expired")
        if code is None and await self._is_taken(name):
            raise HTTPException(409, f"{name} is, or looks like, the name of an account here")
        hash_ = await self._passwords.hash(password)
        try:
            made = await self._ask(partial(self._kept.sign_up, name, hash_, code, self._now()))
        except InviteError as refusal:
            raise HTTPException(403, str(refusal)) from None
        except RefusedError as refusal:
            raise HTTPException(409, str(refusal)) from None
        return made, hash_

    async def sign_in(self, request: Request) -> Response:
        """Sign the browser in by name and password."""
        said = await self._read(request, "name", "password")
        name, password = said["name"], said["password"]
        self._count_work(request)
        await self._check_bans(request, name)
        with self._passwords.place():
            player, hash_ = await self._prove(request, name, password)
        return await self._begin(request, player, hash_, "signed in", 200)

    async def sign_out(self, request: Request) -> Response:
        """Sign out this browser."""
        await self._read(request)
        for brought in sessions.every(request):
            await self._ask(partial(self._kept.end, secret_hash(brought)))
        return self._out(request)

    async def sign_out_everywhere(self, request: Request) -> Response:
        """Sign out all browsers of the account."""
        await self._read(request)
        player = await self._player(request)
        ended = await self._ask(partial(self._kept.end_all, player.id))
        self._log("signed out everywhere", player, request, sessions=ended)
        return self._out(request)

    async def change_password(self, request: Request) -> Response:
        """Set a new password, if the request has the old one. Signs out all other browsers."""
        said = await self._read(request, "old", "new")
        player = await self._player(request)
        if fault := fault_of(said["new"], player.name):
            raise HTTPException(422, fault)
        self._count_work(request)
        with self._passwords.place():
            player, old = await self._prove(request, player.name, said["old"])
            hash_ = await self._passwords.hash(said["new"])
        change = partial(self._kept.set_password, player.id, hash_, self._now(), instead_of=old)
        await self._while_unchanged(change)
        return await self._begin(request, player, hash_, "changed the password", 200)

    # Programs and WebSockets

    async def make_token(self, request: Request) -> Response:
        """Make a token for a program. Only this answer shows it."""
        label = (await self._read(request, "label"))["label"].strip()
        if len(label) > LONGEST_LABEL or not label.isprintable():
            raise HTTPException(422, f"a label has at most {LONGEST_LABEL} printable characters")
        player = await self._player(request)
        secret = TOKEN + sessions.new_secret()

        work = partial(
            self._accounts.add_token,
            player.id,
            secret_hash(secret),
            "play",
            label,
            most=MOST_TOKENS,
        )
        try:
            token = await self._ask(work)
        except RefusedError as refusal:
            raise HTTPException(409, str(refusal)) from None
        self._log("made a token", player, request, token=token.id)
        return answer({"token": secret, **_token(token)}, 201)

    async def revoke_token(self, request: Request) -> Response:
        """Revoke a token of the account, by its number."""
        number = (await self._read(request, "id"))["id"]
        if not (number.isascii() and number.isdigit() and len(number) < 19):
            raise HTTPException(422, "id is the number of a token")
        player = await self._player(request)
        work = partial(self._accounts.revoke, int(number), player=player.id)
        if not await self._ask(work):
            raise HTTPException(404, f"you have no valid token {number}")
        self._log("revoked a token", player, request, token=int(number))
        return answer({"revoked": int(number)})

    async def make_ticket(self, request: Request) -> Response:
        """Make a ticket, which the page sends once as its token at the WebSocket."""
        await self._read(request)
        self._context.quotas.work(host(request))
        session = await self._session(request)
        if session is None:
            _sign_in_first()
        ticket, now = TICKET + secrets.token_urlsafe(24), self._now()
        work = partial(
            self._kept.add_ticket, session.id, secret_hash(ticket), now, now + TICKET_LASTS
        )
        try:
            await self._ask(work)
        except RefusedError:  # signed out meanwhile
            _sign_in_first()
        return answer({"ticket": ticket, "name": session.player.name}, 201)

    # What all have in common

    async def _read(self, request: Request, *names: str) -> dict[str, str]:
        """The values of these names in the body. Raises `HTTPException` if the page or the body is
        wrong."""
        try:
            check_page(request, self._context.config)
        except HTTPException as refusal:
            self._tell(request, refusal.detail)
            raise
        if self._mode == "off":
            raise HTTPException(403, "nobody signs in by a password here")
        return await read_words(request, *names)

    def _tell(self, request: Request, why: str) -> None:
        """Log why a page was refused, once for each text: what an operator has to set."""
        if why not in self._told and len(self._told) < MOST_TOLD:
            self._told.add(why)
            LOG.warning("a page was refused", host=host(request), why=why)

    def _count_work(self, request: Request) -> None:
        self._context.quotas.work(host(request), HASH_COST)

    async def _try(self, limits: Any, **more: Any) -> None:
        """Count an attempt. Raises `TooOften`."""
        if not limits:
            return
        wait = await self._ask(partial(self._kept.attempt, limits, self._now(), **more))
        if wait > 0:
            raise TooOften("that was tried too often", wait)

    async def _prove(self, request: Request, name: str, password: str) -> tuple[Player, str]:
        """The account with that name and password, and the password's hash. It reads, writes and
        computes the same things whether or not there is such an account, so that its time reveals
        nothing. Raises `HTTPException`."""
        asked = guess(name, host(request), self._exempt)
        where = network(host(request)) if host(request) else ""
        await self._try(asked.limits, friends=asked.of_name, name=name, network=where)
        known = await self._ask(partial(self._kept.credentials, name))
        fits = await self._passwords.fits(None if known is None else known.hash, password)
        if known is None or known.hash is None or not fits:
            LOG.warning("wrong password", name=name[:64], host=host(request))
            raise HTTPException(401, WRONG)
        again = [key for key in asked.limits if key not in asked.both]
        await self._ask(partial(self._kept.succeeded, again, asked.both))
        return known.player, known.hash

    async def _while_unchanged(self, work: Callable[[], None]) -> None:
        """Run work that needs the password. Raises `HTTPException` if the password was changed
        since it was checked."""
        try:
            await self._ask(work)
        except RefusedError as refusal:
            raise HTTPException(401, str(refusal)) from None

    async def _begin(
        self, request: Request, player: Player, hash_: str, done: str, status: int
    ) -> Response:
        """Sign the browser in under a new secret, if the account's password still has that hash.
        The sessions of the browser's old cookies end. done: the event in the log. Raises
        `HTTPException`."""
        secret, before, now = sessions.new_secret(), sessions.every(request), self._now()
        where = network(host(request)) if host(request) else ""

        def work() -> None:
            for one in before:
                self._kept.end(secret_hash(one))
            until = now + sessions.LASTS
            self._kept.begin(player.id, secret_hash(secret), where, now, until, password=hash_)

        await self._while_unchanged(work)
        self._log(done, player, request)
        response = answer({"name": player.name}, status)
        sessions.give(request, response, secret)
        return response

    def _out(self, request: Request) -> Response:
        response = answer({"name": None})
        sessions.take(request, response)
        return response

    async def _session(self, request: Request) -> WebSession | None:
        brought = sessions.brought(request)
        if not brought:
            return None
        session = await self._ask(partial(self._kept.session, secret_hash(brought), self._now()))
        if session is not None:
            await self._check_bans(request, session.player.name)
        return session

    async def _player(self, request: Request) -> Player:
        """The account that is signed in. Raises `HTTPException` if none is."""
        self._context.quotas.work(host(request))
        session = await self._session(request)
        if session is None:
            _sign_in_first()
        return session.player

    async def _is_taken(self, name: str) -> bool:
        assert self._authenticator is not None
        return await self._authenticator.is_reserved(name)

    async def _check_bans(self, request: Request, name: str) -> None:
        assert self._authenticator is not None
        try:
            await self._authenticator.check_bans_anew(host(request), name)
        except LoginRefusedError as refusal:
            raise HTTPException(403, str(refusal)) from None

    def _log(self, done: str, player: Player, request: Request, **more: object) -> None:
        LOG.info(done, account=player.name, host=host(request), **more)


def _sign_in_first() -> NoReturn:
    raise HTTPException(401, "sign in first")


def _token(token: Token) -> Document:
    used = token.last_used_at
    return {
        "id": token.id,
        "label": token.label,
        "scope": token.scope,
        "created_at": stamp(token.created_at),
        "last_used_at": None if used is None else stamp(used),
    }
