"""The file of a log: bounded, and nobody else's."""

import os
import stat
from pathlib import Path

import pytest

from ulci.wire_log import TakenError, WireLogError
from ulci.wire_log.rotating_file import RotatingFile


def test_only_its_owner_can_read_it(tmp_path: Path) -> None:
    path = tmp_path / "wire.log"
    path.touch(0o666)
    file = RotatingFile(path, size=5)
    file.write(b"first\n")
    file.write(b"second\n")
    file.close()
    assert [stat.S_IMODE(each.stat().st_mode) for each in tmp_path.iterdir()] == [0o600, 0o600]


def test_a_full_file_is_put_aside_and_the_oldest_is_deleted(tmp_path: Path) -> None:
    file = RotatingFile(tmp_path / "wire.log", size=10, files=3)
    for number in range(6):
        file.write(b"line %d\n" % number)
    file.close()
    assert {each.name: each.read_text() for each in tmp_path.iterdir()} == {
        "wire.log": "line 5\n",
        "wire.log.1": "line 4\n",
        "wire.log.2": "line 3\n",
    }


def test_a_single_file_begins_anew(tmp_path: Path) -> None:
    file = RotatingFile(tmp_path / "wire.log", size=10, files=1)
    for number in range(3):
        file.write(b"line %d\n" % number)
    file.close()
    assert [each.read_text() for each in tmp_path.iterdir()] == ["line 2\n"]


def test_it_goes_on_behind_a_line_that_was_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "wire.log"
    path.write_text("whole\ncut o")
    file = RotatingFile(path)
    file.write(b"next\n")
    file.close()
    assert path.read_text() == "whole\ncut o\nnext\n"


def test_two_programs_cannot_write_the_same_file(tmp_path: Path) -> None:
    file = RotatingFile(tmp_path / "wire.log")
    with pytest.raises(TakenError, match="another program writes the wire log"):
        RotatingFile(tmp_path / "wire.log")
    file.close()
    RotatingFile(tmp_path / "wire.log").close()


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name, why in (
        ("missing/wire.log", "No such file or directory"),
        ("pipe", ""),
        (".", "Is a directory"),
        ("/dev/null", "it is no file"),
    ):
        with pytest.raises(WireLogError, match=f"cannot write the wire log .*: {why}"):
            RotatingFile(tmp_path / name)
