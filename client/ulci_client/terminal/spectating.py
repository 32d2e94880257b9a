"""What a person may do to see who is here, and what others play. Pure."""

from collections.abc import Callable, Iterator

from ulci.protocol import Message, Unwatch, Watch

from . import watching
from .chosen import chosen, number
from .needs import RefusedError
from .state import Effect, Line, Send, State


def listed(what: str, message: Message) -> Callable[[State, str, float], Iterator[Effect]]:
    """What asks the lobby for a list, to be read."""

    def ask(state: State, _: str, __: float) -> Iterator[Effect]:
        state.asked_for.add(what)
        yield Send(message)

    return ask


def watch(state: State, rest: str, _: float) -> Iterator[Effect]:
    which = "watch which game? games lists them;"
    wanted = chosen(rest, state.games, "watch 42", which)
    game = state.game
    if state.watching and game is not None:
        if game.id == wanted:
            raise RefusedError(f"you are watching game {wanted} already")
        yield Send(Unwatch(game.id))
    yield Send(Watch(wanted))


def unwatch(state: State, rest: str, _: float) -> Iterator[Effect]:
    game = state.game
    if game is None or not game.watched or (rest and game.id != number(rest, "unwatch 42")):
        what = f"game {rest}" if rest else "any game"
        raise RefusedError(f"you are not watching {what}; games lists what there is to watch")
    yield Send(Unwatch(game.id))
    if game.over:
        yield from watching.go_back(state)


def lobby(state: State, _: str, __: float) -> Iterator[Effect]:
    """Back to it, from a game that is over or that others play."""
    if state.watching and state.game is not None and state.line is Line.READY:
        yield Send(Unwatch(state.game.id))
    else:
        yield from watching.go_back(state)
