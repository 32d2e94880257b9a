"""Liberty Chess for the search, on any board of L-FEN."""

from collections.abc import Iterable

from ulci.rules.liberty import (
    FIFTY_MOVES,
    LETTER,
    PIECES,
    Board,
    Move,
    MoveRestrictions,
    Undo,
    any_legal,
    by_men,
    captures,
    find_untrusted,
    legal_moves,
    read,
    spell,
    watch,
    why_not,
    write_lfen,
)

from .board import PositionError, play_untrusted
from .piece_values import PIECE_VALUES, Worth, worth

# Game phase by pieces on the board; 24 on 64 squares at the start.
_PHASES = dict(zip("nbzlxeruihacqm", (1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 4, 5), strict=True))
_FULL_PHASE = 24 / 64  # for each square
_VALUES = {letter: PIECE_VALUES[letter].value.middle for letter in PIECES}


class LibertyBoard:
    """A `Board` of Liberty Chess. Its history matters for repetition."""

    def __init__(self, board: Board) -> None:
        """`board` becomes the object's own."""
        self._board = board
        self._undo: list[Undo] = []
        self._watch: MoveRestrictions | None = watch(board)
        self._seen = [_key(board)]
        self._worth: dict[tuple[int, int], Worth] = {}
        self._full = max(1, round(board.setup.width * board.setup.height * _FULL_PHASE))

    def moves(self) -> list[Move]:
        if self._decided():
            return []
        moves = list(dict.fromkeys(legal_moves(self._board, self._heed())))
        moves.sort(key=self._promise, reverse=True)
        return moves

    def captures(self) -> list[Move]:
        """Without captures that lose material, such as of our own pieces."""
        if self._decided():
            return []
        moves = dict.fromkeys(captures(self._board, self._heed()))
        winning = [move for move in moves if self.gain(move) > 0]
        winning.sort(key=self._promise, reverse=True)
        return winning

    def gain(self, move: Move) -> int:
        board = self._board
        gain = 0
        if letter := LETTER[board.taken(move)]:
            own = letter.isupper() != bool(board.turn)
            gain = -_VALUES[letter.lower()] if own else _VALUES[letter.lower()]
        if move.promotion:
            gain += _VALUES[PIECES[move.promotion - 1]] - _VALUES["p"]
        return gain

    def make(self, move: Move) -> None:
        self._undo.append(self._board.make(move))
        self._watch = None
        self._seen.append(_key(self._board))

    def unmake(self) -> None:
        self._seen.pop()
        self._watch = None
        self._board.unmake(self._undo.pop())

    def in_check(self) -> bool:
        """Elimination counts as mate."""
        return not self._board.men[self._board.turn] or bool(self._heed().checks)

    def won(self) -> bool:
        return False

    def drawn(self) -> bool:
        board = self._board
        clock = board.half_moves
        # The same position cannot be back sooner than after four half-moves.
        if clock >= 4 and self._seen[-1] in self._seen[-1 - clock : -1]:
            return True
        over = by_men(board)
        if over is not None:
            return over.winner is None
        return clock >= FIFTY_MOVES and any_legal(board, self._heed())

    def evaluate(self) -> int:
        board = self._board
        middle = end = phase = 0
        for men in board.men:
            for square in men:
                code = board.cells[square]
                value = self._worth.get((code, square)) or self._value(code, square)
                middle += value[0]
                end += value[1]
                phase += _PHASE[code]
        phase = min(phase, self._full)
        score = middle * phase + end * (self._full - phase)
        return (-score if board.turn else score) // self._full

    def white_to_move(self) -> bool:
        return not self._board.turn

    def find_untrusted(self, text: str) -> Move | None:
        return find_untrusted(self._board, self._heed(), text)

    def spell(self, move: Move) -> str:
        return spell(self._board.setup.geometry, move)

    def name(self) -> str:
        return write_lfen(self._board)

    def _decided(self) -> bool:
        """Whether a side has been eliminated."""
        over = by_men(self._board)
        return over is not None and over.winner is not None

    def _heed(self) -> MoveRestrictions:
        if self._watch is None:
            self._watch = watch(self._board)
        return self._watch

    def _value(self, code: int, square: int) -> Worth:
        """The piece's value there, negative for Black; cached, as boards may be large."""
        setup, letter = self._board.setup, LETTER[code]
        file, rank = setup.geometry.place(square)
        sign = 1 if letter.isupper() else -1
        seen = rank if letter.isupper() else setup.height - 1 - rank
        one = worth(letter.lower(), file, seen, setup.width, setup.height)
        value = self._worth[code, square] = Worth(sign * one.middle, sign * one.end)
        return value

    def _promise(self, move: Move) -> int:
        """Good captures first, then moves to better squares."""
        code = self._board.cells[move.start]
        if gain := self.gain(move):
            return (1000 if gain > 0 else -1000) + 10 * gain - _VALUES[LETTER[code].lower()]
        start, end = (
            self._worth.get((code, square)) or self._value(code, square)
            for square in (move.start, move.end)
        )
        better = end.middle - start.middle
        return -better if self._board.turn else better


_PHASE = [_PHASES.get(letter.lower(), 0) for letter in LETTER]


def _key(board: Board) -> tuple[object, ...]:
    """Without en passant: after a pawn's move no earlier position can recur."""
    return bytes(board.cells), board.turn, board.rights


def read_untrusted(start: str | None, moves: Iterable[str]) -> LibertyBoard:
    """Parse ``position``. A game that is over by the rules may be searched while there is a legal
    move: some programs play on.

    Raises:
        StartError, PositionError: the start or one of the moves is wrong.
    """
    board = read(start)
    if not any(board.men):
        raise PositionError("the board is empty")
    position = LibertyBoard(board)
    play_untrusted(position, moves, lambda text: why_not(board, watch(board), text))
    return position
