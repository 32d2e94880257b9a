"""How a game is shown while it is played: a board on a terminal, else a line a move."""

import os
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Sequence

import click

from ulci.protocol.messages import Info, Score
from ulci.rules import GAMES, Position, Side
from ulci_server.cli.output import shown, width
from ulci_server.storage import GameRecord, MoveRecord

NAME_WIDTH = 24
LAST_MOVES = 6
"""Moves under the board: three of each side."""

HEIGHT = 16
"""Lines of a terminal on which the board, and what stands around it, has room."""

Show = Callable[[GameRecord, Sequence[MoveRecord]], None]


def view() -> Show:
    """The one that suits where the output goes; https://no-color.org is respected."""
    if not draws():
        return Lines().show
    try:
        "".join(FILLED.values()).encode(sys.stdout.encoding)
        unicode = True
    except UnicodeEncodeError:
        unicode = False
    return Screen(colors=unicode and not os.environ.get("NO_COLOR"), unicode=unicode).show


def draws() -> bool:
    """Whether a board is shown, drawn again over itself."""
    return on_terminal() and shutil.get_terminal_size().lines >= HEIGHT


def on_terminal() -> bool:
    """Whether somebody looks, at something that can draw."""
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


class Sheet:
    """The score sheet: the game's moves in the notation that people read."""

    def __init__(self, game: GameRecord) -> None:
        self.position = GAMES[game.rules].new(game.start)
        self.moves: list[str] = []

    def follow(self, moves: Sequence[MoveRecord]) -> Sequence[MoveRecord]:
        """Make the moves that are new, and return them."""
        new = moves[len(self.moves) :]
        for move in new:
            number = (len(self.moves) + moves[0].side) // 2 + 1
            dots = "." if move.side is Side.WHITE else "..."
            self.moves.append(f"{number}{dots} {self.position.san(move.move)}")
            self.position.play_untrusted(move.move)
        return new

    @property
    def end(self) -> str:
        """``12. Qa4+ Bd7  13. Qb3 Nf6  14. Rd1``"""
        last = self.moves[-LAST_MOVES:]
        if len(last) > 1 and "..." in last[0]:
            del last[0]
        text = last[0] if last else ""
        for move in last[1:]:
            number, _, san = move.partition(" ")
            text += f" {san}" if number.endswith("...") else f"  {move}"
        return text


class Lines:
    """A line a move."""

    def __init__(self) -> None:
        self._sheet: Sheet | None = None

    def show(self, game: GameRecord, moves: Sequence[MoveRecord]) -> None:
        if self._sheet is None:
            self._sheet = Sheet(game)
            white, black = (shown(seat.name, NAME_WIDTH) for seat in game.seats)
            click.echo(f"game {game.id}: {white} - {black}, {game.rules} {game.control}")
        new = self._sheet.follow(moves)
        for text, move in zip(self._sheet.moves[len(moves) - len(new) :], new, strict=True):
            click.echo(f"{text:14}{told(move)}")


class Screen:
    """The board, drawn again over itself."""

    def __init__(self, *, colors: bool, unicode: bool) -> None:
        self._colors = colors
        self._unicode = unicode
        self._sheet: Sheet | None = None
        self._height = 0

    def show(self, game: GameRecord, moves: Sequence[MoveRecord]) -> None:
        self._sheet = self._sheet or Sheet(game)
        self._sheet.follow(moves)
        lines = [
            self._player(game, moves, Side.BLACK),
            *board(self._sheet.position, colors=self._colors, unicode=self._unicode),
            self._player(game, moves, Side.WHITE),
            "",
            _fitting(f"   {self._sheet.end}"),
        ]
        up = f"\x1b[{self._height}F" if self._height else ""
        click.echo(up + "\n".join(f"{line}\x1b[K" for line in lines))
        self._height = len(lines)

    @staticmethod
    def _player(game: GameRecord, moves: Sequence[MoveRecord], side: Side) -> str:
        name = shown(game.seats[side].name, NAME_WIDTH)
        last = next((move for move in reversed(moves) if move.side is side), None)
        return _fitting(f"   {name}{' ' * (NAME_WIDTH - width(name))}{told(last) if last else ''}")


def _fitting(line: str) -> str:
    """A longer one would take two lines of the terminal, and spoil the next drawing."""
    return shown(line, shutil.get_terminal_size().columns - 1)


def told(move: MoveRecord) -> str:
    """What is known of a move: the clock after it, the time it took, and what its maker thought."""
    clock = "" if move.left is None else f"{move.left / 1000:7.1f} s left"
    info = move.info or Info()
    depth = "" if info.depth is None else f" at depth {info.depth}"
    thought = "" if info.score is None else f"   {spelled(info.score)}{depth}"
    return f"{clock}  {move.spent / 1000:5.2f} s{thought}"


def spelled(score: Score) -> str:
    """``+0.31`` in pawns, or ``mate in 3``; the mover's view."""
    if score.mate is not None:
        return f"mate in {score.mate}" if score.mate > 0 else f"mated in {-score.mate}"
    return f"{(score.cp or 0) / 100:+.2f}"


FILLED = dict(zip("kqrbnp", "♚♛♜♝♞♟", strict=True))
OUTLINED = dict(zip("KQRBNP", "♔♕♖♗♘♙", strict=True))

# Of the 256 colours of a terminal.
LIGHT, DARK, TOUCHED = 180, 137, 143
WHITE_MAN, BLACK_MAN = 231, 16


def board(position: Position, *, colors: bool, unicode: bool) -> list[str]:
    """From White's side, with its coordinates; the squares of the last move stand out."""
    ranks = position.squares()
    last = position.moves[-1] if position.moves else ""
    touched = {last[:2], last[2:4]}
    lines = []
    for number, rank in zip(range(len(ranks), 0, -1), ranks, strict=True):
        cells = ""
        for file, man in enumerate(rank):
            if colors:
                moved = f"{_letter(file)}{number}" in touched
                color = TOUCHED if moved else DARK if (file + number) % 2 else LIGHT
                cells += _colored(man, color)
            else:
                cells += _plain(man, unicode=unicode)
        lines.append(f"{number:2} {cells}")
    return [*lines, "   " + "".join(f" {_letter(file)} " for file in range(len(ranks[0])))]


def _letter(file: int) -> str:
    return chr(ord("a") + file)


def _colored(man: str, square: int) -> str:
    """Both sides have the filled men, which are better to see; the colour says whose they are."""
    glyph = FILLED.get(man.lower(), man or " ")
    return click.style(f" {glyph} ", fg=WHITE_MAN if man.isupper() else BLACK_MAN, bg=square)


def _plain(man: str, *, unicode: bool) -> str:
    glyph = {**FILLED, **OUTLINED}.get(man, man) if unicode else man
    return f" {glyph or ('·' if unicode else '.')} "


WIDTH = 79
"""PGN 4.3: lines have fewer than 80 characters."""

# With the number that a move of Black's has only because a comment stood before it. There are no
# braces in the comments of our exports.
_COMMENT = re.compile(r"\s*\{[^{}]*\}(?:\s*\d+\.\.\.)?")


def without_comments(pgn: str) -> str:
    """The same game without clocks and evaluations."""
    tags, _, moves = pgn.partition("\n\n")
    return f"{tags}\n\n{textwrap.fill(_COMMENT.sub('', moves).strip(), WIDTH)}"
