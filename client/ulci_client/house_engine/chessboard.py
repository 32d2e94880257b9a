"""Chess, Chess960 and the chess variants for the search, on python-chess."""

from collections.abc import Iterable
from functools import partial

import chess

from ulci.rules.chess import find_untrusted, read_start, variant_fen, variant_moves, why_not

from .board import play_untrusted
from .piece_values import Worth, worth

# Game phase by pieces on the board; 24 at the start.
_PHASES = {chess.KNIGHT: 1, chess.BISHOP: 1, chess.ROOK: 2, chess.QUEEN: 4}
_FULL_PHASE = 24
# From this lead on, without pawns, drive the other king to the edge.
_WINNING = 300
_KINGS_APART = 8  # centipawns a step between the kings


def _table(kind: chess.PieceType, color: chess.Color) -> list[Worth]:
    """A piece's value by square, negative for Black."""
    letter, sign = chess.piece_symbol(kind), 1 if color else -1
    mine = (square if color else chess.square_mirror(square) for square in chess.SQUARES)
    at = [worth(letter, chess.square_file(one), chess.square_rank(one), 8, 8) for one in mine]
    return [Worth(sign * one.middle, sign * one.end) for one in at]


_TABLES = [
    (kind, color, _table(kind, color)) for kind in chess.PIECE_TYPES for color in chess.COLORS
]
_PLACES = {
    kind: [one.middle for one in table] for kind, color, table in _TABLES if color is chess.WHITE
}
_VALUES = [0, 100, 300, 320, 500, 950, 0]  # by piece type, for ordering and pruning


class ChessBoard:
    """A `Board` of standard chess or Chess960. Its history matters for repetition."""

    def __init__(self, board: chess.Board) -> None:
        """`board` is valid and becomes the object's own."""
        self.board = board
        self._seen = [_key(board)]

    def moves(self) -> list[chess.Move]:
        moves = list(self.board.legal_moves)
        moves.sort(key=self._promise, reverse=True)
        return moves

    def captures(self) -> list[chess.Move]:
        board = self.board
        moves = list(board.generate_legal_captures())
        pawns = board.pawns & board.occupied_co[board.turn]
        last = chess.BB_BACKRANKS & ~board.occupied
        moves += board.generate_legal_moves(pawns, last)
        moves.sort(key=self._promise, reverse=True)
        return moves

    def gain(self, move: chess.Move) -> int:
        board = self.board
        promoted = _VALUES[move.promotion] - _VALUES[chess.PAWN] if move.promotion else 0
        if board.is_castling(move):
            return 0
        if board.is_en_passant(move):
            return _VALUES[chess.PAWN]
        return promoted + _VALUES[board.piece_type_at(move.to_square) or 0]

    def make(self, move: chess.Move) -> None:
        self.board.push(move)
        self._seen.append(_key(self.board))

    def unmake(self) -> None:
        self._seen.pop()
        self.board.pop()

    def in_check(self) -> bool:
        return self.board.is_check()

    def won(self) -> bool:
        return False

    def drawn(self) -> bool:
        board = self.board
        clock = board.halfmove_clock
        # The same position cannot be back sooner than after four half-moves.
        if clock >= 4 and self._seen[-1] in self._seen[-1 - clock : -1]:
            return True
        if board.is_fifty_moves():
            return True
        mighty = board.pawns | board.rooks | board.queens
        return not mighty and board.is_insufficient_material()

    def evaluate(self) -> int:
        board = self.board
        middle = end = phase = 0
        for kind, color, table in _TABLES:
            men = board.pieces_mask(kind, color)
            phase += men.bit_count() * _PHASES.get(kind, 0)
            for square in chess.scan_forward(men):
                value = table[square]
                middle += value[0]
                end += value[1]
        phase = min(phase, _FULL_PHASE)
        score = (middle * phase + end * (_FULL_PHASE - phase)) // _FULL_PHASE
        if abs(score) >= _WINNING and not board.pawns:
            score += self._hunt() if score > 0 else -self._hunt()
        return score if board.turn else -score

    def white_to_move(self) -> bool:
        return self.board.turn

    def find_untrusted(self, text: str) -> chess.Move | None:
        return find_untrusted(self.board, text)

    def spell(self, move: chess.Move) -> str:
        return move.uci()

    def name(self) -> str:
        return self.board.fen(shredder=self.board.chess960)

    def _promise(self, move: chess.Move) -> int:
        """Good captures first, then moves to better squares."""
        kind = self.board.piece_type_at(move.from_square) or 0
        gain = self.gain(move)
        if gain:
            return 1000 + 10 * gain - _VALUES[kind]
        places = _PLACES[kind]
        return places[move.to_square] - places[move.from_square]

    def _hunt(self) -> int:
        white, black = self.board.king(chess.WHITE), self.board.king(chess.BLACK)
        assert white is not None
        assert black is not None
        return _KINGS_APART * (14 - chess.square_manhattan_distance(white, black))


def _key(board: chess.Board) -> tuple[object, ...]:
    """Without en passant: after a pawn's move no earlier position can recur."""
    return (
        board.pawns,
        board.knights,
        board.bishops,
        board.rooks,
        board.queens,
        board.kings,
        board.occupied_co[chess.WHITE],
        board.turn,
        board.castling_rights,
    )


def read_untrusted(start: str | None, moves: Iterable[str], *, chess960: bool) -> ChessBoard:
    """Parse ``position``. A game that is over by the rules may be searched while there is a legal
    move: some programs play on.

    Raises:
        StartError, PositionError: the start or one of the moves is wrong.
    """
    fen = chess.STARTING_FEN if start is None else start
    board = read_start(fen, chess960=chess960)
    position = ChessBoard(board)
    play_untrusted(position, moves, partial(why_not, board))
    return position


class VariantBoard(ChessBoard):
    """A `Board` of a UCI_Variant: pieces are valued as in chess, and the variant's end is
    decisive."""

    def captures(self) -> list[chess.Move]:
        moves = [move for move in self.board.legal_moves if self.gain(move) > 0]
        moves.sort(key=self._promise, reverse=True)
        return moves

    def gain(self, move: chess.Move) -> int:
        return 0 if move.drop else super().gain(move)

    def in_check(self) -> bool:
        """A loss by the variant's rule counts as mate."""
        return self.board.is_check() or self.board.is_variant_loss()

    def won(self) -> bool:
        """In antichess, whoever has no man or no move left."""
        return self.board.is_variant_win()

    def drawn(self) -> bool:
        return self.board.is_variant_draw() or super().drawn()

    def moves(self) -> list[chess.Move]:
        return [] if self.board.is_variant_end() else super().moves()

    def find_untrusted(self, text: str) -> chess.Move | None:
        return variant_moves.find_untrusted(self.board, text)

    def _promise(self, move: chess.Move) -> int:
        return 0 if move.drop else super()._promise(move)

    def _hunt(self) -> int:
        """Not every variant has two kings or is won by mate."""
        return 0


def read_variant_untrusted(
    kind: type[chess.Board], start: str | None, moves: Iterable[str]
) -> VariantBoard:
    """Parse ``position`` in the variant of `kind`.

    Raises:
        StartError, PositionError: the start or one of the moves is wrong.
    """
    board = kind() if start is None else variant_fen.read_start(start, kind)
    position = VariantBoard(board)
    play_untrusted(position, moves, partial(variant_moves.why_not, board))
    return position
