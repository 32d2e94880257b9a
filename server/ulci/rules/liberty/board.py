"""The board: the men on their squares, and how a move changes them.

Nothing here checks whether a move is legal.
"""

from typing import NamedTuple

from .geometry import GROUP, GROUPS
from .pieces import BISHOP, BLACK, EMPTY, KING, MAN, PAWN, SIDE
from .setup import Setup

# Castling rights as bits: kings' side and queens' side of White, then of Black.
RIGHTS = "KQkq"
ALL_RIGHTS = 0b1111
BOTH = (0b0011, 0b1100)  # by side


class Move(NamedTuple):
    """Castling is the king's move of two files, El Vaticano the move from one bishop's square to
    the other's. `promotion` is the kind that a pawn becomes, 0 for other moves."""

    start: int
    end: int
    promotion: int = 0


class Undo(NamedTuple):
    """What a move changed: squares with the men that stood there, and the other fields before."""

    squares: list[tuple[int, int]]
    passed: range | None
    rights: int
    half_moves: int
    full_moves: int
    pieces: tuple[int, int]


class Snapshot(NamedTuple):
    """A position of a game: all of a `Board` that moves change, except what its cells determine."""

    cells: bytes
    passed: range | None
    rights: int
    turn: int
    half_moves: int
    full_moves: int
    pieces: tuple[int, int]


