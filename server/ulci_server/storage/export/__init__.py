"""Exports games: as PGN for chess programs, as JSON with everything that is recorded.

Both take games one by one and yield texts one by one, so that a million games need no more memory
than one. PGN holds every game whose moves its rules can replay (`ulci.rules.pgn` writes them);
inconsistent games are left out, with the reason.

* `pgn`, with its `tags`; `json_export`: the two formats. A new one is a module here, a choice of
  the command in `ulci_server.cli.export`, and a check in `storage.verify.exports`.
"""

from ulci.rules.pgn import NULL_MOVE, ExportError, is_chess, unquoted

from .json_export import document, export_json
from .pgn import export_pgn, pgn

__all__ = [
    "NULL_MOVE",
    "ExportError",
    "document",
    "export_json",
    "export_pgn",
    "is_chess",
    "pgn",
    "unquoted",
]
