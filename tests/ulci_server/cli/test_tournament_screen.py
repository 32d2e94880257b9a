"""How far a tournament is, on a screen."""

from datetime import UTC, datetime

from ulci_server.cli.output import width
from ulci_server.cli.tournament.screen import fitted, status
from ulci_server.hall.tournament.rows import rebuilt
from ulci_server.storage import (
    EntrantRecord,
    PairingRecord,
    StoredTournament,
    TournamentRecord,
    TournamentState,
)
from ulci_server.tournament import Tournament

NOON = datetime(2026, 11, 27, 12, tzinfo=UTC)
SETTINGS = 'name = "Open"\nformat = "swiss"\nrounds = 7\ngames = 1\npool = "chess"\nopen = true\n'


def field(size: int) -> tuple[StoredTournament, Tournament]:
    """A round of so many that is paired."""
    record = TournamentRecord(1, SETTINGS, 7, {}, NOON, word="open", begun_at=NOON)
    names = [f"a rather long name of an engine {number}" for number in range(1, size + 1)]
    entrants = [EntrantRecord(n, name, engine=name) for n, name in enumerate(names, 1)]
    pairings = [PairingRecord(n, 1, 2 * n - 1, 2 * n, 0) for n in range(1, size // 2 + 1)]
    stored = StoredTournament(record, entrants, pairings, [])
    return stored, rebuilt(stored)


def test_the_leaders_of_a_hundred_fit_on_a_small_screen() -> None:
    lines = [*fitted(*field(100), 80, 24)]
    assert len(lines) <= 24
    assert max(map(width, lines)) <= 80
    assert any(line.startswith("1 ") for line in lines)
    assert "  and 45 more" in lines


def test_the_reason_of_a_pause_and_the_way_on_are_shown() -> None:
    stored, tournament = field(4)
    record = stored.record._replace(state=TournamentState.PAUSED, why_paused="the book is empty")
    lines = [*fitted(stored._replace(record=record), tournament, 80, 24)]
    assert "the server has paused it: the book is empty" in lines
    assert "it is paused: ulci-server tournament start open goes on with it" in lines


def test_a_file_or_pipe_gets_all_of_them() -> None:
    text = "\n".join(status(*field(100)))
    assert "engine 100" not in text, "names are cut"
    assert sum("a rather long name" in line for line in text.splitlines()) == 100 + 12


def test_a_narrow_screen_shows_the_first_figures_that_break_ties_and_a_wide_one_all() -> None:
    narrow, wide = ([*fitted(*field(100), columns, 24)] for columns in (80, 150))
    assert narrow[3].split()[-4:] == ["BH", "cut", "BH", "SB"]
    assert wide[3].endswith("Buchholz cut 1  Buchholz  Sonneborn-Berger  game points  wins")
