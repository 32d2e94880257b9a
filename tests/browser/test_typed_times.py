"""Times as people type them into the page."""

import pytest

from tests.browser.conftest import pages_server
from tests.support.typed_times import CLEAR, REFUSED

pytestmark = [pytest.mark.system, pytest.mark.slow]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with pages_server(tmp_path_factory.mktemp("server")) as running:
        yield running


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
    visitor.type_time("5+3")
    visitor.press("Play anybody")
    visitor.see("#lobby-note", "5+3 may mean minutes or seconds: write 5m+3s or 5s+3s.")
    visitor.type_time("10 min")
    visitor.press("Play anybody")
    visitor.see("#own", "10+0")
