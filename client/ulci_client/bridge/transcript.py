"""Both conversations in a file, a line a message: time, engine, direction, text."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TextIO

from ulci.protocol import ULCI, Id, Lobby, LocalProtocolError, Message, Unread
from ulci.protocol.lobby.lines import UnknownLine

# Secrets: `id token`, `id resume` and the lobby's `resume`.
SECRET_IDS = frozenset({"token", "resume"})
MASK = "…"

_WRITTEN = ULCI.with_lobby()


class Transcript:
    """Lines like ``2026-11-20T18:04:05.123+00:00 1 engine < bestmove e2e4``.

    ``>``: sent by the bridge, ``<``: received, ``-``: an event. `complain` is called once if the
    file cannot be written to (disk full); then nothing more is written.
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
