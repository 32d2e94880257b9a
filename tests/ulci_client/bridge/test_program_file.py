"""Whether an engine's program was replaced."""

import os
from pathlib import Path

from ulci_client.bridge.program_file import ProgramFile


def test_an_update_is_seen_once_the_file_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "engine"
    path.write_text("one")
    path.chmod(0o755)
    program = ProgramFile.of(str(path))
    assert program is not None
    assert not program.updated()
    path.write_text("an")  # a copy under way
    assert not program.updated()
    path.write_text("another")
    assert not program.updated()
    assert program.updated()
    path.unlink()
    assert not program.updated()
    assert not program.updated()


def test_a_file_of_the_same_size_and_time_put_in_its_place_is_another(tmp_path: Path) -> None:
    path, new = tmp_path / "engine", tmp_path / "new"
    for each in (path, new):
        each.write_text("one")
        os.utime(each, (1, 1))
    program = ProgramFile(path)
    new.rename(path)
    assert [program.updated(), program.updated()] == [False, True]


def test_a_command_that_is_no_file_cannot_be_updated() -> None:
    assert ProgramFile.of("/no/engine") is None
