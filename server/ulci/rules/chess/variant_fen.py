"""Start positions of the variants: python-chess parses them and reports faults."""

from collections.abc import Callable

import chess
import chess.variant

from ulci.rules.position import StartError
from ulci.rules.text import count, quoted

from . import fen, names

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


def example(kind: type[chess.Board]) -> str:
    """The end of every error: what was expected."""
    return f"expected a FEN such as {kind.starting_fen}"


def read_start(text: str, kind: type[chess.Board]) -> chess.Board:
    """The board of this FEN, playable by the variant's rules.

    Raises:
        StartError: it is not; the text names the fault and what was expected.
    """
    expected = example(kind)
    fields = len(text.split())
    least, most = _FIELDS.get(kind, _USUAL_FIELDS)
    if len(text) > _LONGEST or not least <= fields <= most:
        raise StartError(f"the FEN has {count(fields, 'field')}, {expected}")
    board = kind(None)
    try:
        board.set_fen(text)
    except ValueError as error:
        raise StartError(f"{_own_words(str(error))}, {expected}") from None
    status = board.status()
    for flag, why in _FAULTS.items():
        if status & flag:
            raise StartError(f"{why}, {expected}")
    assert status == chess.STATUS_VALID, status
    for fault in (_counters, _marks, *_EXTRAS.get(kind, ())):
        if fault_found := fault(board):
            raise StartError(f"{fault_found}, {expected}")
    return board


def promotion_fault(board: chess.Board) -> str | None:
    """Which side has more promoted men than eight pawns can become. Crazyhouse has no such fault,
    because captured men come back, nor has the horde, whose 36 pawns may all be promoted."""
    if isinstance(board, chess.variant.CrazyhouseBoard):
        return None
    horde = isinstance(board, chess.variant.HordeBoard)
    faults = (fen.promotion_fault(board, color) for color in chess.COLORS if not (horde and color))
    return next(filter(None, faults), None)


def _own_words(error: str) -> str:
    """For a pocket's letter, python-chess reports an error about a list."""
    return "a pocket has something else than men" if error.endswith("is not in list") else error


# Faults that python-chess does not check, and that crash other programs


def _counters(board: chess.Board) -> str | None:
    for name, number, most in (
        ("half-move clock", board.halfmove_clock, fen.HALF_MOVES_MAX),
        ("move number", board.fullmove_number, fen.FULL_MOVES_MAX),
    ):
        if number > most:
            return f"the {name} is {quoted(str(number))}, more than {most}"
    return None


def _marks(board: chess.Board) -> str | None:
    """A king that was a pawn would not be the king."""
    if board.promoted & (board.kings | board.pawns):
        return "a king or a pawn is marked as promoted"
    return None


def _pockets(board: chess.Board) -> str | None:
    """Captured men are dropped again, so there are never more than at the start."""
    assert isinstance(board, chess.variant.CrazyhouseBoard)
    for color in chess.COLORS:
        if board.pockets[color].count(chess.KING):
            return f"{names.side(color)} has a king in the pocket, and no king can be taken"
    men = chess.popcount(board.occupied) + sum(map(len, board.pockets))
    if men > _CRAZYHOUSE_MEN:
        return f"there are {men} men with those in the pockets, more than {_CRAZYHOUSE_MEN}"
    pawns = chess.popcount(board.pawns | board.promoted)
    pawns += sum(pocket.count(chess.PAWN) for pocket in board.pockets)
    if pawns > _CRAZYHOUSE_PAWNS:
        return (
            f"there are {pawns} pawns with promoted ones and those in the pockets,"
            f" more than {_CRAZYHOUSE_PAWNS}"
        )
    return None


_CRAZYHOUSE_MEN, _CRAZYHOUSE_PAWNS = 32, 16


def _checks(board: chess.Board) -> str | None:
    assert isinstance(board, chess.variant.ThreeCheckBoard)
    if not all(0 <= left <= _CHECKS_TO_GIVE for left in board.remaining_checks):
        return f"the checks left to give are not 0 to {_CHECKS_TO_GIVE} of each side"
    return None


_CHECKS_TO_GIVE = 3

_EXTRAS: dict[type[chess.Board], tuple[Callable[[chess.Board], str | None], ...]] = {
    chess.variant.CrazyhouseBoard: (_pockets,),
    chess.variant.ThreeCheckBoard: (_checks,),
}
