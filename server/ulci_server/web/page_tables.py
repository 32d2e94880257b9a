"""The tables of both ends as a script of the page, ``tables.js``: what reasons, games, pieces and
the words of a conduct are called, and how the lobby's lines are read."""

import json

from ulci.conduct import MEANINGS
from ulci.protocol.lobby import lines
from ulci.protocol.lobby.line_template import Field
from ulci.rules import GAME_TABLE, Reason
from ulci.rules.liberty.pieces import KINDS


def page_tables() -> bytes:
    """A module of constants. REASONS: the English of each, by its word. GAMES: by name,
    each game's title, whether it is played with stones, and moves as people type them. PIECES:
    their names by letter. CONDUCT: the English of each word. LINES: of each line of the lobby
    the words in their places, and whether pairs of a key and a value follow."""
    games = {
        name: {"title": row.title, "stones": row.stones, "typed": row.typed}
        for name, row in GAME_TABLE.items()
    }
    tables = {
        "REASONS": {reason.value: reason.english for reason in Reason},
        "GAMES": games,
        "PIECES": {kind.letter: kind.name for kind in KINDS},
        "CONDUCT": dict(MEANINGS),
        "LINES": [
            {
                "line": row.kind.__name__,
                "head": [*map(_in_place, row.head)],
                "pairs": bool(row.pairs),
            }
            for row in lines.ROWS
        ],
    }
    constants = (f"export const {name} = {json.dumps(table)};\n" for name, table in tables.items())
    return "".join(constants).encode()


def _in_place(part: str | Field) -> object:
    """A word of a line, or what is to be known of a value."""
    if isinstance(part, str):
        return part
    return {
        "name": part.shown.lower(),
        "optional": part.optional,
        "rest": part.kind.rest,
        "choices": part.choices,
    }
