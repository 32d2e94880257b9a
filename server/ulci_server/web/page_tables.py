"""The tables of both ends as a script of the page, ``tables.js``: what reasons, games, pieces and
the words of a conduct are called."""

import json

from ulci.conduct import MEANINGS
from ulci.rules import GAME_TABLE, Reason
from ulci.rules.liberty.pieces import KINDS


def page_tables() -> bytes:
    """A module of constants. REASONS: the English of each, by its word. GAMES: by name,
    each game's title, whether it is played with stones, and moves as people type them. PIECES:
    their names by letter. CONDUCT: the English of each word."""
    games = {
        name: {"title": row.title, "stones": row.stones, "typed": row.typed}
        for name, row in GAME_TABLE.items()
    }
    tables = {
        "REASONS": {reason.value: reason.english for reason in Reason},
        "GAMES": games,
        "PIECES": {kind.letter: kind.name for kind in KINDS},
        "CONDUCT": dict(MEANINGS),
    }
    lines = (f"export const {name} = {json.dumps(table)};\n" for name, table in tables.items())
    return "".join(lines).encode()
