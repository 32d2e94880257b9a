"""How do games leave? As PGN for chess programs, as JSON with everything that is recorded.

Both take games one by one and give texts one by one, so that a million games need no more memory
than one. PGN can say only what python-chess can play; other games are skipped, with the reason.
"""

from .documents import (
    EventDocument,
    GameDocument,
    MoveDocument,
    ReportDocument,
    document,
    export_json,
)
from .pgn import ExportError, export_pgn, pgn

__all__ = [
    "EventDocument",
    "ExportError",
    "GameDocument",
    "MoveDocument",
    "ReportDocument",
    "document",
    "export_json",
    "export_pgn",
    "pgn",
]
