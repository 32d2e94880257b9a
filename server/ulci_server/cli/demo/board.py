"""The board as lines of text."""

import click

from ulci.rules import Position

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
