"""Helpers for lobby lines; lists of the lobby: a count, then that many lines. Pure."""

from collections.abc import Callable, Iterator
from typing import Any

from ulci.protocol.lobby.lines import (
    GameList,
    IgnoreList,
    Line,
    PlayerList,
    SeekList,
    StandingsList,
    TournamentList,
    write,
)
from ulci_client.recent import MOST_LISTED

from .game import Game
from .state import ClientState, Effect, Listing, News, NewsKind, Page

Reader = Callable[[ClientState, Any, float], Iterator[Effect]]


def ours(state: ClientState, number: int) -> Game | None:
    """The game on the screen, if it has that number."""
    game = state.game
    return game if game is not None and game.id in (None, number) else None


def unknown(_: ClientState, line: Line, __: float) -> Iterator[Effect]:
    """Show an unknown line as it came: a newer lobby may send more."""
    text = write(line)
    yield News(NewsKind.LOBBY, f"The lobby says: {text}", f"lobby {text}")


def seeks(state: ClientState, line: SeekList, _: float) -> Iterator[Effect]:
    state.seeks.clear()
    yield from _begin(state, "seeks", line.count)


def players(state: ClientState, line: PlayerList, _: float) -> Iterator[Effect]:
    state.players.clear()
    yield from _begin(state, "who", line.count)


def games(state: ClientState, line: GameList, _: float) -> Iterator[Effect]:
    state.games.clear()
    yield from _begin(state, "games", line.count)


def ignored(state: ClientState, line: IgnoreList, _: float) -> Iterator[Effect]:
    state.ignored.clear()
    yield from _begin(state, "ignored", line.count)


def tournaments(state: ClientState, line: TournamentList, _: float) -> Iterator[Effect]:
    yield from _begin(state, "tournaments", line.count)


def standings(state: ClientState, line: StandingsList, _: float) -> Iterator[Effect]:
    yield from _begin(state, "standings", line.count)


def _begin(state: ClientState, what: str, count: int) -> Iterator[Effect]:
    state.listing = Listing(what, min(count, MOST_LISTED))
    yield from _end(state)


def is_open(state: ClientState, what: str) -> bool:
    return state.listing is not None and state.listing.what == what


def entry(state: ClientState, what: str, line: str) -> Iterator[Effect]:
    if state.listing is not None and state.listing.what == what:
        state.listing.lines.append(line)
        yield from _end(state)


_TITLES = {
    "seeks": "Open seeks",
    "who": "Who is here",
    "games": "Games being played",
    "ignored": "Whom you ignore",
    "tournaments": "Tournaments",
    "standings": "Standings",
}


# A hint below the list.
_HOW = {
    "games": ("watch N shows game N, move by move",),
    "ignored": ("unignore NAME: hear one of them again",),
    "tournaments": ("enter NAME: play in it; standings NAME: who leads",),
}


def _end(state: ClientState) -> Iterator[Effect]:
    listing = state.listing
    if listing is None or len(listing.lines) < listing.expected:
        return
    state.listing = None
    if listing.what in state.asked_for:
        state.asked_for.discard(listing.what)
        how = _HOW.get(listing.what, ()) if listing.lines else ("none",)
        yield Page(_TITLES[listing.what], (*listing.lines, *how))
