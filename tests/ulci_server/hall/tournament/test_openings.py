"""What everybody may read of a fault of a book."""

import pytest

from ulci_server.hall.tournament.openings import without_folder
from ulci_server.tournament import parse_tournament

POOLS = 'name = "Cup"\nformat = "roundrobin"\npool = "chess"\nopen = true\n'
OWN = f'{POOLS}openings = {{ file = "/srv/my books//cup.epd" }}\n'


@pytest.mark.parametrize(
    ("settings", "why", "shown"),
    [
        (OWN, "the book /srv/my books/cup.epd is empty", "the book cup.epd is empty"),
        (OWN, "the book /srv/my books//cup.epd is empty", "the book cup.epd is empty"),
        (POOLS, "cannot read the book /etc/ulci/pool.pgn: x", "cannot read the book pool.pgn: x"),
    ],
    ids=["own", "as written", "of the pool"],
)
def test_no_folder_of_the_server_is_shown(settings: str, why: str, shown: str) -> None:
    assert without_folder(why, parse_tournament(settings)) == shown
