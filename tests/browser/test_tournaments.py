"""The pages of tournaments: the list, and one with its standings and pairings."""

from datetime import UTC, datetime

import pytest

from tests.browser.conftest import DESKTOP, PHONE, pages_server
from tests.browser.pages import judged
from tests.support.facts import finished, line, noted
from ulci.rules import Side
from ulci_server.game import EncounterBegun
from ulci_server.storage import EntrantRecord, PairingRecord, TournamentState, open_database

pytestmark = [pytest.mark.system, pytest.mark.slow]

NAMES = "Ada", "<b>Bob</b>", "Cyd"
SETTINGS = 'name = "Winter Cup"\nformat = "roundrobin"\npool = "chess"\nopen = true\n'


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """With a tournament of three that is paused in its second round."""
    with pages_server(tmp_path_factory.mktemp("server")) as running:
        database, now = open_database(running.database), datetime.now(UTC)
        rows = [EntrantRecord(n, name, engine=name) for n, name in enumerate(NAMES, 1)]
        made = database.tournaments.create(SETTINGS, 7, "winter-cup", now, entrants=rows)
        pairings = [
            PairingRecord(1, 1, 1, 2, 0),
            PairingRecord(2, 1, 2, 1, 0, "0-1", "<b>Bob</b> did not come within 300 s"),
            PairingRecord(3, 2, 3, 1, 0),
            PairingRecord(4, 2, 2, None, 0, "1-0", "nobody was left to play"),
        ]
        database.tournaments.save(
            made.id, 0, now, state=TournamentState.PAUSED, begun_at=now, pairings=pairings
        )
        database.save(noted([*line(9, "e2e4 e7e5"), EncounterBegun(9, made.id, 1)], now))
        database.save(noted([finished(9, Side.WHITE)], now))
        database.close()
        yield running


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_tournament_is_found_and_read(server, visit, axe, size, scheme):
    visitor = visit("/", size, color_scheme=scheme)
    visitor.page.get_by_role("link", name="Tournaments").click()
    visitor.see("#list", "winter-cup")
    assert judged(visitor, axe) == []
    visitor.page.get_by_role("link", name="winter-cup").click()
    visitor.see("#title", "Winter Cup")
    visitor.see("#facts", "round robin, two games an encounter")
    visitor.see("#ranks", "Ada")
    visitor.see("#pairings", "bye")
    assert judged(visitor, axe) == []
    assert visitor.widest() <= size[0]


def test_an_earlier_round_is_chosen_by_the_keyboard(server, visit):
    visitor = visit("/tournaments/winter-cup")
    visitor.see("#pairings", "bye")
    visitor.page.get_by_label("Round").press("ArrowUp")
    visitor.see("#pairings", "did not come within 300 s")
    visitor.page.get_by_role("link", name="1-0").click()
    visitor.page.wait_for_url("**/games/9")


def test_names_are_texts_and_nothing_else(server, visit):
    visitor = visit("/tournaments/winter-cup")
    visitor.see("#ranks", "<b>Bob</b>")
    assert visitor.page.locator("#main b").count() == 0


def test_its_files_and_a_frame_for_other_pages_are_offered(server, visit):
    visitor = visit("/tournaments/winter-cup")
    visitor.see("#ranks", "Ada")
    hrefs = [
        visitor.page.get_by_role("link", name=name).get_attribute("href")
        for name in ("Games (PGN", "Standings (CSV)", "Report (TRF16)")
    ]
    for href in hrefs:
        assert visitor.page.request.get(href).ok, href
    frame = visitor.page.get_by_label("To show it in another page").input_value()
    assert f":{server.port('ws')}/embed/tournaments/winter-cup" in frame


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_in_a_frame_there_are_games_and_standings_and_nothing_else(server, visit, size):
    visitor = visit("/embed/tournaments/winter-cup", size)
    visitor.see("#ranks", "Ada")
    visitor.see("#pairings", "bye")
    assert visitor.page.get_by_role("link", name="The whole tournament").is_visible()
    assert not visitor.page.get_by_role("heading", name="Files and links").is_visible()
    assert visitor.widest() <= size[0]


def test_a_game_leads_back_to_its_tournament(server, visit):
    visitor = visit("/games/9")
    visitor.page.get_by_role("link", name="winter-cup").click()
    visitor.see("#title", "Winter Cup")


def test_figures_that_break_ties_are_columns(server, visit):
    visitor = visit("/tournaments/winter-cup")
    visitor.see("#ranks-head", "Sonneborn-Berger")
    heads = visitor.page.locator("#ranks-head th:visible").all_inner_texts()
    assert heads.count("direct encounter") == 1
    assert (
        len(heads)
        == visitor.page.locator("#ranks tr").first.locator("th:visible, td:visible").count()
    )
