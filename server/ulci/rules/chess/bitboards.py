"""Fast path for ordinary moves: judged and made directly on the bitboards of python-chess.

python-chess runs its generators to see whether a move is legal, and saves the board for `pop`; both
cost more than the move itself. `make` declines castling, promotion, en passant and illegal moves:
then the caller asks python-chess, which also reads other spellings than those of `MOVES`.
"""

from typing import NamedTuple

import chess

from ulci.rules.position import Legal

_KNIGHT, _DIAGONAL, _STRAIGHT, _STEP = 1, 2, 4, 8
_PUSH, _DOUBLE, _TAKE = 1, 2, 3


class Move(NamedTuple):
    """Start and target squares, and the pieces that can make the move.

    path: bits of the squares between them. shape: the sum of the ways of moving that it fits.
    pawn: the kind of pawn move for (Black, White), 0 if it cannot or would be promoted.
    legal: the verdict, shared by all games.
    """

    start: int
    end: int
    start_bit: int
    end_bit: int
    path: int
    shape: int
    pawn: tuple[int, int]
    legal: Legal


def _pawn(color: chess.Color, start: int, end: int) -> int:
    ahead = end - start if color else start - end
    rank = chess.square_rank(start) if color else 7 - chess.square_rank(start)
    if rank not in range(1, 6):
        return 0
    if ahead == 16:
        return _DOUBLE if rank == 1 else 0
    if chess.BB_PAWN_ATTACKS[color][start] & chess.BB_SQUARES[end]:
        return _TAKE
    return _PUSH if ahead == 8 else 0


def _move(start: int, end: int) -> Move:
    start_bit, end_bit = chess.BB_SQUARES[start], chess.BB_SQUARES[end]
    straight = (chess.BB_RANK_ATTACKS[start][0] | chess.BB_FILE_ATTACKS[start][0]) & end_bit
    shape = (
        _KNIGHT * bool(chess.BB_KNIGHT_ATTACKS[start] & end_bit)
        + _DIAGONAL * bool(chess.BB_DIAG_ATTACKS[start][0] & end_bit)
        + _STRAIGHT * bool(straight)
        + _STEP * bool(chess.BB_KING_ATTACKS[start] & end_bit)
    )
    return Move(
        start,
        end,
        start_bit,
        end_bit,
        chess.between(start, end),
        shape,
        (_pawn(chess.BLACK, start, end), _pawn(chess.WHITE, start, end)),
        Legal(chess.SQUARE_NAMES[start] + chess.SQUARE_NAMES[end]),
    )


_DIAGONALS = [chess.BB_DIAG_ATTACKS[square][0] for square in chess.SQUARES]
_RANKS = [chess.BB_RANK_ATTACKS[square][0] for square in chess.SQUARES]
_FILES = [chess.BB_FILE_ATTACKS[square][0] for square in chess.SQUARES]
_LINES = [_DIAGONALS[square] | _RANKS[square] | _FILES[square] for square in chess.SQUARES]
# Squares from which a piece can give check to a king on this one.
_REACH = [_LINES[square] | chess.BB_KNIGHT_ATTACKS[square] for square in chess.SQUARES]
# Squares where a pin on the king can keep a pawn from advancing; one along the file cannot.
_PINNING = [_DIAGONALS[square] | _RANKS[square] for square in chess.SQUARES]

MOVES = {
    move.legal.move: move
    for start in chess.SQUARES
    for end in chess.scan_forward(_REACH[start])
    for move in (_move(start, end),)
}
"""By spelling."""


