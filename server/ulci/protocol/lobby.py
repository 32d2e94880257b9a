"""The lobby's words: how a client writes them, and what it is told when it writes them wrong.

They are read only in a dialect with a lobby, and only at the beginning of a line: "joho debug on"
switches debugging on, but nobody resigns by beginning a sentence with "I".
"""

from collections.abc import Callable, Mapping
from typing import Any

from . import messages as say
from .errors import RemoteProtocolError
from .messages import Message, Terms
from .text import filled, number_in, quote, word

_TERMS = (
    "[game G] [time TC] [color white|black|random] [rated yes|no] [against any|human|engine]"
    " [start F]"
)

USAGE: Mapping[str, str] = {
    "seek": f"seek {_TERMS}",
    "seeks": "seeks",
    "unseek": "unseek [ID]",
    "accept": "accept ID",
    "challenge": f"challenge NAME {_TERMS}",
    "decline": "decline ID",
    "resign": "resign",
    "draw": "draw",
    "abort": "abort",
    "rematch": "rematch",
    "games": "games",
    "who": "who",
    "say": "say TEXT",
}

_ANY = None  # a value that is any word
_CHOICES: Mapping[str, Mapping[str, object] | None] = {
    "game": _ANY,
    "time": _ANY,
    "color": {"white": "white", "black": "black", "random": "random"},
    "rated": {"yes": True, "no": False},
    "against": {"any": "any", "human": "human", "engine": "engine"},
    "start": _ANY,
}

Reader = Callable[[list[str]], Message]


class _WrongError(Exception):
    """What is wrong with the words; the line and its usage are added where it is caught."""


def read_untrusted(verb: str, words: list[str]) -> Message:
    """A lobby word and what follows it. RemoteProtocolError says how it is used."""
    try:
        return _READERS[verb](words)
    except _WrongError as wrong:
        line = " ".join((verb, *words))
        raise RemoteProtocolError(f"{quote(line)}: {wrong}; use: {USAGE[verb]}") from None


def write(message: Message) -> str:
    """The line of a lobby word."""
    return _WRITERS[type(message)](message)


# Reading


def _alone(kind: Callable[[], Message]) -> Reader:
    def read(words: list[str]) -> Message:
        if words:
            raise _WrongError("nothing may follow this word")
        return kind()

    return read


def _number(words: list[str]) -> int:
    if len(words) != 1 or (number := number_in(words[0])) is None:
        raise _WrongError("it takes one number, as the lobby announced it")
    return number


def _terms(words: list[str]) -> Terms:
    terms: dict[str, Any] = {}
    left = iter(words)
    for key in left:
        if key not in _CHOICES:
            raise _WrongError(f"{quote(key)} is none of {', '.join(_CHOICES)}")
        value = " ".join(left) if key == "start" else next(left, "")
        if not value:
            raise _WrongError(f"{key} has no value")
        choices = _CHOICES[key]
        if choices is not None and value not in choices:
            raise _WrongError(f"{key} {quote(value)} is none of {', '.join(choices)}")
        terms[key] = value if choices is None else choices[value]
    return Terms(**terms)


def _read_challenge(words: list[str]) -> Message:
    end = next((at for at, key in enumerate(words) if key in _CHOICES), len(words))
    if not end:
        raise _WrongError("it does not say whom")
    return say.Challenge(" ".join(words[:end]), _terms(words[end:]))


def _read_say(words: list[str]) -> Message:
    if not words:
        raise _WrongError("there is nothing to say")
    return say.Say(" ".join(words))


_READERS: Mapping[str, Reader] = {
    "seek": lambda words: say.Seek(_terms(words)),
    "seeks": _alone(say.Seeks),
    "unseek": lambda words: say.Unseek(_number(words) if words else None),
    "accept": lambda words: say.Accept(_number(words)),
    "challenge": _read_challenge,
    "decline": lambda words: say.Decline(_number(words)),
    "resign": _alone(say.Resign),
    "draw": _alone(say.Draw),
    "abort": _alone(say.Abort),
    "rematch": _alone(say.Rematch),
    "games": _alone(say.Games),
    "who": _alone(say.Who),
    "say": _read_say,
}


# Writing


def _with_terms(head: str, terms: Terms) -> str:
    said = [head]
    if terms.game is not None:
        said.append(f"game {word(terms.game)}")
    if terms.time is not None:
        said.append(f"time {word(terms.time)}")
    if terms.color != "random":
        said.append(f"color {terms.color}")
    if terms.rated is not None:
        said.append(f"rated {'yes' if terms.rated else 'no'}")
    if terms.against != "any":
        said.append(f"against {terms.against}")
    if terms.start is not None:
        said.append(f"start {filled(terms.start)}")
    return " ".join(said)


_WRITERS: Mapping[type, Callable[[Any], str]] = {
    say.Seek: lambda message: _with_terms("seek", message.terms),
    say.Seeks: lambda _: "seeks",
    say.Unseek: lambda message: "unseek" if message.id is None else f"unseek {message.id}",
    say.Accept: lambda message: f"accept {message.id}",
    say.Challenge: lambda message: _with_terms(f"challenge {filled(message.name)}", message.terms),
    say.Decline: lambda message: f"decline {message.id}",
    say.Resign: lambda _: "resign",
    say.Draw: lambda _: "draw",
    say.Abort: lambda _: "abort",
    say.Rematch: lambda _: "rematch",
    say.Games: lambda _: "games",
    say.Who: lambda _: "who",
    say.Say: lambda message: f"say {filled(message.text)}",
}
