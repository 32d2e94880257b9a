"""What must be the case before a command is followed, and what is said if it is not. Pure."""

from .state import Line, State
from .words import result_in_words


class RefusedError(Exception):
    """Why what was typed is not done: a sentence without a full stop."""


def line(state: State, what: str) -> None:
    """Somebody there who hears it."""
    if state.line is Line.LOST:
        raise RefusedError(f"{what} must wait: the line to the server is lost")
    if state.line is not Line.READY:
        raise RefusedError(f"{what} must wait: we are not connected yet")


def lobby(state: State, what: str) -> None:
    """A server that knows more than moves."""
    line(state, what)
    if not state.welcomed:
        raise RefusedError(
            f"this server has not opened a lobby, so it does not know {what}; moves and quit work"
        )


def game(state: State, what: str) -> None:
    """A game that is going on."""
    if state.game is None or not state.game.seen:
        raise RefusedError(f"there is no game, so {what} means nothing; seek finds one")
    if state.game.watched:
        raise RefusedError(f"you are watching: {what} is for the players; unwatch leaves")
    if state.game.result is not None:
        raise RefusedError(f"the game is over: {result_in_words(state.game.result)}")


def shown(state: State, what: str) -> None:
    """A board on the screen, over or not."""
    if state.game is not None and state.game.blind:
        raise RefusedError(f"there is no board to show, so {what} means nothing")
    if state.game is None or state.game.position is None:
        raise RefusedError(f"there is no game to show, so {what} means nothing")


def seen(state: State, what: str) -> None:
    """A game, over or not, perhaps one without a board."""
    if state.game is None or not state.game.seen:
        raise RefusedError(f"there is no game to show, so {what} means nothing")


def idle(state: State, what: str) -> None:
    """No game that would have to be finished first."""
    if state.playing:
        raise RefusedError(f"{what} must wait: you are playing; finish the game, or resign")
