"""What a GUI must be told before the program's modules are imported; imports next to nothing."""

import sys
from collections.abc import Sequence


def greet(args: Sequence[str]) -> None:
    """XBoard's protocol: after ``protover`` the GUI waits two seconds for ``feature``, unless
    ``done=0`` says that there is more to come, which an engine may say unasked (protocol version 2,
    section 9). On a busy machine the imports alone take longer."""
    spoken = "--protocol=xboard" in args or "--protocol xboard" in " ".join(args)
    if spoken and not {"-h", "--help"} & {*args}:
        sys.stdout.write("feature done=0\n")
        sys.stdout.flush()
