"""Tournaments over the network: directors, whose accounts the operator names, make and direct them.

A director sends name and token in the header Authorization, which no browser adds by itself: so a
page of another site, which has neither, can do nothing in the name of its visitor.
"""

import json
import secrets
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, NamedTuple
from urllib.parse import unquote

import structlog
import trio
from pydantic import AfterValidator, Field, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from ulci.net.http_origin import foreign_page
from ulci.settings import SettingsTable, nests_deeply
from ulci_server.hall import Authenticator
from ulci_server.hall.login.authenticator import (
    AccountsUnavailableError,
    LoginRefusedError,
    TooManyTokensError,
    WrongTokenError,
)
from ulci_server.hall.tournament import directing
from ulci_server.hall.tournament.directing import Act, DirectingError, NoTournamentError
from ulci_server.hall.tournament.making import Offered, Plan, notes, plan
from ulci_server.storage import Database, RefusedError, TournamentState
from ulci_server.tournament import TournamentErrors, faults_of

from .answers import JSON, SiteContext, answer, bad, error, host, words
from .quotas import RETRY_AFTER, TooOften
from .tournaments import LONGEST_NAME

LOG = structlog.get_logger("ulci_server.web")

LONGEST_DESCRIPTION = 60 * 1024
"""Bytes of a description: a thousand entrants. The front reads a little more, so that a client that
sends too much gets an error in JSON."""

LONGEST_ARGUMENTS = 4096
"""Bytes of an act's arguments: three names and a reason."""

LONGEST_WHY = 500
"""Characters of a reason in the record."""

MOST_OPEN = 100
"""Tournaments that are not over: with this many, directors cannot make another over the network.
The server checks each of them every second."""

TOML = "application/toml"
"""Like `JSON`, no form on another site's page can send it."""


