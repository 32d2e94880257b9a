"""One game of Liberty Chess: its moves and its end."""

import hashlib
from collections import Counter
from collections.abc import Sequence

from ulci.rules.checkpoints import Checkpoints
from ulci.rules.outcome import Outcome, Reason, Side
from ulci.rules.position import Illegal, Legal, Over, Verdict

from . import notation
from .attacks import MoveRestrictions, watch
from .board import Board
from .endings import ending
from .faults import why_not
from .generate import legal_moves
from .lfen import squares, write_lfen
from .moves import find_untrusted, read_untrusted, spell
from .pieces import ANYWHERE, KING, MAN

REPETITIONS = 3  # occurrences of a position that end the game
_HARMLESS = ANYWHERE | {KING}
_KEY_SIZE = 16  # bytes: nobody can find a collision


class LibertyPosition:
    """A `Position` of Liberty Chess. All draws are automatic, as in its author's programs: they
    take a move after the third occurrence for illegal."""

    __slots__ = ("_board", "_copies", "_keys", "_moves", "_outcome", "_seen", "_start", "_watch")

    def __init__(self, board: Board, start: str | None) -> None:
        """The position owns `board`; `start` is the same as an L-FEN."""
        self._board = board
        self._start = start
        self._moves: list[str] = []
        self._copies = Checkpoints(board.snapshot())
        self._keys: list[bytes] = []  # of all positions since the start
        self._seen: dict[bytes, int] = {}  # occurrences of those that can occur again
        self._watch: MoveRestrictions = watch(board)
        self._outcome = self._judge()

    @property
    def start(self) -> str | None:
        return self._start

    @property
    def moves(self) -> Sequence[str]:
        return self._moves

    @property
    def turn(self) -> Side:
        return Side.BLACK if self._board.turn else Side.WHITE

    def play_untrusted(self, move: str) -> Verdict:
        if self._outcome is not None:
            return Illegal(f"the game is over ({self._outcome.reason}), no move can be made")
        board = self._board
        found = find_untrusted(board, self._watch, move)
        if found is None:
            return Illegal(why_not(board, self._watch, move))
        spelled = spell(board.setup.geometry, found)
        board.make(found)
        self._moves.append(spelled)
        self._copies.passed(len(self._moves), board.snapshot)
        self._watch = watch(board)
        self._outcome = self._judge()
        return Legal(spelled) if self._outcome is None else Over(spelled, self._outcome)

    def is_legal_untrusted(self, move: str) -> bool:
        if self._outcome is not None:
            return False
        return find_untrusted(self._board, self._watch, move) is not None

    def take_back(self, plies: int) -> None:
        board, left = self._board, len(self._moves) - plies
        ply, snapshot = self._copies.before(left)
        board.restore(snapshot)
        for text in self._moves[ply:left]:
            move = read_untrusted(board.setup.geometry, text)
            assert move is not None
            board.make(move)
        del self._moves[left:], self._keys[left + 1 :]
        self._watch = watch(board)
        self._seen = dict(Counter(self._keys[self._repeatable_since() :]))
        self._outcome = None

    def outcome(self) -> Outcome | None:
        return self._outcome

    def claim(self) -> Reason | None:
        """Nothing: every draw is automatic."""
        return None

    def can_win(self, side: Side) -> bool:
        """Kings, obstacles and walls cannot mate (a king that gives check is in check itself), so
        they win by elimination only, and for that a king has to take the men left."""
        board = self._board
        if not board.pieces[side]:
            return False
        if any(board.cells[square] & MAN not in _HARMLESS for square in board.men[side]):
            return True
        return bool(board.kings[side]) and not board.kings[side.other]

    def legal_moves(self) -> list[str]:
        """Empty once the game is over, like what `play_untrusted` accepts."""
        if self._outcome is not None:
            return []
        geometry = self._board.setup.geometry
        return [spell(geometry, move) for move in legal_moves(self._board, self._watch)]

    def fen(self) -> str:
        """An L-FEN; columns count from 1, as in the standard."""
        return write_lfen(self._board)

    def san(self, move: str) -> str:
        found = find_untrusted(self._board, self._watch, move)
        if found is None:
            raise ValueError(why_not(self._board, self._watch, move))
        return notation.san(self._board, self._watch, found)

    def parse_untrusted(self, text: str) -> str | None:
        if self._outcome is not None:
            return None
        move = notation.parse_untrusted(self._board, self._watch, text)
        return spell(self._board.setup.geometry, move) if move else None

    def squares(self) -> Sequence[Sequence[str]]:
        return squares(self._board)

    def checked(self) -> Sequence[tuple[int, int]]:
        return [self._board.setup.geometry.place(king) for king in sorted(self._watch.checks)]

    def _judge(self) -> Outcome | None:
        """Record the position; its outcome if it ends the game. Mate precedes fifty moves."""
        if self._board.half_moves == 0:
            self._seen.clear()
        key = self._key()
        self._keys.append(key)
        times = self._seen[key] = self._seen.get(key, 0) + 1
        over = ending(self._board, self._watch)
        if over is None and times >= REPETITIONS:
            return Outcome(None, Reason.REPETITION)
        return over

    def _repeatable_since(self) -> int:
        """The first ply whose position may equal this one."""
        return max(0, len(self._keys) - 1 - self._board.half_moves)

    def _key(self) -> bytes:
        """Two positions are the same if men, mover, castling rights and the squares that a pawn has
        passed agree, whether or not it can be taken there."""
        board = self._board
        key = hashlib.blake2b(board.cells, digest_size=_KEY_SIZE)
        key.update(f"{board.turn} {board.rights} {board.passed}".encode())
        return key.digest()
