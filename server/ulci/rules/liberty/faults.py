"""Why a move is illegal: one sentence for the player, without a full stop."""

from collections.abc import Callable

from ulci.rules.text import NO_MOVES, listed, quoted

from . import names
from .attacks import MoveRestrictions, attacked
from .board import RIGHTS, Board, Move
from .generate import (
    castling_reach,
    en_passant_reach,
    pawn_reach,
    promotions,
    reach,
    vatican_reach,
)
from .moves import parts_untrusted, read_untrusted, spell
from .pieces import ANYWHERE, BISHOP, EDGE, KINDS, KING, MAN, PAWN, SIDE, TAKES, kind_of

_EXAMPLE = "expected the squares it leaves and reaches, such as e2e4, or e7e8q"


def why_not(board: Board, seen: MoveRestrictions, text: str) -> str:
    """The fault of a text that names no legal move here. Never raises."""
    if text.strip().lower() in NO_MOVES:
        return f"{quoted(text)} is no move, and {names.side(board.turn)} has to make one"
    parts = parts_untrusted(text)
    if parts is None:
        return f"{quoted(text)} is not a move, {_EXAMPLE}" if text else f"empty, {_EXAMPLE}"
    move = read_untrusted(board.setup.geometry, text)
    if move is None:
        return _not_there(board, *parts)
    for fault in _FAULTS:
        if why := fault(board, seen, move):
            return why
    return _check(board, seen, move)


def _not_there(board: Board, start: str, end: str, letter: str) -> str:
    geometry = board.setup.geometry
    for square in (start, end):
        if geometry.square(square) is None:
            corner = f"{geometry.files[-1]}{geometry.height}"
            return f"{square} is not on the board, whose squares are a1 to {corner}"
    return f"{quoted(letter)} is no piece, {_may_become(board)}"


def _may_become(board: Board) -> str:
    return f"a pawn may become {listed(board.setup.promotions, 'or')}"


def _nothing_to_move(board: Board, _seen: MoveRestrictions, move: Move) -> str | None:
    code, square = board.cells[move.start], board.setup.geometry.name(move.start)
    if not code:
        return f"there is no piece on {square}"
    if code >> SIDE != board.turn:
        return (
            f"it is {names.side(board.turn)}'s move, and the {names.piece(code)}"
            f" on {square} is {names.side(code >> SIDE)}'s"
        )
    if move.start == move.end:
        return f"the {names.piece(code)} on {square} has to leave it"
    return None


def _castling(board: Board, seen: MoveRestrictions, move: Move) -> str | None:
    """A king that goes two files along its castling row was meant to castle."""
    row = board.setup.castle_rows[board.turn]
    if not board.is_castling(move) or move.start not in row or move.promotion:
        return None
    if seen.checks:
        return "a king in check may not castle"
    side = names.side(board.turn)
    wing = "kingside" if move.end > move.start else "queenside"
    right = RIGHTS["KQ".index("K" if move.end > move.start else "Q") + 2 * board.turn]
    if not board.rights >> RIGHTS.index(right) & 1:
        return f"{side} may not castle {wing}, or no longer"
    if move.end not in castling_reach(board, move.start):
        return f"{side} cannot castle {wing} now: squares that it needs are occupied"
    name, crossed = board.setup.geometry.name, (move.start + move.end) // 2
    if attacked(board, crossed, board.turn):
        return (
            f"{side} cannot castle {wing} now: {name(crossed)}, which the king crosses, is attacked"
        )
    return None


def _occupied(board: Board, _seen: MoveRestrictions, move: Move) -> str | None:
    """The man on the target square may not be taken, wherever it stands."""
    man, target = board.cells[move.start], board.cells[move.end]
    end = board.setup.geometry.name(move.end)
    if not target or board.setup.enters[man][target] == TAKES or _vatican_meant(board, move):
        return None
    if target >> SIDE == board.turn and not board.setup.friendly_fire:
        return f"{end} is occupied by {names.side(board.turn)}'s own {names.piece(target)}"
    if target & MAN == KING:
        return f"the king on {end} cannot be taken"
    if man & MAN in ANYWHERE:
        return f"{end} is occupied, and {names.article(man)} takes nothing"
    takers = [f"{kind.name}s" for kind in KINDS if kind.attack > kind_of(target).defence]
    return f"only {listed(takers, 'and')} take the {names.piece(target)} on {end}"


def _vatican_meant(board: Board, move: Move) -> bool:
    return board.is_vatican(move) and board.cells[move.end] == board.cells[move.start]


