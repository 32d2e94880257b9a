"""Positions in which a side cannot mate by any series of legal moves (FIDE 6.9), beyond what the
material alone says: a forced line in which the means are lost, and a closed wall of pawns.

Not every such position is recognised. Each answer takes a few milliseconds at most, as it is given
while other games wait: what is not found dead within that is taken for alive.
"""

from collections.abc import Hashable

import chess

MOST_MOVES = 64
"""Moves that are tried to see whether play is forced: 2 ms. A position with two replies to each
move has more after six plies."""


def is_dead(board: chess.Board, winner: chess.Color) -> bool:
    """Whether `winner` is known to be unable to mate from here. The board is left as it is."""
    return _is_closed(board) or _is_forced(board, winner)


# Forced lines


def _is_forced(board: chess.Board, winner: chess.Color) -> bool:
    """Whether all lines from here are short, or repeat themselves, and in none `winner` mates."""
    waiting = [board.copy(stack=False)]
    seen = {_key(board)}
    tried = 0
    while waiting:
        position = waiting.pop()
        if position.has_insufficient_material(winner):
            continue
        moves = [*position.legal_moves]
        if not moves and position.is_check() and position.turn is not winner:
            return False
        tried += len(moves)
        if tried > MOST_MOVES:
            return False
        for move in moves:
            following = position.copy(stack=False)
            following.push(move)
            if (key := _key(following)) not in seen:
                seen.add(key)
                waiting.append(following)
    return True


def _key(board: chess.Board) -> Hashable:
    men = (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
    state = (board.occupied_co[chess.WHITE], board.turn, board.castling_rights, board.ep_square)
    return men, state


# Walls of pawns


def _is_closed(board: chess.Board) -> bool:
    """Only kings and pawns are left, no pawn can ever move or take, and no king can get at one."""
    pawns = board.pawns
    if board.occupied != pawns | board.kings or board.ep_square is not None:
        return False
    white, black = (pawns & board.occupied_co[color] for color in (chess.WHITE, chess.BLACK))
    if white << 8 & ~pawns or black >> 8 & ~pawns:
        return False  # a pawn stands before a square without a pawn
    guarded = {chess.WHITE: _attacks(white, chess.WHITE), chess.BLACK: _attacks(black, chess.BLACK)}
    if guarded[chess.WHITE] & black or guarded[chess.BLACK] & white:
        return False
    return not any(
        _reach(board, color, guarded[not color]) & theirs
        for color, theirs in ((chess.WHITE, black), (chess.BLACK, white))
    )


def _attacks(pawns: chess.Bitboard, color: chess.Color) -> chess.Bitboard:
    squares = chess.BB_EMPTY
    for square in chess.scan_forward(pawns):
        squares |= chess.BB_PAWN_ATTACKS[color][square]
    return squares


def _reach(board: chess.Board, color: chess.Color, guarded: chess.Bitboard) -> chess.Bitboard:
    """The squares that the king may ever come to, wherever the other king stands; those with a pawn
    of the other side, if it could take it, among them."""
    king = board.king(color)
    assert king is not None
    barred = guarded | board.pawns & board.occupied_co[color]
    reached, new = chess.BB_EMPTY, chess.BB_SQUARES[king]
    while new:
        reached |= new
        near = chess.BB_EMPTY
        for square in chess.scan_forward(new):
            near |= chess.BB_KING_ATTACKS[square]
        new = near & ~barred & ~reached
    return reached
