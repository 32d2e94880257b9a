"""What a GUI must get before the program's modules are imported; imports next to nothing."""

import select
import sys
from collections.abc import Sequence
from contextlib import suppress

STDIN = 0

UNASKED = 0.5
"""Seconds to wait for a GUI that has said nothing yet."""


def greet(args: Sequence[str]) -> None:
    """XBoard's protocol: after ``protover`` the GUI waits two seconds for ``feature``, unless
    ``done=0`` says that there is more to come (protocol version 2, section 9). On a busy machine
    the imports alone take longer. An engine may say so unasked, but python-chess 1.11 drops a line
    that comes before it has asked; so the GUI speaks first, unless it says nothing."""
    spoken = "--protocol=xboard" in args or "--protocol xboard" in " ".join(args)
    if spoken and not {"-h", "--help"} & {*args}:
        with suppress(OSError):  # there is no standard input
            select.select([STDIN], [], [], UNASKED)
        sys.stdout.write("feature done=0\n")
        sys.stdout.flush()
