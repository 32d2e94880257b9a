"""What all readers of the lobby's lines share. Pure."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from .game import Game
from .state import Effect, Kind, News, State

Words = Sequence[str]
Reader = Callable[[State, Words, float], Iterator[Effect]]


def facts(words: Words) -> Mapping[str, str]:
    """Key and value in turn."""
    return dict(zip(words[::2], words[1::2], strict=False))


def ours(state: State, words: Words) -> Game | None:
    """The game on the screen, if ``lobby game ID …`` speaks of it."""
    game = state.game
    return game if game is not None and game.id in (None, int(words[0])) else None


def unknown(_: State, words: Words, __: float) -> Iterator[Effect]:
    """What is not understood is shown as it was said: a newer lobby may have more to say."""
    text = " ".join(words)
    yield News(Kind.LOBBY, f"The lobby says: {text}", f"lobby {text}")
