"""What a command writes is whole, or not there."""

import sys
from pathlib import Path

import pytest

from ulci_server.cli.errors import Failure
from ulci_server.cli.output import columns, open_output, shown, table, width


def test_a_failure_in_the_middle_keeps_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_text("older")
    with pytest.raises(RuntimeError), open_output(path) as out:
        out.write("half")
        raise RuntimeError
    assert path.read_text() == "older"
    assert [*tmp_path.iterdir()] == [path]


def test_what_is_no_file_is_written_to_as_it_is(tmp_path: Path) -> None:
    with open_output(Path("/dev/null")) as out:
        out.write("x")
    with (
        pytest.raises(Failure, match="cannot write /dev/full: No space left"),
        open_output(Path("/dev/full")) as out,
    ):
        out.write("x")


def test_standard_output_is_utf_8_whatever_the_locale_says(
    capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    with open(1, "w", encoding="ascii", closefd=False) as ascii_:
        monkeypatch.setattr(sys, "stdout", ascii_)
        with open_output() as out:
            out.write("Ж")
    assert capfdbinary.readouterr().out.decode("utf-8") == "Ж"


def test_a_reader_who_has_seen_enough_is_no_failure() -> None:
    with pytest.raises(BrokenPipeError), open_output():
        raise BrokenPipeError


def test_columns_are_as_wide_as_what_stands_in_them() -> None:
    rows = [("1", "Ada", "x"), ("20", "黒黒", "")]
    assert table(("id", "name", "y"), rows, right=("id",)).splitlines() == [
        "id  name  y",
        " 1  Ada   x",
        "20  黒黒",
    ]
    assert columns([("a", "b"), ("ccc", "d")]) == "a    b\nccc  d"


def test_a_letter_takes_no_column_or_one_or_two() -> None:
    assert [width(text) for text in ("a", "é", "e\u0301", "黒", "")] == [1, 1, 1, 2, 0]


@pytest.mark.parametrize(
    ("text", "text_shown"),
    [
        ("Ada", "Ada"),
        ("Ada Lovelace", "Ada Lov…"),
        ("黒黒黒黒", "黒黒黒黒"),
        ("黒黒黒黒黒", "黒黒黒…"),
        ("a\x1b[2J\n", "a?[2J?"),
        ("\u202eadA", "?adA"),
    ],
)
def test_what_others_wrote_is_harmless_and_cut(text: str, text_shown: str) -> None:
    assert shown(text, 8) == text_shown
