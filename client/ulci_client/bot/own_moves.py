"""The moves that a bot finds in its books and tables, so that its engine need not search."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import chess
from msgspec.structs import replace

from ulci.protocol.messages import BestMove, Go, Position

from .books import Book, BookError, choose
from .sections import BookTable
from .tablebases import TablebaseError, Tablebases

GAMES: Mapping[str, bool] = {"chess": False, "chess960": True}
"""The games of books and tables, and whether moves are written as Chess960 does."""


@dataclass(frozen=True, slots=True)
class OpeningBook:
    """A book, with the settings of its use."""

    book: Book
    table: BookTable


class OwnMoves:
    """The moves from books and tablebases. chance: returns a number from 0 to below 1. complain:
    called once with each fault of a file; then the engine plays."""

    def __init__(
        self,
        openings: Sequence[OpeningBook],
        tablebases: Tablebases | None,
        chance: Callable[[], float],
        complain: Callable[[str], None],
    ) -> None:
        self._openings = openings
        self._tablebases = tablebases
        self._chance = chance
        self._complain = complain
        self._complained: set[str] = set()

    def find(self, game: str, position: Position, go: Go) -> BestMove | Go:
        """The move to play, or the `go` for the engine, perhaps limited to some moves."""
        if game not in GAMES or not (self._openings or self._tablebases):
            return go
        board = _board_untrusted(position, chess960=GAMES[game])
        if board is None:
            return go
        try:
            return self._opening(game, board) or self._ending(board, go)
        except (BookError, TablebaseError) as error:
            if str(error) not in self._complained:
                self._complained.add(str(error))
                self._complain(f"{error}; the engine plays")
            return go

    def _opening(self, game: str, board: chess.Board) -> BestMove | None:
        for one in self._openings:
            table = one.table
            if game not in table.games or board.ply() >= table.plies:
                continue
            best, least = table.choose == "best", table.least_weight
            move = choose(one.book.moves(board), best=best, least=least, chance=self._chance)
            if move is not None:
                return BestMove(board.uci(move))
        return None

    def _ending(self, board: chess.Board, go: Go) -> BestMove | Go:
        moves = [] if self._tablebases is None else self._tablebases.keeping(board)
        if not moves:
            return go
        if len(moves) == 1:
            return BestMove(board.uci(moves[0]))
        if len(moves) == board.legal_moves.count():
            return go
        return replace(go, searchmoves=tuple(board.uci(move) for move in moves))


def _board_untrusted(position: Position, *, chess960: bool) -> chess.Board | None:
    """None if python-chess does not know such a position or move."""
    try:
        board = chess.Board(position.start or chess.STARTING_FEN, chess960=chess960)
        for move in position.moves:
            board.push_uci(move)
    except ValueError:
        return None
    return board if board.is_valid() else None