def _vatican(board: Board, _seen: MoveRestrictions, move: Move) -> str | None:
    """From one bishop to another two squares along a file or rank."""
    if not _vatican_meant(board, move) or move.end in vatican_reach(board, move.start):
        return None
    middle = (move.start + move.end) // 2
    name, between = board.setup.geometry.name(middle), board.cells[middle]
    if not between:
        return f"there is nothing between the bishops, on {name}, that they could take"
    if between >> SIDE == board.turn and between & MAN != KING and not board.setup.friendly_fire:
        man = f"{names.side(board.turn)}'s own {names.piece(between)}"
        return f"the bishops cannot take {man} on {name}"
    return f"the bishops cannot take the {names.piece(between)} on {name}"


def _pawn(board: Board, _seen: MoveRestrictions, move: Move) -> str | None:
    """Faults of pawn moves only."""
    if board.cells[move.start] & MAN != PAWN or move.end in _pawn_ends(board, move.start):
        return None
    if not board.setup.pawn_moves:
        return "pawns do not move in this game"
    geometry = board.setup.geometry
    (file, rank), (to_file, to_rank) = geometry.place(move.start), geometry.place(move.end)
    steps = rank - to_rank if board.turn else to_rank - rank
    if file == to_file and steps > 0:
        return _ahead(board, move, steps)
    if abs(file - to_file) == 1 and steps == 1 and not board.cells[move.end]:
        return f"there is nothing on {geometry.name(move.end)} that the pawn could take"
    return None


def _ahead(board: Board, move: Move, steps: int) -> str | None:
    setup = board.setup
    name, forward = setup.geometry.name, (move.end - move.start) // steps
    if board.cells[move.end]:
        return f"{name(move.end)} is occupied, and a pawn captures diagonally"
    most = setup.pawn_moves if move.start in setup.pawn_rows[board.turn] else 1
    if steps > most:
        return f"the pawn on {name(move.start)} may go {most} forward at most, not {steps}"
    blocker = next(at for at in range(move.start + forward, move.end, forward) if board.cells[at])
    return f"the pawn cannot pass the piece on {name(blocker)}"


def _blocked(board: Board, _seen: MoveRestrictions, move: Move) -> str | None:
    """The first man on its way stops a rider."""
    geometry, man = board.setup.geometry, board.cells[move.start]
    if move.end in _ends(board, move.start):
        return None
    for step in geometry.rides[man & MAN]:
        way = range(move.start + step, move.end, step)
        if (move.end - move.start) % step or any(board.cells[at] == EDGE for at in way):
            continue
        if blocker := next((at for at in way if board.cells[at]), None):
            return f"the {names.piece(man)} cannot pass the piece on {geometry.name(blocker)}"
    return None


def _promotion(board: Board, _seen: MoveRestrictions, move: Move) -> str | None:
    spelled = spell(board.setup.geometry, move)
    becomes = promotions(board, move.start, move.end)
    if move.promotion in becomes or (
        not move.promotion and move.end not in _ends(board, move.start)
    ):
        return None
    if not move.promotion:
        letter = board.setup.promotions[0]
        return (
            f"a pawn that reaches the last rank is promoted, and {_may_become(board)},"
            f" such as {spelled}{letter}"
        )
    if becomes == (0,):
        return f"{spelled} promotes, but only a pawn that reaches the last rank does"
    return f"{_may_become(board)}, not {names.article(move.promotion)}"


def _not_its_way(board: Board, _seen: MoveRestrictions, move: Move) -> str | None:
    if move.end in _ends(board, move.start):
        return None
    kind = names.piece(board.cells[move.start])
    return f"{spell(board.setup.geometry, move)} is not a move of the {kind}"


def _check(board: Board, seen: MoveRestrictions, move: Move) -> str:
    """The only fault left for a move that the piece can make."""
    several = len(board.kings[board.turn]) > 1
    spelled = spell(board.setup.geometry, move)
    if seen.checks and board.cells[move.start] & MAN != KING:
        king = "a king" if several else "the king"
        return f"{king} is in check, and {spelled} does not end it"
    return f"{'a king' if several else 'the king'} would be in check after {spelled}"


def _pawn_ends(board: Board, start: int) -> list[int]:
    return pawn_reach(board, start) + en_passant_reach(board, start)


def _ends(board: Board, start: int) -> list[int]:
    """The man's target squares if checks are ignored; castling is judged before."""
    kind = board.cells[start] & MAN
    if kind == PAWN:
        return _pawn_ends(board, start)
    if kind in ANYWHERE:
        return [square for square, code in enumerate(board.cells) if not code]
    more = vatican_reach(board, start) if kind == BISHOP else []
    more += castling_reach(board, start) if kind == KING else []
    return reach(board, start) + more


_FAULTS: tuple[Callable[[Board, MoveRestrictions, Move], str | None], ...] = (
    _nothing_to_move,
    _castling,
    _pawn,
    _occupied,
    _vatican,
    _blocked,
    _promotion,
    _not_its_way,
)
