"""Quiet hours: ``23:00-07:00``, or only on some days: ``sat,sun 00:00-10:00``. Pure."""

import re
from dataclasses import dataclass
from datetime import datetime, time, timedelta

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")

_SPAN = re.compile(
    r"(?:(?P<days>[a-z]{3}(?:,[a-z]{3})*) +)?(?P<begin>\d\d:\d\d)-(?P<end>\d\d:\d\d)"
)


@dataclass(frozen=True, slots=True)
class QuietHours:
    """From `begin` to `end` of these days (0: Monday), in local time; over midnight if `end` is not
    after `begin`: the day is that on which it begins."""

    text: str
    days: frozenset[int]
    begin: time
    end: time

    @staticmethod
    def parse(text: str) -> "QuietHours":
        """Raises ValueError, with what to write."""
        found = _SPAN.fullmatch(text.strip().lower())
        days = found["days"].split(",") if found and found["days"] else DAYS
        try:
            if found is None or not {*days} <= {*DAYS}:
                raise ValueError
            begin, end = time.fromisoformat(found["begin"]), time.fromisoformat(found["end"])
        except ValueError:
            raise ValueError(
                f'{text!r} is no span of hours; write "23:00-07:00", or with days'
                f' ({", ".join(DAYS)}): "sat,sun 00:00-10:00"'
            ) from None
        return QuietHours(text, frozenset(DAYS.index(day) for day in days), begin, end)

    def has(self, at: datetime) -> bool:
        """Whether `at` (local time) lies in it."""
        now = at.time().replace(tzinfo=None)
        if self.begin < self.end:
            return at.weekday() in self.days and self.begin <= now < self.end
        yesterday = (at - timedelta(days=1)).weekday()
        return (at.weekday() in self.days and now >= self.begin) or (
            yesterday in self.days and now < self.end
        )
