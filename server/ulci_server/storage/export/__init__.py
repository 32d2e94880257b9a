"""Exports games: as PGN for chess programs, as JSON with everything that is recorded.

All take games one by one and yield texts one by one, so that a million games need no more memory
than one. PGN holds every game whose moves its rules can replay (`ulci.rules.pgn` writes them);
inconsistent games are left out, with the reason.

* `pgn`, with its `tags`; `json_export`: the two formats. A new one is a module here, a choice of
  the command in `ulci_server.cli.export`, and a check in `storage.verify.exports`.
* `runner_pgn`: PGN in the form of match runners, with its `runner_tags`, `runner_comments` and
  `runner_words` for the end. `final_epd`: the last position alone.
* `game_file`: a file to which the games of a match are added, and none twice.
* `layout`: what both forms of PGN share.
"""

from ulci.rules.pgn import NULL_MOVE, ExportError, Notation, is_chess, unquoted

from .final_epd import final_epd
from .game_file import EPD_FILE, PGN_FILE, GameFile, GameFileError, empty_file
from .json_export import document, export_json
from .pgn import export_texts, pgn
from .runner_comments import Detail
from .runner_pgn import QuotedLines, RunnerStyle, runner_pgn
from .runner_tags import Header
from .runner_words import ended

__all__ = [
    "EPD_FILE",
    "NULL_MOVE",
    "PGN_FILE",
    "Detail",
    "ExportError",
    "GameFile",
    "GameFileError",
    "Header",
    "Notation",
    "QuotedLines",
    "RunnerStyle",
    "document",
    "empty_file",
    "ended",
    "export_json",
    "export_texts",
    "final_epd",
    "is_chess",
    "pgn",
    "runner_pgn",
    "unquoted",
]
