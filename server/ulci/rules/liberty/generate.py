"""Legal moves: the target squares of a piece, and from them the moves.

`ends` gives the target squares both for the check of one move and for the list of all, so that the
two cannot disagree. Castling, El Vaticano and en passant change more than two squares and are tried
out. All other moves are judged by the result of `watch`.

The cost of one man is at most the number of squares that it sees, however many kings there are:
to find that a side has no legal move costs one look along every line of the board.
"""

import itertools
from collections.abc import Iterator

from .attacks import MoveRestrictions, attacked, endangers
from .board import Board, Move
from .pieces import ANYWHERE, BISHOP, EMPTY, KING, MAN, PAWN, TAKES

_NO_PROMOTION = (0,)


def legal_moves(board: Board, seen: MoveRestrictions) -> Iterator[Move]:
    """Every legal move, ordered by the squares where they start."""
    for start in sorted(board.men[board.turn]):
        for end in ends(board, seen, start):
            for promotion in promotions(board, start, end):
                yield Move(start, end, promotion)


def captures(board: Board, seen: MoveRestrictions) -> Iterator[Move]:
    """The legal captures and promotions."""
    for start in sorted(board.men[board.turn]):
        if board.cells[start] & MAN in ANYWHERE:
            continue
        for end in ends(board, seen, start):
            for promotion in promotions(board, start, end):
                move = Move(start, end, promotion)
                if promotion or board.taken(move):
                    yield move


def any_legal(board: Board, seen: MoveRestrictions) -> bool:
    """Whether there is a legal move."""
    for start in tuple(board.men[board.turn]):
        if board.cells[start] & MAN in ANYWHERE and seen.answers is None and start not in seen.pins:
            if _free(board):
                return True
        elif ends(board, seen, start):
            return True
    return False


def is_legal(board: Board, seen: MoveRestrictions, move: Move) -> bool:
    start, end, promotion = move
    if start not in board.men[board.turn]:
        return False
    if board.cells[start] & MAN in ANYWHERE:
        return not promotion and board.cells[end] == EMPTY and _heeds(seen, start, end)
    return promotion in promotions(board, start, end) and end in ends(board, seen, start)


def promotions(board: Board, start: int, end: int) -> tuple[int, ...]:
    """The kinds that a man may become by this move, 0 for no change. A pawn may become a king on
    an attacked square: it arrives as a pawn."""
    if board.cells[start] & MAN == PAWN and end in board.setup.last_ranks[board.turn]:
        return board.setup.promoted
    return _NO_PROMOTION


def ends(board: Board, seen: MoveRestrictions, start: int) -> list[int]:
    """The squares where legal moves of the man on `start`, one of the mover's, end."""
    kind = board.cells[start] & MAN
    if kind == KING:
        return _king(board, seen, start)
    answers, line = seen.answers, seen.pins.get(start)
    if kind in ANYWHERE:
        return _anywhere(board, seen, start)
    found = reach(board, start) if kind != PAWN else pawn_reach(board, start)
    if answers is not None:
        found = [end for end in found if end in answers]
    if line is not None:
        found = [end for end in found if end in line]
    if kind == BISHOP:
        found += _vatican(board, seen, start)
    elif kind == PAWN and board.passed is not None:
        found += _en_passant(board, seen, start)
    return found


# Target squares if checks are ignored


def reach(board: Board, start: int) -> list[int]:
    """Leaps and rides."""
    cells = board.cells
    code = cells[start]
    geometry = board.setup.geometry
    enters = board.setup.enters[code]
    found = [start + step for step in geometry.leaps[code & MAN] if enters[cells[start + step]]]
    for step in geometry.rides[code & MAN]:
        at = start + step
        while not cells[at]:
            found.append(at)
            at += step
        if enters[cells[at]]:
            found.append(at)
    return found


def pawn_reach(board: Board, start: int) -> list[int]:
    """Ahead over empty squares, and captures; without en passant. With 0 pawn moves in the start,
    pawns do not capture either."""
    if not board.setup.pawn_moves:
        return []
    cells, setup, side = board.cells, board.setup, board.turn
    forward = -setup.geometry.stride if side else setup.geometry.stride
    enters = setup.enters[cells[start]]
    ahead = start + forward
    found = [end for end in (ahead - 1, ahead + 1) if enters[cells[end]] == TAKES]
    steps = setup.pawn_moves if start in setup.pawn_rows[side] else 1
    while steps and not cells[ahead]:
        found.append(ahead)
        ahead += forward
        steps -= 1
    return found


