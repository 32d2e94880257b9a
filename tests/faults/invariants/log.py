"""Is every error in the log one that was to be expected, and did anything hold the loop?"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from deploy.bench.watched_server import held_loop

from .case import Trouble
from .chronicle import Violation

EXPECTED: Mapping[str, tuple[str, ...]] = {
    "lock": ("storage fails.*locked",),
    "full-disk": ("storage fails.*(disk|I/O|full)",),
    "freeze": ("storage fails.*has not answered for",),  # it did not run itself
    "database-restart": ("storage fails",),
    "database-kill": ("storage fails",),
    "database-cut": ("storage fails",),
    "database-stop": ("storage fails",),
    "cut-pg": ("storage fails",),
    "restart-pg": ("storage fails",),
}
"""What may stand in the log as an error, by what was done."""

AFTERWARDS = 5.0
"""s in which an error may still come of what is over: a database is waited for so long."""


def unexpected_errors(log: str, done: Iterable[str]) -> Iterator[Violation]:
    """Every error in the log for which nothing that was done is a reason."""
    allowed = [pattern for kind in done for pattern in EXPECTED.get(kind, ())]
    for line in _errors(log):
        if not any(re.search(pattern, line) for pattern in allowed):
            yield _unexpected(line)


def untimely_errors(log: str, troubles: Sequence[Trouble], ahead: float) -> Iterator[Violation]:
    """Every error for which nothing that was done at that time is a reason. `ahead`: s by which
    the log's clock is ahead of that of the troubles."""
    at = 0.0
    for line in log.splitlines():
        at = _moment(line, at + ahead) - ahead  # a line without a time belongs to that before it
        now = [t.kind for t in troubles if t.since <= at <= t.until + AFTERWARDS]
        yield from unexpected_errors(line, now)


def fenced(log: str, server: str, ahead: float) -> Iterator[Trouble]:
    """From when a server found out that others had declared it dead, and has not survived, until
    it began anew."""
    since = None
    for line in log.splitlines():
        if "this server was fenced, and begins anew" in line:
            since = _moment(line, 0.0) - ahead
        elif "run begins" in line and since is not None:
            yield Trouble("fenced", since, _moment(line, 0.0) - ahead, server)
            since = None
    if since is not None:
        yield Trouble("fenced", since, math.inf, server)


def loop_was_held(*logs: str) -> Iterator[Violation]:
    """Every step for which all games at a server had to wait too long, in the logs of all servers
    of a run."""
    for line in held_loop(*logs):
        yield Violation("loop held", 0, "", line[:300])


def _errors(log: str) -> Iterator[str]:
    for line in log.splitlines():
        if re.search(r"\[(error|critical)\s*\]|Traceback", line):
            yield line


def _unexpected(line: str) -> Violation:
    return Violation("error in the log", 0, "", line[:300])


def _moment(line: str, before: float) -> float:
    """When a line was written, s since 1970."""
    try:
        return datetime.fromisoformat(line.partition(" ")[0]).timestamp()
    except ValueError:
        return before
