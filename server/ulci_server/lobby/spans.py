"""How long shall something last? ``30m``, ``12h``, ``7d``."""

import re

LONGEST = 10 * 366 * 86_400
"""Seconds. Something without an end is for ever; one of centuries is a slip."""

NO_SPAN = "is no span of time: write 30m, 12h, 7d or 4w, at most 10y"

_SPAN = re.compile(r"(?P<number>[0-9]{1,9})(?P<unit>[smhdwy])")
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400, "y": 365 * 86_400}


def seconds_untrusted(word: str) -> int | None:
    """Seconds; None if it is no span of time."""
    found = _SPAN.fullmatch(word)
    seconds = int(found["number"]) * _UNITS[found["unit"]] if found else 0
    return seconds if 0 < seconds <= LONGEST else None
