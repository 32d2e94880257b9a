"""The terms of a game as a person types them. Pure."""

import difflib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ulci.protocol.messages import Terms
from ulci.rules import GAMES, StartError
from ulci.rules.starts import playable_start
from ulci.time_control import TimeError, entered
from ulci_client.terminal.model.phrases import joined

USAGE = (
    "[game G] [time TC] [color white|black|random|later] [rated yes|no] [against any|human|engine]"
    " [games N] [level N] [range MIN-MAX] [start FEN|NAME]"
)

CHOICES: Mapping[str, tuple[str, ...]] = {
    "color": ("white", "black", "random", "later"),
    "rated": ("yes", "no"),
    "against": ("any", "human", "engine"),
}
KEYS = ("game", "time", *CHOICES, "games", "level", "range", "start")

COUNTS: Mapping[str, str] = {
    "games": "the number of a match's games",
    "level": "the strength of an engine of the server",
}

# Unambiguous words, which need no key before them.
SHORT: Mapping[str, tuple[str, str]] = {
    **{word: ("color", word) for word in CHOICES["color"]},
    **{word: ("against", word) for word in CHOICES["against"]},
    "rated": ("rated", "yes"),
    "unrated": ("rated", "no"),
    "casual": ("rated", "no"),
}


_NOT_IN_FEN = frozenset({*KEYS, *SHORT, *GAMES})


class TermsError(ValueError):
    """Invalid terms; the text says what is wrong and what is expected."""


def parse(words: Sequence[str]) -> Terms:
    """Parse ``time 5m+3s color white``, the lobby's form, or in short ``5m+3s white``.

    Raises:
        TermsError: an unknown word, a key without a value, or an invalid start position.
    """
    said: dict[str, Any] = {}
    at = 0
    while at < len(words):
        key, value = words[at].lower(), words[at + 1 : at + 2]
        if key == "start":
            end = _end_of_start(words, at + 1)
            value, at = [" ".join(words[at + 1 : end])], end
        elif key == "time" or _begins_time(key):
            first = at + (key == "time")
            end = _end_of_time(words, first)
            key, value, at = "time", [" ".join(words[first:end])], end
        elif key in KEYS and not (key == "rated" and value != ["yes"] and value != ["no"]):
            at += 2
        else:
            key, short = _short(words[at])
            value, at = [short], at + 1
        said[key] = _chosen(key, *value)
    for key in COUNTS:
        if key in said:
            said[key] = _count(key, said[key])
    if "range" in said:
        said["range"] = _range(said["range"])
    if "rated" in said:
        said["rated"] = said["rated"] == "yes"
    return checked(Terms(**said))


def checked(terms: Terms) -> Terms:
    """The terms, unless their start position is invalid, or the game over there.

    Raises:
        TermsError: it is; the text says why.
    """
    rules = GAMES.get(terms.game or "chess")
    if terms.start is not None and rules is not None:
        try:
            playable_start(rules, terms.start)
        except StartError as error:
            raise TermsError(f"invalid start position: {error}{_elsewhere(terms.start)}") from error
    return terms


def _end_of_start(words: Sequence[str], begin: int) -> int:
    """A name is one word; a FEN ends before the next key, game or short word."""
    if "/" not in "".join(words[begin : begin + 1]):
        return min(begin + 1, len(words))
    others = (at for at in range(begin + 1, len(words)) if words[at].lower() in _NOT_IN_FEN)
    return next(others, len(words))


_UNITS = frozenset(
    {*("m", "min", "mins", "minute", "minutes"), *("s", "sec", "secs", "second", "seconds")}
)


def _begins_time(word: str) -> bool:
    return word not in _NOT_IN_FEN and (word[0].isdigit() or word == "inf")


def _end_of_time(words: Sequence[str], begin: int) -> int:
    """One word, with more after it that can only belong to it: ``5 min + 3 sec``, ``15 10``."""
    end = min(begin + 1, len(words))
    while end < len(words) and (
        words[end].lower() in _UNITS or words[end][0] in "+|" or _begins_time(words[end].lower())
    ):
        end += 1
    return end


def _elsewhere(start: str) -> str:
    """A hint if another game has a start of this name."""
    found = [game for game, rules in GAMES.items() if start.lower() in rules.named]
    return f"; {found[0]} has it: game {found[0]} start {start}" if found else ""


def _chosen(key: str, value: str = "") -> str:
    if not value:
        raise TermsError(f"{key} needs a value: {USAGE}")
    if key == "time":
        return _time(value)
    choices = CHOICES.get(key)
    if choices is None:
        return value
    if value.lower() not in choices:
        raise TermsError(f"{key} is {joined(choices)}, not {value}")
    return value.lower()


def _time(text: str) -> str:
    try:
        return entered(text)
    except TimeError as error:
        raise TermsError(str(error)) from error


def _count(key: str, text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 9 and int(text)):
        raise TermsError(f"{key} is {COUNTS[key]}, from 1 on, not {text}")
    return int(text)


_RANGE = re.compile(r"([0-9]{1,4})-([0-9]{1,4})")


def _range(text: str) -> tuple[int, int]:
    found = _RANGE.fullmatch(text)
    if found is None or int(found[1]) > int(found[2]):
        raise TermsError(f"range is a range of ratings such as 1500-1800, not {text}")
    return int(found[1]), int(found[2])


def _short(word: str) -> tuple[str, str]:
    if word.lower() in SHORT:
        return SHORT[word.lower()]
    if word.lower() in GAMES:
        return "game", word.lower()
    near = difflib.get_close_matches(word.lower(), (*KEYS, *SHORT, *GAMES), n=1)
    hint = f"; did you mean {near[0]}?" if near else f": {USAGE}"
    raise TermsError(f"{word} is not a term of a game{hint}")
