"""Lists that the lobby sends: a count, and then as many lines. Pure."""

from collections.abc import Iterator

from .announced import Reader, Words
from .state import Effect, Listing, Page, State


def listing(what: str) -> Reader:
    """The reader of ``lobby seeks 3``: a count, and then as many lines follow."""

    def begin(state: State, words: Words, _: float) -> Iterator[Effect]:
        if what == "seeks":
            state.seeks.clear()
        if what == "who":
            state.guests.clear()
        if what == "games":
            state.games.clear()
        state.listing = Listing(what, int(words[0]))
        yield from _end(state)

    return begin


def is_open(state: State, what: str) -> bool:
    return state.listing is not None and state.listing.what == what


def entry(state: State, what: str, line: str) -> Iterator[Effect]:
    if state.listing is not None and state.listing.what == what:
        state.listing.lines.append(line)
        yield from _end(state)


_TITLES = {"seeks": "Open seeks", "who": "Who is here", "games": "Games being played"}


# What can be done with a list, said below it.
_HOW = {"games": ("watch N shows game N, move by move",)}


def _end(state: State) -> Iterator[Effect]:
    listing = state.listing
    if listing is None or len(listing.lines) < listing.expected:
        return
    state.listing = None
    if listing.what in state.asked_for:
        state.asked_for.discard(listing.what)
        how = _HOW.get(listing.what, ()) if listing.lines else ("none",)
        yield Page(_TITLES[listing.what], (*listing.lines, *how))
