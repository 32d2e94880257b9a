"""What an operator is told of a tournament that is about to be made."""

from pathlib import Path

import pytest

from ulci_server.hall.tournament import making
from ulci_server.tournament import parse_tournament

SWISS = 'name = "Club"\nformat = "swiss"\nrounds = 5\npool = "chess"\nopen = true\n'


@pytest.mark.parametrize("found", [True, False])
def test_a_swiss_needs_a_package_which_is_named_where_it_is_missing(monkeypatch, found):
    monkeypatch.setattr(making, "find_spec", lambda _: object() if found else None)
    noted = [*making.notes(parse_tournament(SWISS))]
    assert noted == ([] if found else [making.NEEDS_SWISS])


def test_other_formats_need_none(monkeypatch):
    monkeypatch.setattr(making, "find_spec", lambda _: None)
    text = SWISS.replace("swiss", "roundrobin").replace("rounds = 5\n", "")
    assert [*making.notes(parse_tournament(text))] == []


def test_a_book_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    book = tmp_path / "book.epd"
    settings = parse_tournament(
        f'name = "Club"\nformat = "arena"\npool = "chess"\nopen = true\n'
        f'openings = {{ file = "{book}" }}\n'
    )
    (noted,) = making.notes(settings)
    assert noted.startswith(f"note: the book {book} cannot be read here: No such file or directory")
    book.write_text("")
    assert [*making.notes(settings)] == []
