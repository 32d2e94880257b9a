"""Every page on a phone and on a desktop, light and dark: nothing is cut off, and axe-core finds no
serious fault.

`ULCI_TEST_AXE` is the path of axe.min.js, which `npm pack axe-core` brings. `ULCI_TEST_SCREENSHOTS`
is a folder for what was seen."""

import os
from pathlib import Path

import pytest

from tests.browser.conftest import DESKTOP, PHONE
from tests.browser.pages import Visitor
from tests.conftest import REQUIRE_ALL

pytestmark = [pytest.mark.system, pytest.mark.slow]

AXE = "ULCI_TEST_AXE"
SCREENSHOTS = "ULCI_TEST_SCREENSHOTS"


@pytest.fixture(scope="module")
def axe() -> str:
    path = os.environ.get(AXE)
    if not path:
        if os.environ.get(REQUIRE_ALL):
            pytest.fail(f"{AXE} is not set")
        pytest.skip(f"{AXE} is not set (npm pack axe-core)")
    return Path(path).read_text()


def judged(visitor: Visitor, axe: str) -> list[str]:
    """The serious faults that axe-core finds."""
    visitor.page.evaluate(axe)
    found = visitor.page.evaluate("axe.run().then(({ violations }) => violations)")
    return [
        f"{one['id']}: {one['help']}: {[node['html'][:120] for node in one['nodes']][:3]}"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_every_page_fits_and_has_no_serious_fault(engine, visit, axe, size, scheme):
    faults = {}

    def look(name: str, visitor: Visitor) -> None:
        visitor.page.wait_for_timeout(300)  # a slide of a piece is 140 ms
        if folder := os.environ.get(SCREENSHOTS):
            shot = Path(folder) / f"{name}_{size[0]}_{scheme}.png"
            visitor.page.screenshot(path=shot, full_page=size == PHONE)
        assert visitor.widest() <= size[0], name
        if found := judged(visitor, axe):
            faults[name] = found

    engine("--game", "tictactoe", "--games", "1", "--color", "white", name="Cat")
    engine("--game", "tictactoe", "--games", "1", "--color", "black", name="Dog")
    engine("--color", "black", name="Fox")
    engine("--game", "liberty", "--color", "white", name="Owl")
    visitor = visit("/play", size, color_scheme=scheme)
    look("enter", visitor)
    visitor.come_in("Ada")
    visitor.see("#seeks li", "Owl")
    visitor.see("#seeks li", "Fox")
    look("lobby", visitor)
    visitor.page.get_by_role("button", name="Play: Fox").click()
    visitor.begun()
    assert visitor.my_turn()
    visitor.click_move("e2e4")
    visitor.said_move(2)
    assert visitor.my_turn()
    visitor.square("d1").click()
    look("table", visitor)
    other = visit("/play", size, color_scheme=scheme)
    other.come_in("Bob")
    other.page.get_by_role("button", name="Play: Owl").click()
    other.begun()
    assert other.my_turn()
    look("liberty", other)
    watcher = visit("/", size, color_scheme=scheme)
    watcher.see("#boards [data-square]")
    watcher.see("#finished a")
    look("list", watcher)
    watcher.page.locator("#finished a").first.click()
    watcher.see("#board, [role=gridcell]")
    look("finished", watcher)
    watcher.page.goto(f"/games/{visitor.game}")
    watcher.see("[role=gridcell]")
    look("watch", watcher)
    watcher.page.goto(f"/embed/{visitor.game}")
    watcher.see("[role=gridcell]")
    look("embed", watcher)
    assert not faults, "\n".join(f"{name}: {one}" for name, all_ in faults.items() for one in all_)
