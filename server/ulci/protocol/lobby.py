"""The lobby's words: how a client writes them, and what it is told when it writes them wrong.

They are read only in a dialect with a lobby, and only at the beginning of a line: "joho debug on"
switches debugging on, but nobody resigns by beginning a sentence with "I".
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from . import messages as say
from .errors import LocalProtocolError, RemoteProtocolError
from .messages import Message, Terms
from .text import filled, number_in, one_line, quote, word
from .text import words as several

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
    "takeback": "takeback [N]",
    "claim": "claim win|draw",
    "givetime": "givetime SECONDS",
    "abort": "abort",
    "rematch": "rematch",
    "games": "games",
    "watch": "watch ID",
    "unwatch": "unwatch [ID]",
    "who": "who",
    "say": "say TEXT",
    "tell": "tell NAME TEXT",
    "admin": "admin WORD ...",
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

_SECONDS = re.compile(r"([0-9]{1,5})(?:\.([0-9]{1,3}))?")

# Nobody waits longer for a move, and no clock of a game that is counted in days is helped by more.
LONGEST_GIFT = 24 * 60 * 60 * 1000
"""ms."""

Reader = Callable[[list[str]], Message]


class _WrongError(Exception):
    """What is wrong with the words; the line and its usage are added where it is caught."""


def read_untrusted(verb: str, words: list[str]) -> Message:
    """A lobby word and what follows it, without any character that a terminal would obey or not
    show: others will read it. RemoteProtocolError says how it is used."""
    words = one_line(" ".join(words)).split()
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


def _text(words: list[str], lacking: str) -> str:
    if not words:
        raise _WrongError(lacking)
    return " ".join(words)


def _read_challenge(words: list[str]) -> Message:
    end = next((at for at, key in enumerate(words) if key in _CHOICES), len(words))
    name = _text(words[:end], "it does not say whom")
    return say.Challenge(name, _terms(words[end:]))


def _read_takeback(words: list[str]) -> Message:
    if not words:
        return say.Takeback()
    plies = number_in(words[0], 1)
    if len(words) != 1 or plies is None:
        raise _WrongError("it takes the number of half-moves to take back, 1 or more")
    return say.Takeback(plies)


def _read_claim(words: list[str]) -> Message:
    match words:
        case ["win" | "draw" as what]:
            return say.Claim(what)
        case _:
            raise _WrongError("it does not say what is claimed")


def _read_givetime(words: list[str]) -> Message:
    found = _SECONDS.fullmatch(words[0]) if len(words) == 1 else None
    ms = int(found[1]) * 1000 + int((found[2] or "").ljust(3, "0")) if found else 0
    if not 1 <= ms <= LONGEST_GIFT:
        raise _WrongError(
            "it takes seconds, from 0.001 to 86400 (a day), with at most three decimals"
        )
    return say.GiveTime(ms)


def _read_tell(words: list[str]) -> Message:
    name = _text(words[:1], "it does not say whom")
    return say.TellPlayer(name, _text(words[1:], "there is nothing to tell"))


def _read_admin(words: list[str]) -> Message:
    return say.Admin(tuple(_text(words, "it does not say what to do").split()))


_READERS: Mapping[str, Reader] = {
    "seek": lambda words: say.Seek(_terms(words)),
    "seeks": _alone(say.Seeks),
    "unseek": lambda words: say.Unseek(_number(words) if words else None),
    "accept": lambda words: say.Accept(_number(words)),
    "challenge": _read_challenge,
    "decline": lambda words: say.Decline(_number(words)),
    "resign": _alone(say.Resign),
    "draw": _alone(say.Draw),
    "takeback": _read_takeback,
    "claim": _read_claim,
    "givetime": _read_givetime,
    "abort": _alone(say.Abort),
    "rematch": _alone(say.Rematch),
    "games": _alone(say.Games),
    "watch": lambda words: say.Watch(_number(words)),
    "unwatch": lambda words: say.Unwatch(_number(words) if words else None),
    "who": _alone(say.Who),
    "say": lambda words: say.Say(_text(words, "there is nothing to say")),
    "tell": _read_tell,
    "admin": _read_admin,
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


def _with_number(verb: str, number: int | None) -> str:
    return verb if number is None else f"{verb} {number}"


def _write_givetime(message: say.GiveTime) -> str:
    if not 1 <= message.ms <= LONGEST_GIFT:
        raise LocalProtocolError(f"{message.ms} ms is not from 1 ms to a day")
    seconds, ms = divmod(message.ms, 1000)
    return f"givetime {seconds}.{ms:03}".rstrip("0").rstrip(".") if ms else f"givetime {seconds}"


def _write_takeback(message: say.Takeback) -> str:
    if message.plies is not None and message.plies < 1:
        raise LocalProtocolError("at least one single move is taken back")
    return _with_number("takeback", message.plies)


_WRITERS: Mapping[type, Callable[[Any], str]] = {
    say.Seek: lambda message: _with_terms("seek", message.terms),
    say.Seeks: lambda _: "seeks",
    say.Unseek: lambda message: _with_number("unseek", message.id),
    say.Accept: lambda message: f"accept {message.id}",
    say.Challenge: lambda message: _with_terms(f"challenge {filled(message.name)}", message.terms),
    say.Decline: lambda message: f"decline {message.id}",
    say.Resign: lambda _: "resign",
    say.Draw: lambda _: "draw",
    say.Takeback: _write_takeback,
    say.Claim: lambda message: f"claim {message.what}",
    say.GiveTime: _write_givetime,
    say.Abort: lambda _: "abort",
    say.Rematch: lambda _: "rematch",
    say.Games: lambda _: "games",
    say.Watch: lambda message: f"watch {message.id}",
    say.Unwatch: lambda message: _with_number("unwatch", message.id),
    say.Who: lambda _: "who",
    say.Say: lambda message: f"say {filled(message.text)}",
    say.TellPlayer: lambda message: f"tell {word(message.name)} {filled(message.text)}",
    say.Admin: lambda message: f"admin {filled(several(message.words))}",
}
