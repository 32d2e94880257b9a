"""Who would win with perfect play? Read from Syzygy tables, where they are.

A table of the database says what a position is worth that comes after a capture or a pawn move, for
the fifty-move rule counts from there; so only such positions are looked up, which is at most once a
man taken. One look reads a few kilobytes of a mapped file within the call that judges the move (0.1
to 1 ms once they are in the system's cache): no table waits for another's disk often.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Protocol

import chess
import chess.syzygy
import structlog

from ulci.rules.chess import ChessPosition
from ulci.rules.position import Position
from ulci_server.game.adjudication import Proved

LOG = structlog.get_logger("ulci_server.hall")

ADVICE = "download the .rtbw files of 3 to 5 men (378 MB, https://tablebase.lichess.ovh) into it"

WON, LOST = 2, -2
"""What a prober says of the side to move. 1 and -1 are decided only without the fifty-move rule."""


class TablebaseError(Exception):
    """The tables cannot be used; the text says why and what may help."""


class Prober(Protocol):
    """What we need of `chess.syzygy.Tablebase`."""

    def probe_wdl(self, board: chess.Board) -> int:
        """From 2 (the side to move wins) to -2. KeyError: not in the tables."""
        ...


class Tablebases:
    """Looks positions up; `men` is the highest number of men, kings included, in a table."""

    def __init__(self, prober: Prober, men: int) -> None:
        self._prober = prober
        self._men = men

    def prove(self, position: Position) -> Proved | None:
        """What the position is worth, if the tables say so. Never raises: a damaged file is logged,
        and the game goes on."""
        if type(position) is not ChessPosition or position.half_moves:
            return None
        board = position.board()
        if board.occupied.bit_count() > self._men or board.castling_rights:
            return None
        try:
            worth = self._prober.probe_wdl(board)
        except KeyError:
            return None  # this material is not there
        except Exception as error:  # noqa: BLE001 (whatever a damaged file leads to)
            LOG.warning("tablebase failed", position=board.fen(), error=repr(error))
            return None
        mover = position.turn
        return Proved({WON: mover, LOST: mover.other}.get(worth))


def open_tablebases(paths: Sequence[Path], closing: ExitStack) -> Tablebases | None:
    """The tables in these folders; None for no folders. `closing` is told how to let go of them.

    Raises:
        TablebaseError: a folder cannot be read or holds no tables.
    """
    if not paths:
        return None
    tables = closing.enter_context(chess.syzygy.Tablebase())
    for path in paths:
        try:
            found = tables.add_directory(str(path), load_dtz=False)
        except OSError as error:
            raise TablebaseError(f"cannot read the tablebases: {path}: {error.strerror}") from None
        if not found:
            raise TablebaseError(f"there are no tablebases (*.rtbw) in {path}; {ADVICE}")
    # A name such as KQvKR has a letter for each man.
    return Tablebases(tables, max(len(name) - 1 for name in tables.wdl))
