"""The log: events with their values, to standard error, for people or a JSON object a line.

What players wrote may stand in it, so control characters are escaped: nobody can forge a line of
it, or speak to the terminal of whoever reads it.
"""

import io
import logging
import re
import sys
from collections.abc import Callable, MutableMapping
from contextlib import suppress
from typing import Any, TextIO, cast

import structlog

from ulci_server.config import Log

Event = MutableMapping[str, Any]
Processor = Callable[[Any, str, Event], Any]

SECRETS = frozenset({"token", "resume", "secret", "password", "authorization"})
"""Keys whose values are never written."""

TALKATIVE = ("alembic",)
"""Libraries whose INFO says nothing to an operator."""

HIDDEN = "(secret)"

_PASSWORD = re.compile(r"(://[^:/@\s]*):[^\s]*@")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2028\u2029\u2066-\u2069]")


def set_up(log: Log, stream: TextIO | None = None) -> None:
    """Let everybody's `structlog` and `logging` write there; None is standard error."""
    stream = stream or sys.stderr
    level = logging.getLevelNamesMapping()[log.level.upper()]
    structlog.configure(
        processors=processors(log.format, colors=stream.isatty()),
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(cast("TextIO", Unfailing(stream))),
        cache_logger_on_first_use=False,
    )
    # Libraries use the standard library's logging.
    logging.basicConfig(level=level, handlers=[_ToStructlog()], force=True)
    for name in TALKATIVE:
        logging.getLogger(name).setLevel(max(level, logging.WARNING))


class Unfailing(io.TextIOBase):
    """A stream that takes what it can: a full disk or a reader that is gone must not end a game.
    When it can be written to again, it is said how many writes were lost."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._lost = 0

    def write(self, text: str) -> int:
        try:
            if self._lost:
                self._stream.write(f"… {self._lost} writes to the log were lost\n")
            self._stream.write(text)
        except (OSError, ValueError):  # ValueError: it was closed
            self._lost += 1
        else:
            self._lost = 0
        return len(text)

    def flush(self) -> None:
        with suppress(OSError, ValueError):
            self._stream.flush()


def processors(form: str, *, colors: bool) -> list[Processor]:
    """What an event passes through on its way to a line."""
    return [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        without_secrets,
        *([escaped, for_people(colors=colors)] if form == "console" else [for_programs()]),
    ]


def without_secrets(_: object, __: str, event: Event) -> Event:
    """Hide what stands under a secret's key, and passwords in addresses anywhere."""
    for key, value in event.items():
        if key in SECRETS:
            event[key] = HIDDEN
        elif isinstance(value, str) and "://" in value:
            event[key] = _PASSWORD.sub(r"\1:***@", value)
    return event


def escaped(_: object, __: str, event: Event) -> Event:
    """Write control characters as ``\\x1b`` where the renderer puts nothing in quotes: in events
    and in tracebacks, whose lines are indented so that none passes for one of the log."""
    event["event"] = _CONTROL.sub(_escape, str(event["event"]))
    for key in _LINES & event.keys():
        lines = str(event[key]).split("\n")
        event[key] = "\n".join(f"    {_CONTROL.sub(_escape, line)}" for line in lines)
    return event


_LINES = {"exception", "stack"}


def _escape(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode()


def for_people(*, colors: bool) -> Processor:
    """``2026-11-20T20:00:00.000000Z [info     ] joined    client='Stockfish 15' kind='engine'``"""
    return structlog.dev.ConsoleRenderer(
        colors=colors,
        pad_event_to=24,
        sort_keys=False,
        repr_native_str=True,
        exception_formatter=structlog.dev.plain_traceback,
    )


def for_programs() -> Processor:
    """A JSON object a line."""
    # All but ASCII is escaped; what is no JSON is written as its repr.
    return structlog.processors.JSONRenderer()


class _ToStructlog(logging.Handler):
    """Hands the records of other people's libraries on, with the name of the library."""

    def emit(self, record: logging.LogRecord) -> None:
        log = structlog.get_logger(record.name)
        try:
            log.log(
                record.levelno, record.getMessage(), logger=record.name, exc_info=record.exc_info
            )
        except Exception:  # noqa: BLE001 - as every handler does: a bad record harms nobody else
            self.handleError(record)
