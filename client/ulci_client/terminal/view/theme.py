"""Themes: signs, colours and sizes of squares, and which theme suits a terminal. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

# Filled signs for both sides: colours tell them apart, and outlines are hard to see on colour.
# U+FE0E selects the text form of the one sign that is also an emoji.
SIGNS: Mapping[str, str] = {
    "k": "♚",
    "q": "♛",
    "r": "♜",
    "b": "♝",
    "n": "♞",
    "p": "♟\ufe0e",
}


@dataclass(frozen=True, slots=True)
class Colors:
    """The board's colours, (light, dark): of plain squares, those of the last move, and those of a
    king in check. men: White's and Black's pieces."""

    plain: tuple[str, str]
    last: tuple[str, str]
    check: tuple[str, str]
    men: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Theme:
    """men: the piece signs; letters where there is none. colors: of the squares; without them
    `dark` marks an empty dark square, and `last` and `check` surround a piece (precede it in a
    square of two columns). cells: sizes of a square (columns, rows), largest first. spoken: moves
    in words. ascii: ASCII only. few: the 16 colours only. style: of the classes that views use."""

    name: str
    men: Mapping[str, str]
    colors: Colors | None
    cells: tuple[tuple[int, int], ...]
    style: Mapping[str, str]
    dark: str = "·"
    last: str = "[]"
    check: str = "!!"
    rule: str = "─"
    active: str = "●"
    dot: str = "·"
    spoken: bool = False
    ascii: bool = False
    few: bool = False

    def man(self, letter: str) -> str:
        """The sign of a piece; upper-case letters are White's."""
        return self.men.get(letter.lower(), letter)


# Squares of middle brightness, so that white and black pieces stand out on both. All colours are
# in the 256-colour palette, so that no terminal approximates.
SLATE = Colors(
    plain=("#8787af", "#5f5f87"),
    last=("#87875f", "#5f5f00"),
    check=("#d75f5f", "#af0000"),
    men=("#ffffff bold", "#000000 bold"),
)

# The 16 colours differ between consoles; these are distinct on all of them.
CONSOLE = Colors(
    plain=("ansicyan", "ansiblue"),
    last=("ansigreen", "ansigreen"),
    check=("ansired", "ansired"),
    men=("ansiwhite bold", "ansiblack"),
)

_STYLE = {
    "title": "bg:#303030 fg:#d0d0d0",
    "label": "#808080",
    "turn": "#5faf5f",
    "name": "bold",
    "kind": "#808080",
    "fallen": "#9e9e9e",
    "rule": "#444444",
    "number": "#808080",
    "book": "#9e9e9e",
    "newest": "bold #d7d787",
    "clock": "",
    "clock-active": "bold bg:#005f5f #ffffff",
    "clock-low": "bold bg:#d70000 #ffffff",
    "status": "bold",
    "status-good": "bold #5faf5f",
    "status-bad": "bold #ff5f5f",
    "status-ask": "bold #d7af5f",
    "news": "#bcbcbc",
    "news-error": "#ff5f5f",
    "news-say": "#5fafd7",
    "news-offer": "#d7af5f",
    "news-result": "bold",
    "heading": "bold underline",
    "prompt": "bold",
    "prompt-turn": "bold #5faf5f",
    # prompt_toolkit's own classes.
    "completion-menu": "bg:#303030 #d0d0d0",
    "completion-menu.completion": "bg:#303030 #d0d0d0",
    "completion-menu.completion.current": "noreverse bold bg:#005f5f #ffffff",
    "completion-menu.meta.completion": "bg:#262626 #9e9e9e",
    "completion-menu.meta.completion.current": "bg:#005f5f #d0d0d0",
    "scrollbar.background": "bg:#262626",
    "scrollbar.button": "bg:#808080",
}

_STYLE_16 = {
    **dict.fromkeys(("label", "kind", "fallen", "rule", "number", "book"), "ansibrightblack"),
    "title": "reverse",
    "turn": "ansigreen",
    "name": "bold",
    "newest": "bold",
    "clock-active": "reverse",
    "clock-low": "bold bg:ansired ansiwhite",
    "status": "bold",
    "status-good": "bold ansigreen",
    "status-bad": "bold ansired",
    "status-ask": "bold ansiyellow",
    "news-error": "ansired",
    "news-say": "ansicyan",
    "news-offer": "ansiyellow",
    "news-result": "bold",
    "heading": "bold underline",
    "prompt": "bold",
    "prompt-turn": "bold ansigreen",
}

_STYLE_MONO = {
    **dict.fromkeys(("name", "newest", "status", "heading", "prompt", "news-result"), "bold"),
    **dict.fromkeys(("status-good", "status-bad", "status-ask", "prompt-turn"), "bold"),
    **dict.fromkeys(("title", "clock-active", "clock-low"), "reverse"),
}

COLOR = Theme("color", SIGNS, SLATE, ((9, 4), (7, 3), (5, 2), (3, 1), (2, 1)), _STYLE)
FEW_COLORS = replace(COLOR, name="few-colors", colors=CONSOLE, style=_STYLE_16, few=True)
LETTERS = replace(FEW_COLORS, name="letters", men={})
MONO = Theme("mono", {}, None, ((5, 2), (3, 1), (2, 1)), _STYLE_MONO)
ASCII = replace(
    MONO,
    name="ascii",
    style={},
    dark=".",
    rule="",
    active="*",
    dot="-",
    spoken=True,
    ascii=True,
)

# Terminals with few colours or none. (The Linux console's font has no chess pieces.)
_FEW = frozenset(
    {"linux", "eterm-color", "xterm-color", "ansi", "cygwin", "screen", "xterm-16color"}
)
_NONE = frozenset({"dumb", "unknown", "vt100", "vt220", "xterm-mono", ""})


def theme_for(environment: Mapping[str, str], *, ascii_only: bool = False) -> Theme:
    """The theme for a terminal, by TERM, COLORTERM and NO_COLOR (https://no-color.org)."""
    term = environment.get("TERM", "")
    if ascii_only:
        return ASCII
    if environment.get("NO_COLOR") or term in _NONE:
        return MONO
    if term == "linux":
        return LETTERS
    if term in _FEW and not environment.get("COLORTERM"):
        return FEW_COLORS
    return COLOR