class DirectingAnswers:
    """The answers to directors. authenticator: None if nobody directs. changed: called with the
    name of each tournament that was changed."""

    def __init__(
        self,
        context: SiteContext,
        database: Database,
        authenticator: Authenticator | None,
        changed: Callable[[str], None],
    ) -> None:
        self._context = context
        self._database = database
        self._authenticator = authenticator
        self._changed = changed
        self._offered = Offered(*context.config.offered())

    async def create(self, request: Request) -> Response:
        """Make a tournament, or only report every fault of its description."""
        by = await self._director(request)
        asked = request.query_params
        if unknown := set(asked) - {"name", "check", "start"}:
            raise bad(f"unknown parameter {min(unknown)[:20]!r}; there are name, check and start")
        only_checks, starts = (_is_set(request, word) for word in ("check", "start"))
        word = words(asked.get("name", ""), LONGEST_NAME, "a tournament's name")
        body = await _body(request, TOML, LONGEST_DESCRIPTION)

        def work() -> Plan:
            now = datetime.now(UTC)
            text = _decoded(body)
            planned = plan(text, word, self._offered, self._database, now, from_afar=True)
            tournaments = self._database.tournaments
            if tournaments.named(planned.word) is not None:
                raise DirectingError(f"there is a tournament {planned.word} already")
            if len(tournaments.overview(open_only=True, most=MOST_OPEN)) >= MOST_OPEN:
                raise DirectingError(f"{MOST_OPEN} tournaments are not over; stop one first")
            if not only_checks:
                seed, entrants = secrets.randbelow(2**32), planned.entrants
                made = tournaments.create(text, seed, planned.word, now, by=by, entrants=entrants)
                if starts:
                    tournaments.change(made.id, now, state=TournamentState.RUNNING)
            return planned

        with trio.CancelScope(shield=True):  # log each change, even if the peer leaves
            try:
                planned = await self._ask(work)
            except TournamentErrors as faults:
                return _invalid(faults.errors)
            listed = f"{planned.word}, with {len(planned.entrants)} entrants"
            done = f"nothing is wrong with {listed}" if only_checks else f"{listed}, is made"
            if not only_checks:
                self._done("create", planned.word, by, request, done)
        document = {"name": planned.word, "text": done, "notes": [*notes(planned.settings)]}
        return answer(document, 200 if only_checks else 201)

    async def act(self, request: Request) -> Response:
        """Perform the act in the path on a tournament."""
        name = words(request.path_params["name"], LONGEST_NAME, "a tournament's name")
        kind = ACTS.get(act := request.path_params["act"])
        if kind is None:
            raise HTTPException(
                404, f"a tournament has no {act[:20]!r}; there are {', '.join(ACTS)}"
            )
        by = await self._director(request)
        if request.query_params:
            raise bad("the arguments stand in the body")
        body = await _body(request, JSON, LONGEST_ARGUMENTS)
        try:
            arguments = kind.arguments.model_validate(_object(body))
        except ValidationError as faults:
            return _invalid(faults_of(faults))
        except TournamentErrors as faults:
            return _invalid(faults.errors)
        decided = kind.act(arguments, by, self._offered)

        def work() -> str:
            try:
                return directing.perform(self._database, name, decided, datetime.now(UTC))
            except TournamentErrors:
                text = f"the settings of tournament {name} are of another version"
                raise DirectingError(text) from None

        with trio.CancelScope(shield=True):
            text = await self._ask(work)
            self._done(act, name, by, request, text)
        return answer({"name": name.casefold(), "text": text})

    async def _ask(self, work: "Callable[[], Any]") -> Any:
        """Run `work` in a worker thread. Raises `HTTPException` if it refuses."""
        try:
            return await self._context.archive.ask(work)
        except NoTournamentError as refusal:
            raise HTTPException(404, str(refusal)) from None
        except (DirectingError, RefusedError) as refusal:
            raise HTTPException(409, str(refusal)) from None

    def _done(self, act: str, name: str, by: str, request: Request, text: str) -> None:
        """Log the act, and report that the tournament has changed."""
        self._changed(name.casefold())
        LOG.info(
            "tournament directed", act=act, tournament=name, by=by, host=host(request), done=text
        )

    # Who asks

    async def _director(self, request: Request) -> str:
        """The account that directs. Raises `HTTPException`."""
        config = self._context.config
        page = foreign_page(
            request.scope["headers"],
            scheme=request.scope["scheme"],
            names=config.own_names(),
            origins=frozenset(config.web.origins),
        )
        if page is not None:
            raise HTTPException(403, f"this page may not direct tournaments: {page.why}")
        if self._authenticator is None or not config.tournaments.directors:
            raise HTTPException(403, "nobody directs tournaments over the network here")
        self._context.quotas.work(host(request))
        name, token = _credentials(request)
        try:
            account = await self._authenticator.prove(name, token, host(request))
        except TooManyTokensError as refusal:
            raise TooOften(str(refusal), refusal.seconds) from None
        except WrongTokenError as refusal:
            raise _unproved(str(refusal)) from None
        except AccountsUnavailableError as refusal:
            raise HTTPException(503, str(refusal), {"Retry-After": str(RETRY_AFTER)}) from None
        except LoginRefusedError as refusal:
            raise HTTPException(403, str(refusal)) from None
        if not config.tournaments.allows(account.name):
            raise HTTPException(403, f"{account.name} may not direct tournaments here")
        return account.name


def _credentials(request: Request) -> tuple[str, str]:
    """Name and token. Clients percent-encode the name: an HTTP header takes only ASCII. Raises
    `HTTPException`."""
    said = request.headers.getlist("authorization")
    scheme, _, rest = said[0].partition(" ") if len(said) == 1 else ("", "", "")
    name, _, token = rest.strip().rpartition(":")
    name = unquote(name)
    if scheme.lower() != "bearer" or not token or not 0 < len(name) <= LONGEST_NAME:
        raise _unproved("say who you are: Authorization: Bearer NAME:TOKEN")
    return name, token


def _unproved(text: str) -> HTTPException:
    return HTTPException(401, text, {"WWW-Authenticate": "Bearer"})


