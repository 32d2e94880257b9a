"""Prints the lines of a match, and on a terminal below them how far it is."""

import sys

import click

from .match_log import MatchLog

ERASE = "\r\x1b[K"
"""Erases the line on which the cursor is."""


class Screen:
    """Lines go to standard output at once, as scripts wait for them. The last line of a terminal
    goes to standard error, so that a file of the lines does not get it. shows: whether there is to
    be one, if standard error is a terminal. log: gets each line, too."""

    def __init__(self, *, shows: bool = True, log: MatchLog | None = None) -> None:
        self._log = log
        self._shows = shows and sys.stderr.isatty()
        self._status = ""

    def say(self, line: str) -> None:
        """Print a line."""
        if self._log is not None:
            self._log.printed(line)
        self._put_status("")
        click.echo(line)
        sys.stdout.flush()
        self._put_status(self._status)

    def show(self, status: str) -> None:
        """Have this in the last line from now on; empty for nothing."""
        self._status = status
        self._put_status(status)

    def _put_status(self, text: str) -> None:
        if self._shows:
            click.echo(f"{ERASE}{text}", nl=False, err=True)
