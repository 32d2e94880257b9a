"""One game of chess: its moves and its end."""

import struct
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import ClassVar, NamedTuple

import chess

from ulci.rules.checkpoints import INTERVAL, Checkpoints
from ulci.rules.outcome import Outcome, Reason, Side
from ulci.rules.position import Illegal, Legal, Over, Verdict

from . import bitboards, notation
from .dead import is_dead
from .faults import why_not
from .moves import find_untrusted


class DrawLimits(NamedTuple):
    """Limits that end the game: occurrences of a position, half-moves without a capture or pawn
    move."""

    repetitions: int
    half_moves: int


CLAIMABLE = DrawLimits(repetitions=3, half_moves=100)  # FIDE 9.2 and 9.3
AUTOMATIC = DrawLimits(repetitions=5, half_moves=150)  # FIDE 9.6

_pack_key = struct.Struct("<8Q2B").pack
_NO_SQUARE = len(chess.SQUARES)
SIDES = (Side.BLACK, Side.WHITE)  # by colour of python-chess; Python 3.11 looks members up slowly


class ChessPosition:
    """A `Position` of standard chess or Chess960, whichever the board is set to.

    There may be thousands of games of hundreds of plies, so a position is recognised by a key
    instead of a replay, and the history that python-chess keeps for taking moves back is dropped.
    `_keys` are those of all positions since the start, `_seen` counts those of them that can occur
    again. `_check`: the mover is in check. `_ordinary`: the moves of the fast path.
    """

    __slots__ = (
        "_board",
        "_check",
        "_copies",
        "_keys",
        "_limits",
        "_moves",
        "_outcome",
        "_seen",
        "_start",
        "turn",
    )

    _ordinary: ClassVar[Mapping[str, bitboards.Move]] = bitboards.MOVES

    def __init__(self, board: chess.Board, start: str | None, *, claims: bool = False) -> None:
        """The position owns `board`, which is valid; `start` is the same as a FEN."""
        self._board = board
        self._start = start
        self._limits = AUTOMATIC if claims else CLAIMABLE
        self._moves: list[str] = []
        self._copies = Checkpoints(self.board())
        self._keys: list[Hashable] = []
        self._seen: dict[Hashable, int] = {}
        self._check = False
        self._sync()
        self._outcome = self._judge()

    @property
    def start(self) -> str | None:
        return self._start

    @property
    def moves(self) -> Sequence[str]:
        return self._moves

    @property
    def half_moves(self) -> int:
        """Since the last capture or pawn move."""
        return self._board.halfmove_clock

    def board(self) -> chess.Board:
        """A copy without history."""
        return self._board.copy(stack=False)

    def play_untrusted(self, move: str) -> Verdict:
        if self._outcome is not None:
            return Illegal(f"the game is over ({self._outcome.reason}), no move can be made")
        board = self._board
        ordinary = self._ordinary.get(move)
        check = None
        if ordinary is not None:
            check = bitboards.make(board, ordinary, check=self._check)
        if ordinary is not None and check is not None:
            legal = ordinary.legal
            self._check = check
            self.turn = SIDES[board.turn]
        else:
            found = self._find_untrusted(move)
            if found is None:
                return Illegal(self._why_not(move))
            legal = Legal(found.uci())
            board.push(found)
            self._sync()
        self._moves.append(legal.move)
        if not len(self._moves) % INTERVAL:
            self._copies.passed(len(self._moves), self.board)
        self._outcome = outcome = self._judge()
        return legal if outcome is None else Over(legal.move, outcome)

    def is_legal_untrusted(self, move: str) -> bool:
        return self._outcome is None and self._find_untrusted(move) is not None

    def take_back(self, plies: int) -> None:
        left = len(self._moves) - plies
        ply, copy = self._copies.before(left)
        self._board = copy.copy(stack=False)
        for move in self._moves[ply:left]:
            self._board.push(chess.Move.from_uci(move))
        self._sync()
        del self._moves[left:], self._keys[left + 1 :]
        self._seen = dict(Counter(self._keys[self._repeatable_since() :]))
        self._outcome = None

    def outcome(self) -> Outcome | None:
        return self._outcome

    def claim(self) -> Reason | None:
        if self._outcome is not None:
            return None
        if self._board.halfmove_clock >= CLAIMABLE.half_moves:
            return Reason.FIFTY_MOVES
        if self._seen[self._keys[-1]] >= CLAIMABLE.repetitions:
            return Reason.REPETITION
        return None

    def can_win(self, side: Side) -> bool:
        color = side == SIDES[chess.WHITE]
        return not (self._board.has_insufficient_material(color) or is_dead(self._board, color))

    def legal_moves(self) -> list[str]:
        """Empty once the game is over, like what `play_untrusted` accepts."""
        if self._outcome is not None:
            return []
        return [self._board.uci(move) for move in self._board.legal_moves]

    def fen(self) -> str:
        """Castling rights as ``KQkq``, in Chess960 as the files of the rooks."""
        return self._board.fen(shredder=self._board.chess960)

    def san(self, move: str) -> str:
        found = self._find_untrusted(move)
        if found is None:
            raise ValueError(self._why_not(move))
        return self._board.san(found)

    def parse_untrusted(self, text: str) -> str | None:
        return None if self._outcome is not None else notation.parse_untrusted(self._board, text)

    def squares(self) -> Sequence[Sequence[str]]:
        men = self._board.piece_map()
        return [
            [men[square].symbol() if square in men else "" for square in range(first, first + 8)]
            for first in range(56, -8, -8)
        ]

    def checked(self) -> Sequence[tuple[int, int]]:
        king = self._board.king(self._board.turn)
        if king is None or not self._board.is_check():
            return []
        return [(chess.square_file(king), chess.square_rank(king))]

    def _sync(self) -> None:
        """Update what is derived from the board, after python-chess changed it."""
        self._board.clear_stack()
        self._check = self._board.is_check()
        self.turn = SIDES[self._board.turn]

    def _judge(self) -> Outcome | None:
        """Record the position; its outcome if it ends the game. Mate precedes fifty moves."""
        board = self._board
        seen, key = self._seen, self._key()
        if board.halfmove_clock == 0:
            seen.clear()
        self._keys.append(key)
        times = seen[key] = seen.get(key, 0) + 1
        mighty = board.pawns | board.rooks | board.queens
        if not mighty and board.is_insufficient_material():
            return Outcome(None, Reason.MATERIAL)
        if not bitboards.has_move(board, check=self._check):
            return self._stuck()
        repetitions, half_moves = self._limits
        if times < repetitions and board.halfmove_clock < half_moves:
            return None
        return self._worn_out(times)

    def _stuck(self) -> Outcome:
        """The mover has no legal move."""
        if self._board.is_check():
            return Outcome(self.turn.other, Reason.CHECKMATE)
        return Outcome(None, Reason.STALEMATE)

    def _worn_out(self, times: int) -> Outcome | None:
        """The draw by fifty moves or by repetition; `times`: occurrences of this position."""
        if self._board.halfmove_clock >= self._limits.half_moves:
            return Outcome(None, Reason.FIFTY_MOVES)
        if times >= self._limits.repetitions:
            return Outcome(None, Reason.REPETITION)
        return None

    # Overridden by variants

    def _find_untrusted(self, text: str) -> chess.Move | None:
        return find_untrusted(self._board, text)

    def _why_not(self, text: str) -> str:
        return why_not(self._board, text)

    def _repeatable_since(self) -> int:
        """The first ply whose position may equal this one: none recurs after a capture or a pawn
        move."""
        return max(0, len(self._keys) - 1 - self._board.halfmove_clock)

    def _key(self) -> Hashable:
        """Two positions are the same if men, mover, castling rights and the possible moves agree;
        en passant is such a move only where it is legal (FIDE 9.2.3)."""
        board = self._board
        passed = _NO_SQUARE
        if board.ep_square is not None and board.has_legal_en_passant():
            passed = board.ep_square
        return _pack_key(
            board.pawns,
            board.knights,
            board.bishops,
            board.rooks,
            board.queens,
            board.kings,
            board.occupied_co[chess.WHITE],
            board.castling_rights,
            board.turn,
            passed,
        )
