"""What signals do to a program where none of its commands handles them.

Imports next to nothing: a program imports it first.
"""

import signal
import sys
from collections.abc import Iterator

from ulci.system import HANGUP

PROGRAMS = ("/ulci", "/ulci-server", "/ulci_client/cli.py", "/ulci_server/cli/__main__.py", "-m")
"""How the paths of our programs end; ``-m`` while Python looks for a module of ours. Any other
program, such as one that runs tests, is left as it is."""


def end_at_interrupt() -> None:
    """From now on Ctrl-C ends our program at once and without a word: nothing is to be cleaned up
    while it is imported, or after its command has ended, and Python would show a traceback."""
    _replace(signal.default_int_handler, signal.SIG_DFL)


def heed_interrupt() -> None:
    """From now on Ctrl-C raises KeyboardInterrupt again."""
    _replace(signal.SIG_DFL, signal.default_int_handler)


def _replace(before: object, after: object) -> None:
    if sys.argv[0].endswith(PROGRAMS) and signal.getsignal(signal.SIGINT) is before:
        signal.signal(signal.SIGINT, after)  # type: ignore[arg-type]


def without_nohup(*numbers: signal.Signals) -> Iterator[signal.Signals]:
    """The signals, without the hang-up if whoever started this process wants it ignored: nohup."""
    for number in numbers:
        if number not in HANGUP or signal.getsignal(number) is not signal.SIG_IGN:
            yield number
