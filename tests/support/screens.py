"""A screen that nobody sees, for programs that show windows."""

import os
import secrets
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.servers import program, standing

COOKIE = b"MIT-MAGIC-COOKIE-1"

ANY_HOST = 0xFFFF
"""FamilyWild of libXau: a cookie for every address, here with an empty one."""


@contextmanager
def screen(folder: Path) -> Iterator[list[str]]:
    """An X server of the block's own: what to put in front of a command that shows windows there.
    Its number is the server's choice. It has a socket in /tmp, which only the server itself
    removes, when it is asked to end."""
    (authority := folder / "Xauthority").write_bytes(_authority())
    log = folder / "Xvfb.log"
    argv = [program("Xvfb"), "-screen", "0", "1280x1024x24", "-nolisten", "tcp"]
    argv += ["-auth", str(authority), "-displayfd"]
    ours, theirs = os.pipe()
    with log.open("w") as said, standing([*argv, str(theirs)], said, keep=(theirs,)):
        os.close(theirs)
        with os.fdopen(ours) as told:
            number = told.readline().strip()
        assert number, f"there is no screen: {log.read_text()}"
        yield [program("env"), f"DISPLAY=:{number}", f"XAUTHORITY={authority}"]


def _authority() -> bytes:
    """A file as ``xauth`` writes it, with one cookie."""
    texts = (b"", b"", COOKIE, secrets.token_bytes(16))  # the address, the display, …
    return struct.pack(">H", ANY_HOST) + b"".join(
        struct.pack(">H", len(text)) + text for text in texts
    )
