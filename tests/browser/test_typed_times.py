"""Times as people type them into the page."""

import pytest

from tests.support.typed_times import CLEAR, REFUSED

pytestmark = [pytest.mark.system, pytest.mark.slow]

ENTERED = """typed => import("/static/timecontrol.js").then(({ entered }) =>
    typed.map((text) => { const { wire, why } = entered(text); return [text, wire, why]; }))"""


def test_the_page_understands_times_as_all_programs_do(visit) -> None:
    visitor = visit("/play")
    typed = [text for text, _ in (*CLEAR, *REFUSED)]
    assert visitor.page.evaluate(ENTERED, typed) == [
        *([text, wire, ""] for text, wire in CLEAR),
        *([text, "", why] for text, why in REFUSED),
    ]


def test_a_time_that_may_be_minutes_or_seconds_is_not_asked_for(visit, opponent) -> None:
    visitor = visit("/play")
    visitor.come_in("Ada")
    visitor.page.locator("#seek-form").get_by_label("Time").fill("5+3")
    visitor.press("Seek a game")
    visitor.see("#lobby-note", "5+3 may mean minutes or seconds: write 5m+3s or 5s+3s.")
    visitor.page.locator("#seek-form").get_by_label("Time").fill("10 min")
    visitor.press("Seek a game")
    visitor.see("#own", "600")
