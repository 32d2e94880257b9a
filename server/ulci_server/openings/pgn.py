"""Openings of games in PGN, up to a ply.

PGN standard: http://www.saremba.de/chessgml/standards/pgn/pgn-complete.htm. Reads what people's
files have: comments, variations, glyphs, numbers anywhere, moves in any notation that the rules of
the game read. It does not read anything after the last ply that it needs.
"""

import re
from collections.abc import Iterator

from ulci.rules import Rules
from ulci.rules.starts import MOST_PLIES
from ulci.rules.text import quoted

from .index import Blocks
from .judge import begin, opening_of, play
from .opening import Opening, UnplayableError

_TAG = re.compile(r'\s*(?:%[^\n]*\n\s*)*\[\s*(\w+)\s+"((?:[^"\\\n]|\\.)*)"\s*\]')
_TAG_LINE = re.compile(rb'\[\w+\s+"')
"""Unlike a command in a comment that fills several lines: ``[%clk 0:05:00]``."""

_ESCAPED = re.compile(r"\\(.)")
_TOKEN = re.compile(
    r"""\s*(?:
    (?P<skipped>\{[^}]*\}?|;[^\n]*|(?m:^)%[^\n]*|\$[0-9]+|[0-9]+\s*\.+|[!?]+|e\.p\.)
    |(?P<bracket>[()])
    |(?P<result>\*|1-0|0-1|1/2-1/2)(?=[\s{;]|$)
    |(?P<move>[^\s{}();$!?]+)
    |(?P<stray>\S)
    )""",
    re.VERBOSE,
)


def read_pgn(rules: Rules, text: str, plies: int = MOST_PLIES) -> Opening:
    """The opening of a game: its start, and of its moves at most `plies`, without the one that
    ends the game.

    Raises:
        UnplayableError: the start or one of these moves is none of that game.
    """
    tags, end = _tags(text)
    position = begin(rules, tags.get("FEN"))
    for at, word in _moves(text, end):
        if len(position.moves) >= plies:
            break
        move = position.parse_untrusted(word)
        if move is None:
            why = f"ply {len(position.moves) + 1}, {quoted(word)}, is no legal move"
            raise UnplayableError(why, text.count("\n", 0, at))
        if play(position, move) is not None:
            return Opening(position.start, tuple(position.moves[:-1]))
    return opening_of(position)


def _tags(text: str) -> tuple[dict[str, str], int]:
    """The tags above the moves, and where these begin."""
    tags, at = dict[str, str](), 0
    while match := _TAG.match(text, at):
        tags[match[1]] = _ESCAPED.sub(r"\1", match[2])
        at = match.end()
    return tags, at


def _moves(text: str, at: int) -> Iterator[tuple[int, str]]:
    """The moves of the main line as they are written, each with its place in the text."""
    depth = 0
    while match := _TOKEN.match(text, at):
        at, kind = match.end(), match.lastgroup
        if kind == "bracket":
            depth += 1 if match["bracket"] == "(" else -1
        elif kind == "result" and not depth:
            return
        elif kind in ("move", "stray") and not depth:
            yield match.start(kind), match[kind]


def scan_games(blocks: Blocks) -> Iterator[int]:
    """Where each game begins: at the first of its tags."""
    among_tags = False
    for at, lines in blocks:
        for line in lines:
            if line.startswith(b"[") and _TAG_LINE.match(line):
                if not among_tags:
                    yield at
                among_tags = True
            elif among_tags and not line.isspace():
                among_tags = False
            at += len(line)  # noqa: PLW2901 - a sum of its own would be slower
