"""Why a move is illegal: one sentence for the player, without a full stop."""

from collections.abc import Callable

import chess

from ulci.rules.text import NO_MOVES, quoted

from . import names
from .moves import read_untrusted

_EXAMPLE = "expected the squares it leaves and reaches, such as e2e4, or e7e8q"


def why_not(board: chess.Board, text: str) -> str:
    """The fault of a text that names no legal move here. Never raises."""
    if text.strip().lower() in NO_MOVES:
        return f"{quoted(text)} is no move, and {names.side(board.turn)} has to make one"
    move = read_untrusted(text)
    if move is None:
        return f"{quoted(text)} is not a move, {_EXAMPLE}" if text else f"empty, {_EXAMPLE}"
    for fault in _FAULTS:
        if why := fault(board, move):
            return why
    return _check(board, move)


def _nothing_to_move(board: chess.Board, move: chess.Move) -> str | None:
    square = chess.square_name(move.from_square)
    man = board.piece_at(move.from_square)
    if man is None:
        return f"there is no piece on {square}"
    if man.color != board.turn:
        return (
            f"it is {names.side(board.turn)}'s move, and the {chess.piece_name(man.piece_type)}"
            f" on {square} is {names.side(man.color)}'s"
        )
    if move.from_square == move.to_square:
        return f"the {chess.piece_name(man.piece_type)} on {square} has to leave it"
    return None


def _castling(board: chess.Board, move: chess.Move) -> str | None:
    """A king's move to its own rook or two files aside is meant as castling."""
    own_rook = board.pieces_mask(chess.ROOK, board.turn) & chess.BB_SQUARES[move.to_square]
    files = abs(chess.square_file(move.to_square) - chess.square_file(move.from_square))
    ranks = chess.square_rank(move.to_square) - chess.square_rank(move.from_square)
    meant = board.king(board.turn) == move.from_square and not ranks and not move.promotion
    if not meant or not (own_rook or files == 2):
        return None
    if board.is_check():
        return "a king in check may not castle"
    short = move.to_square > move.from_square
    wing = "kingside" if short else "queenside"
    may = board.has_kingside_castling_rights if short else board.has_queenside_castling_rights
    if not may(board.turn):
        return f"{names.side(board.turn)} may no longer castle {wing}"
    return (
        f"{names.side(board.turn)} cannot castle {wing} now: squares that king or rook cross or"
        " reach are occupied, or the king would cross or reach an attacked one"
    )


def _blocked(board: chess.Board, move: chess.Move) -> str | None:
    man, target = board.piece_at(move.from_square), board.piece_at(move.to_square)
    assert man is not None
    end = chess.square_name(move.to_square)
    if target is not None and target.color == man.color:
        own = f"{names.side(man.color)}'s own {chess.piece_name(target.piece_type)}"
        return f"{end} is occupied by {own}"
    straight = chess.square_file(move.from_square) == chess.square_file(move.to_square)
    if target is not None and man.piece_type == chess.PAWN and straight:
        return f"{end} is occupied, and a pawn captures diagonally"
    between = chess.SquareSet(chess.between(move.from_square, move.to_square)) & board.occupied
    if between and _walks(man, move):
        blocker = chess.square_name(next(iter(between)))
        return f"the {chess.piece_name(man.piece_type)} cannot pass the piece on {blocker}"
    return None


def _walks(man: chess.Piece, move: chess.Move) -> bool:
    """Whether the piece could go there on an empty board."""
    empty = chess.Board(None)
    empty.turn = man.color
    empty.set_piece_at(move.from_square, man)
    return empty.is_pseudo_legal(chess.Move(move.from_square, move.to_square))


def _promotion(board: chess.Board, move: chess.Move) -> str | None:
    pawn = board.pawns & chess.BB_SQUARES[move.from_square]
    last = chess.BB_SQUARES[move.to_square] & chess.BB_BACKRANKS
    if move.promotion is None:
        queening = chess.Move(move.from_square, move.to_square, chess.QUEEN)
        if pawn and last and board.is_pseudo_legal(queening):
            return (
                f"a pawn that reaches the last rank is promoted: add q, r, b or n,"
                f" such as {queening.uci()}"
            )
        return None
    if not pawn or not last:
        return f"{move.uci()} promotes, but only a pawn that reaches the last rank does"
    if move.promotion in (chess.KING, chess.PAWN):
        return f"a pawn may become q, r, b or n, not a {chess.piece_name(move.promotion)}"
    return None


def _not_its_way(board: chess.Board, move: chess.Move) -> str | None:
    if board.is_pseudo_legal(move):
        return None
    kind = board.piece_type_at(move.from_square)
    assert kind is not None
    return f"{move.uci()} is not a move of the {chess.piece_name(kind)}"


def _check(board: chess.Board, move: chess.Move) -> str:
    """The only fault left for a move that the piece can make."""
    if board.is_check() and move.from_square != board.king(board.turn):
        return f"the king is in check, and {move.uci()} does not end it"
    return f"the king would be in check after {move.uci()}"


_FAULTS: tuple[Callable[[chess.Board, chess.Move], str | None], ...] = (
    _nothing_to_move,
    _castling,
    _blocked,
    _promotion,
    _not_its_way,
)
