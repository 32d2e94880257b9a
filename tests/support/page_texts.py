"""The texts of the page: of its scripts, those that are marked for translation and those that are
not; of its HTML, all that people read while scripts run. It reads the plain JavaScript that the
page keeps to, not all there is."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser

ATTRIBUTES = ("alt", "aria-label", "placeholder", "title")

_TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')"""
    r"""|(?P<regex>(?<=[(,=:?!&|]\s)/(?![/*])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/|(?<=[(!])/(?![/*])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/)"""
    r"""|(?P<template>`)|(?P<open>\{)|(?P<close>\})""",
    re.DOTALL,
)


@dataclass(frozen=True)
class Literal:
    """A string or template of a script. text: with `{0}`, `{1}`, … for the values in it. start,
    end: its place, with its quotes. marked: whether `t` stands before it."""

    text: str
    start: int
    end: int
    template: bool
    marked: bool


def literals(script: str) -> list[Literal]:
    """All of them in their order, those within the values of a template too."""
    found: list[Literal] = []
    _scan(script, 0, found, nested=False)
    return sorted(found, key=lambda literal: literal.start)


def _scan(script: str, at: int, found: list[Literal], *, nested: bool) -> int:
    depth = 0
    while (token := _TOKEN.search(script, at)) is not None:
        at = token.end()
        if token.lastgroup == "open":
            depth += 1
        elif token.lastgroup == "close":
            if nested and depth == 0:
                return at
            depth -= 1
        elif token.lastgroup == "string":
            text = _unescaped(token.group()[1:-1])
            found.append(Literal(text, token.start(), at, template=False, marked=False))
        elif token.lastgroup == "template":
            at = _template(script, token.start(), found)
    assert not nested, "a template does not end"
    return len(script)


def _template(script: str, start: int, found: list[Literal]) -> int:
    text, at, values = "", start + 1, 0
    while script[at] != "`":
        if script.startswith("${", at):
            at = _scan(script, at + 2, found, nested=True)
            text += f"{{{values}}}"
            values += 1
        elif script[at] == "\\":
            text += _unescaped(script[at : at + 2])
            at += 2
        else:
            text += script[at]
            at += 1
    marked = re.search(r"(?<![\w.$])t$", script[:start]) is not None
    found.append(Literal(text, start, at + 1, template=True, marked=marked))
    return at + 1


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda escape: {"n": "\n", "t": "\t"}.get(escape[1], escape[1]), text)


class _Texts(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._unscripted = False  # within what is shown where no script runs

    def handle_data(self, data: str) -> None:
        if (text := " ".join(data.split())) and not self._unscripted:
            self.found.append(text)

    def handle_endtag(self, tag: str) -> None:
        self._unscripted = self._unscripted and tag != "noscript"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._unscripted = self._unscripted or tag == "noscript"
        self.found += [value for name, value in attrs if name in ATTRIBUTES and value]


def texts_of_page(html: str) -> Iterator[str]:
    """Each run of text between two tags, with single spaces, and each attribute that people
    read."""
    reader = _Texts()
    reader.feed(html)
    return iter(reader.found)
