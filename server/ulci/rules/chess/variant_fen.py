"""May this start position of a variant be played? python-chess reads it and says what it is not."""

import chess
import chess.variant

from ulci.rules import words
from ulci.rules.position import StartError

# Longer than the FEN of a full board with every man in a pocket and every promotion marked.
_LONGEST = 200
_FIELDS: dict[type[chess.Board], tuple[int, int]] = {chess.variant.ThreeCheckBoard: (5, 7)}
_USUAL_FIELDS = (4, 6)

_FAULTS = {
    chess.STATUS_NO_WHITE_KING: "White has no king",
    chess.STATUS_NO_BLACK_KING: "Black has no king",
    chess.STATUS_TOO_MANY_KINGS: "a side has more kings than this variant allows",
    chess.STATUS_TOO_MANY_WHITE_PAWNS: "White has too many pawns",
    chess.STATUS_TOO_MANY_BLACK_PAWNS: "Black has too many pawns",
    chess.STATUS_PAWNS_ON_BACKRANK: "a pawn stands on the first or last rank",
    chess.STATUS_TOO_MANY_WHITE_PIECES: "White has too many men",
    chess.STATUS_TOO_MANY_BLACK_PIECES: "Black has too many men",
    chess.STATUS_BAD_CASTLING_RIGHTS: "a castling right lacks its king or rook",
    chess.STATUS_INVALID_EP_SQUARE: "no pawn has just passed the en passant square",
    chess.STATUS_OPPOSITE_CHECK: "the king of the side that is not to move is in check",
    chess.STATUS_EMPTY: "the board is empty",
    chess.STATUS_RACE_CHECK: "a king is in check",
    chess.STATUS_RACE_OVER: "the race is over",
    chess.STATUS_RACE_MATERIAL: "a side has men that a race does not have",
    chess.STATUS_TOO_MANY_CHECKERS: "more men give check than one move can bring about",
    chess.STATUS_IMPOSSIBLE_CHECK: "no single move brings that check about",
}


def read_start(fen: str, kind: type[chess.Board]) -> chess.Board:
    """The board of this FEN, playable by the variant's rules.

    Raises:
        StartError: it is not; the text names the fault and what was expected.
    """
    example = f"expected a FEN such as {kind.starting_fen}"
    fields = len(fen.split())
    least, most = _FIELDS.get(kind, _USUAL_FIELDS)
    if len(fen) > _LONGEST or not least <= fields <= most:
        raise StartError(f"the FEN has {words.count(fields, 'field')}, {example}")
    board = kind(None)
    try:
        board.set_fen(fen)
    except ValueError as error:
        raise StartError(f"{error}, {example}") from None
    status = board.status()
    for flag, why in _FAULTS.items():
        if status & flag:
            raise StartError(f"{why}, {example}")
    assert status == chess.STATUS_VALID, status
    return board
