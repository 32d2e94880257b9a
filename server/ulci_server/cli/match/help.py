"""The help, made from the table of options."""

import textwrap
from collections.abc import Iterator

from .option_table import SECTIONS

WIDTH = 100
"""Columns."""

INDENT = " " * 8

HEAD = """\
Usage: {program} -engine cmd=A tc=TIME -engine cmd=B tc=TIME [OPTION ...]

Plays a match between engines, and tells how much stronger the first one is, and how sure that is.
The same command again goes on where it was. Options are those of fastchess and cutechess-cli.

    {program} -engine cmd=./new -engine cmd=./old -each tc=10+0.1 option.Hash=16 \\
        -openings file=book.epd order=random -rounds 500 -concurrency 4 -pgnout file=games.pgn

    {program} -engine cmd=./new -engine cmd=./old -each tc=10+0.1 -openings file=book.epd \\
        -sprt elo0=0 elo1=5 -concurrency 4 -recover

    {program} --compliance ./new [ARGUMENTS]

The last one checks how well an engine keeps to its protocol, as ulci doctor does.
"""


def help_text(program: str) -> str:
    """For people; program: how the command is called."""
    return "\n".join([HEAD.format(program=program), *_options()])


def _options() -> Iterator[str]:
    for title, options in SECTIONS.items():
        yield f"{title}:"
        for name, option in options.items():
            yield f"    {name} {option.usage}".rstrip()
            yield textwrap.fill(
                option.about,
                WIDTH,
                initial_indent=INDENT,
                subsequent_indent=INDENT,
                break_on_hyphens=False,
            )
        yield ""
