"""Reads L-FEN field by field, naming the field at fault, and writes it.

    board [side [castling [en-passant [half-moves [full-moves [rules [promotion [ff]]]]]]]]

Malformed text that its author's programs ignore or replace by defaults is refused: a typing error
would change the game. So is text that crashes them (0.17.2): an e.p. square off the board or with
nothing to take behind it, a castling row that does not exist, more blanks than memory. Odd but
well-formed starts are read as they read them, so that both ends agree: castling with nobody, pawns
that cannot move (0 pawn moves), a letter of promotion named twice.
"""

import re

from ulci.rules.position import StartError
from ulci.rules.text import count, quoted

from .board import RIGHTS, Board
from .names import side as named
from .pieces import EMPTY, LETTER, SIDE
from .setup import PROMOTIONS, Setup
from .sketch import Sketch, read_rank, read_sketch

HALF_MOVES_MAX = 255
FULL_MOVES_MAX = 2**32 - 1
_NUMBER = re.compile(r"[0-9]{1,10}", re.ASCII)
_PASSED = re.compile(r"([a-z]{1,2}[1-9][0-9]{0,2})(?:-([0-9]{1,3}))?", re.ASCII)
_SIDES = {"w": 0, "b": 1}


def read_lfen(text: str) -> Board:
    """The board of this L-FEN, playable by the rules and safe to send to any ULCI client.

    Raises:
        StartError: it is not; the text names field, fault and expectation.
    """
    sketch = read_sketch(text)
    side, castling, passed, half, full = sketch.rest
    board = Board(sketch.setup)
    _put_men(board, sketch)
    board.turn = _side(side)
    board.rights = _castling(castling)
    board.half_moves = _counter("half-move clock", half, HALF_MOVES_MAX)
    board.full_moves = _counter("move number", full, FULL_MOVES_MAX)
    board.mark_castling()
    board.passed = _en_passant(board, passed)
    return board


def write_lfen(board: Board) -> str:
    """Nine fields, without trailing ones that have their defaults. Columns count from 1, as in
    reading; programs of version 0.17.2 write them from 0."""
    setup = board.setup
    fields = [
        "/".join(_write_rank(rank) for rank in squares(board)),
        "wb"[board.turn],
        "".join(right for bit, right in enumerate(RIGHTS) if board.rights >> bit & 1) or "-",
        _write_passed(board),
        str(board.half_moves),
        str(board.full_moves),
    ]
    rules, fire = _write_rules(setup), setup.friendly_fire
    if fire or setup.promotions != PROMOTIONS:
        fields += [rules or "-", setup.promotions]
    elif rules:
        fields.append(rules)
    return " ".join([*fields, "ff"] if fire else fields)


def squares(board: Board) -> list[list[str]]:
    """Ranks from the top, each file from the left: a letter or nothing."""
    at, width = board.setup.geometry.at, board.setup.width
    return [
        [LETTER[code] for code in board.cells[at(0, rank) : at(width, rank)]]
        for rank in range(board.setup.height - 1, -1, -1)
    ]


# The board


def _put_men(board: Board, sketch: Sketch) -> None:
    height, width = board.setup.height, board.setup.width
    for number, row in zip(range(height, 0, -1), sketch.ranks, strict=True):
        rank = read_rank(number, row)
        if len(rank) != width:
            raise StartError(
                f"rank {number} of the board, {quoted(row)}, has {count(len(rank), 'square')},"
                f" expected {width} like rank {height}"
            )
        for file, code in enumerate(rank):
            if code:
                board.put(board.setup.geometry.at(file, number - 1), code)


def _write_rank(rank: list[str]) -> str:
    """Numbers for empty squares."""
    text, blanks = "", 0
    for letter in [*rank, "/"]:
        if not letter:
            blanks += 1
            continue
        text += f"{blanks}{letter}" if blanks else letter
        blanks = 0
    return text[:-1]


# Side, counters, rights


def _side(text: str) -> int:
    if text not in _SIDES:
        raise StartError(f"the side to move is {quoted(text)}, expected w or b")
    return _SIDES[text]


def _counter(name: str, text: str, most: int) -> int:
    if not _NUMBER.fullmatch(text) or int(text) > most:
        raise StartError(f"the {name} is {quoted(text)}, expected a number from 0 to {most}")
    return int(text)


def _castling(text: str) -> int:
    rights = 0
    for place, letter in enumerate("" if text == "-" else text, start=1):
        bit = RIGHTS.find(letter)
        if bit < 0 or rights >> bit & 1:
            fault = "twice" if bit >= 0 else f"at character {place}"
            raise StartError(
                f"castling is {quoted(text)}, with {quoted(letter)} {fault},"
                f" expected - or letters of {RIGHTS}, each once"
            )
        rights |= 1 << bit
    return rights


# En passant


def _en_passant(board: Board, text: str) -> range | None:
    if text == "-":
        return None
    expected = "expected -, or the squares that a pawn has just passed, such as e3 or b3-6"
    begin = f"en passant is {quoted(text)}"
    geometry, match = board.setup.geometry, _PASSED.fullmatch(text)
    if not match:
        raise StartError(f"{begin}, {expected}")
    low = geometry.square(match[1])
    if low is None:
        raise StartError(f"{begin}, but {match[1]} is not on the board, {expected}")
    file, rank = geometry.place(low)
    top = int(match[2]) - 1 if match[2] else rank
    if not rank <= top < geometry.height:
        raise StartError(
            f"{begin}, but its last rank is {top + 1}, expected {rank + 1} to {geometry.height}"
        )
    passed = range(low, geometry.at(file, top) + 1, geometry.stride)
    other = 1 - board.turn
    board.passed = passed
    behind = board.jumper()
    code = board.cells[behind]
    if code == EMPTY or code >> SIDE != other:
        where = f"on {geometry.name(behind)}" if code >> SIDE < 2 else "there, off the board"
        raise StartError(
            f"{begin} with {named(board.turn)} to move, but {named(other)} has nothing {where}"
            f" that could have passed it, {expected}"
        )
    return passed


def _write_passed(board: Board) -> str:
    if board.passed is None:
        return "-"
    name, ranks = board.setup.geometry.name, len(board.passed)
    low = name(board.passed[0])
    top = board.setup.geometry.place(board.passed[-1])[1] + 1
    return f"{low}-{top}" if ranks > 1 else low


# Fields of L-FEN alone


def _write_rules(setup: Setup) -> str:
    items = [
        (setup.pawn_moves, 2),
        (setup.pawn_row, 2),
        (setup.castle_row, 1),
        (setup.queen_column, 1),
        (setup.king_column, setup.width),
    ]
    while items and items[-1][0] == items[-1][1]:
        items.pop()
    return ",".join(str(number) for number, _ in items)
