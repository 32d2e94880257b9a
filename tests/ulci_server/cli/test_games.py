"""``ulci-server games``: what somebody sees who asks what was played."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.facts import noted, played, started
from ulci_server.cli.games import fitted
from ulci_server.storage import Database, migrate


def test_the_newest_game_comes_first(shell, games_url: str) -> None:
    assert shell.run("games", "--database", games_url).stdout.splitlines() == [
        "id  when (UTC)        white        black  game   time   plies  result  reason",
        " 3  2026-11-20 12:00  Eve?[2J ?黒  Bob    chess  300+3      0  *       aborted",
        " 2  2026-11-20 12:00  Ada          Bob    chess  300+3      1  *       running",
        " 1  2026-11-20 12:00  Ada          Bob    chess  300+3      4  0-1     checkmate",
    ]


def test_moves_of_a_book_are_plies_of_the_game(shell, sqlite_url: str) -> None:
    migrate(sqlite_url)
    database = Database(sqlite_url)
    database.save(noted([started(1, opening=("e2e4", "e7e5")), played(1, 3, "g1f3", seq=1)]))
    database.close()

    assert shell.run("games", "--database", sqlite_url).stdout.splitlines()[1].split()[7] == "3"


LONG = ("9", "2026-11-20 12:00", "Stockfish 15.1 bridged", "Ada Lovelace, London")
ROWS = [
    (*LONG, "chess960", "40/300+2", "44", "1/2-1/2", "time-insufficient"),
    ("8", "2026-11-20 12:00", "Bob", "Eve", "chess", "300+3", "4", "0-1", "checkmate"),
]


@pytest.mark.parametrize(
    ("columns", "head"),
    [
        (None, "id  when (UTC)  white  black  game  time  plies  result  reason"),
        (130, "id  when (UTC)  white  black  game  time  plies  result  reason"),
        (100, "id  when (UTC)  white  black  game  time  plies  result  reason"),
        (90, "id  when (UTC)  white  black  game  result  reason"),
        (80, "id  white  black  game  result  reason"),
        (50, "id  white  black  game  result  reason"),
    ],
)
def test_a_narrow_terminal_gets_shorter_names_and_fewer_columns(
    columns: int | None, head: str
) -> None:
    lines = fitted(ROWS, columns).splitlines()
    assert lines[0].split() == head.split()
    assert max(map(len, lines)) <= (columns or 200) or columns == 50
    assert ("Stockfish 15.1 bridged" in lines[1]) is (columns in (None, 130))
    assert "Bob " in lines[2]


def test_short_names_are_no_reason_to_leave_columns_out() -> None:
    assert fitted(ROWS[1:], 74) == fitted(ROWS[1:], None)
    assert max(map(len, fitted(ROWS[1:], 74).splitlines())) == 74


@pytest.mark.parametrize(
    ("options", "ids"),
    [
        (["--player", "Ada"], ["2", "1"]),
        (["--running"], ["2"]),
        (["--finished"], ["3", "1"]),
        (["--limit", "1"], ["3"]),
        (["--since", "2026-11-20T12:00:08"], ["3"]),
        (["--since", "2026-11-20T14:00:08+02:00"], ["3"]),
        (["--until", "2026-11-20T12:00:08"], ["2", "1"]),
        (["--since", "2026-11-20", "--until", "2026-11-21", "--player", "Bob"], ["3", "2", "1"]),
    ],
)
def test_games_can_be_picked(shell, games_url: str, options: list[str], ids: list[str]) -> None:
    lines = shell.run("games", "--database", games_url, *options).stdout.splitlines()
    assert [line.split()[0] for line in lines[1:]] == ids


def test_nothing_found_is_said(shell, games_url: str) -> None:
    said = shell.refused("games", "--database", games_url, "--player", "Nobody", code=4)
    assert said == "no game passes these filters"


def test_a_database_without_games_says_so(shell, sqlite_url: str) -> None:
    migrate(sqlite_url)
    said = shell.refused("games", "--database", sqlite_url, "--player", "Nobody", code=4)
    assert said == "there are no games in this database yet"


def test_the_database_may_come_from_the_environment_or_a_configuration(
    shell, games_url: str, tmp_path: Path
) -> None:
    config = tmp_path / "server.toml"
    config.write_text(f'[database]\nurl = "{games_url}"\n')
    for result in (
        shell.run("games", ULCI_DATABASE=games_url),
        shell.run("games", "-c", str(config)),
    ):
        assert "checkmate" in result.stdout


def database(folder: Path, kind: str) -> str:
    """The address of one with which something is wrong."""
    path = folder / "games.db"
    match kind:
        case "directory":
            path.mkdir()
        case "text":
            path.write_text("not a database " * 100)
        case "newer":
            migrate(f"sqlite:///{path}")
            with closing(sqlite3.connect(path)) as connection, connection:
                connection.execute("UPDATE alembic_version SET version_num = '9999'")
    return f"sqlite:///{path}"


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("none", "there is no database "),
        ("directory", "it is a directory; name a file in it"),
        ("text", "it is another kind of file"),
        ("newer", "install the newer ulci-relay"),
    ],
)
def test_a_database_that_cannot_be_read_is_one_line(
    shell, tmp_path: Path, kind: str, why: str
) -> None:
    url = database(tmp_path, kind)
    for command in ("games", "export"):
        assert why in shell.refused(command, "--database", url)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--since", "yesterday"], "'yesterday' is no time: write 2026-11-20 or"),
        (["--since", "9999-12-31T23:59:59-05:00"], "is no time: write 2026-11-20 or"),
        (["--until", "0001-01-01T00:00+05:00"], "is no time: write 2026-11-20 or"),
        (["--limit", "0"], "'0' is not a number from 1 on"),
        (["--limit", "ten"], "'ten' is not a number from 1 on"),
        (["--limit", "1" * 5000], "is not a number from 1 on"),
        (["--database", "games.db"], "'games.db' is not the address of a database"),
        (["--database", "mysql://me:secret@host/x"], "cannot be kept in mysql://me:***@host/x"),
        (["--database", "memory:"], "keeps in memory: nobody else can read"),
        (["--config", "/no/such/file"], "cannot be read"),
    ],
)
def test_a_wrong_option_is_one_line(shell, options: list[str], why: str) -> None:
    if options[0] == "--config":
        result = shell.run("games", *options)
        assert (result.exit_code, why in result.stderr) == (2, True)
    else:
        assert why in shell.refused("games", *options, code=2)


def test_no_message_shows_a_password_or_hides_an_example(shell) -> None:
    said = shell.refused("games", "--database", "mysql://me:secret@host/x", code=2)
    assert "secret" not in said
    assert "postgresql://USER@HOST/NAME" in said


@pytest.mark.system
def test_a_full_disk_is_one_line(games_url: str) -> None:
    for command in ("games", "export"):
        with Path("/dev/full").open("w") as full:
            done = subprocess.run(
                [sys.executable, "-m", "ulci_server.cli", command, "--database", games_url],
                stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=120,
            )  # fmt: skip
        assert done.stderr == "Error: cannot write the output: No space left on device\n"
        assert done.returncode == 1
