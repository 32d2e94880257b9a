"""``ulci-server export``: games for other programs."""

import io
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import chess.pgn
import pytest

from tests.support.facts import finished, line, noted, played, started
from ulci.rules import GAMES, Side
from ulci_server.cli.errors import ExitCode
from ulci_server.game import Fact
from ulci_server.storage import Database, migrate
from ulci_server.storage.verify.pgn import read_pgn


def keep(url: str, facts: Sequence[Fact]) -> None:
    database = Database(url)
    database.save(noted(facts))
    database.close()


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
    assert shell.refused("export", *options, "-o", str(out), code=4) == "there is no game 8, 9"
    assert not out.exists()


@pytest.mark.parametrize("number", ["0", "-1", "x", "9223372036854775808", "9" * 5000])
def test_what_is_no_number_of_a_game_is_told(shell, games_url: str, number: str) -> None:
    said = shell.refused("export", "--database", games_url, "--id", number, code=2)
    assert said.endswith("is not a number from 1 on")


def test_games_of_every_kind_are_written(shell, games_url: str) -> None:
    lfen = GAMES["liberty"].new("mini").fen()
    keep(
        games_url,
        [
            *line(4, "d2d3 c5c4", rules="liberty", start=lfen),
            *line(5, "a1 b2", rules="tictactoe"),
            *line(6, "g2 0000", rules="ataxx"),
        ],
    )
    result = shell.run("export", "--database", games_url, "--id", "4", "--id", "5", "--id", "6")
    found = [read_pgn(text) for text in re.split(r"\n\n(?=\[)|\n\n$", result.stdout) if text]
    assert (result.exit_code, result.stderr) == (0, "")
    assert [game.tags["Variant"] for game in found] == ["ataxx", "tictactoe", "liberty"]
    assert [[move.symbol for move in game.moves] for game in found] == [
        ["g2", "Z0"],
        ["a1", "b2"],
        ["d3", "c4"],
    ]


@pytest.mark.parametrize("form", ["pgn", "json"])
@pytest.mark.parametrize("filters", [["--player", "Nobody"], ["--until", "2020-01-01"]])
def test_a_filter_that_no_game_passes_is_told_and_leaves_no_file(
    shell, games_url: str, tmp_path: Path, form: str, filters: list[str]
) -> None:
    out = tmp_path / "out.pgn"
    asked = ["export", "--database", games_url, "--format", form, *filters]
    assert shell.refused(*asked, "-o", str(out), code=4) == "no game passes these filters"
    assert not [*tmp_path.glob("out*")]
    assert shell.run(*asked).stdout == ""


def test_a_database_without_games_is_told_from_a_filter(shell, sqlite_url: str) -> None:
    migrate(sqlite_url)
    said = shell.refused("export", "--database", sqlite_url, "--player", "Ada", code=4)
    assert said == "there are no games in this database yet"


def test_an_older_file_stays_where_there_is_nothing_to_write(
    shell, games_url: str, tmp_path: Path
) -> None:
    out = tmp_path / "out.pgn"
    out.write_text("older")
    shell.refused("export", "--database", games_url, "--player", "Nobody", "-o", str(out), code=4)
    assert out.read_text() == "older"


def test_games_none_of_which_can_be_written_are_a_failure(
    shell, games_url: str, tmp_path: Path
) -> None:
    keep(games_url, [started(4), played(4, 0, "e2e5")])
    out = tmp_path / "out.pgn"
    result = shell.run("export", "--database", games_url, "--id", "4", "-o", str(out))
    assert result.exit_code == 1
    assert result.stderr.splitlines() == [
        "game 4 is left out: ply 0, e2e5, is no move of chess"
        " (illegal uci: 'e2e5' in rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1)",
        "Error: none of these games can be written so; --format json takes them all",
    ]
    assert not out.exists()


def test_a_file_is_written_whole(shell, games_url: str, tmp_path: Path) -> None:
    out = tmp_path / "out.pgn"
    out.write_text("older")
    result = shell.run("export", "--database", games_url, "-o", str(out))
    assert (result.exit_code, result.output) == (0, "")
    assert len(games(out.read_text(encoding="utf-8"))) == 3
    assert [path.name for path in tmp_path.glob("out*")] == ["out.pgn"]


def test_a_game_that_pgn_cannot_say_is_named_and_left_out(shell, games_url: str) -> None:
    keep(games_url, [started(4), played(4, 0, "e2e5")])
    result = shell.run("export", "--database", games_url)
    assert result.exit_code == 0
    assert len(games(result.stdout)) == 3
    assert result.stderr.startswith("game 4 is left out: ply 0, e2e5, is no move of chess")


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


def test_a_game_that_ends_meanwhile_is_not_one_that_cannot_be_written(
    shell, sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrate(sqlite_url)

    def write_too_early(_: object, games: Iterable[object], *__: object) -> list[str]:
        written = [str(game) for game in games]
        keep(
            sqlite_url, [*line(1, "f2f3 e7e5 g2g4"), played(1, 3, "d8h4"), finished(1, Side.BLACK)]
        )
        return written

    monkeypatch.setattr("ulci_server.cli.export.export_json", write_too_early)
    asked = ("export", "--finished", "--format", "json", "--database", sqlite_url)
    assert "cannot be written" not in shell.refused(*asked, code=ExitCode.NOTHING_FOUND)


def test_pgn_may_be_in_the_form_of_match_runners(shell, games_url: str) -> None:
    asked = ["--id", "1", "--style", "runner", "--notation", "uci", "--detail", "nodes"]
    (game,) = games(shell.run("export", "--database", games_url, "--site", "home", *asked).stdout)
    assert game.headers["Site"] == "home"
    assert "GameDuration" in game.headers
    assert "n=123456" in game.end().comment


def test_last_positions_are_a_line_each(shell, games_url: str) -> None:
    result = shell.run("export", "--database", games_url, "--format", "epd")
    assert len(result.stdout.splitlines()) == 3
    assert result.stdout.splitlines()[0].endswith(" w KQkq - hmvc 0; fmvn 1;")


def test_details_that_no_stored_game_has_are_refused(shell, games_url: str) -> None:
    asked = ["export", "--database", games_url, "--style", "runner", "--detail", "seldepth"]
    assert "seldepth" in shell.refused(*asked, code=2)
