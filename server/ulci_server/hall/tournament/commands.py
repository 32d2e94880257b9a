"""What players ask of tournaments, one function a command."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol

from ulci.protocol.messages import (
    Enter,
    PlayerCommand,
    Standings,
    Tournaments,
    Withdraw,
)
from ulci.protocol.messages import Lobby as Line
from ulci_server.lobby import Profile, lobby_lines
from ulci_server.lobby.terms import Refusal
from ulci_server.storage import EntrantRecord

from .director import Director
from .standings_reader import StandingsReader
from .tools import Tools

MOST_ENTERED = 8
"""Tournaments that a client plays in at once."""


class Answering(Protocol):
    """What the commands need of the host."""

    @property
    def directors(self) -> Mapping[str, Director]: ...

    @property
    def tools(self) -> Tools: ...

    @property
    def standings(self) -> StandingsReader: ...

    def seat_in(self, director: Director, profile: Profile) -> bool: ...

    def admitted(self, director: Director, handle: str, row: EntrantRecord) -> None: ...


def check_entrant(tools: Tools, director: Director, profile: Profile) -> None:
    """Raises `Refusal` if a client with this profile cannot play there."""
    assert director.tournament is not None
    settings = director.tournament.settings
    if settings.kind not in ("any", profile.kind):
        raise Refusal("not-allowed", f"{director.word} is for entrants of kind {settings.kind}")
    pool = tools.pools.get(settings.pool)
    if pool is None:
        raise Refusal("closed", f"there is no pool {settings.pool} for {director.word} here")
    if lacking := profile.lacks(pool.game.needs(pool.starts[0])):
        raise Refusal("cannot-play", lacking)


def check_entry(tools: Tools, director: Director, profile: Profile, new: EntrantRecord) -> None:
    """Raises `Refusal` if a client with this profile cannot enter as that row."""
    check_entrant(tools, director, profile)
    if why := director.closed_to_new:
        raise Refusal("not-allowed", why)
    if (other := director.entrants.namesake(new)) is not None:
        raise Refusal("not-allowed", f"another entrant of {director.word} is called {other.name}")


def tell_entered(tools: Tools, director: Director, handle: str, row: EntrantRecord) -> None:
    """Tell the client that it plays there."""
    tools.lobby.tell_client(handle, lobby_lines.entered(director.word, row.name, row.joined))


def _list(host: Answering, handle: str, _: Tournaments) -> None:
    def lines() -> list[Line]:
        return [_listed(host.tools, one) for one in host.directors.values() if one.tournament]

    host.tools.lobby.tell_lines(handle, "tournaments", lines)


def _listed(tools: Tools, director: Director) -> Line:
    assert director.tournament is not None
    settings = director.tournament.settings
    pool = tools.pools.get(settings.pool)
    return lobby_lines.tournament(
        director.word,
        settings.format.value,
        director.state.value,
        pool,
        entrants=director.entrants.present,
        is_open=not director.closed_to_new,
    )


def _standings(host: Answering, handle: str, command: Standings) -> None:
    host.standings.ask(_find(host, command.name), handle)


def _find(host: Answering, word: str) -> Director:
    director = host.directors.get(word.casefold())
    if director is None or director.tournament is None:
        raise Refusal("no-such-tournament", f"there is no tournament {word} now")
    return director


def _enter(host: Answering, handle: str, command: Enter) -> None:
    director, profile = _find(host, command.name), host.tools.lobby.profile_of(handle)
    if profile is None:
        return
    if profile.account is None:
        raise Refusal("not-allowed", "a tournament is entered with an account")
    if director.word not in profile.enters and len(profile.enters) >= MOST_ENTERED:
        raise Refusal("busy", f"you play in {MOST_ENTERED} tournaments; withdraw from one first")
    assert director.tournament is not None
    known = profile.ratings.get(director.tournament.settings.pool)
    rating = None if known is None else float(known.rating)
    new = EntrantRecord(0, profile.name, account=profile.account, rating=rating)
    row = director.entrants.same(new)
    if row is not None and director.entrants.plays_on(row):
        check_entrant(host.tools, director, profile)
        host.tools.lobby.set_entered(handle, director.word, enters=True)
        host.admitted(director, handle, row)
        return
    if row is not None and row.left is not None and row.why != WITHDREW:
        raise Refusal("not-allowed", f"you are out of {director.word}: {row.why}")
    check_entry(host.tools, director, profile, new)
    host.tools.lobby.set_entered(handle, director.word, enters=True)
    director.admit(new, partial(host.admitted, director, handle))


WITHDREW = "it withdrew"


def _withdraw(host: Answering, handle: str, command: Withdraw) -> None:
    director = _find(host, command.name)
    entrant = director.presence.entrant_of(handle)
    if entrant is None:
        raise Refusal("not-entered", f"you do not play in {director.word}")
    for one in director.presence.handles_of(entrant):
        director.gone(one)
        host.tools.lobby.set_entered(one, director.word, enters=False)
    director.withdraw(entrant, WITHDREW)
    name = director.rows[entrant].name
    host.tools.lobby.tell_client(handle, lobby_lines.withdrawn(director.word, name, WITHDREW))


TOURNAMENT_COMMANDS: Mapping[type[PlayerCommand], Callable[[Answering, str, Any], None]] = {
    Tournaments: _list,
    Standings: _standings,
    Enter: _enter,
    Withdraw: _withdraw,
}
"""What tournaments answer, wherever the lobby is."""
