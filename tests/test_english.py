"""What people read is plain English: subject first, and the field's words.

Each pattern gives away a sentence that was thought in another language. Texts that a test here
finds are rewritten, not excused: say who does what, in that order.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path

import click
import pytest

from ulci.conduct import MEANINGS
from ulci_client.cli import main as client
from ulci_server.cli import main as server

ROOT = Path(__file__).parents[1]
STATIC = ROOT / "server" / "ulci_server" / "web" / "static"

ROOMS = (
    "app",
    "bus",
    "cli",
    "cluster",
    "config",
    "engines",
    "game",
    "hall",
    "lobby",
    "match",
    "openings",
    "rating",
    "statistics",
    "storage",
    "tournament",
    "web",
)
"""Rooms of the server whose docstrings are clean of some patterns, as the client's are."""

CLEAN = ("'the same' without what", "anew, and other words of no other text", "as long again")
"""The patterns of which those docstrings are clean."""

HIDES = "prox|nginx|stunnel|haproxy|router|bridge|port|code|load|firewall|socat"
"""What something can stand behind."""

PATTERNS: Mapping[str, tuple[str, str]] = {
    "who as a subject: say 'a player who'": (
        r"(?:^|[.;:|] )(?:[Ww]ho|[Ww]hoever) (?!is who)[^.?|]*[.|;]",
        "Who seeks with a start plays from there.",
    ),
    "who after a preposition: say 'a player who'": (
        r"\b(?:for|to|by|of|with|only|than|that|from) who(?:ever)? ",
        "It waits for who comes alone.",
    ),
    "behind in place of after": (
        rf"\bbehind (?!(?:(?:a|the|one|an|another|your|reverse|plain) )*(?:{HIDES}|it\b|one\b))",
        "The number stands behind the name.",
    ),
    "said, told and heard in place of sent, got and received": (
        r"\b(?:is|are|was|were|be|been|being) (?:said|told|heard)\b|\b(?:hears|heard)\b",
        "The opponent is told why.",
    ),
    "'the same' without what": (
        r"(?:^|[.;|] )[Tt]he same(?:,| \||\.|;)|\b(?:has|have|is) the same[.,;]",
        "The same, if there is no table yet.",
    ),
    "anew, and other words of no other text": (
        r"\banew\b|so-manieth|\bkeeps house\b|\boverlooked\b",
        "The engine is started anew.",
    ),
    "as long again": (
        r"\bas (?:long|much|many) again\b",
        "That takes half as long again.",
    ),
}
"""Each with a sentence that it finds."""


_IN_SCRIPT = r"""//[^\n]*|/\*.*?\*/|(?P<text>"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`)"""
"""A comment of a script, or one of its texts."""


class _Text(HTMLParser):
    """The texts of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[str] = []

    def handle_data(self, data: str) -> None:
        self.pieces.append(data)


def _help(command: click.Command, name: str) -> Iterator[tuple[str, str]]:
    for text in (command.help, command.epilog, *(getattr(it, "help", "") for it in command.params)):
        yield from ((name, paragraph) for paragraph in (text or "").split("\n\n"))
    if isinstance(command, click.Group):
        for each in command.commands:
            yield from _help(command.commands[each], f"{name} {each}")


def _documents() -> Iterator[tuple[str, str]]:
    for path in sorted(ROOT.rglob("*.md")):
        inside = path.relative_to(ROOT)
        if any(part.startswith(".") for part in inside.parts):
            continue
        text = re.sub(r"^```.*?^```$", "", path.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
        for paragraph in re.split(r"\n\n|\n(?=\||\* |\d+\. |#)", re.sub(r"`[^`]*`", "code", text)):
            yield str(inside), paragraph


def _pages() -> Iterator[tuple[str, str]]:
    for path in sorted(STATIC.glob("*.html")):
        parser = _Text()
        parser.feed(path.read_text("utf-8"))
        yield from ((path.name, piece) for piece in parser.pieces)


def _scripts() -> Iterator[tuple[str, str]]:
    """The longer texts in quotes. Translations have them in other languages, by their English."""
    for path in sorted({*STATIC.glob("*.js")} - {*STATIC.glob("texts.*.js")}):
        for found in re.finditer(_IN_SCRIPT, path.read_text("utf-8"), re.DOTALL):
            if found["text"] and " " in found["text"]:
                yield path.name, found["text"][1:-1]


def _settings() -> Iterator[tuple[str, str]]:
    """The explanations in the files of deploy/."""
    for path in sorted((ROOT / "deploy").glob("*.toml")):
        lines = path.read_text("utf-8").splitlines()
        comments = (line.removeprefix("# ") if line.startswith("# ") else "" for line in lines)
        yield from ((path.name, text) for text in "\n".join(comments).split("\n\n"))


def _texts() -> Iterator[tuple[str, str]]:
    yield from _documents()
    yield from _help(client, "ulci")
    yield from _help(server, "ulci-server")
    yield from _pages()
    yield from _scripts()
    yield from _settings()
    yield from (("conduct", text) for text in MEANINGS.values())


TEXTS = [(where, " ".join(text.split())) for where, text in _texts()]


@pytest.mark.parametrize(("pattern", "example"), PATTERNS.values(), ids=PATTERNS)
def test_no_text_for_people_has_the_pattern(pattern: str, example: str) -> None:
    assert re.search(pattern, example)
    found = [
        f"{where}: …{text[max(0, match.start() - 40) : match.end() + 40]}…"
        for where, text in TEXTS
        for match in re.finditer(pattern, text)
    ]
    assert found == []


def test_there_are_texts_of_every_kind() -> None:
    places = {where for where, _ in TEXTS}
    assert {"README.md", "ulci bridge", "index.html", "play.js", "server.toml", "conduct"} <= places


def _docstrings() -> Iterator[tuple[str, str]]:
    rooms = (ROOT / "server" / "ulci_server" / room for room in ROOMS)
    for folder in (*rooms, ROOT / "client" / "ulci_client"):
        for path in sorted(folder.rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                match node:
                    case ast.Expr(ast.Constant(str(text))):
                        yield str(path.relative_to(ROOT)), " ".join(text.split())
                    case _:
                        pass


@pytest.mark.parametrize("name", CLEAN)
def test_no_docstring_has_the_pattern(name: str) -> None:
    texts = list(_docstrings())
    places = {where.rsplit("/", 1)[0] for where, _ in texts}
    assert {f"server/ulci_server/{room}" for room in ROOMS} | {"client/ulci_client"} <= places
    pattern, _ = PATTERNS[name]
    assert [(where, text) for where, text in texts if re.search(pattern, text)] == []