class Board:
    """One position. Public attributes may be read anywhere and are changed here only.

    cells: codes by square.  men, kings: the squares of each side's men, and of its kings.
    pieces: the number of each side's men other than kings.  groups: the number of men by group.
    passed: the squares that a pawn has just jumped over, lowest first, where it can be taken.
    """

    __slots__ = (
        "_keep",
        "cells",
        "full_moves",
        "groups",
        "half_moves",
        "kings",
        "men",
        "passed",
        "pieces",
        "rights",
        "setup",
        "turn",
    )

    def __init__(self, setup: Setup) -> None:
        """Without men, White to move."""
        self.setup = setup
        self.cells = setup.geometry.empty()
        self.men: tuple[set[int], set[int]] = (set(), set())
        self.kings: tuple[set[int], set[int]] = (set(), set())
        self.pieces = [0, 0]
        self.groups = [0] * (2 * GROUPS)
        self.turn = 0
        self.rights = 0
        self.passed: range | None = None
        self.half_moves, self.full_moves = 0, 1
        self._keep: dict[int, int] = {}

    def put(self, square: int, code: int) -> None:
        """Put a man, or `EMPTY`, on the square, in place of what stands there."""
        old = self.cells[square]
        if old:
            side = old >> SIDE
            self.men[side].discard(square)
            self.groups[GROUP[old]] -= 1
            if old & MAN == KING:
                self.kings[side].discard(square)
            else:
                self.pieces[side] -= 1
        self.cells[square] = code
        if code:
            side = code >> SIDE
            self.men[side].add(square)
            self.groups[GROUP[code]] += 1
            if code & MAN == KING:
                self.kings[side].add(square)
            else:
                self.pieces[side] += 1

    def mark_castling(self) -> None:
        """Record which castling rights end when a man leaves or reaches a square: one at a
        partner's square, both where a king stands now. Call it when all men are placed."""
        self._keep = {}
        for side, row in enumerate(self.setup.castle_rows):
            king, queen = self.partners(side)
            marks = [(king, 0b01 << 2 * side), (queen, 0b10 << 2 * side)]
            marks += [(square, BOTH[side]) for square in self.kings[side] if square in row]
            for square, lost in marks:
                self._keep[square] = self._keep.get(square, ALL_RIGHTS) & ~lost

    def partners(self, side: int) -> tuple[int, int]:
        """The squares of the castling partners, of the kings' and of the queens' side."""
        first = self.setup.castle_rows[side].start
        return first + self.setup.king_column - 1, first + self.setup.queen_column - 1

    def is_castling(self, move: Move) -> bool:
        """Whether a king castles: none of its steps adds two to its square."""
        return abs(move.end - move.start) == 2 and self.cells[move.start] & MAN == KING

    def is_vatican(self, move: Move) -> bool:
        """Whether two bishops take the man between them: no bishop moves along a file or rank."""
        return (
            self.cells[move.start] & MAN == BISHOP
            and move.end - move.start in self.setup.geometry.vatican
        )

    def is_en_passant(self, move: Move) -> bool:
        """Whether a pawn takes one that jumped over its target square."""
        return (
            self.passed is not None
            and move.end in self.passed
            and not self.cells[move.end]
            and self.cells[move.start] & MAN == PAWN
            and (move.end - move.start) % self.setup.geometry.stride != 0
        )

    def taken(self, move: Move) -> int:
        """The man that the move takes, `EMPTY` if none."""
        if self.is_vatican(move):
            return self.cells[(move.start + move.end) // 2]
        if self.is_en_passant(move):
            return self.cells[self.jumper()]
        if self.is_castling(move) and move.end in self.partners(self.turn):
            return EMPTY
        return self.cells[move.end]

    def jumper(self) -> int:
        """The square of the man that jumped over those of `passed`."""
        assert self.passed is not None
        stride = self.setup.geometry.stride
        return self.passed[-1] + stride if self.turn else self.passed[0] - stride

    def make(self, move: Move) -> Undo:
        """Make the move; `unmake` takes it back with the result."""
        undo = Undo(
            [],
            self.passed,
            self.rights,
            self.half_moves,
            self.full_moves,
            (self.pieces[0], self.pieces[1]),
        )
        kind = self.cells[move.start] & MAN
        quiet = kind != PAWN and not self.cells[move.end]
        if kind == PAWN:
            self._pawn(move, undo)
        elif kind == KING and abs(move.end - move.start) == 2:
            partner = self.partners(self.turn)[move.end < move.start]
            quiet = quiet or move.end == partner
            self._castle(move, partner, undo)
        elif kind == BISHOP and move.end - move.start in self.setup.geometry.vatican:
            self._set((move.start + move.end) // 2, EMPTY, undo)
            self.passed = None
        else:
            self._walk(move, undo)
            self.passed = None
        self.half_moves = self.half_moves + 1 if quiet else 0
        self.full_moves += self.turn
        self.turn = 1 - self.turn
        return undo

    def unmake(self, undo: Undo) -> None:
        for square, code in reversed(undo.squares):
            self.put(square, code)
        _, self.passed, self.rights, self.half_moves, self.full_moves, pieces = undo
        self.pieces[:] = pieces
        self.turn = 1 - self.turn

    def snapshot(self) -> Snapshot:
        """The position, to `restore` it on this board."""
        return Snapshot(
            bytes(self.cells),
            self.passed,
            self.rights,
            self.turn,
            self.half_moves,
            self.full_moves,
            (self.pieces[0], self.pieces[1]),
        )

    def restore(self, kept: Snapshot) -> None:
        cells, self.passed, self.rights, self.turn, self.half_moves, self.full_moves, pieces = kept
        for square, code in enumerate(self.cells):
            if code != cells[square]:
                self.put(square, cells[square])
        self.pieces[:] = pieces

    def _set(self, square: int, code: int, undo: Undo) -> None:
        undo.squares.append((square, self.cells[square]))
        self.put(square, code)

    def _walk(self, move: Move, undo: Undo) -> None:
        """Move a man to another square, which may end castling rights."""
        code = self.cells[move.start]
        self._set(move.start, EMPTY, undo)
        self._set(move.end, code, undo)
        if self.rights:
            keep = self._keep
            self.rights &= keep.get(move.start, ALL_RIGHTS) & keep.get(move.end, ALL_RIGHTS)

    def _pawn(self, move: Move, undo: Undo) -> None:
        if self.is_en_passant(move):
            self._set(self.jumper(), EMPTY, undo)
        self._walk(move, undo)
        if move.promotion:
            self._set(move.end, move.promotion + (BLACK if self.turn else 0), undo)
        stride = self.setup.geometry.stride
        low, high = sorted((move.start, move.end))
        jumped = (high - low) % stride == 0 and high - low > stride
        self.passed = range(low + stride, high, stride) if jumped else None

    def _castle(self, move: Move, partner: int, undo: Undo) -> None:
        """The partner moves first, so that a king that goes to its square takes nothing. If the
        king came from beyond that square, a man may be overwritten: it is removed from the board,
        but not from `pieces`."""
        pieces = list(self.pieces)
        self._set((move.start + move.end) // 2, self.cells[partner], undo)
        self._set(partner, EMPTY, undo)
        self.pieces[:] = pieces
        self._walk(move, undo)
        self.passed = None
