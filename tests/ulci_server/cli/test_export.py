"""``ulci-server export``: games for other programs."""

import io
import json
from pathlib import Path

import chess.pgn
import pytest

from tests.support.facts import noted, played, started
from ulci_server.storage import SqlRepository


def games(text: str) -> list[chess.pgn.Game]:
    stream = io.StringIO(text)
    found = []
    while (game := chess.pgn.read_game(stream)) is not None:
        assert game.errors == []
        found.append(game)
    return found


def test_pgn_is_the_default_with_running_games_as_far_as_they_are(shell, games_url: str) -> None:
    result = shell.run("export", "--database", games_url, "--site", "home")
    found = games(result.stdout)
    assert [game.headers["GameId"] for game in found] == ["3", "2", "1"]
    assert [game.headers["Result"] for game in found] == ["*", "*", "0-1"]
    assert [game.end().ply() for game in found] == [0, 1, 4]
    assert found[0].headers["Site"] == "home"


def test_json_is_an_object_a_line_with_all_that_is_recorded(shell, games_url: str) -> None:
    result = shell.run("export", "--database", games_url, "--format", "json")
    documents = [json.loads(line) for line in result.stdout.splitlines()]
    assert [document["id"] for document in documents] == [3, 2, 1]
    assert documents[2]["moves"][3]["score"]["cp"] == 23


@pytest.mark.parametrize(
    ("options", "ids"),
    [
        (["--id", "1"], [1]),
        (["--id", "1", "--id", "3"], [3, 1]),
        (["--player", "Ada"], [2, 1]),
        (["--since", "2026-11-20T12:00:08"], [3]),
        (["--finished", "--limit", "1"], [3]),
    ],
)
def test_games_can_be_picked(shell, games_url: str, options: list[str], ids: list[int]) -> None:
    result = shell.run("export", "--database", games_url, "--format", "json", *options)
    assert [json.loads(line)["id"] for line in result.stdout.splitlines()] == ids


def test_a_number_that_no_game_has_is_told_before_anything_is_written(
    shell, games_url: str, tmp_path: Path
) -> None:
    options = ["--database", games_url, "--id", "1", "--id", "9", "--id", "8"]
    out = tmp_path / "out.pgn"
    assert shell.refused("export", *options, "-o", str(out)) == "there is no game 8, 9"
    assert not out.exists()


def test_nothing_found_is_said_beside_the_output(shell, games_url: str) -> None:
    result = shell.run("export", "--database", games_url, "--player", "Nobody")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "no such games\n")


def test_a_file_is_written_whole(shell, games_url: str, tmp_path: Path) -> None:
    out = tmp_path / "out.pgn"
    out.write_text("older")
    result = shell.run("export", "--database", games_url, "-o", str(out))
    assert (result.exit_code, result.output) == (0, "")
    assert len(games(out.read_text(encoding="utf-8"))) == 3
    assert [path.name for path in tmp_path.glob("out*")] == ["out.pgn"]


def test_a_game_that_pgn_cannot_say_is_named_and_left_out(shell, games_url: str) -> None:
    repository = SqlRepository(games_url)
    repository.save(noted([started(4), played(4, 0, "e2e5")]))
    repository.close()
    result = shell.run("export", "--database", games_url)
    assert result.exit_code == 0
    assert len(games(result.stdout)) == 3
    assert result.stderr.startswith("game 4 is left out: game 4: python-chess does not know")


@pytest.mark.parametrize(
    ("where", "why"),
    [
        ("", "Is a directory"),
        ("no/such/folder/x", "No such file or directory"),
        ("games.db/x", "Not a directory"),
    ],
)
def test_a_file_that_cannot_be_written_is_one_line(
    shell, games_url: str, tmp_path: Path, where: str, why: str
) -> None:
    said = shell.refused("export", "--database", games_url, "-o", str(tmp_path / where))
    assert said == f"cannot write {tmp_path / where}: {why}"
