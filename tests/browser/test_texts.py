"""The page's texts in other languages: each table has all of them, and people see them."""

import json
import re
from importlib.resources import files

import pytest

from tests.browser.conftest import pages_server
from tests.support.page_texts import literals, texts_of_page
from ulci_server.web.page_tables import page_tables

STATIC = files("ulci_server.web") / "static"
TABLES = ("texts.de.js", "texts.fr.js")
SCRIPTS = sorted(
    entry.name
    for entry in STATIC.iterdir()
    if entry.name.endswith(".js") and entry.name not in TABLES
)
PAGES = sorted(entry.name for entry in STATIC.iterdir() if entry.name.endswith((".html", ".part")))

NAMES = re.compile(r"[^A-Za-z]*|PGN|JSON|LLR|nElo|Chess960|Liberty Chess|Tic-tac-toe|m,n,k|Gomoku")
"""What is the same in all languages."""

VARIANTS = frozenset({"Antichess", "Atomic", "Crazyhouse", "Horde", "Suicide"})
"""Are known by these names everywhere."""

SENTENCE = re.compile(r"[A-Z][a-z']+ (?:\{0\}|[a-z]).*|.* .*[.?!…]")
"""What looks like English for people."""

HEADER = re.compile(r"Bearer ")
"""What looks so and is for programs."""


def text(name: str) -> str:
    return (STATIC / name).read_text()


def marked(script: str) -> set[str]:
    return {one.text for one in literals(script) if one.marked}


def of_the_server() -> set[str]:
    """The English of the tables that the server gives the page."""
    found = re.findall("^export const (.+) = (.+);$", page_tables().decode(), re.MULTILINE)
    tables = {name: json.loads(table) for name, table in found}
    games = [words for row in tables["GAMES"].values() for words in (row["title"], row["about"])]
    constant = (tables[name].values() for name in ("REASONS", "PIECES", "CONDUCT"))
    return {*games, *(words for table in constant for words in table)}


def in_table(name: str) -> dict[str, str]:
    rows = text(name).partition("{\n")[2].rpartition(",\n}")[0]
    return dict(json.loads(f"{{{rows}}}"))


def used() -> set[str]:
    scripts = (marked(text(name)) for name in SCRIPTS)
    pages = ({*texts_of_page(text(name))} for name in PAGES)
    all_ = set[str]().union(*scripts, *pages, of_the_server())
    return {one for one in all_ - VARIANTS if not NAMES.fullmatch(one)}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_has_each_text_of_the_page_and_no_other(name):
    known = {one for one in in_table(name) if not NAMES.fullmatch(one)}
    assert known == used()


@pytest.mark.parametrize("name", TABLES)
def test_a_translation_has_the_values_and_the_outer_blanks_of_its_text(name):
    for english, said in in_table(name).items():
        assert sorted(re.findall(r"\{\w*\}", said)) == sorted(re.findall(r"\{\w*\}", english))
        assert said.strip(), english
        assert said.endswith(" ") == english.endswith(" "), english


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_marks_what_people_read(name):
    script = text(name)
    forgotten = [
        one.text
        for one in literals(script)
        if not one.marked and SENTENCE.fullmatch(one.text) and not HEADER.match(one.text)
    ]
    assert forgotten == []


def test_marks_are_found_within_values_and_strings_of_code_are_not_marked():
    script = 'say(t`${lost ? t`Lost. It\'s over` : "kept"} now`); // t`no`\nx = `t`;'
    found = literals(script)
    assert [(one.text, one.marked) for one in found] == [
        ("{0} now", True),
        ("Lost. It's over", True),
        ("kept", False),
        ("t", False),
    ]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with pages_server(tmp_path_factory.mktemp("server")) as running:
        yield running


GERMAN, FRENCH = {"locale": "de-AT"}, {"locale": "fr-FR"}

RUNNING = """
() => {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!node.parentElement.closest("noscript, script")) found.push(node.data);
  }
  for (const name of ["alt", "aria-label", "placeholder", "title"]) {
    const named = document.querySelectorAll(`[${name}]`);
    found.push(...[...named].map((element) => element.getAttribute(name)));
  }
  return found.map((text) => text.trim().replace(/\\s+/g, " "));
}
"""
"""All texts of the page as it is now."""


def english_left(visitor, table: str) -> set[str]:
    """Texts that have another form in that language, and stand there in English."""
    other = {english.strip() for english, said in in_table(table).items() if said != english}
    same = {said.strip() for said in in_table(table).values()}
    return (other - same) & {*visitor.page.evaluate(RUNNING)}


@pytest.mark.system
@pytest.mark.slow
@pytest.mark.parametrize("path", ["/", "/play", "/tournaments", "/players", "/analysis", "/direct"])
def test_no_english_is_left_on_a_page_where_the_browser_wants_german(visit, path):
    visitor = visit(path, **GERMAN)
    visitor.until("document.documentElement.lang === 'de'")
    visitor.page.wait_for_load_state("load")
    assert english_left(visitor, "texts.de.js") == set()


@pytest.mark.system
@pytest.mark.slow
def test_a_game_is_played_in_the_language_of_each_player(visit):
    ada, bob, cat = visit("/play", **GERMAN), visit("/play", **FRENCH), visit("/play")
    cat.see("#enter-button", "Enter")
    for visitor, label, button in ((ada, "Dein Name", "Eintreten"), (bob, "Votre nom", "Entrer")):
        visitor.page.get_by_label(label).fill(label.split()[0])
        visitor.page.get_by_role("button", name=button, exact=True).click()
        visitor.see("#lobby-title")
    ada.page.get_by_role("button", name="Gegen irgendwen spielen").click()
    bob.page.locator("#seeks button", has_text="Jouer").first.click()
    for visitor in (ada, bob):
        visitor.begun()
    white, black = (ada, bob) if "Du bist" in ada.status else (bob, ada)
    white.click_move("e2e4")
    black.said_move(1)
    ada.board_shows(e4="Bauer weiß")
    bob.board_shows(e4="pion blanc")
    ada.page.get_by_role("button", name="Aufgeben").click()
    ada.page.get_by_role("dialog").get_by_role("button", name="Aufgeben").click()
    ada.see("#table .status", "durch Aufgabe")
    bob.see("#table .status", "par abandon")
    assert english_left(ada, "texts.de.js") == set()
    assert english_left(bob, "texts.fr.js") == set()


@pytest.mark.system
@pytest.mark.slow
def test_a_language_that_there_is_no_table_for_is_english(visit):
    visitor = visit("/play", locale="pl-PL")
    visitor.see("#enter-button", "Enter")
    visitor.until("document.documentElement.lang === 'en'")
