"""What all readers of the lobby's lines share. Pure."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from .state import Effect, Kind, News, State

Words = Sequence[str]
Reader = Callable[[State, Words, float], Iterator[Effect]]


def facts(words: Words) -> Mapping[str, str]:
    """Key and value in turn."""
    return dict(zip(words[::2], words[1::2], strict=False))


def unknown(_: State, words: Words, __: float) -> Iterator[Effect]:
    """What is not understood is shown as it was said: a newer lobby may have more to say."""
    text = " ".join(words)
    yield News(Kind.LOBBY, f"The lobby says: {text}", f"lobby {text}")
