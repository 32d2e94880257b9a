"""``ulci-server wire``: conversations from logs of the wire, as people read them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from ulci.wire_log import Entry, Spoken, conversation, merged

from .errors import NothingFound
from .options import NUMBER
from .output import counted, open_output, shown, width

READABLE = click.Path(exists=True, dir_okay=False, readable=True, path_type=Path)

NAME_WIDTH = 16
"""Columns of a name that is no longer."""

LONGEST = 100_000
"""Columns of a line: more than any that a client may send."""


@click.command(epilog="Exit codes: 0 shown, 1 failed, 2 wrong usage, 4 there is nothing of that.")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=READABLE)
@click.option("--game", type=NUMBER, help="Only the players of this game, while it runs.")
@click.option("--client", metavar="NAME", default="", help="Only this client (the whole name).")
@click.option("--connection", type=NUMBER, help="Only the connections of this number.")
def wire(files: tuple[Path, ...], **asked: Any) -> None:
    """Show what was sent when, from FILE, which serve, bridge or opponent --wire-log wrote.

    -> is what that program sent, <- what it received, -- what happened. #N is connection N while
    its name is unknown. Times are UTC. Files that were put aside (FILE.1, …) are read, too. Several
    FILEs, those of the servers of a cluster, are shown together. Secrets are not in them.
    """
    empty = True
    with open_output() as output:
        for line in _lines(merged([conversation(file, **asked) for file in files])):
            output.write(f"{line}\n")
            empty = False
    if empty:
        raise NothingFound("there is nothing of that in the wire log")


def _lines(conversation: Iterator[Spoken]) -> Iterator[str]:
    day = None
    for who, entry in conversation:
        if entry.at.date() != day:
            day = entry.at.date()
            yield f"{day} (UTC)"
        name = shown(who, LONGEST)
        name += " " * (NAME_WIDTH - width(name))
        yield f"{entry.at:%H:%M:%S.%f}"[:-3] + f"  {name}  {_text(entry)}".rstrip()


def _text(entry: Entry) -> str:
    text = shown(entry.text, LONGEST)
    match entry.event:
        case "said":
            return f"-> {text}"
        case "heard":
            return f"<- {text}"
        case "game":
            return f"-- plays game {entry.game}{text and f' as {text}'}"
        case "over":
            return f"-- game {entry.game} is over"
        case "dropped":
            lines = counted(entry.dropped, "line")
            return f"-- {lines} dropped: the disk was too slow"
        case "happened":
            return f"-- {text}"
        case "closed" if not text.startswith("closed"):  # by one of the two sides
            return f"-- closed: {text}"
        case "closed":
            return f"-- {text}"
        case event:
            return f"-- {event} {text}"
