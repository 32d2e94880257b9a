"""What a person may say to others, and to the server itself. Pure."""

from collections.abc import Iterator

from ulci.protocol import Admin, Say, TellPlayer

from .needs import RefusedError
from .state import Effect, Kind, News, Send, State


def say(state: State, rest: str, _: float) -> Iterator[Effect]:
    if not rest:
        raise RefusedError("say what? write: say good luck")
    yield Send(Say(rest))
    yield News(Kind.SAY, f"{state.me}: {rest}", "ok said")


def tell(_: State, rest: str, __: float) -> Iterator[Effect]:
    name, _blank, text = rest.partition(" ")
    if not text.strip():
        whom = name or "Bob"
        raise RefusedError(f"tell {'them' if name else 'whom'} what? write: tell {whom} good luck")
    yield Send(TellPlayer(name, text.strip()))
    yield News(Kind.SAY, f"You tell {name}: {text.strip()}", f"ok told {name}")


def admin(_: State, rest: str, __: float) -> Iterator[Effect]:
    """Whether we may, and which words there are, is the server's to say."""
    yield Send(Admin(tuple(rest.split()) or ("help",)))
