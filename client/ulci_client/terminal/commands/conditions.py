"""When a command may be used, what its arguments mean, and the refusal if it may not. Pure."""

from collections.abc import Collection

from ulci.conduct import permits
from ulci.protocol import RemoteProtocolError
from ulci.protocol.lobby import commands
from ulci.protocol.messages import PlayerCommand
from ulci_client.terminal.model.phrases import result_in_words
from ulci_client.terminal.model.state import ClientState, LinkState


class ConditionError(Exception):
    """A condition of a command does not hold; the text says why, without a full stop."""


def line(state: ClientState, what: str) -> None:
    """Connected and introduced."""
    if state.line is LinkState.LOST:
        raise ConditionError(f"{what} must wait: disconnected from the server")
    if state.line is not LinkState.READY:
        raise ConditionError(f"{what} must wait: not connected yet")


def lobby(state: ClientState, what: str) -> None:
    """A server with a lobby."""
    line(state, what)
    if not state.welcomed:
        raise ConditionError(
            f"this server has no lobby, so {what} is not available; moves and quit are"
        )


def game(state: ClientState, what: str) -> None:
    """A game of ours that is on."""
    if state.game is None or not state.game.seen:
        raise ConditionError(f"there is no game for {what}; seek finds one")
    if state.game.watched:
        raise ConditionError(f"you are watching: {what} is for the players; unwatch stops watching")
    if state.game.result is not None:
        raise ConditionError(f"the game is over: {result_in_words(state.game.result)}")


def permitted(state: ClientState, what: str) -> None:
    """The conduct of our game, on or over, does not forbid the command."""
    if state.game is not None and not permits(state.game.conduct, what):
        raise ConditionError(f"there is no {what} in this game")


def shown(state: ClientState, what: str) -> None:
    """A game with a board, over or not."""
    if state.game is not None and state.game.blind:
        raise ConditionError(f"there is no board for {what}")
    if state.game is None or state.game.position is None:
        raise ConditionError(f"there is no game for {what}")


def seen(state: ClientState, what: str) -> None:
    """A game, over or not, with or without a board."""
    if state.game is None or not state.game.seen:
        raise ConditionError(f"there is no game for {what}")


def idle(state: ClientState, what: str) -> None:
    """No game of ours is on."""
    if state.playing:
        raise ConditionError(f"{what} must wait: you are playing; finish the game, or resign")


def read(word: str, rest: str) -> PlayerCommand:
    """Parse a typed command as the server does. Raises ConditionError with the command's usage."""
    try:
        return commands.read_untrusted(word, rest.split())
    except RemoteProtocolError as error:
        raise ConditionError(str(error)) from error


def number(text: str, example: str) -> int:
    """Parse a number. Raises ConditionError with the example."""
    if not (text.isascii() and text.isdecimal() and len(text) < 19):
        raise ConditionError(f"{text} is not a number; write for example: {example}")
    return int(text)


def chosen(text: str, there: Collection[int], example: str, which: str = "which?") -> int:
    """The number typed; if none, the only one there is. Raises ConditionError with `which`."""
    if text:
        return number(text, example)
    if len(there) == 1:
        return next(iter(there))
    raise ConditionError(f"{which} write for example: {example}")
