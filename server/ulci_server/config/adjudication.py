"""When a pool's games are decided before they are over: tables within a pool's, and tablebases."""

from typing import Annotated

from pydantic import Field

from ulci_server.game.adjudication import DrawRule, ResignRule

from .table import FilePath, Table

Moves = Annotated[int, Field(ge=1, le=1000)]
"""Moves of one side; no game of chess with a result that anybody waited for had a thousand."""

Score = Annotated[int, Field(ge=0, le=100_000)]
"""Centipawns; engines write scores that mean a mate up to 32,000."""


class ResignTable(Table):
    """A side has lost whose own scores say so. `score` in centipawns below 0."""

    moves: Moves
    """For so many of its moves in a row."""
    score: Annotated[Score, Field(ge=1)]
    twosided: bool = False
    """Whether the opponent's scores must say the same."""

    def rule(self) -> ResignRule:
        return ResignRule(self.moves, self.score, self.twosided)


class DrawTable(Table):
    """A draw that both sides' scores agree on. `score` in centipawns from 0, either way."""

    after: Annotated[int, Field(ge=0, le=1000)]
    """Not before so many moves of each side."""
    moves: Moves
    """For so many moves of each side in a row, without a capture or pawn move."""
    score: Score

    def rule(self) -> DrawRule:
        return DrawRule(self.after, self.moves, self.score)


class TablebasesTable(Table):
    """Syzygy tables, for the pools that use them."""

    paths: Annotated[tuple[FilePath, ...], Field(strict=False)] = ()
    """Folders with ``.rtbw`` files."""