def en_passant_reach(board: Board, start: int) -> list[int]:
    """Empty squares diagonally ahead of the pawn that another pawn has just passed."""
    passed = board.passed
    if passed is None or not board.setup.pawn_moves:
        return []
    ahead = start + (-1 if board.turn else 1) * board.setup.geometry.stride
    return [end for end in (ahead - 1, ahead + 1) if end in passed and not board.cells[end]]


def vatican_reach(board: Board, start: int) -> list[int]:
    """The squares of bishops of the same side, where the man in the middle can be taken."""
    cells = board.cells
    code = cells[start]
    enters = board.setup.enters[code]
    return [
        start + step
        for step in board.setup.geometry.vatican
        if cells[start + step] == code and enters[cells[start + step // 2]] == TAKES
    ]


def castling_reach(board: Board, start: int) -> list[int]:
    """The king's target squares by castling, as rights and the men in between allow. Anything but
    the king itself may stand on the partner's square."""
    row = board.setup.castle_rows[board.turn]
    if not board.rights >> 2 * board.turn & 0b11 or start not in row:
        return []
    cells, enters = board.cells, board.setup.enters[board.cells[start]]
    king, queen = board.partners(board.turn)
    ways = ((0b01, 2, king, range(start + 1, king)), (0b10, -2, queen, range(queen + 1, start)))
    return [
        start + step
        for right, step, partner, between in ways
        if board.rights >> 2 * board.turn & right
        and partner != start
        and start + step in row
        and enters[cells[start + step]]
        and not any(cells[at] for at in between)
    ]


# Legal target squares


def _king(board: Board, seen: MoveRestrictions, start: int) -> list[int]:
    """For the other kings of its side it is a man like any other."""
    side, code = board.turn, board.cells[start]
    found = reach(board, start)
    if seen.checks:
        found = [end for end in found if seen.answers_others(start, end)]
    if (line := seen.pins.get(start)) is not None:
        found = [end for end in found if end in line]
    # Once it has moved, it no longer shields the squares behind it.
    board.cells[start] = EMPTY
    found = [end for end in found if not attacked(board, end, side)]
    board.cells[start] = code
    if board.rights and not seen.checks:
        for end in castling_reach(board, start):
            passed = (start + end) // 2
            if not attacked(board, passed, side) and _safe(board, start, end):
                found.append(end)
    return found


def _anywhere(board: Board, seen: MoveRestrictions, start: int) -> list[int]:
    cells, line = board.cells, seen.pins.get(start)
    if seen.answers is not None:
        found = [end for end in seen.answers if not cells[end]]
        return found if line is None else [end for end in found if end in line]
    if line is not None:
        return [end for end in line if not cells[end]]
    return [end for end, code in enumerate(cells) if not code]


def _vatican(board: Board, seen: MoveRestrictions, start: int) -> list[int]:
    """Only the man in the middle disappears, so it must be the one that gives the checks."""
    return [
        end
        for end in vatican_reach(board, start)
        if (seen.answers is None or (start + end) // 2 in seen.answers) and _safe(board, start, end)
    ]


def _en_passant(board: Board, seen: MoveRestrictions, start: int) -> list[int]:
    """A check is answered by the pawn on its target square, or by the removal of the taken man."""
    taken = board.jumper()
    return [
        end
        for end in en_passant_reach(board, start)
        if all(
            end in answers or taken in answers
            for answers in itertools.chain.from_iterable(seen.checks.values())
        )
        and _safe(board, start, end)
    ]


def _free(board: Board) -> int:
    """The number of empty squares."""
    return board.setup.width * board.setup.height - len(board.men[0]) - len(board.men[1])


def _heeds(seen: MoveRestrictions, start: int, end: int) -> bool:
    line = seen.pins.get(start)
    return (seen.answers is None or end in seen.answers) and (line is None or end in line)


def _safe(board: Board, start: int, end: int) -> bool:
    """Whether the move, which answers all checks, exposes no king of the mover."""
    side = board.turn
    undo = board.make(Move(start, end))
    safe = not any(endangers(board, square, side) for square, _ in undo.squares)
    board.unmake(undo)
    return safe
