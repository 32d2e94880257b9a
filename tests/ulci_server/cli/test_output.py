"""What a command writes is whole, or not there."""

import sys
from pathlib import Path

import pytest

from ulci_server.cli.output import written
from ulci_server.cli.problems import Failure


def test_a_failure_in_the_middle_keeps_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_text("older")
    with pytest.raises(RuntimeError), written(path) as out:
        out.write("half")
        raise RuntimeError
    assert path.read_text() == "older"
    assert [*tmp_path.iterdir()] == [path]


def test_what_is_no_file_is_written_to_as_it_is(tmp_path: Path) -> None:
    with written(Path("/dev/null")) as out:
        out.write("x")
    with (
        pytest.raises(Failure, match="cannot write /dev/full: No space left"),
        written(Path("/dev/full")) as out,
    ):
        out.write("x")


def test_standard_output_is_utf_8_whatever_the_locale_says(
    capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    with open(1, "w", encoding="ascii", closefd=False) as ascii_:
        monkeypatch.setattr(sys, "stdout", ascii_)
        with written() as out:
            out.write("Ж")
    assert capfdbinary.readouterr().out.decode("utf-8") == "Ж"


def test_a_reader_who_has_seen_enough_is_no_failure() -> None:
    with pytest.raises(BrokenPipeError), written():
        raise BrokenPipeError
