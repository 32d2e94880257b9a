"""``ulci-server migrate``."""

from pathlib import Path

from ulci_server.storage import SchemaStatus, downgrade, lock_database, schema_state


def test_tables_are_created_once(shell, sqlite_url: str) -> None:
    first = shell.run("migrate", "--database", sqlite_url)
    again = shell.run("migrate", "--database", sqlite_url)
    head = schema_state(sqlite_url).head
    assert first.output == f"created the tables, version {head}\n"
    assert again.output == f"nothing to do: the tables are at version {head}\n"


def test_what_is_not_there_any_more_is_created_again(shell, sqlite_url: str) -> None:
    shell.run("migrate", "--database", sqlite_url)
    downgrade(sqlite_url, "base")
    assert shell.run("migrate", "--database", sqlite_url).exit_code == 0
    assert schema_state(sqlite_url).standing is SchemaStatus.CURRENT


def test_tables_that_a_server_uses_are_not_changed(shell, sqlite_url: str) -> None:
    shell.run("migrate", "--database", sqlite_url)
    with lock_database(sqlite_url):
        assert shell.run("migrate", "--database", sqlite_url).output.startswith("nothing to do")
        downgrade(sqlite_url, "0003")
        said = shell.refused("migrate", "--database", sqlite_url)
    assert "another ulci-server keeps its games in" in said
    assert schema_state(sqlite_url).revision == "0003"
    assert shell.run("migrate", "--database", sqlite_url).exit_code == 0


def test_what_cannot_be_migrated_is_one_line(shell, tmp_path: Path) -> None:
    (tmp_path / "x.db").write_text("not a database " * 100)
    assert "another kind of file" in shell.refused(
        "migrate", "--database", f"sqlite:///{tmp_path}/x.db"
    )
    assert "has no tables" in shell.refused("migrate", "--database", "memory:", code=2)
