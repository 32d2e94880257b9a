"""Commands of players, read and written by the templates of their classes.

A command is read only in a dialect with a lobby, and only at the beginning of a line: "joho debug
on" switches debugging on, but nobody resigns by beginning a sentence with "I".
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ulci.protocol.errors import RemoteProtocolError
from ulci.protocol.text import one_line, quote

from .line_template import Field, Row
from .player_commands import PLAYER_COMMANDS, PlayerCommand

ROWS: Sequence[Row[Any]] = tuple(
    Row(kind, kind.usage, kind.pairs, kind.grouped) for kind in PLAYER_COMMANDS
)

COMMANDS: Mapping[str, Row[Any]] = {row.word: row for row in ROWS}
"""Commands by their first word."""

_BY_CLASS = {row.kind: row for row in ROWS}

FAULTS: Mapping[str, str] = {
    "ID": "it takes one number, as the lobby announced it",
    "N": "it takes the number of half-moves to take back, 1 or more",
    "win|draw": "it needs win or draw",
    "white|black": "it needs white or black, your own color",
    "F": "it needs a position",
    "SECONDS": "it takes seconds, from 0.001 to 86400 (a day), with at most three decimals",
    "NAME": "it needs a name",
    "INVITATION": "it needs the token of the invitation, one word",
    "TEXT": "there is nothing to {word}",
    "WORD...": "it needs a command",
}
"""The fault of a missing or invalid value."""


NO_NUMBER = "is no whole number from 1 on"
"""The fault of a pair that counts something."""


PAIR_FAULTS: Mapping[str, str] = {
    "MIN-MAX": "is no range of ratings, such as 1500-1800",
}
"""The faults of other pairs."""


class _WrongError(Exception):
    """What is wrong with the words; the line and its usage are added where it is caught."""


def read_untrusted(word: str, words: list[str]) -> PlayerCommand:
    """One of `COMMANDS` and its arguments, without unprintable characters, as others will read
    them. RemoteProtocolError tells its usage."""
    row, words = COMMANDS[word], one_line(" ".join(words)).split()
    try:
        return _read(row, [*words])
    except _WrongError as wrong:
        line = " ".join((word, *words))
        raise RemoteProtocolError(f"{quote(line)}: {wrong}; use: {row.usage}") from None


def write(message: PlayerCommand) -> str:
    """The line of a command. Raises LocalProtocolError if it has none."""
    return _BY_CLASS[type(message)].write(message)


def _read(row: Row[Any], words: list[str]) -> PlayerCommand:
    _, *head = row.head
    pairs: list[str] = []
    if row.pairs:  # a name may have several words: it ends where they begin
        end = next((at for at, word in enumerate(words) if word in row.pairs), len(words))
        words, pairs = (words[:end], words[end:]) if head else ([], words)
    values = []
    for field in head:
        assert isinstance(field, Field), "a command has one word of its own"
        if words or not field.optional:
            values.append(_taken(row, field, words))
    if words:
        raise _WrongError(_fault(row, head[-1]) if head else "nothing may follow this word")
    if row.grouped is not None:
        values.append(row.grouped(**_read_pairs(row.pairs, pairs)))
    message: PlayerCommand = row.kind(*values)
    return message


def _taken(row: Row[Any], field: Field, words: list[str]) -> Any:
    """The value at the beginning of the words, which are taken from them."""
    end = len(words) if field.kind.rest or row.pairs else 1
    text = " ".join(words[:end])
    del words[:end]
    try:
        if not text:
            raise ValueError
        return field.kind.read(text)
    except ValueError:
        raise _WrongError(_fault(row, field)) from None


def _fault(row: Row[Any], field: Any) -> str:
    return FAULTS[field.shown].format(word=row.word)


def _read_pairs(fields: Mapping[str, Field], words: list[str]) -> dict[str, Any]:
    values = {}
    left = iter(words)
    for key in left:
        if (field := fields.get(key)) is None:
            raise _WrongError(f"{quote(key)} is none of {', '.join(fields)}")
        text = " ".join(left) if field.kind.rest else next(left, "")
        if not text:
            raise _WrongError(f"{key} has no value")
        try:
            values[field.name] = field.kind.read(text)
        except ValueError:
            other = f"is none of {', '.join(field.choices)}" if field.choices else NO_NUMBER
            wanted = PAIR_FAULTS.get(field.shown, other)
            raise _WrongError(f"{key} {quote(text)} {wanted}") from None
    return values