def make(board: chess.Board, move: Move, *, check: bool) -> bool | None:
    """Make the move if it is ordinary and legal; `check`: the mover is in check. Nothing is added
    to the stack of `board`.

    Returns:
        Whether the move gives check. None: no move was made, python-chess has to judge.
    """
    start, end, start_bit, end_bit, path, shape, pawn, _ = move
    turn, occupied = board.turn, board.occupied
    own, theirs = board.occupied_co[turn], board.occupied_co[not turn]
    if not own & start_bit or (own & end_bit) | (occupied & path):
        return None
    pawns, knights, bishops = board.pawns, board.knights, board.bishops
    rooks, queens, kings = board.rooks, board.queens, board.kings
    after = occupied & ~start_bit | end_bit
    # The king must not be attacked afterwards; only these moves can expose it.
    king = end if kings & start_bit else (kings & own).bit_length() - 1
    if (
        king == end or check or chess.BB_RAYS[king][start] & theirs & (bishops | rooks | queens)
    ) and board.attackers_mask(not turn, king, after) & ~end_bit:
        return None
    touched = start_bit | end_bit
    captured = theirs & end_bit
    passed = None
    quiet = not captured
    if pawns & start_bit:
        way = pawn[turn]
        if not way or (way == _TAKE) is quiet:
            return None
        board.pawns = pawns ^ touched
        quiet = False
        if way == _DOUBLE:
            passed = (start + end) >> 1
    elif knights & start_bit:
        if not shape & _KNIGHT:
            return None
        board.knights = knights ^ touched
    elif bishops & start_bit:
        if not shape & _DIAGONAL:
            return None
        board.bishops = bishops ^ touched
    elif rooks & start_bit:
        if not shape & _STRAIGHT:
            return None
        board.rooks = rooks ^ touched
    elif queens & start_bit:
        if shape == _KNIGHT:
            return None
        board.queens = queens ^ touched
    else:
        if not shape & _STEP:
            return None
        board.kings = kings ^ touched
        board.castling_rights &= ~(chess.BB_RANK_1 if turn else chess.BB_RANK_8)
    if captured:
        _capture(board, pawns, knights, bishops, rooks, queens, end_bit)
        theirs ^= end_bit
        board.occupied_co[not turn] = theirs
    if board.promoted & touched:
        kept = board.promoted & ~touched
        board.promoted = kept | end_bit if board.promoted & start_bit else kept
    board.castling_rights &= ~touched
    board.occupied_co[turn] = own ^ touched
    board.occupied = after
    board.ep_square = passed
    board.halfmove_clock = board.halfmove_clock + 1 if quiet else 0
    board.fullmove_number += not turn
    board.turn = not turn
    king = (kings & theirs).bit_length() - 1
    return bool(_REACH[king] & touched and board.attackers_mask(turn, king))


def _capture(
    board: chess.Board, pawns: int, knights: int, bishops: int, rooks: int, queens: int, bit: int
) -> None:
    """Remove the piece on that square; the masks are those before the move. The bit is toggled, as
    the moving piece has toggled it too if both are of one kind."""
    if pawns & bit:
        board.pawns ^= bit
    elif knights & bit:
        board.knights ^= bit
    elif bishops & bit:
        board.bishops ^= bit
    elif rooks & bit:
        board.rooks ^= bit
    elif queens & bit:
        board.queens ^= bit


def has_move(board: chess.Board, *, check: bool) -> bool:
    """Whether the mover has a legal move. Out of check there is nearly always a pawn, rook, queen
    or knight that no pin can hold; python-chess looks for a move only if these have none."""
    if not check:
        turn, occupied = board.turn, board.occupied
        own = board.occupied_co[turn]
        king = (board.kings & own).bit_length() - 1
        pawns = board.pawns & own & ~_PINNING[king]
        if (pawns << 8 if turn else pawns >> 8) & ~occupied:
            return True
        free = own & ~_LINES[king]
        sliders = free & (board.rooks | board.queens)
        if (sliders << 8 | sliders >> 8) & chess.BB_ALL & ~own:
            return True
        knights = free & board.knights
        if knights and chess.BB_KNIGHT_ATTACKS[knights.bit_length() - 1] & ~own:
            return True
    return next(board.generate_legal_moves(), None) is not None
