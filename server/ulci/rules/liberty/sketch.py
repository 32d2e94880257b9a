"""A summary of an L-FEN, without the square of each piece.

Read quickly from the text, however large the board, so that no board is set up before it is known
that the start may be played, and by which clients.
"""

import re
from typing import NamedTuple

from ulci.rules.position import Size, StartError
from ulci.rules.text import count, quoted

from .geometry import SIZE_MAX, SIZE_MIN
from .pieces import CODE_OF, EMPTY, KIND_OF, LETTERS
from .setup import PROMOTIONS, Setup

PROMOTIONS_MAX = 2 * len(LETTERS)
"""Letters of promotion: each twice. They multiply the moves of every pawn."""

_FIELDS = (
    "board",
    "side to move",
    "castling",
    "en passant",
    "half-move clock",
    "move number",
    "rules of pawns and castling",
    "promotion",
    "friendly fire",
)
_DEFAULTS = ("", "w", "-", "-", "0", "1", "-", PROMOTIONS, "")
_TOKEN = re.compile(r"[0-9]+|.", re.ASCII | re.DOTALL)
_DIGITS = len(str(SIZE_MAX))
_NUMBER = re.compile(r"[0-9]{1,10}", re.ASCII)
_MEN = f"{LETTERS.upper()} (White), {LETTERS} (Black)"
_RULES = ("pawn moves", "pawn rows", "castling row", "queens' column", "kings' column")


class Sketch(NamedTuple):
    """letters: the kinds on the board.  kings: the numbers of White's and Black's.  ranks: from the
    top, as written.  rest: side to move, castling, en passant and the two counters."""

    setup: Setup
    letters: frozenset[str]
    kings: tuple[int, int]
    ranks: list[str]
    rest: list[str]

    @property
    def size(self) -> Size:
        return Size(self.setup.width * self.setup.height, max(self.kings))


def read_sketch(text: str) -> Sketch:
    """The summary of an L-FEN. Of its ranks only the first is parsed, and nothing of `rest`.

    Raises:
        StartError: it cannot be played; the text names field, fault and expectation.
    """
    fields = text.split()
    if not 1 <= len(fields) <= len(_FIELDS):
        raise StartError(
            f"the L-FEN has {count(len(fields), 'field')}, expected 1 to {len(_FIELDS)}:"
            f" {', '.join(_FIELDS)}"
        )
    men, *rest, rules, promotion, fire = (*fields, *_DEFAULTS[len(fields) :])
    ranks = men.split("/")
    if not SIZE_MIN <= len(ranks) <= SIZE_MAX:
        raise StartError(
            f"the board has {count(len(ranks), 'rank')}, expected {SIZE_MIN} to {SIZE_MAX}"
            " separated by '/'"
        )
    width = len(read_rank(len(ranks), ranks[0]))
    return Sketch(
        Setup(
            width,
            len(ranks),
            *_rules(rules, width, len(ranks)),
            promotions=_promotions(promotion),
            friendly_fire=_friendly_fire(fire),
        ),
        frozenset(men.lower()) & KIND_OF.keys(),
        (men.count("K"), men.count("k")),
        ranks,
        rest,
    )


def read_rank(number: int, row: str) -> list[int]:
    """The codes of rank `number`, counted from the bottom.

    Raises:
        StartError: the rank is malformed.
    """
    if len(row) > SIZE_MAX * _DIGITS:
        raise _size_of_rank(number, row, f"{len(row)} characters")
    rank: list[int] = []
    for token in _TOKEN.finditer(row):
        text, place = token[0], f"at character {token.start() + 1}"
        if text.isascii() and text.isdigit():
            blanks = int(text) if len(text) <= _DIGITS else SIZE_MAX + 1
            if not 1 <= blanks <= SIZE_MAX:
                raise StartError(
                    f"rank {number} of the board has {quoted(text)} {place},"
                    f" expected 1 to {SIZE_MAX} empty squares"
                )
            rank += [EMPTY] * blanks
        elif text in CODE_OF:
            rank.append(CODE_OF[text])
        else:
            raise StartError(
                f"rank {number} of the board has {quoted(text)} {place}, expected pieces {_MEN}"
                " and numbers of empty squares"
            )
    if not SIZE_MIN <= len(rank) <= SIZE_MAX:
        raise _size_of_rank(number, row, count(len(rank), "square"))
    return rank


def _size_of_rank(number: int, row: str, has: str) -> StartError:
    return StartError(
        f"rank {number} of the board, {quoted(row)}, has {has},"
        f" expected {SIZE_MIN} to {SIZE_MAX} squares"
    )


def _rules(text: str, width: int, height: int) -> tuple[int, int, int, int, int]:
    defaults = (2, 2, 1, 1, width)
    items = [] if text == "-" else text.split(",")
    if len(items) > len(_RULES):
        raise StartError(
            f"the rules of pawns and castling, {quoted(text)}, have {len(items)} items,"
            f" expected at most {len(_RULES)}: {', '.join(_RULES)}"
        )
    said = [_rule(text, place, item) for place, item in enumerate(items)]
    said += [None] * (len(_RULES) - len(said))
    moves, rows, row, *columns = (
        default if number is None else number
        for number, default in zip(said, defaults, strict=True)
    )
    if row > height:
        raise StartError(
            f"the castling row is {row} in {quoted(text)}, expected 1 to {height},"
            " the height of the board"
        )
    # The standard: an invalid column means the default, and row 0 the first.
    queen, king = (
        column if 1 <= column <= width else default
        for column, default in zip(columns, defaults[3:], strict=True)
    )
    return moves, rows, max(row, 1), queen, king


def _rule(text: str, place: int, item: str) -> int | None:
    """The number of the item, None if it is left out."""
    if not item:
        return None
    if not _NUMBER.fullmatch(item) or int(item) > SIZE_MAX - 1 + (place > 2):
        raise StartError(
            f"item {place + 1} of the rules of pawns and castling, {quoted(text)}, is"
            f" {quoted(item)}, expected {_RULES[place]}, a number up to {SIZE_MAX - 1}, or nothing"
        )
    return int(item)


def _promotions(text: str) -> str:
    """A letter may be named twice; it is then generated, and counted, twice."""
    if len(text) > PROMOTIONS_MAX:
        raise StartError(
            f"promotion has {count(len(text), 'letter')}, expected at most {PROMOTIONS_MAX}"
        )
    for place, letter in enumerate(text, start=1):
        if letter.lower() not in KIND_OF or not letter.isascii():
            raise StartError(
                f"promotion is {quoted(text)}, with {quoted(letter)} at character {place},"
                f" expected letters of {LETTERS}"
            )
    return text.lower()


def _friendly_fire(text: str) -> bool:
    if text not in ("", "ff"):
        raise StartError(f"friendly fire is {quoted(text)}, expected ff or nothing")
    return bool(text)
