"""Both conversations in a file, one line each: when, which engine, who to whom, what."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TextIO

from ulci.protocol import ULCI, Id, Lobby, LocalProtocolError, Message, Unread

# Words that let somebody else play in our name: `id token`, `id resume` and the lobby's `resume`.
SECRET_IDS = frozenset({"token", "resume"})
MASK = "…"

_WRITTEN = ULCI.with_lobby()


class Record:
    """Lines like ``2026-11-20T18:04:05.123+00:00 1 engine < bestmove e2e4``.

    ``>`` is what the bridge says, ``<`` what it hears, ``-`` what happened otherwise. `complain`
    hears of a file that cannot be written to (a full disk) and is then left alone.
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
            self._write(number, whom, ">", spelled(message))

    def heard(self, number: int, whom: str, message: Message | Unread) -> None:
        if self._file is not None:
            self._write(number, whom, "<", spelled(message))

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


def spelled(message: Message | Unread) -> str:
    """The message as a line of ULCI, whatever the codec on the wire, and without secrets."""
    match message:
        case Unread(line):
            return line
        case Id(key, _) if key in SECRET_IDS:
            return f"id {key} {MASK}"
        case Lobby(words) if "resume" in words[:-1]:
            at = words.index("resume") + 1
            message = Lobby((*words[:at], MASK, *words[at + 1 :]))
    try:
        return _WRITTEN.write(message)
    except LocalProtocolError:
        return repr(message)  # not a line of any dialect, such as a message of a later version


def _now() -> datetime:
    return datetime.now(UTC)
