"""Tables for people."""

import pytest

from ulci_server.cli.table import columns, shown, table, width


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
