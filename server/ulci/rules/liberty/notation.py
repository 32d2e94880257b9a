"""Moves as people write and type them.

Standard algebraic notation (SAN) with the letters of L-FEN: ``Ub7``, ``Zg10xe7+``, ``O-O``,
``b9=C#``. El Vaticano names the squares of both bishops, ``Bc5xe5``, and so does a king's castling
if several could castle. Any other text is compared with all spellings of each legal move, ignoring
case, signs and dashes; a text that fits two moves is no move.
"""

import itertools
from collections.abc import Iterator

from ulci.rules.text import SIGNS, TEXT_MAX, squeezed

from .attacks import MoveRestrictions, watch
from .board import Board, Move
from .generate import any_legal, castling_reach, is_legal, legal_moves
from .moves import find_untrusted, spell
from .pieces import KINDS, LETTER, MAN, PAWN

_ALPHABET = 26  # wider boards have files of two letters

_CASTLING = {True: ("O-O", "oo", "00"), False: ("O-O-O", "ooo", "000")}  # kings' side, queens'


def san(board: Board, seen: MoveRestrictions, move: Move) -> str:
    """The legal move in standard algebraic notation."""
    text = _without_sign(board, seen, move)
    undo = board.make(move)
    after = watch(board)
    sign = ("+" if any_legal(board, after) else "#") if after.checks else ""
    board.unmake(undo)
    return text + sign


def parse_untrusted(board: Board, seen: MoveRestrictions, text: str) -> Move | None:
    """The one legal move that the text may mean, or None."""
    text = text.strip()
    if not text or len(text) > TEXT_MAX:
        return None
    # A move as sent: in capitals the letter of a piece could be taken for a file.
    if text.islower() and (move := find_untrusted(board, seen, text)):
        return move
    wanted, squeeze = text.rstrip(SIGNS), squeezed(text)
    name = board.setup.geometry.name
    moves = [
        move
        for move in legal_moves(board, seen)
        if name(move.end) in squeeze or board.is_castling(move)
    ]
    for move in moves:
        if _without_sign(board, seen, move) == wanted:
            return move
    meant = {move for move in moves if squeeze in _spellings(board, move)}
    return meant.pop() if len(meant) == 1 else None


def _without_sign(board: Board, seen: MoveRestrictions, move: Move) -> str:
    name, code = board.setup.geometry.name, board.cells[move.start]
    start, end = name(move.start), name(move.end)
    takes = "x" if board.taken(move) else ""
    if board.is_castling(move):
        return _castling(board, move, f"K{start}{end}")
    if board.is_vatican(move):
        return f"{LETTER[code].upper()}{start}x{end}"
    if code & MAN == PAWN:
        promoted = f"={KINDS[move.promotion - 1].letter.upper()}" if move.promotion else ""
        return f"{_file(start)}x{end}{promoted}" if takes else f"{end}{promoted}"
    return f"{LETTER[code].upper()}{_which(board, seen, move)}{takes}{end}"


def _castling(board: Board, move: Move, long: str) -> str:
    """Named by the wing, unless another king could castle there too."""
    step = move.end - move.start
    able = [k for k in board.kings[board.turn] if k + step in castling_reach(board, k)]
    return _CASTLING[step > 0][0] if len(able) == 1 else long


def _which(board: Board, seen: MoveRestrictions, move: Move) -> str:
    """What distinguishes the man from others of its kind that could go there: file, rank or both.
    Never the file alone where files have two letters: ``Nab3`` goes to ab3."""
    geometry, code = board.setup.geometry, board.cells[move.start]
    name = geometry.name
    start = name(move.start)
    others = [
        name(other)
        for other in board.men[board.turn].copy()
        if other != move.start
        and board.cells[other] == code
        and is_legal(board, seen, Move(other, move.end))
    ]
    if not others:
        return ""
    one_letter = geometry.width <= _ALPHABET
    if one_letter and all(_file(other) != _file(start) for other in others):
        return _file(start)
    if all(_rank(other) != _rank(start) for other in others):
        return _rank(start)
    return start


def _spellings(board: Board, move: Move) -> Iterator[str]:
    """All spellings of a legal move, lower case and without signs."""
    geometry, code = board.setup.geometry, board.cells[move.start]
    yield spell(geometry, move)
    if board.is_castling(move):
        yield from _CASTLING[move.end > move.start][1:]
        return
    start = geometry.name(move.start)
    end = spell(geometry, move).removeprefix(start)
    letter = LETTER[code].lower()
    parts = itertools.product(("", _file(start)), ("", _rank(start)))
    if code & MAN == PAWN:
        before = [_file(start), start]
        if not board.taken(move):
            yield end
    else:
        before = [letter + file + rank for file, rank in parts]
    for begin in before:
        yield begin + end
        yield begin + "x" + end


def _file(square: str) -> str:
    return square.rstrip("0123456789")


def _rank(square: str) -> str:
    return square.lstrip("abcdefghijklmnopqrstuvwxyz")
