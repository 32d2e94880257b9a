"""The record of a game, short enough for a terminal."""

import re
import textwrap

WIDTH = 79
"""PGN 4.3: lines have fewer than 80 characters."""

# With the number that a move of Black's has only because a comment stood before it. There are no
# braces in the comments of our exports.
_COMMENT = re.compile(r"\s*\{[^{}]*\}(?:\s*\d+\.\.\.)?")


def without_comments(pgn: str) -> str:
    """The same game without clocks and evaluations."""
    tags, _, moves = pgn.partition("\n\n")
    return f"{tags}\n\n{textwrap.fill(_COMMENT.sub('', moves).strip(), WIDTH)}"
