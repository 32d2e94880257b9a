"""The GUI's game as the GUI has told it, and where it begins at the server. Pure."""

from dataclasses import dataclass

from ulci.rules import GAMES, Illegal, Position, Side, StartError


class DifferenceError(ValueError):
    """The GUI's position cannot be played at the server; the text says why."""


@dataclass(frozen=True, slots=True)
class GuiGame:
    """A position as the GUI said it: the game, the start (None: the usual one), the moves since."""

    game: str
    start: str | None
    moves: tuple[str, ...]

    def board(self, plies: int | None = None) -> Position:
        """The position after so many of its moves, by default after all.

        Raises:
            DifferenceError: a start or a move that the rules do not know.
        """
        try:
            board = GAMES[self.game].new(self.start)
        except StartError as error:
            raise DifferenceError(f"this position cannot be played: {error}") from error
        for ply, move in enumerate(self.moves[:plies], 1):
            verdict = board.play_untrusted(move)
            if isinstance(verdict, Illegal):
                raise DifferenceError(
                    f"the GUI's move {move}, at ply {ply}, is not legal: {verdict.why}"
                )
        return board

    def beginning(self) -> "Beginning":
        """Where the game begins at the server, and the GUI's colour, from its first ``go``.

        The last move is ours: what came before it, such as an opening book's moves, is the start.

        Raises:
            DifferenceError: as `board`.
        """
        before = max(0, len(self.moves) - 1)
        board = self.board(before)
        turn = board.turn
        ours = turn if self.moves else turn.other
        if self.moves:
            self.board()  # the last one must be legal, too
        return Beginning(ours, board.fen(), before)


@dataclass(frozen=True, slots=True)
class Beginning:
    """`side`: the GUI's. `start`: a FEN. `before`: plies of the GUI's game that are not played at
    the server."""

    side: Side
    start: str
    before: int
