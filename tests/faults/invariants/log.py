"""Is every error in the log one that was to be expected?"""

import re
from collections.abc import Iterable, Iterator, Mapping

from .chronicle import Violation

EXPECTED: Mapping[str, tuple[str, ...]] = {
    "lock": ("storage fails.*locked",),
    "full-disk": ("storage fails.*(disk|I/O|full)",),
    "freeze": (),
    "database-restart": ("storage fails",),
    "database-kill": ("storage fails",),
    "database-cut": ("storage fails",),
}
"""What may stand in the log as an error, by what was done."""


def unexpected_errors(log: str, done: Iterable[str]) -> Iterator[Violation]:
    """Every error in the log for which nothing that was done is a reason."""
    allowed = [pattern for kind in done for pattern in EXPECTED.get(kind, ())]
    for line in log.splitlines():
        bad = re.search(r"\[(error|critical)\s*\]|Traceback", line)
        if bad and not any(re.search(pattern, line) for pattern in allowed):
            yield Violation("error in the log", 0, "", line[:300])
