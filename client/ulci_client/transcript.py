"""Both conversations in a file, a line a message: time, engine, direction, text."""

from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

import click

from ulci.protocol import ULCI, LocalProtocolError, Unread
from ulci.protocol.lobby.lines import UnknownLine
from ulci.protocol.messages import Id, Lobby, Message

from .sanitize import clean

# Secrets: `id token`, `id resume` and the lobby's `resume`.
SECRET_IDS = frozenset({"token", "resume"})
MASK = "…"

_WRITTEN = ULCI.with_lobby()

log_option = click.option(
    "--log",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Append both conversations to a file, without secrets.",
)


def open_log(path: Path | None, stack: ExitStack) -> TextIO | None:
    """The log, line-buffered, closed with the stack.

    Raises:
        click.UsageError: the file cannot be written to.
    """
    if path is None:
        return None
    try:
        return stack.enter_context(path.open("a", encoding="utf-8", buffering=1))
    except OSError as error:
        raise click.UsageError(f"cannot write to {path}: {error.strerror}") from error


class Transcript:
    """Lines like ``2026-11-20T18:04:05.123+00:00 1 engine < bestmove e2e4``.

    The number says which engine it is, or which process. ``>``: sent by this program, ``<``:
    received, ``-``: an event. `complain` is called once if the file cannot be written to (disk
    full); then nothing more is written.
    """

    def __init__(
        self,
        file: TextIO | None,
        now: Callable[[], datetime] | None = None,
        complain: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._file = file
        self._now = now or _now
        self._complain = complain

    def said(self, number: int, whom: str, message: Message | Unread) -> None:
        if self._file is not None:
            self._write(number, whom, ">", format_message(message))

    def heard(self, number: int, whom: str, message: Message | Unread) -> None:
        if self._file is not None:
            self._write(number, whom, "<", format_message(message))

    def said_text(self, number: int, whom: str, text: str) -> None:
        """A line that no dialect has written."""
        if self._file is not None:
            self._write(number, whom, ">", clean(text))

    def heard_text(self, number: int, whom: str, text: str) -> None:
        """A line that no dialect has read."""
        if self._file is not None:
            self._write(number, whom, "<", clean(text))

    def happened(self, number: int, whom: str, text: str) -> None:
        if self._file is not None:
            self._write(number, whom, "-", text)

    def _write(self, number: int, whom: str, mark: str, text: str) -> None:
        assert self._file is not None
        stamp = self._now().isoformat(timespec="milliseconds")
        try:
            self._file.write(f"{stamp} {number} {whom} {mark} {text}\n")
        except OSError as error:
            self._file = None
            self._complain(f"the log ends here: {error.strerror}")


def format_message(message: Message | Unread) -> str:
    """The message as a line of ULCI, whatever the codec, without secrets."""
    match message:
        case Unread(line):
            return line
        case Id(key, _) if key in SECRET_IDS:
            return f"id {key} {MASK}"
        case Lobby() if "resume" in message.words[:-1]:
            words = message.words
            at = words.index("resume") + 1
            message = Lobby(UnknownLine((*words[:at], MASK, *words[at + 1 :])))
    try:
        return _WRITTEN.write(message)
    except LocalProtocolError:
        return repr(message)  # no line in any dialect


def _now() -> datetime:
    return datetime.now(UTC)
