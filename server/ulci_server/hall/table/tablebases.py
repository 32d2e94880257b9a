"""Adjudication by Syzygy tablebases.

The tables hold the value of positions right after a capture or a pawn move, where the fifty-move
count begins; so only such positions are probed, which is at most once a captured man. A probe reads
a few kilobytes of a mapped file within the call that judges the move (0.1 to 1 ms once they are in
the system's cache): games seldom wait for the disk.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Protocol

import chess
import chess.syzygy
import structlog

from ulci.rules import Position
from ulci.rules.chess import ChessPosition
from ulci_server.game.adjudication import Proved

LOG = structlog.get_logger("ulci_server.hall")

ADVICE = "download the .rtbw files of 3 to 5 men (378 MB, https://tablebase.lichess.ovh) into it"

WON, LOST = 2, -2
"""WDL values of the side to move. 1 and -1 are draws by the fifty-move rule."""


class TablebaseError(Exception):
    """The tables cannot be used; the text says why and what to do."""


class Prober(Protocol):
    """The part of `chess.syzygy.Tablebase` that is used."""

    def probe_wdl(self, board: chess.Board) -> int:
        """From 2 (the side to move wins) to -2. KeyError: not in the tables."""
        ...


class Tablebases:
    """Probes positions; `men`: the largest number of men in a table, kings included."""

    def __init__(self, prober: Prober, men: int) -> None:
        self._prober = prober
        self._men = men

    def prove(self, position: Position) -> Proved | None:
        """The result of perfect play, if the tables have the position. Never raises: a damaged file
        is logged, and the game goes on."""
        if type(position) is not ChessPosition or position.half_moves:
            return None
        board = position.board()
        if board.occupied.bit_count() > self._men or board.castling_rights:
            return None
        try:
            worth = self._prober.probe_wdl(board)
        except KeyError:
            return None  # no table of this material
        except Exception as error:  # noqa: BLE001 (whatever a damaged file leads to)
            LOG.warning("tablebase failed", position=board.fen(), error=repr(error))
            return None
        mover = position.turn
        return Proved({WON: mover, LOST: mover.other}.get(worth))


def open_tablebases(paths: Sequence[Path], closing: ExitStack) -> Tablebases | None:
    """The tables in these folders; None for no folders. `closing` will close them.

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
