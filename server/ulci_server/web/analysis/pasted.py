"""A pasted game, as PGN with its comments and variations; or a position, as FEN.

PGN standard: http://www.saremba.de/chessgml/standards/pgn/pgn-complete.htm. The game's own rules
parse the moves, so that this module also reads games that no library knows. For a worker thread.
"""

import re
from typing import NamedTuple

from ulci.rules import GAME_TABLE, GAMES, Illegal, Position
from ulci.rules.text import quoted
from ulci_server.web.documents import Document
from ulci_server.web.played_moves import Resting

from .positions import begun

MOST_MOVES = 2000
"""Moves in all variations: with a thousand of them, a text of 60 KiB takes 0.3 s."""

LONGEST_COMMENT = 1000

MOST_DEPTH = 20
"""Levels of nested variations."""

_TAG = re.compile(r'\s*(?:%[^\n]*\n\s*)*\[\s*(\w+)\s+"((?:[^"\\\n]|\\.)*)"\s*\]')
_ESCAPED = re.compile(r"\\(.)")
_TOKEN = re.compile(
    r"""\s*(?:
    \{(?P<comment>[^}]*)\}?|;(?P<rest>[^\n]*)|(?m:^)%[^\n]*|\$(?P<glyph>[0-9]{1,3})
    |(?P<marks>[!?]{1,2})|[0-9]+\s*\.+|e\.p\.
    |(?P<bracket>[()])
    |(?P<result>\*|1-0|0-1|1/2-1/2)(?=[\s{;()]|$)
    |(?P<move>[^\s{}();$!?]+)
    |(?P<stray>\S)
    )""",
    re.VERBOSE,
)
_COMMAND = re.compile(r"\[%[^\]]*\]")
"""A command inside a comment, such as ``[%clk 0:05:00]``."""

_GLYPHS = {1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!"}
_TITLES = {row.title.casefold(): name for name, row in GAME_TABLE.items()}
_SHOWN = ("White", "Black", "Result", "Event", "Date")


class _Fork(NamedTuple):
    """Where a variation begins: the node of the move that it replaces, and that move's ply."""

    node: int
    depth: int


def pasted_document(text: str, rules: str) -> Document:
    """The game as a tree of nodes, each with the index of its parent; the first one, the start, has
    none. faults: what the reader could not read, one sentence each. Raises
    `UnknownPositionError`."""
    tags, at = _tags(text)
    name = _game(tags, rules)
    start = tags.get("FEN")
    if not tags and _is_fen(text):
        start, at = " ".join(text.split()), len(text)
    reader = _Reader(begun(GAMES[name], start))
    reader.read(text, at)
    return {
        "rules": name,
        "start": start,
        "tags": {tag: tags[tag][:200] for tag in _SHOWN if tag in tags},
        "nodes": reader.nodes,
        "faults": reader.faults,
    }


def _tags(text: str) -> tuple[dict[str, str], int]:
    tags, at = dict[str, str](), 0
    while match := _TAG.match(text, at):
        tags[match[1]] = _ESCAPED.sub(r"\1", match[2])
        at = match.end()
    return tags, at


def _game(tags: dict[str, str], rules: str) -> str:
    """The game that the tags name, or else `rules`."""
    for tag in ("Rules", "Variant"):
        named = tags.get(tag, "").casefold()
        if (found := _TITLES.get(named, named)) in GAMES:
            return found
    return rules


def _is_fen(text: str) -> bool:
    first = text.split(maxsplit=1)[:1]
    return bool(first) and "/" in first[0] and not first[0].startswith("1/2")


class _Reader:
    def __init__(self, position: Position) -> None:
        self.nodes: list[Document] = [_node(None, "", "", "")]
        self.faults: list[str] = []
        self._position = position
        self._at = 0
        self._forks: list[_Fork] = []
        self._skipped = 0  # open brackets of the part that is left out

    def read(self, text: str, at: int) -> None:
        """Read the moves from `at` up to the result of the game, or up to the first fault in its
        main line."""
        resting = Resting()
        while match := _TOKEN.match(text, at):
            at, kind = match.end(), match.lastgroup
            resting.rest()
            if kind == "bracket":
                self._bracket(match["bracket"])
            elif self._skipped:
                continue
            elif kind == "result" and not self._forks:
                return
            elif kind in ("comment", "rest"):
                self._comment(match[kind])
            elif kind in ("glyph", "marks"):
                mark = match["marks"] or _GLYPHS.get(int(match["glyph"] or 0), "")
                self.nodes[self._at]["glyphs"] += mark
            elif kind in ("move", "stray") and not self._move(match[kind]):
                if not self._forks:
                    return
                self._close()
                self._skipped = 1  # leave out the rest of the variation

    def _comment(self, said: str) -> None:
        text = " ".join(_COMMAND.sub(" ", said).split())
        before = self.nodes[self._at]["comment"]
        self.nodes[self._at]["comment"] = f"{before} {text}".strip()[:LONGEST_COMMENT]

    def _bracket(self, bracket: str) -> None:
        if self._skipped:
            self._skipped += 1 if bracket == "(" else -1
        elif bracket == ")":
            if self._forks:
                self._close()
        elif not self._at or len(self._forks) >= MOST_DEPTH:
            self._skipped = 1
        else:
            self._forks.append(_Fork(self._at, len(self._position.moves)))
            self._position.take_back(1)
            self._at = self.nodes[self._at]["parent"]

    def _close(self) -> None:
        """End a variation: take back its moves, and play the move that it replaces."""
        fork = self._forks.pop()
        if plies := len(self._position.moves) - (fork.depth - 1):
            self._position.take_back(plies)
        self._position.play_untrusted(self.nodes[fork.node]["move"])
        self._at = fork.node

    def _move(self, word: str) -> bool:
        """Add a node for a legal move; False, with a fault, if the word is none."""
        ply = len(self._position.moves) + 1
        if len(self.nodes) > MOST_MOVES:
            return self._fault(f"there are more than {MOST_MOVES} moves; the rest is left out")
        move = self._position.parse_untrusted(word)
        if move is None:
            return self._fault(f"ply {ply}, {quoted(word)}, is no legal move")
        side, san = self._position.turn.word, self._position.san(move)
        if isinstance(self._position.play_untrusted(move), Illegal):
            return self._fault(f"ply {ply}, {quoted(word)}, comes after the end of the game")
        self.nodes.append(_node(self._at, side, move, san))
        self._at = len(self.nodes) - 1
        return True

    def _fault(self, text: str) -> bool:
        if text not in self.faults and len(self.faults) < 10:
            self.faults.append(text)
        return False


def _node(parent: int | None, side: str, move: str, san: str) -> Document:
    return {
        "parent": parent,
        "side": side,
        "move": move,
        "san": san,
        "comment": "",
        "glyphs": "",
    }
