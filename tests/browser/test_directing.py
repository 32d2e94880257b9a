"""A director's page: a whole evening by the keyboard alone."""

import os
import re
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.browser.conftest import DESKTOP, PHONE, pages_server
from tests.browser.pages import Visitor, expect, judged
from ulci_server.statistics import Model, Sprt
from ulci_server.storage import EntrantRecord, PairingRecord, open_database
from ulci_server.tournament import parse_tournament
from ulci_server.web.tournament_pairings import MOST_PAIRINGS

pytestmark = [pytest.mark.system, pytest.mark.slow]

SCREENSHOTS = "ULCI_TEST_SCREENSHOTS"

MORE = '[tournaments]\ndirectors = ["Ada"]\n'


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with pages_server(tmp_path_factory.mktemp("server"), MORE) as running:
        yield running


@pytest.fixture(scope="module")
def tokens(server):
    return {
        name: server.run("player", "add", name).strip() for name in ("Ada", "Bob", "Cyd", "Dan")
    }


def keep(visitor: Visitor, name: str) -> None:
    if folder := os.environ.get(SCREENSHOTS):
        visitor.page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


class Keyboard:
    """Somebody without a mouse."""

    def __init__(self, visitor: Visitor) -> None:
        self.page = visitor.page
        self.visitor = visitor

    def focused(self) -> str:
        """The label or text of what has the focus."""
        return self.page.evaluate(
            "(() => { const here = document.activeElement, label = here.labels?.[0];"
            " return [label?.firstChild, label, here].map((one) => one?.textContent.trim())"
            ".find(Boolean) ?? ''; })()"
        )

    def to(self, name: str, most: int = 60, *, key: str = "Tab") -> None:
        """Tab until that has the focus."""
        for _ in range(most):
            if self.focused() == name:
                return
            self.page.keyboard.press(key)
        raise AssertionError(f"Tab never reaches {name!r}; the last one is {self.focused()!r}")

    def fill(self, name: str, text: str) -> None:
        self.to(name)
        self.page.keyboard.press("Control+a")
        self.page.keyboard.type(text)

    def choose(self, name: str, first_letters: str, most: int = 20) -> None:
        """Go down from the first option until one begins so."""
        self.to(name)
        self.page.keyboard.press("Home")
        for _ in range(most):
            if self.chosen().startswith(first_letters):
                return
            self.page.keyboard.press("ArrowDown")
        raise AssertionError(f"no option of {name} begins with {first_letters}: {self.chosen()!r}")

    def chosen(self) -> str:
        return self.page.evaluate("document.activeElement.selectedOptions?.[0]?.text ?? ''")

    def tick(self, name: str) -> None:
        self.to(name)
        self.page.keyboard.press("Space")

    def press(self, name: str) -> None:
        self.to(name)
        self.page.keyboard.press("Enter")

    def open(self, name: str) -> None:
        """Press it, and wait for its dialog: Tab would go on behind that until it is there."""
        self.press(name)
        self.visitor.see("dialog")

    def press_before(self, name: str) -> None:
        """The button before the one that has the focus; after it another tournament may have one
        of that name."""
        self.to(name, key="Shift+Tab")
        self.page.keyboard.press("Enter")

    def has_come_to(self, name: str) -> None:
        """Wait until that has the focus."""
        self.visitor.becomes(self.focused, name)

    def closed(self) -> None:
        """Wait until no dialog is open, and the focus is where it was before."""
        self.page.locator("dialog").wait_for(state="detached")

    def sign_in(self, name: str, token: str) -> None:
        self.fill("Account", name)
        self.fill("Token", token)
        self.page.keyboard.press("Enter")


def stored(server):
    database = open_database(server.database)
    try:
        found = database.tournaments.named("evening")
        return database.tournaments.stored(found.id)
    finally:
        database.close()


@pytest.mark.parametrize(
    ("size", "scheme"), [(PHONE, "dark"), (DESKTOP, "light")], ids=["phone", "desktop"]
)
def test_it_fits_and_axe_finds_no_serious_fault(tokens, visit, axe, size, scheme):
    visitor = visit("/tournaments", size, color_scheme=scheme)
    visitor.page.get_by_role("link", name="make and direct tournaments").click()
    visitor.see("#who-title")
    tag = f"{size[0]}_{scheme}"
    keep(visitor, f"direct_who_{tag}")
    assert judged(visitor, axe) == []
    keyboard = Keyboard(visitor)
    keyboard.sign_in("Ada", tokens["Ada"])
    visitor.see("#make-title")
    cup = f"cup{size[0]}"
    keyboard.fill("Name", cup)
    keyboard.fill("Rounds", "x")
    keyboard.fill("Late after, in seconds", "0")
    keyboard.press("Create")
    visitor.see("#faults-list", "rounds")
    visitor.see("#faults-list", "late")
    visitor.see("#faults-title", "2 things are wrong")
    keep(visitor, f"direct_faults_{tag}")
    assert judged(visitor, axe) == []
    keyboard.fill("Rounds", "3")
    keyboard.fill("Late after, in seconds", "60")
    keyboard.fill("Entrants, one a line", "Bob\nCyd")
    keyboard.press("Only check")
    visitor.see("#checked", "nothing is wrong with")
    keyboard.press("Create")
    visitor.see("#running", cup)
    keyboard.has_come_to("Start")
    keep(visitor, f"direct_list_{tag}")
    assert judged(visitor, axe) == []
    keyboard.open("Remove…")
    keep(visitor, f"direct_remove_{tag}")
    assert judged(visitor, axe) == []
    assert visitor.widest() <= size[0]


