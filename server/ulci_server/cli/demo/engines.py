"""Who plays: the engines of this machine, else our own."""

import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from itertools import cycle, islice

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

HOUSE = (sys.executable, "-m", "ulci_client.house")
"""The client's own small engine, always there. It is run, never imported."""


def two_engines(asked: Sequence[str] = ()) -> tuple[list[str], list[str]]:
    """Two command lines, different ones if there are two. `asked` come before what is found."""
    path = os.pathsep.join([os.environ.get("PATH", os.defpath), GAMES_FOLDER])
    found = [
        [program, *arguments]
        for name, *arguments in KNOWN
        if (program := shutil.which(name, path=path)) is not None
    ]
    wanted = [shlex.split(command) for command in asked]
    engines = [*wanted, *found, [*HOUSE]][:2]
    one, other = islice(cycle(engines), 2)
    return one, other
