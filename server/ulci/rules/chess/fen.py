"""Start positions of chess: reads a FEN field by field, naming the field at fault.

    placement side castling en-passant [half-moves [full-moves]]

What passes here is sent to engines, some of which crash on impossible positions (Stockfish 15.1: a
castling right without its rook, a king that could be taken), so these are refused and not repaired.
Where a field has several spellings (X-FEN ``KQkq`` and Shredder-FEN ``HAha``) all are read.
"""

import re
from collections.abc import Callable

import chess

from ulci.rules.position import StartError
from ulci.rules.text import count, quoted

from . import names

HALF_MOVES_MAX = 150  # after 75 moves of each side the game is over in any case: FIDE 9.6.2
FULL_MOVES_MAX = 9999  # the longest possible game has about 5,900 moves
_FIELDS = ("placement", "side to move", "castling", "en passant", "half-move clock", "move number")
_REQUIRED = 4  # an EPD has these; the two counters have usual values
_COUNTER = re.compile(r"[0-9]{1,5}", re.ASCII)
_SIDES = {"w": chess.WHITE, "b": chess.BLACK}
_PIECES = frozenset("pnbrqkPNBRQK")
_BLANKS = frozenset("12345678")
_NAMES_OF_RIGHTS = {False: "KQkq", True: "KQkq or the files of the rooks, A-H and a-h"}
# The initial number of each kind; any more must be promoted pawns: kings, too, in antichess.
_FIRST = {chess.KING: 1, chess.QUEEN: 1, chess.ROOK: 2, chess.BISHOP: 2, chess.KNIGHT: 2}


def read_start(fen: str, *, chess960: bool) -> chess.Board:
    """The board of this FEN, playable by the rules and safe to send to any engine.

    Raises:
        StartError: it is not; the text names field, fault and expectation.
    """
    fields = fen.split()
    if not _REQUIRED <= len(fields) <= len(_FIELDS):
        raise StartError(
            f"the FEN has {count(len(fields), 'field')}, expected {_REQUIRED} to"
            f" {len(_FIELDS)}: {', '.join(_FIELDS)}"
        )
    fields += ["0", "1"][len(fields) - _REQUIRED :]
    board = chess.Board(None, chess960=chess960)
    board.set_board_fen(_placement(fields[0]))
    board.turn = _side(fields[1])
    _check_men(board)
    board.castling_rights = _castling(board, fields[2])
    board.ep_square = _en_passant(board, fields[3])
    board.halfmove_clock = _counter("half-move clock", fields[4], HALF_MOVES_MAX)
    board.fullmove_number = max(1, _counter("move number", fields[5], FULL_MOVES_MAX))
    _check_kings(board)
    return board


def _placement(text: str) -> str:
    ranks = text.split("/")
    if len(ranks) != 8:
        raise StartError(
            f"the placement has {count(len(ranks), 'rank')}, expected 8 separated by '/'"
        )
    for number, rank in zip(range(8, 0, -1), ranks, strict=True):
        _check_rank(number, rank)
    return text


def _check_rank(number: int, rank: str) -> None:
    squares = 0
    for letter in rank:
        if letter in _BLANKS:
            squares += int(letter)
        elif letter in _PIECES:
            squares += 1
        else:
            raise StartError(
                f"rank {number} of the placement has {quoted(letter)}, expected pieces"
                " KQRBNP (White), kqrbnp (Black) and digits 1 to 8 for empty squares"
            )
    if squares != 8:
        raise StartError(
            f"rank {number} of the placement, {quoted(rank)}, has"
            f" {count(squares, 'square')}, expected 8"
        )
    if re.search(r"[1-8][1-8]", rank):
        raise StartError(
            f"rank {number} of the placement, {quoted(rank)}, has two numbers in a row,"
            " expected one number for neighbouring empty squares"
        )


def _side(text: str) -> chess.Color:
    if text not in _SIDES:
        raise StartError(f"the side to move is {quoted(text)}, expected w or b")
    return _SIDES[text]


def _counter(name: str, text: str, most: int) -> int:
    if not _COUNTER.fullmatch(text) or int(text) > most:
        raise StartError(f"the {name} is {quoted(text)}, expected a number from 0 to {most}")
    return int(text)


# The men


def _check_men(board: chess.Board) -> None:
    for color in chess.COLORS:
        kings = len(board.pieces(chess.KING, color))
        if kings != 1:
            raise StartError(
                f"the placement has {count(kings, names.side(color) + ' king')}, expected exactly 1"
            )
    stuck = board.pieces_mask(chess.PAWN, chess.WHITE) | board.pieces_mask(chess.PAWN, chess.BLACK)
    for square in chess.SquareSet(stuck & chess.BB_BACKRANKS):
        raise StartError(
            f"a pawn stands on {chess.square_name(square)}, expected none on ranks 1 and 8"
        )
    for color in chess.COLORS:
        pawns = len(board.pieces(chess.PAWN, color))
        if pawns > 8:
            raise StartError(
                f"the placement has {pawns} {names.side(color)} pawns, expected at most 8"
            )
        if fault := promotion_fault(board, color):
            raise StartError(f"{fault}, expected at most 8 together")


def promotion_fault(board: chess.Board, color: chess.Color) -> str | None:
    """More men than eight pawns can become: python-chess does not check this, but 15 queens have
    more moves than the 256 for which many engines have room."""
    pawns = len(board.pieces(chess.PAWN, color))
    promoted = sum(max(0, len(board.pieces(kind, color)) - first) for kind, first in _FIRST.items())
    if pawns + promoted <= 8:
        return None
    return (
        f"{names.side(color)} has {count(pawns, 'pawn')} and"
        f" {count(promoted, 'piece')} that can only come from promotion"
    )


