"""The files of a match: begun anew, or added to, and named if they cannot be written."""

from pathlib import Path

import pytest

from tests.support.facts import NOON, finished, line, noted
from ulci_server.cli.match import MatchSettings, parse
from ulci_server.cli.match.files import GameFiles
from ulci_server.storage import MemoryDatabase
from ulci_server.storage.export import GameFileError


def match(path: Path, *, append: bool) -> MatchSettings:
    words = ["-engine", "cmd=a", "-engine", "cmd=b", "-each", "tc=10+0.1", "-pgnout"]
    asked = parse([*words, f"file={path}", f"append={str(append).lower()}"], 8)
    assert isinstance(asked, MatchSettings)
    return asked


@pytest.mark.parametrize("append", [True, False])
def test_a_match_that_goes_on_adds_the_games_that_a_file_lacks(
    tmp_path: Path, append: bool
) -> None:
    path = tmp_path / "games.pgn"
    path.write_text("old\n\n")
    settings = match(path, append=append)
    database = MemoryDatabase()
    database.save(noted([*line(1, "e2e4"), finished(1), *line(2, "e2e4"), finished(2)]))
    games = {game.id: game for game in database.games.find()}
    database.tournaments.begin("settings", 7, NOON)
    for game, lacks in ((1, [True, True]), (2, [False, True])):
        [kept] = database.tournaments.all()
        files = GameFiles(settings, kept, database)
        assert [files.lack(games[number]) for number in (1, 2)] == lacks
        assert files.add(games[game], database.games.moves(game), 1) == ""
        files.close()
    text = path.read_text()
    assert text.startswith("old\n\n[Event" if append else "[Event")
    assert text.count("[GameId ") == 2


def test_a_file_that_cannot_be_begun_anew_is_named(tmp_path: Path) -> None:
    database = MemoryDatabase()
    kept = database.tournaments.begin("settings", 7, NOON)
    with pytest.raises(GameFileError, match="Is a directory"):
        GameFiles(match(tmp_path, append=False), kept, database)
