"""Writes each game, and its last position, to the files that were asked for, once it is over."""

import zlib
from collections.abc import Sequence
from pathlib import Path

from ulci_server.storage import Database, GameRecord, MoveRecord, TournamentRecord
from ulci_server.storage.export import (
    EPD_FILE,
    PGN_FILE,
    ExportError,
    GameFile,
    Header,
    QuotedLines,
    RunnerStyle,
    empty_file,
    final_epd,
    runner_pgn,
)

from .settings import MatchSettings

PGN, EPD = Path("match.pgn"), Path("match.epd")
"""Where is written to if no file was named."""

PIECE = 2**20
"""Bytes that are read at once for a checksum."""


class GameFiles:
    """The files of one match. All that they do blocks, so it belongs into a worker thread, one
    after the other.

    Raises:
        GameFileError: a file cannot be written.
    """

    def __init__(self, match: MatchSettings, kept: TournamentRecord, database: Database) -> None:
        pgn, epd = match.pgn, match.epd
        self._event, self._site = match.event, match.site
        self._style = RunnerStyle() if pgn is None else pgn.style
        self._files: dict[str, GameFile] = {}
        if pgn is not None:
            self._open("pgn", pgn.file or PGN, kept, append=pgn.append)
        if epd is not None:
            self._open("epd", epd.file or EPD, kept, append=epd.append)
        starts = {name: file.start for name, file in self._files.items()}
        if starts != kept.files:
            database.tournaments.keep_files(kept.id, {**kept.files, **starts})

    def _open(self, name: str, path: Path, kept: TournamentRecord, *, append: bool) -> None:
        start = kept.files.get(name)
        if start is None and not append:
            empty_file(path)
        form = PGN_FILE if name == "pgn" else EPD_FILE
        self._files[name] = GameFile(path, form, start)

    def lack(self, game: GameRecord) -> bool:
        """Whether a file lacks the game, as the program was killed before it was written."""
        return any(game.id not in file.written for file in self._files.values())

    def add(
        self,
        game: GameRecord,
        moves: Sequence[MoveRecord],
        round_: int,
        quoted: QuotedLines | None = None,
    ) -> str:
        """Write a game, with lines that its engines said. Returns why it cannot be written; empty
        if it was."""
        try:
            if (pgn := self._files.get("pgn")) is not None:
                header = Header(self._event, self._site, str(round_))
                pgn.add(game.id, runner_pgn(game, moves, self._style, header, quoted))
            if (epd := self._files.get("epd")) is not None:
                epd.add(game.id, f"{final_epd(game, moves)} # game {game.id}")
        except ExportError as error:
            return f"game {game.id} cannot be written: {error}"
        return ""

    def checksum(self) -> tuple[Path, int] | None:
        """The CRC-32 of the file of games; None if there is no such file, or it is a device."""
        if (pgn := self._files.get("pgn")) is None or not pgn.path.is_file():
            return None
        crc32 = 0
        with pgn.path.open("rb") as file:
            while piece := file.read(PIECE):
                crc32 = zlib.crc32(piece, crc32)
        return pgn.path, crc32

    def close(self) -> None:
        for file in self._files.values():
            file.close()
