"""The tables of `ulci` as a script of the page, ``tables.js``: the names of reasons, games and
pieces, the meanings of conduct words, the values of pieces, and the templates of the lobby's
lines."""

import json
from collections.abc import Mapping, Sequence

from ulci.conduct import MEANINGS
from ulci.protocol.lobby import lines
from ulci.protocol.lobby.line_template import Field
from ulci.rules import GAME_TABLE, Reason, Rules
from ulci.rules.liberty.pieces import KINDS

LARGEST_PICTURE = 400
"""Squares of the largest start position that the page shows as a small picture."""

ABOUT: Mapping[str, str] = {
    "chess": "Checkmate the king.",
    "chess960": "Chess with the pieces behind the pawns in one of 960 orders.",
    "liberty": "Chess on any board, with pieces of many kinds.",
    "antichess": "You must take, and win when you have no men left or cannot move.",
    "atomic": "A captured piece explodes, with all but pawns around it.",
    "crazyhouse": "You may drop the pieces that you took, as a move.",
    "giveaway": "You must take, and win when you have no men left or cannot move.",
    "horde": "White has 36 pawns and no king, Black the usual men.",
    "kingofthehill": "A king that reaches the center wins, too.",
    "racingkings": "The first king on the last rank wins, and nobody may give check.",
    "suicide": "You must take; with no move left, the side with fewer men wins.",
    "3check": "Three checks win, too.",
    "tictactoe": "Three in a row win.",
    "mnk": "So many stones in a row win, on a board of any size.",
    "gomoku": "Five stones in a row win.",
}
"""Each game in one sentence."""


def _picture(rules: Rules) -> Sequence[str]:
    """The ranks of a game's usual start position; empty if its board is too large for a picture."""
    start = rules.starts[0] if rules.starts else None
    if rules.size(start).squares > LARGEST_PICTURE:
        return ()
    squares = rules.new(start).squares()
    return ["".join(square or "." for square in rank) for rank in squares]


def page_tables() -> bytes:
    """A module of constants. REASONS: the English of each reason, by its word. GAMES: for each
    game, by name, its title, whether it is played with stones, examples of typed moves, one
    sentence about it, and the ranks of its start. PIECES: the names of pieces by letter. VALUES:
    for each game the values of its pieces, in pawns. CONDUCT: the meaning of each conduct word.
    LINES: for each line of the lobby its positional words and values, and whether pairs of a key
    and a value follow."""
    games = {
        name: {
            "title": row.title,
            "stones": row.stones,
            "typed": row.typed,
            "about": ABOUT.get(name, ""),
            "ranks": _picture(row.rules),
        }
        for name, row in GAME_TABLE.items()
    }
    tables = {
        "REASONS": {reason.value: reason.english for reason in Reason},
        "GAMES": games,
        "PIECES": {kind.letter: kind.name for kind in KINDS},
        "VALUES": {name: dict(row.values) for name, row in GAME_TABLE.items() if row.values},
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
    """A fixed word of a line, or the description of a value."""
    if isinstance(part, str):
        return part
    return {
        "name": part.shown.lower(),
        "optional": part.optional,
        "rest": part.kind.rest,
        "choices": part.choices,
    }
