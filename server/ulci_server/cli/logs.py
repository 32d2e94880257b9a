"""The log: events with their values, to standard error, for people or a JSON object a line.

What players wrote may stand in it, so control characters are escaped: nobody can forge a line of
it, or speak to the terminal of whoever reads it.

A line is made where it is logged, which takes 20 µs (a traceback 400), and written elsewhere: see
`writer`. To make it in the writer's thread would be no cheaper, and would let that thread take the
interpreter from the loop for up to 5 ms at a time.
"""

import atexit
import logging
import os
import re
import sys
from collections.abc import Callable, MutableMapping
from typing import Any, Protocol, TextIO

import structlog

from ulci.protocol.masking import HIDDEN, masked
from ulci_server.config import Log

from .writer import LogWriter

Event = MutableMapping[str, Any]
Processor = Callable[[Any, str, Event], Any]

SECRETS = frozenset({"token", "resume", "secret", "password", "authorization"})
"""Keys whose values are never written."""

TALKATIVE = ("alembic",)
"""Libraries whose INFO says nothing to an operator."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2028\u2029\u2066-\u2069]")


FLUSH = 1.0
"""Seconds that whoever reads the log has to take the last of it when the process ends."""


class Stream(Protocol):
    """What lines are written to."""

    def write(self, text: str, /) -> int: ...

    def isatty(self) -> bool: ...


def take_over(log: Log, server: str = "") -> None:
    """Call `set_up`; from now on no write to standard output or error waits until that is read. The
    writer drops lines for which there is no room, and logs their number as soon as the log is read
    again. server: the name of this server in its cluster, for each line.
    """
    out, err = (LogWriter(_descriptor(stream)) for stream in (sys.stdout, sys.stderr))
    sys.stdout, sys.stderr = out, err  # what `print` needs of a stream, they have
    atexit.register(out.close, FLUSH)
    atexit.register(err.close, FLUSH)
    set_up(log, err, server)
    err.notice = _notice(log.format, server)
    # Nobody sets it up anew: every logger may keep what it is told here, and a call for a line that
    # is below the level costs a third of what it would cost otherwise.
    structlog.configure(cache_logger_on_first_use=True)
    logging.captureWarnings(True)


def _descriptor(stream: TextIO | None) -> int:
    """None is one that was closed when the process began: its number may be that of another file by
    now."""
    return os.open(os.devnull, os.O_WRONLY) if stream is None else stream.fileno()


def set_up(log: Log, stream: Stream | None = None, server: str = "") -> None:
    """Let everybody's `structlog` and `logging` write there; None is standard error. server: as in
    `take_over`."""
    stream = stream or sys.stderr
    lines = _Lines(stream)
    structlog.configure(
        processors=processors(log.format, colors=stream.isatty(), server=server),
        wrapper_class=_Leveled,
        logger_factory=lambda *_: lines,
        cache_logger_on_first_use=False,
    )
    # Libraries use the standard library's logging.
    logging.basicConfig(handlers=[_ToStructlog()], force=True)
    set_level(log)


def set_level(log: Log) -> None:
    """Log from this level on, in the rest of the process. Every logger that was made by `set_up`
    gets it, those that are kept as well: their methods are those of one class."""
    level = logging.getLevelNamesMapping()[log.level.upper()]
    leveled = structlog.make_filtering_bound_logger(level)
    for name, method in vars(leveled).items():
        if not name.startswith("__"):
            setattr(_Leveled, name, method)
    logging.getLogger().setLevel(level)
    for name in TALKATIVE:
        logging.getLogger(name).setLevel(max(level, logging.WARNING))


class _Leveled(structlog.make_filtering_bound_logger(logging.INFO)):  # type: ignore[misc]
    """What all loggers are; `set_level` exchanges its methods."""


class _Lines:
    """Writes every line in one piece. Structlog's own loggers take a lock for it, and a finalizer
    that logs something meanwhile would wait for that in vain."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    def msg(self, line: str) -> None:
        self._stream.write(f"{line}\n")

    debug = info = warning = error = critical = msg


def _notice(form: str, server: str) -> Callable[[int, str], str]:
    """As a line of the log."""
    chain = processors(form, colors=False, server=server)

    def notice(lost: int, why: str) -> str:
        event: Any = {"event": "log lines dropped", "lines": lost, "why": why}
        for processor in chain:
            event = processor(None, "warning", event)
        return f"{event}\n"

    return notice


def processors(form: str, *, colors: bool, server: str = "") -> list[Processor]:
    """What an event passes through on its way to a line. server: as in `take_over`."""
    return [
        structlog.contextvars.merge_contextvars,
        *([from_server(server)] if server else []),
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        without_secrets,
        *([escaped, for_people(colors=colors)] if form == "console" else [for_programs()]),
    ]


def from_server(name: str) -> Processor:
    """Say first which server it is. A context variable would be lost in the threads of others, and
    in what a destructor logs."""
    return lambda _, __, event: {"server": name, **event}


def without_secrets(_: object, __: str, event: Event) -> Event:
    """Hide what stands under a secret's key, and what `masked` finds anywhere."""
    for key, value in event.items():
        if key in SECRETS:
            event[key] = HIDDEN
        elif isinstance(value, str):
            event[key] = masked(value)
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