def _check_kings(board: chess.Board) -> None:
    """Reject impossible checks, the rest of what `status` finds."""
    mover, other = names.side(board.turn), names.side(not board.turn)
    status = board.status()
    if status & chess.STATUS_OPPOSITE_CHECK:
        raise StartError(
            f"{other} is in check but the side to move is {mover},"
            f" expected {other} to move or its king not attacked"
        )
    if status & (chess.STATUS_TOO_MANY_CHECKERS | chess.STATUS_IMPOSSIBLE_CHECK):
        raise StartError(
            f"{mover} is in check from {' and '.join(map(chess.square_name, board.checkers()))},"
            f" which no single move of {other} brings about;"
            " expected one attacker, or two by a discovered check"
        )
    assert status == chess.STATUS_VALID, status


# Castling


def _castling(board: chess.Board, text: str) -> chess.Bitboard:
    """The rooks with which the kings may castle."""
    rights = chess.BB_EMPTY
    for letter in "" if text == "-" else text:
        rook = _rook(board, letter)
        if rook is None:
            raise StartError(_no_such_right(board, text, letter))
        if _same_wing(board, rook, rights):
            raise StartError(
                f"castling is {quoted(text)}, which names the wing of {letter} twice;"
                " expected each side and wing once"
            )
        rights |= chess.BB_SQUARES[rook]
    return rights


def _rook(board: chess.Board, letter: str) -> chess.Square | None:
    """The rook that a letter of the castling field means; None if king or rook is misplaced."""
    color = letter.isupper()
    king = board.king(color)
    assert king is not None
    home = chess.BB_RANK_1 if color else chess.BB_RANK_8
    rooks = board.pieces_mask(chess.ROOK, color) & home
    if not home & chess.BB_SQUARES[king]:
        return None
    if board.chess960:
        return _rook_anywhere(rooks, king, letter.lower())
    rooks &= _CORNERS.get(letter.lower(), chess.BB_EMPTY)
    return chess.msb(rooks) if rooks and chess.square_file(king) == _KING_FILE else None


_KING_FILE = 4
_CORNERS = dict(zip("kqha", (chess.BB_FILE_H, chess.BB_FILE_A) * 2, strict=True))
_OUTERMOST: dict[str, Callable[[chess.Bitboard], int]] = {"k": chess.msb, "q": chess.lsb}


def _rook_anywhere(rooks: chess.Bitboard, king: int, letter: str) -> chess.Square | None:
    """Chess960: the rook on that file, or X-FEN's k and q, the outermost rook of the wing."""
    if letter in chess.FILE_NAMES:
        rooks &= chess.BB_FILES[chess.FILE_NAMES.index(letter)]
        return chess.msb(rooks) if rooks else None
    if letter not in _OUTERMOST or not rooks:
        return None
    rook = _OUTERMOST[letter](rooks)
    return rook if (rook > king) == (letter == "k") else None


def _same_wing(board: chess.Board, rook: chess.Square, rights: chess.Bitboard) -> bool:
    king = board.king(bool(chess.BB_SQUARES[rook] & chess.BB_RANK_1))
    assert king is not None
    return any(
        chess.square_rank(other) == chess.square_rank(rook) and (other > king) == (rook > king)
        for other in chess.scan_forward(rights)
    )


def _no_such_right(board: chess.Board, text: str, letter: str) -> str:
    begin = f"castling is {quoted(text)}, "
    rights = _NAMES_OF_RIGHTS[board.chess960]
    known = "kqabcdefgh" if board.chess960 else "kqha"
    if letter.lower() not in known:
        other = not board.chess960 and letter.lower() in chess.FILE_NAMES
        hint = "; rooks on other files belong to chess960" if other else ""
        return begin + f"expected - or letters of {rights}{hint}"
    side, rank = names.side(letter.isupper()), 1 if letter.isupper() else 8
    if not board.chess960:
        rook = "h" if letter in "KkHh" else "a"
        return begin + f"but {letter} needs {side}'s king on e{rank} and a rook on {rook}{rank}"
    if letter not in "KQkq":
        place = f"{letter.lower()}{rank}"
        return begin + f"but {letter} needs {side}'s king on rank {rank} and a rook on {place}"
    wing = "right" if letter in "Kk" else "left"
    return begin + f"but {letter} needs {side}'s king on rank {rank} and a rook {wing} of it"


# En passant


def _en_passant(board: chess.Board, text: str) -> chess.Square | None:
    if text == "-":
        return None
    rank, beyond, behind = (5, 4, 6) if board.turn else (2, 3, 1)
    expected = f"expected - or a square of rank {rank + 1} that a pawn has just passed"
    if text not in chess.SQUARE_NAMES or chess.square_rank(chess.parse_square(text)) != rank:
        raise StartError(
            f"the en passant square is {quoted(text)} with {names.side(board.turn)}"
            f" to move, {expected}"
        )
    file = chess.square_file(chess.parse_square(text))
    pawn = chess.Piece(chess.PAWN, not board.turn)
    ahead, start = chess.square(file, beyond), chess.square(file, behind)
    if board.piece_at(ahead) != pawn:
        raise StartError(
            f"the en passant square is {text} but {names.side(not board.turn)} has no pawn on"
            f" {chess.square_name(ahead)}, {expected}"
        )
    for square in (chess.square(file, rank), start):
        if board.piece_at(square):
            raise StartError(
                f"the en passant square is {text} but {chess.square_name(square)} is not empty,"
                f" {expected}"
            )
    return chess.square(file, rank)