def test_an_evening_is_directed_by_the_keyboard_alone(server, tokens, visit):
    visitor = visit("/direct")
    keyboard = Keyboard(visitor)
    keyboard.sign_in("Ada", tokens["Ada"])
    visitor.see("#make-title")

    keyboard.fill("Name", "Evening")
    keyboard.fill("Entrants, one a line", "Ada\nBob\nCyd\nDan")
    keyboard.tick("I begin each round by hand")
    description = visitor.page.get_by_label("Description that is sent")
    expect(description).to_have_value(re.compile('name = "Evening"'))
    keyboard.press("Create")
    visitor.see("#done", "evening, with 4 entrants, is made")
    visitor.see("#running", "evening")
    keyboard.has_come_to("Start")  # of the tournament that was made: others have one, too

    keyboard.press("Start")
    visitor.see("#done", "evening is started")
    visitor.see("#running", "running")
    keyboard.has_come_to("Pause")  # the focus stays where it was

    keyboard.press("Next round")
    visitor.see("#done", "of evening may begin")
    visitor.until(
        "fetch('/api/tournaments/evening').then((a) => a.json()).then((t) => t.rounds === 1)"
    )

    keyboard.open("Enter…")
    keyboard.fill("Name", "Nobody")
    keyboard.press("Do it")
    visitor.see("dialog [role=alert]")
    visitor.page.keyboard.press("Escape")
    keyboard.closed()
    keyboard.has_come_to("Enter…")

    keyboard.open("Correct result…")
    keyboard.choose("Counts as", "0-1")
    keyboard.fill("Why, for the record", "Bob has gone")
    keyboard.press("Do it")
    visitor.see("#done", "counts as 0-1")
    keyboard.closed()

    keyboard.open("Pair by hand…")
    keyboard.choose("White", "C")
    keyboard.choose("Black", "B")
    keyboard.press("Do it")
    visitor.see("#done", "Cyd - Bob")
    keyboard.closed()
    number = int(re.findall(r"pairing (\d+)", visitor.page.locator("#done").inner_text())[0])

    keyboard.press_before("Remove…")
    visitor.see("dialog")
    keyboard.choose("Entrant", "B")
    keyboard.fill("Why, for the record", "it went home")
    keyboard.press("Do it")
    visitor.see("#done", "Bob is out of evening")
    keyboard.closed()

    keyboard.press_before("Next round")
    visitor.see("#done", "of evening may begin")
    keyboard.press_before("Pause")
    visitor.see("#done", "evening is paused")

    keyboard.open("Stop")
    visitor.see("dialog", "Stop evening for good?")
    keyboard.press("Leave it")
    keyboard.closed()
    assert stored(server).record.state.value == "paused"
    keyboard.open("Stop")
    keyboard.press("Stop it")
    visitor.see("#done", "evening is stopped")
    visitor.until("!document.querySelector('#running').textContent.includes('evening')")

    record, entrants, pairings, _ = stored(server)
    assert (record.by, record.state.value) == ("Ada", "stopped")
    assert [row.why for row in entrants if row.left] == ["removed by Ada: it went home"]
    decided = [(row.score, row.why, row.by) for row in pairings if row.why == "Bob has gone"]
    assert decided == [("0-1", "Bob has gone", "Ada")]
    names = {row.number: row.name for row in entrants}
    by_hand = [row for row in pairings if row.number == number]
    assert [(names[row.white], names[row.black]) for row in by_hand] == [("Cyd", "Bob")]


@pytest.mark.parametrize(
    ("size", "scheme"), [(PHONE, "dark"), (DESKTOP, "light")], ids=["phone", "desktop"]
)
def test_a_test_of_two_is_made_by_its_fields(server, tokens, visit, axe, size, scheme):
    visitor = visit("/direct", size, color_scheme=scheme)
    keyboard, name = Keyboard(visitor), f"try{size[0]}"
    keyboard.sign_in("Ada", tokens["Ada"])
    visitor.see("#make-title")
    assert not visitor.page.get_by_label("Elo of H0").is_visible()
    keyboard.fill("Name", name)
    keyboard.choose("Format", "Test of two")
    expect(visitor.page.get_by_label("Pairs of games at most")).to_have_value("1000")
    keyboard.fill("Elo of H0", "-1.5")
    keyboard.fill("Elo of H1", "x")
    keyboard.choose("Elo model", "logistic")
    keyboard.fill("Risk of a wrong H1 (α)", "0.1")
    keyboard.fill("Entrants, one a line", "Bob\nCyd")
    keyboard.press("Create")
    visitor.see("#faults-list", "sprt.elo1")
    keep(visitor, f"direct_test_{size[0]}_{scheme}")
    assert judged(visitor, axe) == []
    assert visitor.widest() <= size[0]
    keyboard.fill("Elo of H1", "3")
    keyboard.press("Create")
    visitor.see("#running", name)
    expect(visitor.page.get_by_label("Rounds")).to_have_value("1")  # the form begins anew
    with closing(open_database(server.database)) as database:
        settings = parse_tournament(database.tournaments.named(name).settings)
    assert settings.test == Sprt(-1.5, 3, 0.1, 0.05, Model.LOGISTIC)
    assert settings.rounds == 1000


