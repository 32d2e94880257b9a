"""Where does a command write? To standard output, or a file that is whole or not there."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from pathlib import Path
from typing import TextIO

from .problems import Failure

STANDARD = Path("-")


@contextmanager
def written(path: Path = STANDARD) -> Iterator[TextIO]:
    """A text in UTF-8. A file takes the place of an older one only when the block ends well.

    Raises:
        Failure: it cannot be written.
    """
    try:
        if path == STANDARD:
            if isinstance(sys.stdout, TextIOWrapper):
                sys.stdout.reconfigure(encoding="utf-8")
            yield sys.stdout
            sys.stdout.flush()
        elif path.exists() and not path.is_file():  # a device or a pipe
            with path.open("w", encoding="utf-8") as file:
                yield file
        else:
            with _replaced(path) as file:
                yield file
    except BrokenPipeError:  # whoever reads has seen enough
        raise
    except OSError as error:
        where = "the output" if path == STANDARD else path
        raise Failure(f"cannot write {where}: {error.strerror}") from None


@contextmanager
def _replaced(path: Path) -> Iterator[TextIO]:
    part = path.with_name(f"{path.name}.part")
    try:
        with part.open("w", encoding="utf-8") as file:
            yield file
        part.replace(path)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise
