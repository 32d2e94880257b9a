"""The standings on the page of a match."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from tests.browser.conftest import DESKTOP, PHONE
from tests.browser.pages import Visitor, expect, judged
from tests.browser.test_looks import SCREENSHOTS
from tests.support import scripted_engine
from tests.support.standings import match
from ulci_server.web.standings import standings_document

pytestmark = [pytest.mark.system, pytest.mark.slow]


class MatchPage:
    """A match of two engines, and where its page is."""

    def __init__(self, folder: Path) -> None:
        engines = [
            word
            for name in ("first", "second")
            for word in (
                *("-engine", f"name={name}", f"cmd={sys.executable}"),
                f"args={scripted_engine.__file__}",
            )
        ]
        words = [*engines, "-each", "tc=60+1", "-rounds", "10000", "-web", "ws://127.0.0.1:0"]
        words += ["-sprt", "elo0=0", "elo1=5", "alpha=0.05", "beta=0.05"]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "ulci_server.cli", "match", *words],
            cwd=folder,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self._reading = threading.Thread(target=self.process.stdout.read)  # or its pipe is full

    def port(self, scheme: str) -> int:
        return self._port

    def begin(self) -> None:
        """Wait until it says where its page is."""
        assert self.process.stdout is not None
        page = next(line for line in self.process.stdout if line.startswith("The page: "))
        self._port = int(re.search(r":([0-9]+)/", page)[1])
        self._reading.start()

    def stop(self) -> None:
        """Ask it to end, which it does within 60 s."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait(60)

    def close(self) -> None:
        """Leave nothing of it behind, however it went."""
        self.process.kill()
        self.process.wait()
        if self._reading.is_alive():
            self._reading.join()
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[MatchPage]:
    running = MatchPage(tmp_path_factory.mktemp("match"))
    try:
        running.begin()
        yield running
        running.stop()
    finally:
        running.close()


def finished(visitor: Visitor) -> int:
    """Games, by the page's own count."""
    return int(visitor.page.locator("#standings-count").inner_text().split()[0])


def test_the_standings_of_a_match_are_shown_as_its_games_end(visit):
    visitor = visit("/")
    visitor.see("#duel-score", re.compile(r"first.*–.*second", re.DOTALL))
    visitor.see("#standings-count", "of 20000 games")
    visitor.see("#llr-text", "LLR")
    assert not visitor.page.locator("#ranks-part").is_visible()
    assert not visitor.page.locator("#play-link").is_visible()  # nobody can play here
    before = finished(visitor)
    visitor.until(
        f"Number.parseInt(document.querySelector('#standings-count').textContent) > {before + 4}"
    )
    games = visitor.page.locator("#figures div", has_text="Games").locator("dd").inner_text()
    assert int(games) <= finished(visitor)
    visitor.see("#courses svg")


def shown(visit, standings: dict, size: tuple[int, int], scheme: str) -> Visitor:
    """The page with these standings instead of the match's."""
    visitor = visit("/livez", size, color_scheme=scheme)
    body = json.dumps(standings)
    visitor.page.route(
        "**/api/standings",
        lambda route: route.fulfill(body=body, content_type="application/json"),
    )
    visitor.page.goto("/")
    visitor.see("#standings-count", f"{standings['finished']} of")
    return visitor


def document(games: int, engines: int) -> dict:
    played = match(games, engines)
    made = standings_document(played.now(), played.version)
    return {"now": "2026-11-22T12:00:00.000Z", **json.loads(msgspec.json.encode(made))}


@pytest.mark.parametrize(
    ("size", "scheme"), [(PHONE, "dark"), (DESKTOP, "light")], ids=["phone", "desktop"]
)
@pytest.mark.parametrize(("games", "engines"), [(0, 2), (1200, 2), (300, 6), (2000, 40), (9, 100)])
def test_standings_fit_and_have_no_serious_fault(visit, axe, size, scheme, games, engines):
    visitor = shown(visit, document(games, engines), size, scheme)
    if folder := os.environ.get(SCREENSHOTS):
        shot = Path(folder) / f"standings_{engines}_{games}_{size[0]}_{scheme}.png"
        visitor.page.screenshot(path=shot, full_page=True)
    assert visitor.widest() <= size[0]
    assert judged(visitor, axe) == []


def test_ranks_and_the_crosstable_say_who_has_beaten_whom(visit):
    standings = document(300, 3)
    visitor = shown(visit, standings, DESKTOP, "light")
    ranks = visitor.page.locator("#ranks tr")
    expect(ranks).to_have_count(3)
    rows = ranks.all_inner_texts()
    for row, entrant in zip(rows, standings["entrants"], strict=True):
        assert row.split("\t")[:3] == [
            str(entrant["rank"]),
            entrant["name"],
            f"{entrant['points']:g}",
        ]
    first = standings["entrants"][0]
    cells = visitor.page.locator("#crosstable tr").first.locator("td").all_inner_texts()
    points = [cell.partition("/")[0] for cell in cells if cell]
    assert sum(map(float, points)) == first["points"]
    assert cells[0] == ""


def test_a_name_of_any_length_makes_no_page_of_a_phone_wider(visit):
    for engines in (2, 6):
        standings = document(100, engines)
        for entrant in standings["entrants"]:
            entrant["name"] = "W" * 64
        assert shown(visit, standings, PHONE, "light").widest() <= PHONE[0]


def test_a_decided_test_is_told(visit):
    standings = document(100, 2)
    standings["test"] |= {"accepted": "H1", "llr": 3.1}
    visitor = shown(visit, standings, DESKTOP, "light")
    visitor.see("#decision", "The test [0, 5] is decided: H1 was accepted.")
    meter = visitor.page.get_by_role("meter", name="LLR")
    expect(meter).to_have_attribute("aria-valuetext", "+3.10 (105 % of the way to H1)")