def test_a_pasted_description_is_sent_as_it_is(tokens, visit):
    visitor = visit("/direct")
    keyboard = Keyboard(visitor)
    keyboard.sign_in("Ada", tokens["Ada"])
    text = 'name = "Pasted"\nformat = "sprt"\npool = "chess"\nopen = true\n'
    text += "sprt = { elo0 = 0.0, elo1 = 5.0 }\n"
    visitor.page.get_by_label("Description that is sent").fill(text)
    visitor.see("#own-toml")
    keyboard.fill("Name", "Another")
    expect(visitor.page.get_by_label("Description that is sent")).to_have_value(text)
    keyboard.press("Create")
    visitor.see("#running", "pasted")


@pytest.mark.parametrize(("pairings", "typed"), [(MOST_PAIRINGS + 2, False), (2001, True)])
def test_a_pairing_of_a_long_round_is_corrected(server, tokens, visit, pairings, typed):
    word, now = f"long{pairings}", datetime.now(UTC)
    settings = f'name = "{word}"\nformat = "ladder"\npool = "chess"\nopen = true\n'
    with closing(open_database(server.database)) as database:
        entrants = [EntrantRecord(n, name, engine=name) for n, name in enumerate(("X", "Y"), 1)]
        made = database.tournaments.create(settings, 7, word, now, entrants=entrants)
        rows = [PairingRecord(n, 1, 1, 2, n) for n in range(1, pairings + 1)]
        database.tournaments.save(made.id, 0, now, begun_at=now, pairings=rows)
        visitor = visit("/direct")
        keyboard = Keyboard(visitor)
        keyboard.sign_in("Ada", tokens["Ada"])
        visitor.see("#running", word)
        entry = visitor.page.locator("#running > li", has_text=word)
        entry.get_by_role("button", name="Correct result…").click()
        visitor.see("dialog")
        if typed:
            visitor.page.get_by_label("Number of the pairing").fill(str(pairings))
        else:
            visitor.page.locator("dialog [name=pairing]").select_option(str(pairings))
        visitor.press("Do it")
        visitor.see("#done", f"pairing {pairings} of {word} counts as 1-0")
        assert database.tournaments.stored(made.id).pairings[-1].score == "1-0"


def test_the_token_is_kept_in_the_tab_alone(tokens, visit):
    visitor = visit("/direct")
    keyboard = Keyboard(visitor)
    keyboard.sign_in("Ada", tokens["Ada"])
    visitor.see("#make-title")
    visitor.page.reload()
    visitor.see("#make-title")
    assert visitor.page.evaluate("localStorage.length + document.cookie.length") == 0
    assert tokens["Ada"] not in visitor.page.content()
    keyboard.press("Sign out")
    visitor.see("#who-title")
    visitor.until("sessionStorage.length === 0")


@pytest.mark.parametrize(
    ("name", "token", "why"),
    [
        ("Bob", "Bob", "Bob may not direct"),
        ("Ada", "Bob", "not the name of an account with its token"),
    ],
)
def test_a_stranger_learns_why_and_sees_no_desk(tokens, visit, name, token, why):
    visitor = visit("/direct")
    Keyboard(visitor).sign_in(name, tokens[token])
    visitor.see("#who-fault", why)
    assert not visitor.page.locator("#desk").is_visible()


def test_a_page_of_another_site_can_send_no_form_here(server, visit):
    visitor = visit("/direct")
    target = f"http://127.0.0.1:{server.port('ws')}/api/tournaments"
    field = '<input name="name = &quot;x" value="&quot;">'
    form = f'<form method="post" action="{target}" enctype="text/plain">{field}</form>'
    visitor.page.route(
        "http://evil.test/", lambda route: route.fulfill(body=form, content_type="text/html")
    )
    visitor.page.goto("http://evil.test/")
    with visitor.page.expect_response(target) as answer:
        visitor.page.evaluate("document.forms[0].submit()")
    assert answer.value.status == 403
    visitor.page.wait_for_url(target)  # a page that is about to become another does not close
    listed = visitor.get(target)["tournaments"]
    assert "x" not in [one["name"] for one in listed]
