"""A person complains about an opponent, on the page."""

import os
from contextlib import closing
from pathlib import Path

import pytest

from tests.browser.conftest import DESKTOP, PHONE
from tests.browser.pages import Visitor, judged
from ulci_server.storage import open_database

pytestmark = [pytest.mark.system, pytest.mark.slow]


def keep(visitor: Visitor, name: str) -> None:
    if folder := os.environ.get("ULCI_TEST_SCREENSHOTS"):
        visitor.page.screenshot(path=Path(folder) / f"{name}.png")


@pytest.mark.parametrize(
    ("size", "scheme"), [(PHONE, "dark"), (DESKTOP, "light")], ids=["phone", "desktop"]
)
def test_a_complaint_about_the_opponent_is_kept_and_acknowledged(
    server, opponent, visit, axe, size, scheme
):
    visitor, bob = visit("/play", size, color_scheme=scheme), opponent("Bob")
    visitor.come_in("Ada")
    visitor.play_against(bob)
    visitor.press("Complain…")
    visitor.see("dialog", "Complain to the administrators about Bob")
    visitor.page.get_by_label("What happened?").fill("   ")
    visitor.press("Complain")
    visitor.see("dialog [role=alert]", "Nothing is written yet")
    keep(visitor, f"complain_{size[0]}_{scheme}")
    assert judged(visitor, axe) == []
    visitor.page.get_by_label("What happened?").fill("he  talks\tall the time")
    visitor.press("Complain")
    visitor.see("#table-note", "the administrators will read it")
    keep(visitor, f"complained_{size[0]}_{scheme}")
    visitor.page.locator("dialog").wait_for(state="detached")
    with closing(open_database(server.database)) as database:
        (kept,) = database.complaints.all()
    assert (kept.by, kept.about, kept.text) == ("Ada", "Bob", "he talks all the time")
    assert kept.games == (int(visitor.game),)


def test_whoever_writes_in_the_lobby_can_be_complained_about(server, opponent, visit):
    visitor, bob = visit("/play"), opponent("Bob")
    visitor.come_in("Ada")
    bob.say("tell Ada hello")
    visitor.see("#lobby-note", "Bob tells you: hello")
    visitor.press("Complain…")
    visitor.page.get_by_label("What happened?").fill("he tells me hello")
    visitor.press("Complain")
    visitor.see("#lobby-note", "the administrators will read it")
