"""``ulci-server check-config``."""

import sys
from datetime import datetime
from pathlib import Path

import trustme

from ulci_server.config import Listener

SETTINGS = """
listen = [{ address = "tcp://*:7000", pool = "long" }, { address = "ws://127.0.0.1:25566" }]
[database]
url = "postgresql://ada:secret@host/games"
durability = "process"
[log]
format = "json"
[[pool]]
name = "blitz"
time = "180+2"
[[pool]]
name = "long"
game = "chess960"
time = "40/5400+30:900+30"
meet = "humans"
"""


def test_it_says_what_a_server_would_do(shell, tmp_path: Path) -> None:
    path = tmp_path / "server.toml"
    path.write_text(SETTINGS)
    result = shell.run("check-config", str(path))
    assert result.exit_code == 0
    assert result.output.splitlines() == [
        f"{path} is fine; a server with it would",
        "listen at",
        "    tcp://*:7000               for the pool long",
        "    ws://127.0.0.1:25566/ulci  for the pool blitz",
        "offer",
        "    pool   game      time               starts         meet",
        "    blitz  chess     180+2              1 position     any",
        "    long   chess960  40/5400+30:900+30  960 positions  humans",
        "keep games in postgresql://ada:***@host/games",
        "show a move once it survives the end of the server",
        "give running games 30 s at shutdown",
        "log from level info on, as json",
        f"warning: {Listener.at('tcp://*:7000').warning()}",
    ]


def test_it_names_the_conduct_of_a_pool_that_is_not_the_usual(shell, tmp_path: Path) -> None:
    file = tmp_path / "server.toml"
    file.write_text('[[pool]]\nname = "cup"\nconduct = { takeback = false, disconnections = 3 }\n')
    said = shell.run("check-config", str(file)).output
    assert "play games of cup by the conduct no-takeback,disconnections=3" in said


def test_it_names_the_book_of_a_pool(shell, tmp_path: Path) -> None:
    (tmp_path / "book.epd").write_text("8/8/8/4k3/8/8/4P3/4K3 w - -\n")
    file = tmp_path / "server.toml"
    file.write_text('[[pool]]\nname = "it"\nopenings = { file = "book.epd" }\n')
    assert "openings of book.epd" in shell.run("check-config", str(file)).output


def test_it_names_the_engines_of_the_server(shell, tmp_path: Path) -> None:
    file = tmp_path / "server.toml"
    file.write_text(f"[[engine]]\ncommand = [{sys.executable!r}]\nname = 'Fish'\nboards = 2\n")
    said = shell.run("check-config", str(file)).output
    assert "let play Fish against people who seek against an engine, 2 games at once" in said


def test_it_tells_all_faults_at_once(shell, tmp_path: Path) -> None:
    path = tmp_path / "server.toml"
    path.write_text('port = 1\n[game]\nready = "soon"\n[pool]\nname = "x"\n')
    result = shell.run("check-config", str(path))
    assert result.exit_code == 2
    assert result.stdout == ""
    first, *faults = result.stderr.splitlines()
    assert first == f"Error: {path} has 3 errors:"
    told = "  line 4: pool: expected a list of tables, found a table; its head is [[pool]]"
    assert told in "\n".join(faults)


def test_what_is_no_file_is_told(shell, tmp_path: Path) -> None:
    result = shell.run("check-config", str(tmp_path / "none.toml"))
    assert result.exit_code == 2
    assert "cannot be read: No such file or directory" in result.stderr


def test_it_says_until_when_a_certificate_holds(shell, tmp_path: Path) -> None:
    until = datetime(2100, 1, 1)  # noqa: DTZ001 (trustme wants it so)
    made = trustme.CA().issue_cert("localhost", not_after=until)
    made.private_key_and_cert_chain_pem.write_to_path(tmp_path / "both.pem")
    path = tmp_path / "server.toml"
    path.write_text('listen = [{ address = "tls://*", certificate = "both.pem" }]')
    result = shell.run("check-config", str(path))
    assert result.exit_code == 0
    assert "the certificate of tls://*:25565 holds until 2100-01-01" in result.output
    assert "warning" not in result.output


def test_it_warns_of_a_certificate_that_has_ended(shell, tmp_path: Path) -> None:
    ended = datetime(2001, 1, 1)  # noqa: DTZ001
    made = trustme.CA().issue_cert("localhost", not_before=datetime(2000, 1, 1), not_after=ended)  # noqa: DTZ001
    made.private_key_and_cert_chain_pem.write_to_path(tmp_path / "both.pem")
    path = tmp_path / "server.toml"
    path.write_text('listen = [{ address = "tls://*", certificate = "both.pem" }]')
    assert "certificate has expired; renew" in shell.run("check-config", str(path)).output


def test_it_tells_which_lines_of_a_book_are_not_played(shell, tmp_path: Path) -> None:
    path = tmp_path / "server.toml"
    path.write_text('[[pool]]\nname = "x"\nstarts_file = "book.epd"\n')
    book = "8/8/8/4k3/8/8/4P3/4K3 w - -\n7k/8/6QK/8/8/8/8/8 b - - 0 1\n"
    (tmp_path / "book.epd").write_text(book)
    result = shell.run("check-config", str(path))
    assert result.exit_code == 0
    assert result.output.splitlines()[-1] == (
        "warning: pool x: starts_file line 2 is skipped: the game is over there already: drawn"
        " (stalemate)"
    )
