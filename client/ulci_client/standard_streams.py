"""Standard input and output as bytes, for programs that hold a conversation there."""

import os
import select
import sys

import trio

STDIN, STDOUT = 0, 1

CHUNK = 65_536
"""Bytes read at once."""


async def read_stdin() -> bytes:
    """The next bytes of a pipe, a terminal or a file; empty at the end.

    In a thread: a file cannot be polled, and a terminal would become non-blocking for every program
    that shares it. Not through `sys.stdin`, whose lock an abandoned thread would hold while the
    interpreter shuts down.
    """
    return await trio.to_thread.run_sync(os.read, STDIN, CHUNK, abandon_on_cancel=True)


def write_stdout(data: bytes) -> None:
    """Write; blocks for a slow reader. Raises BrokenPipeError: nobody reads any more."""
    while data:
        try:
            data = data[os.write(STDOUT, data) :]
        except BlockingIOError:  # the reader has set the pipe so for its own end
            select.select([], [STDOUT], [])


def give_up_stdout() -> None:
    """After a BrokenPipeError: Python would flush again at exit, and complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
