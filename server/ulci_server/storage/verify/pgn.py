"""A strict PGN reader, by sections 7 and 8, that knows no game's rules. It reads one game.

`python-chess` reads the games that it knows and skips unknown text. This reader accepts any game
and skips nothing: text other than a tag, number, move, comment or result is an error. A drop of
crazyhouse is a move, though the standard has no such word: ``N@f3``, ``@e4``.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_TAG = re.compile(r'\[([A-Za-z0-9_]+) "((?:[^"\\\n]|\\["\\])*)"\]', re.ASCII)
_ESCAPED = re.compile(r'\\(["\\])')
_COMMAND = re.compile(r"\[%([a-z]+) ([^\]\s]*)\]")
_TOKEN = re.compile(
    r"""\s*(?:
    \{(?P<comment>[^}]*)\}
    |(?P<result>\*|1-0|0-1|1/2-1/2)(?=\s|$)
    |(?P<number>[0-9]+\.(?:\.\.)?)(?=\s)
    |(?P<symbol>[PNBRQ]?@[a-h][1-8][+\#]?|(?![0-9]+\s)[A-Za-z0-9][A-Za-z0-9_+\#=:-]*)(?=\s|$)
    )""",
    re.ASCII | re.VERBOSE,
)


class PgnError(ValueError):
    """The text is not one game of PGN; the error says where."""


@dataclass(slots=True)
class PgnMove:
    """number: ``12.`` of White, ``12...`` of Black. said: the commands in its comments, such as
    ``clk`` and ``emt``, by their names."""

    number: str
    symbol: str
    said: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class PgnGame:
    """first: the comment before the first move. comment: the last one, which explains the end."""

    tags: dict[str, str]
    moves: list[PgnMove] = field(default_factory=list)
    first: str = ""
    comment: str = ""
    result: str = ""


def read_pgn(text: str) -> PgnGame:
    """Read a game whose moves all have numbers.

    Raises:
        PgnError: the text is no game, or more than one.
    """
    head, empty, body = text.rstrip("\n").partition("\n\n")
    if not empty:
        raise PgnError("there is no empty line after the tags")
    game, number = PgnGame(dict(map(_tag, head.split("\n")))), ""
    for kind, value in _tokens(body):
        if game.result:
            raise PgnError(f"{value!r} comes after the result")
        match kind:
            case "comment":
                game.comment = value.strip()
                if not game.moves:
                    game.first = game.first or game.comment
                else:
                    game.moves[-1].said.update(_COMMAND.findall(value))
            case "symbol" if number:
                game.moves.append(PgnMove(number, value))
            case "result":
                game.result = value
            case "symbol":
                raise PgnError(f"{value!r} has no number")
        number = value if kind == "number" else ""
    if not game.result:
        raise PgnError("there is no result at its end")
    return game


def _tag(line: str) -> tuple[str, str]:
    match = _TAG.fullmatch(line)
    if match is None:
        raise PgnError(f"{line!r} is no tag")
    return match[1], _ESCAPED.sub(r"\1", match[2])


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    """The kind of each token, and its content."""
    place = 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            rest = text[place:].lstrip()
            raise PgnError(f"{rest[:40]!r} begins with nothing that PGN knows")
        assert match.lastgroup is not None
        yield match.lastgroup, match[match.lastgroup]
        place = match.end()
