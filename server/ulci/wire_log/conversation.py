"""Reads the log again, across its files, and says who spoke."""

import heapq
import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import BinaryIO, NamedTuple

from .entry import Entry, decode
from .rotating_file import numbered


class Spoken(NamedTuple):
    """who: the client's name, or ``#N`` for connection N while nobody knows it; empty if the entry
    is about all."""

    who: str
    entry: Entry


def conversation(
    path: Path, *, game: int | None = None, client: str = "", connection: int | None = None
) -> Iterator[Spoken]:
    """The entries of the log whose newest file this is, the oldest first: all, or those of the
    players of one game while they had a seat in it, of one client, of the connections of one
    number. Where entries are missing, it says so.

    Raises:
        OSError: the file cannot be read.
    """
    wanted = _connections_of(path, client) if client else None
    names: dict[int, str] = {}
    games: dict[int, int] = {}
    for run, entry in _entries(path):
        number = entry.connection
        match entry.event:
            case "started":
                names.clear()
                games.clear()
            case "client":
                names[number] = entry.text
            case "game":
                games[number] = entry.game
        if entry.event == "dropped" or (
            game in (None, games.get(number))
            and connection in (None, number)
            and (wanted is None or (run, number) in wanted)
        ):
            yield Spoken(names.get(number, f"#{number}") if number else "", entry)
        if entry.event in ("over", "closed"):
            games.pop(number, None)


def merged(conversations: Iterable[Iterator[Spoken]]) -> Iterator[Spoken]:
    """Several logs as one, by time: those of the servers of a cluster."""
    return heapq.merge(*conversations, key=lambda spoken: spoken.entry.at)


def _connections_of(path: Path, client: str) -> set[tuple[int, int]]:
    """Each is the number of a run, and that of a connection in it. A client may introduce itself
    after many lines."""
    name = client.casefold()
    return {
        (run, entry.connection)
        for run, entry in _entries(path)
        if entry.event == "client" and entry.text.casefold() == name
    }


def _entries(path: Path) -> Iterator[tuple[int, Entry]]:
    """Each with the number of the run of the program that wrote it. What is no entry is left out:
    the last line may be written just now, or was cut off."""
    run = 0
    with ExitStack() as closing:
        for file in _opened(path, closing):
            for line in file:
                if (entry := decode(line)) is not None:
                    run += entry.event == "started"
                    yield run, entry


def _opened(path: Path, closing: ExitStack) -> list[BinaryIO]:
    """The files, the oldest first. One that is put aside meanwhile is not read twice."""
    found: dict[tuple[int, int], BinaryIO] = {}
    for number in count():
        name = numbered(path, number) if number else path
        if number and not name.exists():
            return [*found.values()][::-1]
        file = closing.enter_context(name.open("rb"))
        status = os.fstat(file.fileno())
        found.setdefault((status.st_dev, status.st_ino), file)
    raise AssertionError("counting never ends")
