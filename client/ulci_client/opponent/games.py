"""The GUI's game as the GUI has told it, and the server's with what the GUI's asks of it. Pure.

The GUI waits for the remote player's move in a position that it has told. That position is the
server's, or is one move of the GUI's side ahead of it; anything else is a difference, and no move
of it ever goes to the server. Some GUIs tell positions without the moves that led there, or with
those since the last pawn move or capture only: their FEN is looked up in the server's game.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ulci.conduct import permits
from ulci.protocol.lobby.lines import GameOver, GameStart
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


@dataclass(frozen=True, slots=True)
class RemoteMove:
    """Tell the GUI the remote player's `move`, made on `board`."""

    board: Position
    move: str


@dataclass(frozen=True, slots=True)
class PassOn:
    """Tell the server the GUI's own move."""

    move: str


@dataclass(frozen=True, slots=True)
class NoMove:
    """The remote player will make no move in the GUI's position."""

    why: str


NextStep = RemoteMove | PassOn | NoMove


class ServerGame:
    """`side`: ours. `before`: plies of the GUI's game that came before its start. `asked`: the
    server waits for our move. `sent`: the ply and the move that we said last on this connection.
    `begun`: the GUI has asked for a move in it. `may_abort`: by its conduct."""

    def __init__(self, line: GameStart, side: Side, before: int) -> None:
        self.id = line.id
        self.rules = line.game
        self.side = side
        self.opponent = line.black if side is Side.WHITE else line.white
        self.before = before
        self.start: str | None = None
        self.moves: tuple[str, ...] = ()
        self.placed = False  # whether the server has told the position
        self.asked = False
        self.sent: tuple[int, str] | None = None
        self.begun = False
        self.may_abort = permits(line.conduct, "abort")
        self._same_start: tuple[str | None] | None = None  # the GUI's, which is the server's
        self.over: GameOver | None = None

    def place(self, start: str | None, moves: Sequence[str]) -> None:
        """The server tells the position."""
        self.start, self.moves = start, tuple(moves)
        self.placed, self.asked = True, False

    def line_lost(self) -> None:
        """The last move may not have arrived: the server will ask again."""
        self.asked, self.sent = False, None

    def say(self, move: str) -> None:
        """Our move is on its way."""
        self.asked, self.sent = False, (len(self.moves), move)

    def next_step(self, gui: GuiGame) -> NextStep | None:
        """What to do for a GUI that waits for a move; None: wait for the server."""
        try:
            return self._compare(gui)
        except DifferenceError as difference:
            return NoMove(str(difference))

    def _compare(self, gui: GuiGame) -> NextStep | None:
        board = gui.board()
        ours, theirs = self._moves_of(gui, board), self.moves
        if not _agree(ours, theirs) or abs(len(ours) - len(theirs)) > 1:
            return NoMove(differs(ours, theirs, self.before))
        if len(theirs) > len(ours):
            if board.turn is self.side:
                return NoMove("the GUI asks for a move of its own side")
            return _remote_move(board, theirs[-1])
        if self.over is not None:
            return NoMove(f"the game is over at the server: {self.over.result}, {self.over.reason}")
        if len(ours) > len(theirs):
            return self._own_move(board, ours[-1])
        if board.turn is self.side:
            return NoMove("the server waits for a move of the GUI's side, not for the opponent's")
        return None

    def _own_move(self, board: Position, move: str) -> NextStep | None:
        if board.turn is self.side:
            return NoMove("the GUI has made a move for the opponent's side")
        if not self.asked:
            return None
        if self.sent == (len(self.moves), move):
            return NoMove(f"the server does not take {move}")
        return PassOn(move)

    def contains(self, gui: GuiGame) -> bool:
        """Whether the GUI's position is that of this game, at most one ply behind it, or ahead of
        it. One that the rules do not know is of no other game either."""
        if not self.placed:
            return True
        try:
            board = gui.board()
        except DifferenceError:
            return True
        try:
            ours = self._moves_of(gui, board)
        except DifferenceError:
            return False
        return _agree(ours, self.moves) and len(ours) >= len(self.moves) - 1

    def _moves_of(self, gui: GuiGame, board: Position) -> tuple[str, ...]:
        """The GUI's moves since the server's start. `board`: the GUI's, after all of them.

        Raises:
            DifferenceError: its position is of another game, or is not to be found in this one.
        """
        if self.rules != gui.game:
            raise DifferenceError(f"position differs: here {gui.game}, server {self.rules}")
        unknown = self._same_start is None
        if unknown and _key(gui.board(self.before)) == _key(self._beginning()):
            self._same_start = (gui.start,)
        if self._same_start == (gui.start,):
            return tuple(board.moves)[self.before :]
        found = [*self._moves_to(gui.board(0))]
        if not found:
            server = self._beginning()
            for move in self.moves:
                server.play_untrusted(move)
            raise DifferenceError(
                "the GUI's position is none of the server's game, nor one move ahead of it: here"
                f" {board.fen()}, server {server.fen()}"
            )
        return min(
            (before + gui.moves for before in found),
            key=lambda ours: (not _agree(ours, self.moves), abs(len(ours) - len(self.moves))),
        )

    def _beginning(self) -> Position:
        """Raises DifferenceError: what the server has told is no start of the game."""
        try:
            return GAMES[self.rules].new(self.start)
        except StartError as error:
            raise DifferenceError(f"the server's start is none: {error}") from error

    def _moves_to(self, wanted: Position) -> Iterator[tuple[str, ...]]:
        """The beginnings of the server's game that end in this position, and the game with one
        more move that leads there."""
        key, board = _key(wanted), self._beginning()
        for ply in range(len(self.moves) + 1):
            if _key(board) == key:
                yield self.moves[:ply]
            if ply < len(self.moves):
                board.play_untrusted(self.moves[ply])
        if board.turn is wanted.turn:
            return
        for move in board.legal_moves():
            board.play_untrusted(move)
            if _key(board) == key:
                yield (*self.moves, move)
            board.take_back(1)


def _key(board: Position) -> Sequence[str]:
    """What makes two positions of chess the same: all of a FEN but its two counters, which GUIs
    that send nothing else often leave at their beginning."""
    return board.fen().split()[:-2]


def _agree(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether one of the games is the beginning of the other."""
    same = min(len(ours), len(theirs))
    return ours[:same] == theirs[:same]


def _remote_move(board: Position, move: str) -> RemoteMove | NoMove:
    """A GUI believes its engine; it gets no move that the rules forbid, whatever a server says."""
    if not board.is_legal_untrusted(move):
        return NoMove(f"the server says {move}, which is no legal move here")
    return RemoteMove(board, move)


def differs(ours: Sequence[str], theirs: Sequence[str], before: int) -> str:
    """What differs between the GUI's moves and the server's, which lack the first `before`."""
    for ply, (here, there) in enumerate(zip(ours, theirs, strict=False), before + 1):
        if here != there:
            return f"position differs at ply {ply}: here {here}, server {there}"
    ply = before + min(len(ours), len(theirs)) + 1
    if len(ours) > len(theirs):
        return f"position differs at ply {ply}: here {ours[len(theirs)]}, server nothing yet"
    return f"position differs at ply {ply}: here nothing, server {theirs[len(ours)]}"