# Parameters and bodies


def _is_set(request: Request, name: str) -> bool:
    said = request.query_params.getlist(name)
    if said not in ([], ["1"]):
        raise bad(f"{name} is 1, once, or left out")
    return bool(said)


async def _body(request: Request, kind: str, longest: int) -> bytes:
    """The body, of that kind. Raises `HTTPException`."""
    if "content-length" not in request.headers:
        raise HTTPException(411, "say the length of the body (Content-Length)")
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != kind:
        raise HTTPException(415, f"the body is {kind} (Content-Type)")
    body = await request.body()
    if len(body) > longest:
        raise HTTPException(413, f"the body has at most {longest} bytes")
    return body


def _decoded(body: bytes) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        why = f"the body is not UTF-8: {error.reason} at byte {error.start}"
        raise TournamentErrors((why,)) from None


def _object(body: bytes) -> Any:
    text = _decoded(body)
    try:
        found = None if nests_deeply(text) else json.loads(text)
    except ValueError:
        raise TournamentErrors(("the body is no JSON",)) from None
    if not isinstance(found, dict):
        raise TournamentErrors(("the body is no JSON object",))
    return found


def _invalid(faults: tuple[str, ...]) -> Response:
    return error(422, "\n".join(faults), errors=faults)


# Arguments


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("expected one line of printable characters")
    return text


Name = Annotated[str, Field(max_length=LONGEST_NAME), AfterValidator(_printable)]
Why = Annotated[str, Field(max_length=LONGEST_WHY), AfterValidator(_printable)]


class NoArguments(SettingsTable):
    """The arguments of acts that need none."""


class EnterArguments(SettingsTable):
    """An entrant: one of account, engine and remote. boards: games that it plays at once."""

    account: Name = ""
    engine: Name = ""
    remote: Name = ""
    boards: Annotated[int, Field(ge=1, le=1000)] = 1


class RemoveArguments(SettingsTable):
    """An entrant to remove. entrant: its name or number."""

    entrant: Name
    why: Why = ""


class CorrectArguments(SettingsTable):
    """A corrected score. pairing: its number."""

    pairing: Annotated[int, Field(ge=1)]
    score: Literal["1-0", "0-1", "1/2-1/2", "0-0"]
    why: Why = ""


class PairArguments(SettingsTable):
    """A pairing by hand. white, black: names or numbers of two entrants."""

    white: Name
    black: Name


def _enter(said: EnterArguments, _: str, offered: Offered) -> Act:
    ways: tuple[tuple[directing.Way, str], ...] = (
        ("account", said.account),
        ("engine", said.engine),
        ("remote", said.remote),
    )
    given = [(way, name) for way, name in ways if name]
    if len(given) != 1:
        raise HTTPException(422, "one of account, engine and remote says who enters")
    [(way, name)] = given
    return directing.enter(way, name, said.boards, offered)


def _remove(said: RemoveArguments, by: str, _: Offered) -> Act:
    return directing.remove(
        said.entrant, f"removed by {by}" + (f": {said.why}" if said.why else "")
    )


class _Kind(NamedTuple):
    arguments: type[SettingsTable]
    act: Callable[[Any, str, Offered], Act]


ACTS: Mapping[str, _Kind] = {
    "start": _Kind(NoArguments, lambda *_: directing.set_state("start")),
    "pause": _Kind(NoArguments, lambda *_: directing.set_state("pause")),
    "stop": _Kind(NoArguments, lambda *_: directing.set_state("stop")),
    "next-round": _Kind(NoArguments, lambda *_: directing.next_round),
    "enter": _Kind(EnterArguments, _enter),
    "remove": _Kind(RemoveArguments, _remove),
    "correct": _Kind(
        CorrectArguments,
        lambda said, by, _: directing.correct(said.pairing, said.score, said.why, by),
    ),
    "pair": _Kind(PairArguments, lambda said, by, _: directing.pair(said.white, said.black, by)),
}
"""The acts by the last part of the path."""
