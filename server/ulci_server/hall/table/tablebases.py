"""Adjudication by Syzygy tablebases.

The tables hold the value of positions right after a capture or a pawn move, where the fifty-move
count begins; so only such positions are probed, which is at most once a captured man. A probe reads
a few kilobytes of a mapped file within the call that judges the move (0.1 to 1 ms once they are in
the system's cache): games seldom wait for the disk.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import chess
import chess.syzygy
import structlog

from ulci.rules import Position, Side
from ulci.rules.chess import ChessPosition
from ulci_server.game.adjudication import Proved

LOG = structlog.get_logger("ulci_server.hall")

ADVICE = "download the .rtbw files of 3 to 5 men (378 MB, https://tablebase.lichess.ovh) into it"

WON, CURSED = 2, 1
"""WDL values of the side to move, if it wins: at any rate, or only without the fifty-move rule.
Those of losses are negative."""


@dataclass(frozen=True, slots=True)
class TablebaseRules:
    """Which results of the tables count. men: at most so many on the board, kings included; None:
    as many as the tables have. fifty_moves: whether that rule makes draws. wins, draws: whether
    such results count."""

    men: int | None = None
    fifty_moves: bool = True
    wins: bool = True
    draws: bool = True


ALL_RESULTS = TablebaseRules()


class TablebaseError(Exception):
    """The tables cannot be used; the text says why and what to do."""


class Prober(Protocol):
    """The part of `chess.syzygy.Tablebase` that is used."""

    def probe_wdl(self, board: chess.Board) -> int:
        """From 2 (the side to move wins) to -2. KeyError: not in the tables."""
        ...


class Tablebases:
    """Probes positions; `men`: the largest number of men in a table, kings included."""

    def __init__(self, prober: Prober, men: int, rules: TablebaseRules = ALL_RESULTS) -> None:
        self._prober = prober
        self._men = men if rules.men is None else min(men, rules.men)
        self._least = WON if rules.fifty_moves else CURSED  # of a win
        self._rules = rules

    def prove(self, position: Position) -> Proved | None:
        """The result of perfect play, if the tables have the position and it counts. Never raises:
        a damaged file is logged, and the game goes on."""
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
        return self._counted(worth, position.turn)

    def _counted(self, worth: int, mover: Side) -> Proved | None:
        """What a WDL value of the mover proves."""
        if abs(worth) < self._least:
            return Proved(None) if self._rules.draws else None
        if not self._rules.wins:
            return None
        return Proved(mover if worth > 0 else mover.other)


def open_tablebases(
    paths: Sequence[Path], closing: ExitStack, rules: TablebaseRules = ALL_RESULTS
) -> Tablebases | None:
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
    return Tablebases(tables, max(len(name) - 1 for name in tables.wdl), rules)
