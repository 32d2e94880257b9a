"""The players: the engines of this machine, else our own."""

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import cycle, islice
from pathlib import Path

from ulci_server.cli import own_engine
from ulci_server.cli.words import words

# Engines that Debian packages, the strongest first, and what makes them speak UCI.
KNOWN: tuple[tuple[str, ...], ...] = (
    ("stockfish",),
    ("ethereal-chess",),
    ("toga2",),
    ("glaurung",),
    ("gnuchess", "--uci"),
)

GAMES_FOLDER = "/usr/games"
"""Where Debian puts engines; often not in the PATH of a service or of root."""


@dataclass(frozen=True, slots=True)
class Contender:
    """A program and its arguments; `name` is what it is called, empty: what it calls itself."""

    argv: tuple[str, ...]
    name: str = ""


HOUSE = Contender(own_engine.HOUSE)
"""Our own small engine, always there."""


def two_engines(
    asked: Sequence[str] = (), folders: Sequence[str] | None = None
) -> tuple[Contender, Contender]:
    """Two engines of different names, since players of one name are not paired; different programs
    if there are two. `asked` come before what is found; `folders` None: the PATH and Debian's."""
    if folders is None:
        folders = [os.environ.get("PATH", os.defpath), GAMES_FOLDER]
    path = os.pathsep.join(folders)
    wanted = [Contender(argv, Path(argv[0]).name) for argv in map(words, asked)]
    found = [
        Contender((program, *arguments))
        for name, *arguments in KNOWN
        if (program := shutil.which(name, path=path)) is not None
    ]
    one, other = islice(cycle([*wanted, *found, HOUSE][:2]), 2)
    if one == other or one.name == other.name != "":
        name = one.name or "House"  # nothing else is there by itself and alone
        return replace(one, name=f"{name} 1"), replace(other, name=f"{name} 2")
    return one, other
