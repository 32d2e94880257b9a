"""What a person may do to find somebody to play with. Pure."""

from collections.abc import Iterator

from ulci.protocol import Accept, Challenge, Decline, Seek, Unseek

from . import needs, playing, terms
from .chosen import chosen, number
from .needs import RefusedError
from .state import Effect, Kind, News, Send, State


def seek(state: State, rest: str, _: float) -> Iterator[Effect]:
    wanted = terms.parse(rest.split())
    state.wanted = wanted
    yield Send(Seek(wanted))


def unseek(state: State, rest: str, _: float) -> Iterator[Effect]:
    state.wanted = None
    yield Send(Unseek(number(rest, "unseek 17") if rest else None))


def accept(state: State, rest: str, at: float) -> Iterator[Effect]:
    """A seek or a challenge; in a game what the opponent offers."""
    game = state.game
    if not rest and state.playing and game and game.mine is not None:
        yield from playing.accept(state, game, at)
        return
    needs.idle(state, "accept")
    yield Send(Accept(chosen(rest, state.challenges, "accept 17")))


def decline(state: State, rest: str, _: float) -> Iterator[Effect]:
    game = state.game
    if not rest and not state.challenges and state.playing and game and game.offers:
        raise RefusedError("an offer is declined by making a move")
    declined = chosen(rest, state.challenges, "decline 18")
    state.challenges.pop(declined, None)
    yield Send(Decline(declined))
    yield News(Kind.OK, f"You decline challenge {declined}.", f"ok declined {declined}")


def challenge(_: State, rest: str, __: float) -> Iterator[Effect]:
    name, *words = rest.split() or [""]
    if not name:
        raise RefusedError(f"challenge whom? write: challenge NAME {terms.USAGE}")
    yield Send(Challenge(name, terms.parse(words)))
