"""The pages of tournaments: the list, and one with its standings and pairings."""

import os
import re
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.browser.conftest import DESKTOP, PHONE, pages_server
from tests.browser.pages import Visitor, expect, judged
from tests.support.facts import finished, line, noted
from ulci.rules import Side
from ulci_server.game import EncounterBegun
from ulci_server.storage import EntrantRecord, PairingRecord, TournamentState, open_database
from ulci_server.web.tournament_pairings import MOST_PAIRINGS

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


def keep(visitor: Visitor, name: str) -> None:
    if folder := os.environ.get("ULCI_TEST_SCREENSHOTS"):
        visitor.page.screenshot(path=Path(folder) / f"{name}.png")


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_tournament_is_found_and_read(server, visit, axe, size, scheme):
    visitor = visit("/", size, color_scheme=scheme)
    visitor.page.get_by_role("link", name="Tournaments").click()
    visitor.see("#list", "Winter Cup")
    assert visitor.page.get_by_text("winter-cup").is_visible() == (size == DESKTOP)
    assert judged(visitor, axe) == []
    visitor.page.get_by_role("link", name="Winter Cup").click()
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


@pytest.mark.parametrize(("size", "scheme"), [(PHONE, "dark"), (DESKTOP, "light")])
def test_a_long_round_has_pages(server, visit, axe, size, scheme):
    database, now = open_database(server.database), datetime.now(UTC)
    with closing(database):
        word = f"long{size[0]}"
        rows = [EntrantRecord(n, name, engine=name) for n, name in enumerate(("Ada", "Bob"), 1)]
        made = database.tournaments.create(SETTINGS, 7, word, now, entrants=rows)
        last = 2 * MOST_PAIRINGS + 1
        pairings = [PairingRecord(n, 1, 1, 2, n, why=f"the {n}.") for n in range(1, last + 1)]
        pairings.append(PairingRecord(last + 1, 2, 1, 2, 0))
        database.tournaments.save(made.id, 0, now, begun_at=now, pairings=pairings)
    visitor = visit(f"/tournaments/{word}", size, color_scheme=scheme)
    visitor.see("#round")
    assert not visitor.page.locator("#pages").is_visible()
    visitor.page.get_by_label("Round").select_option("1")
    visitor.see("#shown", f"1 to {MOST_PAIRINGS} of {last}")
    expect(visitor.page.get_by_role("button", name="Earlier")).to_be_disabled()
    visitor.press("Later")
    visitor.see("#shown", f"{MOST_PAIRINGS + 1} to {2 * MOST_PAIRINGS} of {last}")
    visitor.page.get_by_role("button", name="Later").scroll_into_view_if_needed()
    keep(visitor, f"pairings_{size[0]}_{scheme}")
    assert judged(visitor, axe) == []
    assert visitor.widest() <= size[0]
    visitor.press("Later")
    visitor.see("#shown", f"{last} to {last} of {last}")
    expect(visitor.page.locator("#pairings tr")).to_have_count(1)
    expect(visitor.page.get_by_role("button", name="Later")).to_be_disabled()
    visitor.press("Earlier")
    visitor.see("#shown", f"{MOST_PAIRINGS + 1} to")
    visitor.press("Earlier")
    visitor.see("#shown", f"1 to {MOST_PAIRINGS} of {last}")
    visitor.page.get_by_label("Round").select_option("2")
    visitor.until("document.querySelector('#pages').hidden")


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
    frame = visitor.page.get_by_label("To show it in another page")
    address = f":{server.port('ws')}/embed/tournaments/winter-cup"
    expect(frame).to_have_value(re.compile(re.escape(address)))


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_in_a_frame_there_are_games_and_standings_and_nothing_else(server, visit, size):
    visitor = visit("/embed/tournaments/winter-cup", size)
    visitor.see("#ranks", "Ada")
    visitor.see("#pairings", "bye")
    visitor.page.get_by_role("link", name="The whole tournament").wait_for()
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


@pytest.fixture(scope="module")
def two(server):
    """The name of a test of two, of which four pairs are played."""
    settings = 'name = "Test"\nformat = "sprt"\nrounds = 9\npool = "chess"\nopen = true\n'
    settings += "sprt = { elo0 = 0, elo1 = 5 }\n"
    now = datetime.now(UTC)
    rows = [EntrantRecord(n, name, engine=name) for n, name in enumerate(NAMES[:2], 1)]
    pairings = [
        PairingRecord(2 * n + one, n + 1, one, 3 - one, n) for n in range(4) for one in (1, 2)
    ]
    winners = Side.WHITE, Side.BLACK, Side.WHITE, None, None, None, Side.BLACK, Side.WHITE
    with closing(open_database(server.database)) as database:
        made = database.tournaments.create(settings, 7, "test", now, entrants=rows)
        state = TournamentState.PAUSED
        database.tournaments.save(made.id, 0, now, state=state, begun_at=now, pairings=pairings)
        for number, winner in enumerate(winners, 1):
            game = 10 * made.id + number
            database.save(noted([*line(game, "e2e4 e7e5"), EncounterBegun(game, made.id, number)]))
            database.save(noted([finished(game, winner)]))
    return "test"


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_test_of_two_shows_how_elo_and_llr_went(two, visit, axe, size):
    visitor = visit(f"/tournaments/{two}", size)
    visitor.see("#llr-text", "LLR")
    expect(visitor.page.locator("#courses svg")).to_have_count(2)
    assert judged(visitor, axe) == []
    keep(visitor, f"{two}-{size[0]}")
