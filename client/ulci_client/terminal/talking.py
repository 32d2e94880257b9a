"""What a person may say to others, and to the server itself. Pure."""

from collections.abc import Iterator

from ulci.protocol import Admin, Say, TellPlayer

from .confirm import confirmed
from .needs import RefusedError
from .state import Effect, Kind, News, Send, State


def say(state: State, rest: str, _: float) -> Iterator[Effect]:
    if not rest:
        raise RefusedError("say what? write: say good luck")
    yield from confirmed(state, Say(rest), News(Kind.SAY, f"{state.me}: {rest}", "ok said"))


def tell(state: State, rest: str, _: float) -> Iterator[Effect]:
    name, _blank, text = rest.partition(" ")
    if not text.strip():
        whom = name or "Bob"
        raise RefusedError(f"tell {'them' if name else 'whom'} what? write: tell {whom} good luck")
    news = News(Kind.SAY, f"You tell {name}: {text.strip()}", f"ok told {name}")
    yield from confirmed(state, TellPlayer(name, text.strip()), news)


def admin(_: State, rest: str, __: float) -> Iterator[Effect]:
    """Whether we may, and which words there are, is the server's to say."""
    yield Send(Admin(tuple(rest.split()) or ("help",)))
